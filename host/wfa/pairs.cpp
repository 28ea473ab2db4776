// SPDX-License-Identifier: Apache-2.0
// The variant wavefront-batch: its plan, batches of many pairs, and a pair alone, whose rows spill
// to global memory where local memory has no room for them.
#include "host/wfa/pairs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cl/wfa/pairs.h"
#include "host/batch/classes.h"
#include "host/batch/threads.h"
#include "host/batch/under_way.h"
#include "host/engine/selftest.h"
#include "host/engine/speed.h"
#include "host/wfa/internal.h"
#include "host/wfa/words.h"

namespace rhomb::wfa {
namespace {

using engine::setting;

static_assert(kBeyond == WFA_BEYOND && kGivenUp == WFA_GIVEN_UP);

/// Cells of a row: with the first a multiprocessor still has as many groups as it can.
constexpr std::array kRooms{768, 1536, 3072, 5888};

const tune::Param kPairsGroup{"WG", {32, 64, 128, 256, 1}, "work-items a group, one for each pair"};
const tune::Param kPairsDiags{"DIAGS", {1, 2, 4}, "diagonals that a work-item has at a time"};
const tune::Param kRoom{"ROOM", {768, 1536, 3072, 5888, 64}, "cells of a row in local memory"};

constexpr std::size_t kLongestText = (std::size_t{1} << 29) - 1;  // symbols of a text
constexpr std::int64_t kMostSteps = std::int64_t{1} << 28;        // rows are numbered with 32 bits

/// Flags that a group shares, and what drivers keep for themselves.
constexpr std::uint64_t kFlagBytes = 64;

std::int64_t widest_room(const ocl::Limits& limits) {
  const std::uint64_t bytes = limits.local_bytes > kFlagBytes ? limits.local_bytes - kFlagBytes : 0;
  return std::min<std::int64_t>(kRooms.back(), static_cast<std::int64_t>(bytes / 8));
}

int usual_room(std::int64_t most, const ocl::Limits& limits) {
  const std::int64_t widest = widest_room(limits);
  for (const int room : kRooms)
    if (room >= most + WFA_ROOM_SPARE && room <= widest) return room;
  return static_cast<int>(widest);
}

std::int64_t room_for_distance(std::int64_t most) { return most + WFA_ROOM_SPARE; }

/// Half steps that a launch in global memory takes first; then as many as `kLaunch` seconds allow.
constexpr std::uint32_t kFirstSteps = 256;
constexpr double kLaunch = 0.05;

/// How long launches of batches may take, as guessed.
constexpr double kLongestBatch = 0.1;

WfaPair wfa_pair(const PairTask& task, std::uint32_t n) {
  // At half of the cost that it is worth each front should have come a quarter of the way, so
  // far as differences are spread evenly; of that a half will do, on one side.
  const std::uint32_t look = std::min(task.most, task.worth / 2);
  const std::uint64_t twice = 4 * std::uint64_t{task.worth};
  const auto ahead =
      static_cast<std::uint32_t>(look > 0 ? (std::uint64_t{n} * look + twice - 1) / twice : 0);
  return {task.a, task.b, task.most, look, ahead};
}

ocl::Kernel pairs_kernel(ocl::Device& device, const Plan& plan, const Stage& stage);

}  // namespace

PackedTexts::PackedTexts(ocl::Device& device, std::span<const std::string_view> texts,
                         const std::array<std::uint8_t, 256>& code, int planes, std::size_t threads)
    : words_(std::make_unique<Words>()) {
  words_->load(device, texts, code, planes, threads);
  words_->send(device);
  device.finish();
  words_->words.host = {};
}
PackedTexts::PackedTexts() : words_(std::make_unique<Words>()) {}
PackedTexts::~PackedTexts() = default;
PackedTexts::PackedTexts(PackedTexts&&) noexcept = default;
PackedTexts& PackedTexts::operator=(PackedTexts&&) noexcept = default;

void PackedTexts::pack(ocl::Device& device, std::span<const std::string_view> texts,
                       const std::array<std::uint8_t, 256>& code, int planes, std::size_t threads) {
  words_->load(device, texts, code, planes, threads);
  words_->send(device);
}

std::uint64_t packed_bytes(std::span<const std::string_view> texts, int planes) {
  return sizeof(std::uint32_t) * seq::batch_words(texts, planes, seq::Planes::kBackWords) +
         texts.size() * sizeof(WfaText);
}
std::uint64_t pair_task_bytes() { return sizeof(WfaPair) + sizeof(std::uint32_t); }

std::size_t PackedTexts::length(std::uint32_t text) const {
  return words_->texts.host[text].length;
}

std::int64_t most_in_local_memory(const ocl::Limits& limits) {
  return std::max<std::int64_t>(0, widest_room(limits) - WFA_ROOM_SPARE);
}

std::int64_t most_when_full(const ocl::Limits& limits) {
  return std::min<std::int64_t>(kRooms.front() - WFA_ROOM_SPARE, most_in_local_memory(limits));
}

std::int64_t most_of(const Plan& plan) { return plan.stages.front().widest - WFA_ROOM_SPARE; }

double pairs_cells(std::int64_t distance) {
  const auto forward = static_cast<double>((distance + 1) / 2 + 1);
  const auto backward = static_cast<double>(distance / 2 + 1);
  return forward * forward + backward * backward;
}

/// As measured on an H200 and under PoCL, by operations a cell.
double pairs_cells_a_second(const ocl::Limits& limits) {
  return engine::guessed_operations_a_second(limits) / (limits.gpu ? 120 : 20);
}

Plan plan_pairs(const seq::Code& code, std::int64_t most, const ocl::Limits& limits,
                const tune::Config& config) {
  Plan plan;
  plan.variant = &wavefront_batch_variant();
  plan.file = "wfa/pairs.cl";
  plan.kernel = "wfa_pairs";
  plan.max_distance = most;
  plan.planes = code.planes;
  plan.sets = code.matching == seq::Matching::kSets;
  const int room = config.get("ROOM", usual_room(most, limits));
  Stage stage;
  // Long rows keep a group's work-items busy, and leave room for few groups.
  const int usual = !limits.gpu ? 1 : room <= kRooms.front() ? 32 : 128;
  stage.group = config.get("WG", static_cast<int>(std::min<std::size_t>(
                                     static_cast<std::size_t>(usual), limits.max_work_group)));
  engine::check_group(stage.group, limits);
  stage.diags = config.get("DIAGS", 1);
  engine::check_between("DIAGS", stage.diags, 1, 16);
  engine::check_between("ROOM", room, WFA_ROOM_SPARE + 1, kMostSteps);
  if (8 * static_cast<std::uint64_t>(room) + kFlagBytes > limits.local_bytes)
    throw tune::Unfit(setting("ROOM", room) + " needs " + std::to_string(8 * room) +
                      " bytes of local memory, more than the device has");
  plan.config.set("WG", stage.group);
  plan.config.set("DIAGS", stage.diags);
  plan.config.set("ROOM", room);
  const auto add_stage = [&](std::int64_t widest, int spill) {
    stage.widest = widest;
    stage.steps = static_cast<int>(widest - WFA_ROOM_SPARE);
    stage.defines = {{"WG", std::to_string(stage.group)},
                     {"DIAGS", std::to_string(stage.diags)},
                     {"SPILL", std::to_string(spill)},
                     {"TEAM", std::to_string(engine::team_size(limits, stage.group))},
                     {"PLANES", std::to_string(plan.planes)},
                     {"SETS", std::to_string(plan.sets ? 1 : 0)}};
    plan.stages.push_back(stage);
  };
  add_stage(room, 0);
  if (room_for_distance(most) > room) add_stage(room_for_distance(most), 1);
  return plan;
}

struct PairsBatch::State {
  State(ocl::Device& on, std::size_t queue) : device(on), under_way(on, queue) {}

  void start(const Plan& plan, const ocl::Kernel& kernel, const PairsProblem& problem);
  void launch_all(const Stage& stage, const ocl::Kernel& kernel, const PackedTexts::Words& first,
                  const PackedTexts::Words& second);

  ocl::Device& device;
  PackedTexts::Words own_a, own_b;
  batch::Staged<ocl::Device, WfaPair> tasks;
  batch::Classes classes;  // of the tasks, because all wait for the last
  ocl::Buffer<std::uint32_t> answers, halves;
  ocl::Pinned<std::uint32_t> found;
  PairsAnswer answer;
  trace::Trace* trace = nullptr;
  batch::UnderWay<ocl::Device> under_way;  // last: it goes before the memory that it uses
};

void PairsBatch::State::launch_all(const Stage& stage, const ocl::Kernel& kernel,
                                   const PackedTexts::Words& first,
                                   const PackedTexts::Words& second) {
  const auto room = static_cast<std::uint32_t>(stage.widest);
  const auto group = static_cast<std::size_t>(stage.group);
  const double most = kLongestBatch * pairs_cells_a_second(device.limits());
  const std::span<const WfaPair> all = tasks.host.all().first(tasks.count);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double cells = 0;
    for (; end < all.size() && (end == begin || cells < most); ++end)
      cells += pairs_cells(all[end].most) / 2;
    kernel(ocl::Range{(end - begin) * group, 1, group, 1}, first.words.there, second.words.there,
           first.texts.there, second.texts.there, tasks.there, answers,
           ocl::Local{2 * sizeof(std::int32_t) * room}, halves,
           WfaPairsLaunch{static_cast<std::uint32_t>(begin), room, 0});
  }
}

void PairsBatch::State::start(const Plan& plan, const ocl::Kernel& kernel,
                              const PairsProblem& problem) {
  const double begin = now();
  trace::Scope packing(problem.trace, trace::Work::kPack);
  const auto use = under_way.use();
  const seq::Code& code = *problem.code;
  const bool pack_a = problem.packed_a == nullptr, pack_b = problem.packed_b == nullptr;
  if (pack_a) own_a.load(device, problem.a, code.a, code.planes, problem.threads);
  if (pack_b) own_b.load(device, problem.b, code.b, code.planes, problem.threads);
  classes =
      batch::Classes(problem.tasks.size(), [&](std::size_t i) { return problem.tasks[i].most; });
  const auto length_of = [&](std::uint32_t text) {
    return pack_b ? own_b.texts.host[text].length
                  : static_cast<std::uint32_t>(problem.packed_b->length(text));
  };
  const auto most = static_cast<std::uint32_t>(most_of(plan));
  const std::span<WfaPair> out = tasks.load(device, problem.tasks.size());
  batch::in_parts(out.size(), batch::parts_of(out.size(), problem.threads),
                  [&](std::size_t, std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) {
                      PairTask task = problem.tasks[classes.task(i)];
                      task.most = std::min(task.most, most);
                      out[i] = wfa_pair(task, length_of(task.b));
                    }
                  });
  batch::fit<std::uint32_t>(device, answers, out.size());
  batch::fit<std::uint32_t>(device, halves, 1);
  batch::fit<std::uint32_t>(device, found, out.size());
  packing.end();
  answer.transfer = now() - begin;
  under_way.begin();
  const trace::Scope enqueuing(problem.trace, trace::Work::kCompute);
  if (pack_a) own_a.send(device);
  if (pack_b) own_b.send(device);
  tasks.send(device);
  launch_all(plan.stages.front(), kernel, pack_a ? own_a : *problem.packed_a->words_,
             pack_b ? own_b : *problem.packed_b->words_);
  device.read_later<std::uint32_t>(answers, 0, found.all().first(out.size()));
  under_way.end();
}

PairsBatch::PairsBatch(ocl::Device& device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
PairsBatch::~PairsBatch() = default;
PairsBatch::PairsBatch(PairsBatch&&) noexcept = default;
PairsBatch& PairsBatch::operator=(PairsBatch&&) noexcept = default;

void PairsBatch::start(const Plan& plan, const PairsProblem& problem) {
  State& state = *state_;
  const double begin = now();
  const ocl::Kernel kernel = pairs_kernel(state.device, plan, plan.stages.front());
  state.answer = {};
  state.answer.config = plan.config;
  state.answer.build = now() - begin;
  state.trace = problem.trace;
  state.tasks.count = 0;
  if (!problem.tasks.empty()) state.start(plan, kernel, problem);
}

PairsAnswer PairsBatch::finish() {
  State& state = *state_;
  if (!state.under_way) return std::move(state.answer);
  const auto use = state.under_way.use();
  state.under_way.wait(state.trace);
  const std::size_t count = state.tasks.count;
  std::vector<std::uint32_t>& distances = state.answer.distances;
  distances.resize(count);
  for (std::size_t i = 0; i < count; ++i) distances[state.classes.task(i)] = state.found[i];
  state.answer.compute = state.under_way.seconds();
  return std::move(state.answer);
}

namespace {

/// The distance of one pair, with rows in global memory; each launch goes on where the last one
/// stopped. None if it is larger than the plan's, or the run is given up.
Answer run_spilled(ocl::Device& device, const Plan& plan, const Stage& stage,
                   const Problem& problem) {
  Answer answer;
  const double begin = now();
  const ocl::Kernel kernel = pairs_kernel(device, plan, stage);
  const double built = now();
  answer.build = built - begin;
  PackedTexts::Words a, b;
  a.load(device, {&problem.a, 1}, problem.code->a, plan.planes, problem.threads);
  b.load(device, {&problem.b, 1}, problem.code->b, plan.planes, problem.threads);
  a.send(device);
  b.send(device);
  const PairTask task{0, 0, static_cast<std::uint32_t>(plan.max_distance), 0};
  const std::array pairs{wfa_pair(task, 0)};
  const auto tasks = device.upload<WfaPair>(pairs);
  const std::array<std::uint32_t, 1> open{WFA_UNDECIDED};
  const auto answers = device.upload<std::uint32_t>(open);
  const auto halves = device.filled<std::uint32_t>(1, 0);
  const auto room = static_cast<std::size_t>(stage.widest);
  const auto rows = device.buffer<std::int32_t>(2 * room);
  const double start = now();
  answer.transfer = start - built;
  std::uint32_t found = WFA_UNDECIDED, steps = kFirstSteps;
  for (std::int64_t taken = 0; found == WFA_UNDECIDED && !answer.given_up;) {
    const double before = now();
    const auto group = static_cast<std::size_t>(stage.group);
    kernel(ocl::Range{group, 1, group, 1}, a.words.there, b.words.there, a.texts.there,
           b.texts.there, tasks, answers, rows, halves,
           WfaPairsLaunch{0, static_cast<std::uint32_t>(room), steps});
    found = device.read(answers, 0, 1)[0];
    taken += steps;
    answer.cells = pairs_cells(std::min(taken, plan.max_distance));
    if (found == WFA_UNDECIDED && !plan.self_test)
      report_cost(plan, problem, taken, now() - start, answer);
    if (now() - before < kLaunch / 2) steps = std::min(2 * steps, 1u << 20);
    if (now() - before > kLaunch) steps = std::max(steps / 2, 1u);
  }
  if (found < WFA_UNDECIDED) {
    answer.distance = found;
    answer.cells = pairs_cells(found);
  }
  answer.compute = now() - start;
  return answer;
}

/// One pair, in local memory as far as there is room.
Answer run_pairs(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const std::int64_t most = std::min(plan.max_distance, most_of(plan));
  const PairTask task{0, 0, static_cast<std::uint32_t>(most), 0};
  PairsBatch batch(*device, 0);
  const std::array a{problem.a}, b{problem.b};
  PairsProblem pairs;
  pairs.a = a;
  pairs.b = b;
  pairs.tasks = {&task, 1};
  pairs.code = problem.code;
  pairs.threads = problem.threads;
  pairs.trace = problem.trace;
  batch.start(plan, pairs);
  const PairsAnswer found = batch.finish();
  Answer answer;
  if (found.distances[0] == kBeyond && most < plan.max_distance) {
    answer = run_spilled(*device, plan, plan.stages.back(), problem);
  } else if (found.distances[0] != kBeyond) {
    answer.distance = found.distances[0];
  }
  answer.cells += pairs_cells(answer.distance.value_or(most));
  answer.compute += found.compute;
  answer.build += found.build;
  answer.transfer += found.transfer;
  return answer;
}

Plan plan_wavefront_batch(const Problem& problem, const ocl::Limits& limits,
                          const tune::Config& config) {
  Plan plan = plan_pairs(*problem.code, distance_limit(problem), limits, config);
  const std::uint64_t symbols = problem.a.size() + problem.b.size();
  plan.first_row = plan.stages.back().widest;
  plan.text_bytes = symbols * static_cast<unsigned>(plan.planes) / 8;
  plan.bytes = plan.text_bytes + (1u << 10);
  plan.most_bytes =
      plan.bytes + (plan.stages.size() > 1 ? 8 * static_cast<std::uint64_t>(plan.first_row) : 0);
  if (std::max(problem.a.size(), problem.b.size()) > kLongestText)
    throw tune::Unfit("m + n = " + std::to_string(symbols) +
                      " symbols are too many: each text may have " + std::to_string(kLongestText));
  if (plan.most_bytes > limits.global_bytes || plan.most_bytes > limits.alloc_bytes)
    throw MemoryError("texts and rows need " + std::to_string(plan.most_bytes >> 20) +
                      " MiB on the device, more than it has");
  return plan;
}

/// Pairs of a known distance, many at a time: unrelated and close ones, a long match, unequal
/// lengths, a symbol, nothing; with and without a limit that is too low by one.
void test_pairs(ocl::Device& device, const Plan& plan, const Stage& stage) {
  selftest::Pairs made(plan.planes, plan.sets);
  const std::string base = made.random(330), longer = made.random(5000);
  const std::vector<std::pair<std::string, std::string>> texts{
      {base, made.random(290)},
      {base, made.edited(base, 10)},
      {base.substr(0, 3), base.substr(100, 200)},
      {longer, made.edited(longer, 100)},
      {longer.substr(1, 30) + longer, longer + base.substr(0, 21)},
      {longer, longer},
      {"\1", base.substr(0, 33)},
      {"", base.substr(0, 2)}};
  std::vector<std::string_view> a, b;
  std::vector<PairTask> tasks;
  std::vector<std::int64_t> distances;
  const auto room = static_cast<std::uint32_t>(stage.widest - WFA_ROOM_SPARE);
  for (const auto& [first, second] : texts) {
    const auto distance = static_cast<std::uint32_t>(made.distance(first, second));
    for (const std::uint32_t most : {room, std::min(distance, room), std::max(distance, 1u) - 1}) {
      tasks.push_back({static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(b.size()),
                       std::min(most, room), 0});
      distances.push_back(distance <= tasks.back().most ? distance : kBeyond);
    }
    a.push_back(first);
    b.push_back(second);
  }
  Plan trial = plan;
  trial.stages = {stage};
  trial.self_test = true;
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  PairsProblem problem;
  problem.a = a;
  problem.b = b;
  problem.tasks = tasks;
  problem.code = &code;
  PairsBatch batch(device, 0);
  batch.start(trial, problem);
  const PairsAnswer answer = batch.finish();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    selftest::compare(answer.distances[i], distances[i]);
}

/// The same in global memory, a pair after another.
void test_spilled(ocl::Device& device, const Plan& plan, const Stage& stage) {
  selftest::Pairs made(plan.planes, plan.sets);
  Plan trial = plan;
  trial.self_test = true;
  Stage wide = stage;
  trial.max_distance = 400;
  wide.widest = room_for_distance(trial.max_distance);
  const std::string base = made.random(330), longer = made.random(5000);
  for (const auto& [first, second] :
       {std::pair{base, made.random(290)}, {longer, made.edited(longer, 100)}}) {
    const Problem problem = made.problem(first, second);
    selftest::compare(run_spilled(device, trial, wide, problem).distance,
                      made.distance(first, second));
  }
}

ocl::Kernel pairs_kernel(ocl::Device& device, const Plan& plan, const Stage& stage) {
  if (!plan.self_test)
    selftest::ensure_passed(device, plan.file, stage.defines, [&] {
      const bool spills = &stage != &plan.stages.front();
      spills ? test_spilled(device, plan, stage) : test_pairs(device, plan, stage);
    });
  return device.kernel(plan.file, plan.kernel, stage.defines);
}

}  // namespace

const Variant& wavefront_batch_variant() {
  static const Variant variant{kWavefrontBatch,
                               "two wavefronts that meet in local memory, a group a pair, many "
                               "pairs at a time",
                               {kPairsGroup, kPairsDiags, kRoom},
                               plan_wavefront_batch,
                               run_pairs};
  return variant;
}

}  // namespace rhomb::wfa
