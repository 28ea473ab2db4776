// SPDX-License-Identifier: Apache-2.0
#include "host/distance/bands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cl/strip/bands.h"
#include "host/batch/threads.h"
#include "host/batch/under_way.h"
#include "host/engine/selftest.h"
#include "host/engine/speed.h"
#include "host/wfa/words.h"

namespace rhomb {
namespace {

const tune::Param kBandRows{"K", {4, 1, 2, 8}, "rows at a time"};
const tune::Param kBandLanes{"LANES", {16, 1, 4, 8}, "32 pairs each: a register on CPUs"};

/// How long a launch may take, as guessed.
constexpr double kLongestLaunch = 0.1;

/// Work-items of a launch keep their columns in so much memory, at most: what caches can hold.
constexpr std::uint64_t kKept = std::uint64_t{16} << 20;

std::int64_t difference(std::uint64_t columns, std::uint64_t rows) {
  return static_cast<std::int64_t>(columns) - static_cast<std::int64_t>(rows);
}

ocl::Kernel bands_kernel(ocl::Device& device, const BandsPlan& plan);

}  // namespace

const tune::Space& bands_space() {
  static const tune::Space space{kBandRows, kBandLanes};
  return space;
}

double bands_seconds(std::size_t m, std::size_t n, double most, const ocl::Limits& limits) {
  const auto columns = static_cast<double>(std::max(m, n));
  // Symbols are dealt to the pairs of a work-item, which takes as long as so many diagonals.
  constexpr double kDealing = 60;
  return columns * (most + kDealing) / engine::guessed_cells_a_second(limits) / 4;
}

BandsPlan plan_bands(const seq::Code& code, std::size_t pairs, const ocl::Limits& limits,
                     const tune::Config& config) {
  BandsPlan plan;
  plan.planes = code.planes;
  plan.sets = code.matching == seq::Matching::kSets;
  plan.lanes = engine::usual_lanes(limits, config);
  // Narrow where not all cores would be busy otherwise; two widths, because each is a program.
  if (!config.has("LANES") && plan.lanes > 4 &&
      pairs < 2 * limits.compute_units * 32 * static_cast<std::size_t>(plan.lanes))
    plan.lanes = 4;
  engine::check_lanes(plan.lanes, 1);
  plan.rows = config.get("K", 4);
  if (plan.rows < 1 || plan.rows > 8 || !std::has_single_bit(static_cast<unsigned>(plan.rows)))
    throw tune::Unfit(engine::setting("K", plan.rows) + " is not 1, 2, 4 or 8");
  plan.pairs = 32 * static_cast<std::size_t>(plan.lanes);
  plan.kept = std::min(limits.alloc_bytes, limits.global_bytes / 4);
  plan.config.set("K", plan.rows);
  plan.config.set("LANES", plan.lanes);
  plan.program = {"strip/bands.cl",
                  "strip_bands",
                  {{"K", std::to_string(plan.rows)},
                   {"LANES", std::to_string(plan.lanes)},
                   {"PLANES", std::to_string(plan.planes)},
                   {"SETS", std::to_string(plan.sets ? 1 : 0)}}};
  return plan;
}

namespace {

/// Words that a work-item keeps.
std::uint64_t room_of(const BandsPlan& plan, std::int64_t wide) {
  return static_cast<std::uint64_t>(BANDS_COLUMNS(wide)) *
         static_cast<unsigned>((plan.planes + 2) * plan.lanes);
}

/// Work-items of a launch that there is room for.
std::size_t most_groups(const BandsPlan& plan, std::uint64_t room, const ocl::Limits& limits) {
  const std::uint64_t bytes = std::min(plan.kept, std::max(kKept, room * 4 * limits.compute_units));
  return static_cast<std::size_t>(std::max<std::uint64_t>(1, bytes / (4 * room)));
}

}  // namespace

batch::Memory bands_memory(const BandsPlan& plan, std::size_t pairs, std::int64_t wide,
                           const ocl::Limits& limits) {
  const std::size_t groups = (pairs + plan.pairs - 1) / plan.pairs;
  const std::uint64_t both =
      groups * (sizeof(BandGroup) + plan.pairs * (sizeof(BandPair) + sizeof(std::uint32_t)));
  const std::uint64_t room = room_of(plan, wide);
  const std::size_t at_a_time = std::min(groups, most_groups(plan, room, limits));
  return {both + sizeof(std::uint32_t) * room * at_a_time, both};
}

struct BandsBatch::State {
  State(ocl::Device& on, std::size_t queue) : device(on), under_way(on, queue) {}

  void sort(const BandsProblem& problem, const wfa::PackedTexts::Words& first,
            const wfa::PackedTexts::Words& second);
  void divide(const BandsPlan& plan, const BandsProblem& problem);
  void launch_all(const BandsPlan& plan, const ocl::Kernel& kernel,
                  const wfa::PackedTexts::Words& first, const wfa::PackedTexts::Words& second);

  ocl::Device& device;
  wfa::PackedTexts::Words own_a, own_b;
  std::vector<std::uint32_t> order;  // tasks in the order of their pairs; others are beyond
  std::vector<BandPair> sorted;      // of these
  batch::Staged<ocl::Device, BandPair> pairs;
  batch::Staged<ocl::Device, BandGroup> groups;
  ocl::Buffer<std::uint32_t> answers, kept;
  ocl::Pinned<std::uint32_t> found;
  std::size_t tasks = 0;
  BandsAnswer answer;
  trace::Trace* trace = nullptr;
  batch::UnderWay<ocl::Device> under_way;  // last: it goes before the memory that it uses
};

/// By the number of rows, so that those of a group are about the same.
void BandsBatch::State::sort(const BandsProblem& problem, const wfa::PackedTexts::Words& first,
                             const wfa::PackedTexts::Words& second) {
  tasks = problem.tasks.size();
  std::vector<std::uint64_t> keys;
  keys.reserve(tasks);
  const auto pair_of = [&](std::size_t i) {
    const WfaText& a = first.texts.host[problem.tasks[i].a];
    const WfaText& b = second.texts.host[problem.tasks[i].b];
    return BandPair{a.start, b.start, a.length, b.length};
  };
  for (std::size_t i = 0; i < tasks; ++i) {
    const BandPair pair = pair_of(i);
    if (std::abs(difference(pair.columns, pair.rows)) <= problem.tasks[i].most)
      keys.push_back(std::uint64_t{pair.rows} << 32 | i);
  }
  if (!std::ranges::is_sorted(keys)) std::ranges::sort(keys);
  order.resize(keys.size());
  sorted.resize(keys.size());
  batch::in_parts(keys.size(), batch::parts_of(keys.size(), problem.threads),
                  [&](std::size_t, std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) {
                      order[i] = static_cast<std::uint32_t>(keys[i]);
                      sorted[i] = pair_of(order[i]);
                    }
                  });
}

void BandsBatch::State::divide(const BandsPlan& plan, const BandsProblem& problem) {
  const std::size_t count = (order.size() + plan.pairs - 1) / plan.pairs;
  const std::span<BandGroup> made = groups.load(device, count);
  const std::span<BandPair> all = pairs.load(device, count * plan.pairs);
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t begin = g * plan.pairs, end = std::min(begin + plan.pairs, order.size());
    std::int64_t most = 0, least_difference = INT64_MAX, most_difference = INT64_MIN;
    for (std::size_t i = begin; i < end; ++i) {
      const BandPair& pair = all[i] = sorted[i];
      most = std::max<std::int64_t>(most, problem.tasks[order[i]].most);
      least_difference = std::min(least_difference, difference(pair.columns, pair.rows));
      most_difference = std::max(most_difference, difference(pair.columns, pair.rows));
    }
    for (std::size_t i = end; i < begin + plan.pairs; ++i) all[i] = sorted[end - 1];
    // A path to diagonal h and on to the last column costs |h| + |h - columns + rows| at least.
    const std::int64_t low = -((most - least_difference) / 2);
    const std::int64_t high = (most + most_difference) / 2;
    const auto k = static_cast<std::uint32_t>(plan.rows);
    const std::uint32_t rows = (sorted[end - 1].rows + k - 1) / k * k;
    made[g] = {rows, static_cast<std::uint32_t>(rows + most_difference),
               static_cast<std::int32_t>(low), static_cast<std::uint32_t>(high - low)};
  }
}

void BandsBatch::State::launch_all(const BandsPlan& plan, const ocl::Kernel& kernel,
                                   const wfa::PackedTexts::Words& first,
                                   const wfa::PackedTexts::Words& second) {
  const std::span<const BandGroup> all = groups.host.all().first(groups.count);
  std::uint32_t wide = 0, columns = 0;
  for (const BandGroup& group : all) {
    wide = std::max(wide, group.wide);
    columns = std::max(columns, group.columns);
  }
  const std::uint64_t room = room_of(plan, wide);
  if (room * sizeof(std::uint32_t) > plan.kept || room >> 32 != 0)
    throw MemoryError("a band of " + std::to_string(wide + 1) + " diagonals needs " +
                      std::to_string(room * sizeof(std::uint32_t) >> 20) +
                      " MiB on the device, more than there are for it");
  const std::size_t a_launch = std::min(all.size(), most_groups(plan, room, device.limits()));
  batch::fit<std::uint32_t>(device, kept, room * a_launch);
  const double most = kLongestLaunch * engine::guessed_cells_a_second(device.limits());
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double cells = 0;
    for (; end < all.size() && end < begin + a_launch && (end == begin || cells < most); ++end)
      cells += static_cast<double>(all[end].rows) * (all[end].wide + 1.0) *
               static_cast<double>(plan.pairs);
    kernel(ocl::Range{end - begin, 1, 1, 1}, first.words.there, second.words.there, pairs.there,
           groups.there, answers, kept,
           BandsLaunch{static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(std::bit_width(2 * std::uint64_t{columns})),
                       static_cast<std::uint32_t>(room)});
  }
}

BandsBatch::BandsBatch(ocl::Device& device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
BandsBatch::~BandsBatch() = default;
BandsBatch::BandsBatch(BandsBatch&&) noexcept = default;
BandsBatch& BandsBatch::operator=(BandsBatch&&) noexcept = default;

void BandsBatch::start(const BandsPlan& plan, const BandsProblem& problem) {
  State& state = *state_;
  const double begin = now();
  state.answer = {};
  state.answer.config = plan.config;
  state.trace = problem.trace;
  state.tasks = 0;
  if (problem.tasks.empty()) return;
  const ocl::Kernel kernel = bands_kernel(state.device, plan);
  const double built = now();
  state.answer.build = built - begin;
  trace::Scope packing(problem.trace, trace::Work::kPack);
  const auto use = state.under_way.use();
  const seq::Code& code = *problem.code;
  const bool pack_a = problem.packed_a == nullptr, pack_b = problem.packed_b == nullptr;
  if (pack_a) state.own_a.load(state.device, problem.a, code.a, code.planes, problem.threads);
  if (pack_b) state.own_b.load(state.device, problem.b, code.b, code.planes, problem.threads);
  const auto& first = pack_a ? state.own_a : problem.packed_a->words();
  const auto& second = pack_b ? state.own_b : problem.packed_b->words();
  state.sort(problem, first, second);
  if (state.order.empty()) return;
  state.divide(plan, problem);
  batch::fit<std::uint32_t>(state.device, state.answers, state.pairs.count);
  batch::fit<std::uint32_t>(state.device, state.found, state.pairs.count);
  packing.end();
  state.answer.transfer = now() - built;
  state.under_way.begin();
  const trace::Scope enqueuing(problem.trace, trace::Work::kCompute);
  if (pack_a) state.own_a.send(state.device);
  if (pack_b) state.own_b.send(state.device);
  state.pairs.send(state.device);
  state.groups.send(state.device);
  state.launch_all(plan, kernel, first, second);
  state.device.read_later<std::uint32_t>(state.answers, 0,
                                         state.found.all().first(state.pairs.count));
  state.under_way.end();
}

BandsAnswer BandsBatch::finish() {
  State& state = *state_;
  state.answer.distances.assign(state.tasks, wfa::kBeyond);
  if (!state.under_way) return std::move(state.answer);
  const auto use = state.under_way.use();
  state.under_way.wait(state.trace);
  const std::size_t pairs = state.pairs.count / state.groups.count;
  for (std::size_t i = 0; i < state.order.size(); ++i) {
    const BandGroup& group = state.groups.host[i / pairs];
    const std::int64_t off = difference(state.sorted[i].columns, state.sorted[i].rows);
    const std::int64_t distance = std::int64_t{state.found[i]} - off;
    // What a path to the first diagonal on either side costs, and no path within the band does
    // less.
    const std::int64_t high = group.low + std::int64_t{group.wide};
    const std::int64_t outside =
        std::min(2 * (high + 1) - off, 2 * (1 - std::int64_t{group.low}) + off);
    if (distance <= outside)
      state.answer.distances[state.order[i]] = static_cast<std::uint32_t>(distance);
  }
  state.answer.compute = state.under_way.seconds();
  return std::move(state.answer);
}

namespace {

/// Pairs of a known distance: unrelated and close ones, unequal lengths, a symbol; with bands that
/// suffice, and with some that are too narrow by one.
void test_bands(ocl::Device& device, const BandsPlan& plan) {
  selftest::Pairs made(plan.planes, plan.sets);
  const std::string base = made.random(130);
  const std::vector<std::pair<std::string, std::string>> texts{
      {base, made.edited(base, 10)},
      {base, made.random(120)},
      {base.substr(0, 3), base},
      {base.substr(0, 97), base},
      {made.edited(base, 5), base},
      {base, base.substr(9)},
      {base.substr(1, 31), base.substr(0, 33)},
      {base.substr(4, 1), base.substr(4, 1)}};
  std::vector<std::string_view> a, b;
  std::vector<wfa::PairTask> tasks;
  std::vector<std::int64_t> distances;
  for (const auto& [first, second] : texts) {
    const auto distance = static_cast<std::uint32_t>(made.distance(first, second));
    for (const std::uint32_t most : {distance, distance + 40, std::max(distance, 3u) - 3}) {
      tasks.push_back(
          {static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(b.size()), most, 0});
      distances.push_back(distance);
    }
    a.push_back(first);
    b.push_back(second);
  }
  BandsPlan trial = plan;
  trial.self_test = true;
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  BandsProblem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  // Each by itself, and all together.
  BandsBatch batch(device, 0);
  for (std::size_t i = 0; i <= tasks.size(); ++i) {
    problem.tasks = i < tasks.size() ? std::span(tasks).subspan(i, 1) : std::span(tasks);
    batch.start(trial, problem);
    const BandsAnswer answer = batch.finish();
    for (std::size_t t = 0; t < problem.tasks.size(); ++t) {
      const std::size_t at = i < tasks.size() ? i : t;
      const bool known = tasks[at].most >= distances[at];
      if (known || answer.distances[t] != wfa::kBeyond)
        selftest::compare(answer.distances[t], distances[at]);
    }
  }
}

ocl::Kernel bands_kernel(ocl::Device& device, const BandsPlan& plan) {
  if (!plan.self_test)
    selftest::ensure_passed(device, plan.program.file, plan.program.defines,
                            [&] { test_bands(device, plan); });
  return device.kernel(plan.program.file, plan.program.kernel, plan.program.defines);
}

}  // namespace
}  // namespace rhomb
