// SPDX-License-Identifier: Apache-2.0
#include "host/align/paths.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cl/wfa/paths.h"
#include "host/align/reference.h"
#include "host/batch/classes.h"
#include "host/batch/under_way.h"
#include "host/engine/pair.h"
#include "host/engine/selftest.h"
#include "host/error.h"
#include "host/wfa/words.h"

namespace rhomb::align {
namespace {

const char* const kPathsFile = "wfa/paths.cl";

/// How long a launch may take, as guessed.
constexpr double kLongestLaunch = 0.1;

/// Cells of all groups take no more than this, which is plenty: a group has one pair at a time.
constexpr std::uint64_t kMostCellBytes = std::uint64_t{4} << 30;

/// Cells that a pair takes, with the margins of rows.
std::uint64_t cells_kept(std::uint64_t distance, std::uint64_t m, std::uint64_t n) {
  const std::uint64_t up = distance + n - m, down = distance + m - n;  // neither is negative
  return ((up + 1) * (down + 1) + 1) / 2 + 2 * WFA_PATHS_MARGIN * distance + WFA_PATHS_BEFORE;
}

ocl::Kernel paths_kernel(ocl::Device& device, const PathsPlan& plan, const PathsPlan::Stage& stage);

}  // namespace

std::int64_t PathsPlan::most() const {
  // As many symbols in both texts are the worst; a distance d then takes (d + 1)^2 / 2 + 4 d + 6.
  const auto kept = std::sqrt(2 * static_cast<double>(bytes / cell_bytes)) - 6;
  return std::min(stages.back().most, std::max<std::int64_t>(0, static_cast<std::int64_t>(kept)));
}

PathsPlan plan_paths(const seq::Code& code, std::int64_t longest, const ocl::Limits& limits,
                     const tune::Config& config) {
  PathsPlan plan;
  plan.planes = code.planes;
  plan.sets = code.matching == seq::Matching::kSets;
  const std::int64_t most = wfa::most_in_local_memory(limits);
  // Positions past the ends, and one more.
  const bool wide = longest + most + 2 > 0xffff;
  plan.cell_bytes = wide ? 4 : 2;
  plan.bytes = std::min({limits.alloc_bytes, limits.global_bytes / 4, kMostCellBytes});
  plan.groups = limits.compute_units * (limits.gpu ? 32 : 16);
  const auto add_stage = [&](std::int64_t upto, int usual) {
    PathsPlan::Stage stage;
    stage.most = upto;
    stage.group = config.get("WG", static_cast<int>(std::min<std::size_t>(
                                       static_cast<std::size_t>(usual), limits.max_work_group)));
    engine::check_group(stage.group, limits);
    stage.defines = {{"WG", std::to_string(stage.group)},
                     {"WIDE", std::to_string(wide ? 1 : 0)},
                     {"TEAM", std::to_string(engine::team_size(limits, stage.group))},
                     {"PLANES", std::to_string(plan.planes)},
                     {"SETS", std::to_string(plan.sets ? 1 : 0)}};
    plan.stages.push_back(stage);
  };
  // Long rows keep more work-items busy.
  if (limits.gpu && !config.has("WG")) add_stage(std::min(most, wfa::most_when_full(limits)), 32);
  add_stage(most, limits.gpu ? 128 : 1);
  return plan;
}

std::uint64_t most_cell_bytes(const PathsPlan& plan, std::size_t tasks, std::uint32_t distance) {
  const std::uint64_t each = cells_kept(distance, 0, 0) * plan.cell_bytes;
  return std::min(plan.bytes, std::min<std::uint64_t>(plan.groups, tasks) * each);
}

std::uint64_t path_task_bytes(std::uint32_t distance) {
  return sizeof(WfaPath) + sizeof(std::uint32_t) * std::uint64_t{distance};
}

Cigar path_of(std::span<const std::uint32_t> edits, std::size_t m) {
  std::int64_t first = static_cast<std::int64_t>(m);  // matches before the first edit
  for (const std::uint32_t edit : edits)
    first -= (edit & WFA_EDIT_RUN) + (edit >> WFA_EDIT_SHIFT != WFA_EDIT_B ? 1 : 0);
  Cigar path;
  path.reserve(2 * edits.size() + 1);
  path.add(Edit::kMatch, first);
  for (const std::uint32_t edit : edits) {
    const std::uint32_t kind = edit >> WFA_EDIT_SHIFT;
    path.add(kind == WFA_EDIT_MISMATCH ? Edit::kMismatch
             : kind == WFA_EDIT_A      ? Edit::kInsert
                                       : Edit::kDelete,
             1);
    path.add(Edit::kMatch, edit & WFA_EDIT_RUN);
  }
  return path;
}

struct PathsBatch::State {
  State(ocl::Device& on, std::size_t queue) : device(on), under_way(on, queue) {}

  /// Tasks that are next to each other and go to one program.
  struct Class {
    std::size_t end = 0;
    std::uint32_t most = 0;  // distance
    std::uint64_t room = 0;  // cells of a task, at most
    double cells = 0;        // of all
  };
  std::vector<Class> place_tasks(const PathsProblem& problem);
  void launch(const PathsPlan& plan, const PathsProblem& problem, std::span<const Class> classes,
              std::span<const std::optional<ocl::Kernel>> kernels);

  ocl::Device& device;
  batch::Staged<ocl::Device, WfaPath> paths;
  ocl::Buffer<std::uint32_t> edits;
  ocl::Buffer<std::uint16_t> cells;
  ocl::Pinned<std::uint32_t> found;
  PathsAnswer answer;
  trace::Trace* trace = nullptr;
  batch::UnderWay<ocl::Device> under_way;  // last: it goes before the memory that it uses
};

/// Sorts the tasks by classes, which are launched each by itself, and makes room for their edits.
std::vector<PathsBatch::State::Class> PathsBatch::State::place_tasks(const PathsProblem& problem) {
  const batch::Classes by_distance(problem.tasks.size(),
                                   [&](std::size_t i) { return problem.tasks[i].distance; });
  const std::span<WfaPath> out = paths.load(device, problem.tasks.size());
  answer.first.resize(problem.tasks.size());
  std::vector<Class> classes;
  std::uint64_t count = 0;
  std::size_t place = 0;
  for (const std::size_t end : by_distance.ends()) {
    Class& its = classes.emplace_back();
    for (its.end = end; place < end; ++place) {
      const std::size_t i = by_distance.task(place);
      const PathTask& task = problem.tasks[i];
      const std::uint64_t kept =
          cells_kept(task.distance, problem.a->length(task.a), problem.b->length(task.b));
      its.most = std::max(its.most, task.distance);
      its.room = std::max(its.room, kept);
      its.cells += static_cast<double>(kept);
      answer.first[i] = static_cast<std::uint32_t>(count);
      out[place] = {task.a, task.b, task.distance, answer.first[i]};
      count += task.distance;
      if (count >> 32 != 0) throw UsageError("the paths of a batch have 2^32 edits or more");
    }
  }
  batch::fit<std::uint32_t>(device, edits, count);
  batch::fit<std::uint32_t>(device, found, count);
  answer.edits = found.all().first(count);
  return classes;
}

void PathsBatch::State::launch(const PathsPlan& plan, const PathsProblem& problem,
                               std::span<const Class> classes,
                               std::span<const std::optional<ocl::Kernel>> kernels) {
  const wfa::PackedTexts::Words &a = problem.a->words(), &b = problem.b->words();
  const auto bytes_of = [&](const Class& each) { return each.room * plan.cell_bytes; };
  const auto groups_of = [&](const Class& each) {
    return std::min<std::uint64_t>(plan.groups, plan.bytes / bytes_of(each));
  };
  std::uint64_t bytes = 0;
  std::size_t begin = 0;
  for (const Class& each : classes) {
    const std::size_t count = each.end - std::exchange(begin, each.end);
    if (bytes_of(each) > plan.bytes)
      throw MemoryError("a path needs " + std::to_string(bytes_of(each) >> 20) +
                        " MiB on the device, more than there are for it");
    bytes = std::max(bytes, std::min<std::uint64_t>(groups_of(each), count) * bytes_of(each));
  }
  batch::fit<std::uint16_t>(device, cells, bytes / sizeof(std::uint16_t));
  const double most = kLongestLaunch * wfa::pairs_cells_a_second(device.limits());
  begin = 0;
  for (const Class& each : classes) {
    std::size_t stage = 0;
    while (plan.stages[stage].most < each.most) ++stage;
    const auto items = static_cast<std::size_t>(plan.stages[stage].group);
    // As many tasks as the time allows, but no fewer than there are groups.
    const auto all = static_cast<double>(each.end - begin);
    const auto a_launch =
        std::max<std::size_t>(static_cast<std::size_t>(groups_of(each)),
                              static_cast<std::size_t>(std::min(all, all * most / each.cells)));
    for (std::size_t end = begin; begin < each.end; begin = end) {
      end = std::min(begin + a_launch, each.end);
      const std::size_t groups = std::min<std::size_t>(groups_of(each), end - begin);
      (*kernels[stage])(
          ocl::Range{groups * items, 1, items, 1}, a.words.there, b.words.there, a.texts.there,
          b.texts.there, paths.there, edits, cells,
          WfaPathsLaunch{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin),
                         static_cast<std::uint32_t>(each.room)});
    }
  }
}

PathsBatch::PathsBatch(ocl::Device& device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
PathsBatch::~PathsBatch() = default;
PathsBatch::PathsBatch(PathsBatch&&) noexcept = default;
PathsBatch& PathsBatch::operator=(PathsBatch&&) noexcept = default;

void PathsBatch::start(const PathsPlan& plan, const PathsProblem& problem) {
  State& state = *state_;
  const double begin = now();
  state.answer = {};
  state.trace = problem.trace;
  if (problem.tasks.empty()) return;
  const auto classes = state.place_tasks(problem);
  // Programs are only built for distances that there are.
  std::vector<std::optional<ocl::Kernel>> kernels(plan.stages.size());
  std::uint32_t before = 0;
  const double placed = now();
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const auto upto = static_cast<std::uint32_t>(plan.stages[i].most);
    if (std::ranges::any_of(classes, [&](const State::Class& each) {
          return each.most > before && each.most <= upto;
        }))
      kernels[i].emplace(paths_kernel(state.device, plan, plan.stages[i]));
    before = upto;
  }
  state.answer.build = now() - placed;
  const auto use = state.under_way.use();
  state.answer.compute = placed - begin;
  state.under_way.begin();
  const trace::Scope enqueuing(problem.trace, trace::Work::kCompute);
  state.paths.send(state.device);
  state.launch(plan, problem, classes, kernels);
  state.device.read_later<std::uint32_t>(state.edits, 0,
                                         state.found.all().first(state.answer.edits.size()));
  state.under_way.end();
}

PathsAnswer PathsBatch::finish() {
  State& state = *state_;
  if (!state.under_way) return std::move(state.answer);
  const auto use = state.under_way.use();
  state.under_way.wait(state.trace);
  state.answer.compute += state.under_way.seconds();
  return std::move(state.answer);
}

namespace {

/// Alignments that are known: unrelated and close texts, gaps that may stand in several places, a
/// long match, unequal lengths, a symbol, nothing.
void test_paths(ocl::Device& device, const PathsPlan& plan, const PathsPlan::Stage& stage) {
  selftest::Pairs made(plan.planes, plan.sets);
  const std::string base = made.random(330), longer = made.random(1500);
  const std::vector<std::pair<std::string, std::string>> texts{
      {base, made.random(290)},
      {base, made.edited(base, 10)},
      {base.substr(0, 3), base.substr(100, 200)},
      {longer, made.edited(longer, 60)},
      {longer.substr(1, 30) + longer, longer + base.substr(0, 21)},
      {std::string(70, '') + base.substr(0, 9), std::string(61, '') + base.substr(0, 7)},
      {made.edited(base, 5), base.substr(30)},
      {"", base.substr(0, 33)},
      {base.substr(0, 5), ""}};
  std::vector<std::string_view> a, b;
  std::vector<PathTask> tasks;
  std::vector<Cigar> expected;
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  for (const auto& [first, second] : texts) {
    Cigar path = reference::alignment(first, second, code);
    const auto distance = static_cast<std::uint32_t>(path.cost());
    if (distance == 0 || distance > stage.most) continue;
    tasks.push_back(
        {static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(b.size()), distance});
    expected.push_back(std::move(path));
    a.push_back(first);
    b.push_back(second);
  }
  PathsPlan trial = plan;
  trial.stages = {stage};
  trial.groups = 3;  // have several tasks each
  trial.self_test = true;
  wfa::PackedTexts packed_a(device, a, code.a, code.planes, 1);
  wfa::PackedTexts packed_b(device, b, code.b, code.planes, 1);
  PathsProblem problem;
  problem.a = &packed_a;
  problem.b = &packed_b;
  problem.tasks = tasks;
  problem.code = &code;
  PathsBatch batch(device, 0);
  batch.start(trial, problem);
  const PathsAnswer answer = batch.finish();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Cigar found =
        path_of(answer.edits.subspan(answer.first[i], tasks[i].distance), a[i].size());
    const auto same = std::ranges::mismatch(found, expected[i]).in1 - found.begin();
    selftest::compare(found == expected[i] ? std::int64_t{-1} : std::int64_t{same}, -1,
                      "the path of pair " + std::to_string(i) + " differs at run");
  }
}

ocl::Kernel paths_kernel(ocl::Device& device, const PathsPlan& plan,
                         const PathsPlan::Stage& stage) {
  if (!plan.self_test)
    selftest::ensure_passed(device, kPathsFile, stage.defines,
                            [&] { test_paths(device, plan, stage); });
  return device.kernel(kPathsFile, "wfa_paths", stage.defines);
}

}  // namespace
}  // namespace rhomb::align
