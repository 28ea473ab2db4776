// SPDX-License-Identifier: Apache-2.0
// The table of variants and their plans.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "host/engine/sketch.h"
#include "host/engine/solve.h"
#include "host/seq/packed.h"
#include "host/strip/banded_run.h"
#include "host/strip/blocks.h"
#include "host/strip/internal.h"
#include "host/strip/several.h"

namespace rhomb::strip {
namespace {

using engine::setting;

const tune::Param kGroup{"WG", {128, 64, 256, 32, 512, 1}, "work-items a group; 1 where LANES > 1"};
const tune::Param kLanes{
    "LANES", {1, 4, 8, 16}, "lanes a work-item: 1 on GPUs, a register on CPUs"};
const tune::Param kRows{"K", {4, 1, 2, 8, 16, 32, 3, 6}, "rows a strip, 32 strips a lane"};
const tune::Param kSlab{"SLAB", {64, 32, 128, 256, 16}, "words of 32 columns a launch"};
const tune::Param kFlow{
    "FLOW", {1, 0}, "1: words flow between groups that run; 0: between launches"};
const tune::Param kSlack{"SLACK", {2, 1, 4, 8}, "words of columns between groups, with FLOW=1"};
const tune::Param kBatch{"BATCH", {32, 8, 128, 1}, "launches between two looks at the progress"};

const tune::Space kSpace{kGroup, kLanes, kRows, kSlab, kFlow, kSlack, kBatch};

/// Lanes that run at the same time, both halves, in a matrix of m rows and a band of `diagonals`.
std::int64_t lanes_at_once(std::int64_t m, std::int64_t diagonals, int k) {
  const std::int64_t rows = 32 * std::int64_t{k};
  // A lane is 32 K diagonals wide and runs 64 columns behind the one above.
  return 2 * std::min(m / (2 * rows) + 1, diagonals / (rows + 64) + 1);
}

/// Nanoseconds a step with K rows a strip, as measured on H100s: 9.5 + 8 K while each scheduler has
/// a group of 32 lanes to itself. Where one has two, the instructions of both count; and where
/// words flow, all wait for it.
double step_time(int k, double shared, bool flow) {
  if (flow) shared = std::ceil(shared);
  return std::max(9.5 + 8.0 * k, shared > 1 ? shared * 1.2 * (7 * k + 6) : 0);
}

/// More than 128 registers of state and symbols are more than compilers keep; with a barrier a
/// chunk, more than 16 rows have gained nothing.
int most_rows(int planes, bool flow) {
  int k = flow ? 32 : 16;
  while (k * (2 + planes) > 128) k /= 2;
  return k;
}

/// Seconds of a pass on a GPU, as far as steps tell.
double pass_seconds(const ocl::Limits& limits, std::int64_t m, std::int64_t n,
                    std::int64_t diagonals, int k, bool flow) {
  const double shared = static_cast<double>(lanes_at_once(m, diagonals, k)) /
                        (128.0 * static_cast<double>(limits.compute_units));
  // A half goes down m / 2 rows and across as many columns, and half the band further.
  const double across = std::min(static_cast<double>(n), static_cast<double>(n + diagonals) / 2);
  const double steps = across + 64.0 * (static_cast<double>(m) / (64.0 * k) + 1);
  return steps * step_time(k, shared, flow) * 1e-9;
}

/// Rows a strip for a GPU: few make steps short, many make lanes, and with them steps, few. Where
/// words flow, a few lanes too many take as long as twice as many, so any number may be best; but
/// each is a program of its own to compile, so one that is not a power of two has to gain 5%.
int usual_rows(const ocl::Limits& limits, int planes, std::int64_t m, std::int64_t n,
               std::int64_t diagonals, bool flow) {
  constexpr double kWorthAProgram = 1.05;
  int best = 1;
  double least = 0;
  for (int k = 1; k <= most_rows(planes, flow); ++k) {
    const bool power = std::has_single_bit(static_cast<unsigned>(k));
    if (!power && !flow) continue;
    const double time =
        pass_seconds(limits, m, n, diagonals, k, flow) * (power ? 1 : kWorthAProgram);
    if (k == 1 || time < least) {
      best = k;
      least = time;
    }
  }
  return best;
}

/// What was measured to be best for a matrix of m rows and a band of `diagonals`.
Shape usual_shape(const ocl::Limits& limits, int planes, std::int64_t m, std::int64_t n,
                  std::int64_t diagonals, const tune::Config& config) {
  Shape shape;
  // Where each scheduler has more than two groups, flowing words make the older ones run ahead and
  // the younger ones starve; launches keep them together.
  const bool crowded = lanes_at_once(m, diagonals, most_rows(planes, true)) >
                       256 * static_cast<std::int64_t>(limits.compute_units);
  shape.flow = config.get("FLOW", limits.nvidia && !crowded ? 1 : 0) != 0;
  shape.lanes = engine::usual_lanes(limits, config);
  if (!limits.gpu) {
    shape.k = 8;
    shape.slab = 256;
  } else {
    shape.k = usual_rows(limits, planes, m, n, diagonals, shape.flow);
    // Launches of a millisecond or less, and some of them.
    shape.slab = !shape.flow ? 64 : n < 2'000'000 ? 512 : 1024;
  }
  shape.k = config.get("K", shape.k);
  shape.slab = config.get("SLAB", shape.slab);
  shape.slack = config.get("SLACK", std::min(shape.slack, shape.slab));
  // Groups that flow share a scheduler fairly if they follow each other, so where there are more
  // than four a multiprocessor they should be in one block.
  std::size_t usual = 128;
  const std::int64_t lanes = lanes_at_once(m, diagonals, std::clamp(shape.k, 1, 32));
  if (shape.flow && lanes > 128 * static_cast<std::int64_t>(limits.compute_units)) usual = 256;
  shape.block = config.get("WG", shape.lanes > 1 || (shape.flow && !limits.nvidia)
                                     ? 1
                                     : static_cast<int>(std::min(limits.max_work_group, usual)));
  shape.group = shape.flow ? (limits.nvidia ? 32 : 1) : shape.block;
  return shape;
}

/// What a plan takes of the device's memory. Throws MemoryError where that is too much.
void take_room(Plan& plan, const ocl::Limits& limits) {
  const Layout layout = layout_of(plan.size, plan.shape, plan.planes);
  const std::uint64_t largest =
      4 * std::max({layout.state, layout.ring, layout.last, layout.pattern, layout.text});
  plan.text_bytes = 4 * (layout.pattern + layout.text);
  plan.bytes = 4 * (layout.state + layout.ring + layout.last) + plan.text_bytes;
  if (plan.bytes > limits.global_bytes || largest > limits.alloc_bytes)
    throw MemoryError("a matrix of " + std::to_string(plan.size.m - plan.size.padding) + " x " +
                      std::to_string(plan.size.n - plan.size.padding) + " needs " +
                      std::to_string(plan.bytes >> 20) + " MiB on the device, " +
                      std::to_string(largest >> 20) + " MiB in one piece; it has " +
                      std::to_string(limits.global_bytes >> 20) + " MiB and allows " +
                      std::to_string(limits.alloc_bytes >> 20) + " MiB");
}

}  // namespace

/// `threshold`: of the first band; nothing for the whole matrix.
Plan plan_any(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
              std::optional<std::int64_t> threshold, bool swapped) {
  Plan plan;
  plan.banded = threshold.has_value();
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.swapped = swapped;
  plan.max_distance = distance_limit(problem);
  const auto m = static_cast<std::int64_t>(swapped ? problem.b.size() : problem.a.size());
  const auto n = static_cast<std::int64_t>(swapped ? problem.a.size() : problem.b.size());
  const std::int64_t diagonals = threshold ? *threshold : m + n;
  plan.shape = usual_shape(limits, plan.planes, m, n, diagonals, config);
  const Shape& shape = plan.shape;
  plan.batch = config.get("BATCH", kBatch.values.front());
  engine::check_lanes(shape.lanes, shape.block);
  engine::check_group(shape.block, limits);
  engine::check_between("K", shape.k, 1, 32);
  engine::check_between("SLAB", shape.slab, 1, 1 << 16);
  if (shape.flow && shape.block % shape.group != 0)
    throw tune::Unfit(setting("WG", shape.block) +
                      " is not a multiple of 32, as FLOW=1 needs here");
  if (shape.flow && !limits.nvidia && shape.block != 1)
    throw tune::Unfit(setting("WG", shape.block) +
                      " does not go with FLOW=1 on this device: it takes 1");
  if (shape.flow && (shape.slack < 0 || shape.slack > shape.slab))
    throw tune::Unfit(setting("SLACK", shape.slack) + " is not between 0 and " +
                      setting("SLAB", shape.slab));
  if (plan.batch < 1) throw tune::Unfit("BATCH must be at least 1");
  const std::uint64_t local =
      shape.lanes > 1 || shape.flow
          ? 0
          : 16u * static_cast<unsigned>(shape.group) + 8u * static_cast<unsigned>(shape.slab);
  if (local > limits.local_bytes)
    throw tune::Unfit(setting("WG", shape.block) + " with " + setting("SLAB", shape.slab) +
                      " needs " + std::to_string(local) +
                      " bytes of local memory, the device has " +
                      std::to_string(limits.local_bytes));
  plan.config.set("WG", shape.block);
  plan.config.set("LANES", shape.lanes);
  plan.config.set("K", shape.k);
  plan.config.set("SLAB", shape.slab);
  plan.config.set("FLOW", shape.flow ? 1 : 0);
  if (shape.flow) plan.config.set("SLACK", shape.slack);
  plan.config.set("BATCH", plan.batch);
  plan.program.file = shape.flow ? "strip/flow.cl" : "strip/pair.cl";
  plan.program.kernel = shape.flow ? "strip_flow" : "strip_pair";
  plan.program.defines = {{"WG", std::to_string(shape.block)},
                          {"LANES", std::to_string(shape.lanes)},
                          {"K", std::to_string(shape.k)},
                          {"PLANES", std::to_string(plan.planes)},
                          {"SETS", plan.sets ? "1" : "0"}};
  if (shape.flow) plan.program.defines.emplace_back("TEAM", std::to_string(shape.group));

  if (limits.gpu) plan.seconds = pass_seconds(limits, m, n, diagonals, shape.k, shape.flow);
  plan.size = size_of(m, n, shape);
  take_room(plan, limits);
  return plan;
}

namespace {

bool longer_first(const Problem& problem) { return problem.a.size() > problem.b.size(); }

Plan plan_full(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_any(problem, limits, config, std::nullopt, longer_first(problem));
}

Plan plan_strips(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  const auto a = static_cast<std::int64_t>(problem.a.size());
  const auto b = static_cast<std::int64_t>(problem.b.size());
  const std::int64_t most = distance_limit(problem);
  const std::int64_t threshold =
      std::max(std::abs(a - b), std::min(problem.guess.value_or(most), most));
  Plan plan = plan_any(problem, limits, config, threshold, longer_first(problem));
  plan.threshold = threshold;
  return plan;
}

Answer run_strips(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const double begin = now();
  ensure_tested(*device, plan);
  const auto kernel = device->kernel(plan.program.file, plan.program.kernel, plan.program.defines);
  const double built = now();
  Answer answer = run_passes(*device, plan, problem, kernel);
  answer.build = built - begin;
  return answer;
}

Plan plan_blocks(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  if (config.get("FLOW", 0) != 0)
    throw tune::Unfit("FLOW=1 does not go with rows that are shared in blocks");
  tune::Config fixed = config;
  fixed.set("FLOW", 0);
  Plan plan = plan_strips(problem, limits, fixed);
  if (kBlockRows % plan.shape.rows() != 0)
    throw tune::Unfit(setting("K", plan.shape.k) + " does not divide 96, as rows in blocks need");
  plan.config.set("BLOCK", config.get("BLOCK", 0));
  return plan;
}

Answer run_blocks(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return solve_shared({{device}}, problem, plan.config);
}

Plan plan_flow_batch(const Problem& problem, const ocl::Limits& limits,
                     const tune::Config& config) {
  tune::Config flows = config;
  flows.set("FLOW", 1);
  Plan plan = plan_strips(problem, limits, flows);
  plan.together = true;
  // The ring has room for all columns, and for the word that is looked at ahead.
  plan.shape.slab = static_cast<int>(plan.size.words() / 2 + 1);
  take_room(plan, limits);
  plan.bytes += 8 * std::uint64_t{layout_of(plan.size, plan.shape, plan.planes).stride};  // scores
  plan.program.file = "strip/several.cl";
  plan.program.kernel = "strip_several";
  tune::Config own;
  for (const tune::Param& param : flow_batch_variant().space)
    own.set(param.name, plan.config.get(param.name, param.values.front()));
  plan.config = own;
  return plan;
}

Answer run_flow_batch(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const SeveralAnswer all =
      solve_several(*device, {&plan, 1}, {&problem, 1}, problem.threads, problem.trace,
                    [&](const Progress& progress) { return report(problem, progress); });
  Answer answer = all.answers.front();
  answer.given_up = all.given_up;
  answer.build = all.build;
  answer.transfer = all.transfer;
  answer.compute = all.compute;
  return answer;
}

/// Without a hint the first band is as wide as a sketch says, and a bit.
void guess(const Variant& variant, Problem& problem) {
  if (problem.guess || variant.plan == plan_full) return;
  const trace::Scope scope(problem.trace, trace::Work::kChoose);
  const Sketch sketch = sketch_distance(problem.a, problem.b, problem.threads);
  problem.guess = first_threshold(problem, sketch.distance);
}

}  // namespace

const Variant& strips_variant() {
  static const Variant variant{"strips",
                               "bit-sliced strips within a band, the bound found by a narrower one",
                               kSpace, plan_strips, run_strips};
  return variant;
}

const Variant& full_variant() {
  static const Variant variant{"strips-full", "bit-sliced strips over the whole matrix", kSpace,
                               plan_full, run_strips};
  return variant;
}

const Variant& blocks_variant() {
  static const tune::Space space = [] {
    tune::Space all = kSpace;
    all.push_back(
        {"BLOCK", {0, 1, 4, 16, 64}, "units of 3,072 rows a block; 0: as devices share them best"});
    return all;
  }();
  static const Variant variant{
      "strips-blocks",
      "rows in blocks that one device computes after the other, or several devices at a time",
      space,
      plan_blocks,
      run_blocks,
      /*cuda_device=*/nullptr,
      /*on_host=*/false,
      /*saves=*/true};
  return variant;
}

const Variant& flow_batch_variant() {
  static const Variant variant{
      kFlowBatch,
      "bit-sliced strips within a band, a launch a pass, and many long pairs in each",
      {kGroup, kLanes, kRows},
      plan_flow_batch,
      run_flow_batch};
  return variant;
}

bool shares_launches(const ocl::Limits& limits) { return limits.gpu && limits.nvidia; }

tune::Config config_together(std::span<const Problem> problems, const ocl::Limits& limits) {
  if (!limits.gpu || problems.empty()) return {};
  // A lane runs through its part of the band, and so long as the first lane of its group is ahead.
  constexpr double kAhead = 64 * 32, kLanesAGroup = 32, kSchedulers = 4;
  const double schedulers = kSchedulers * static_cast<double>(limits.compute_units);
  // Others would gain 15% at most, and each is a program of its own to compile.
  const auto seconds = [&](int k) {
    const double rows = 32.0 * k;
    double busy = 0, longest = 0;
    for (const Problem& problem : problems) {
      const auto [shorter, longer] = std::minmax(
          {static_cast<double>(problem.a.size()), static_cast<double>(problem.b.size())});
      const std::int64_t most = distance_limit(problem);
      const auto diagonals = static_cast<double>(std::min(problem.guess.value_or(most), most));
      busy += std::ceil(shorter / 2 / rows / kLanesAGroup) * 2 *
              (std::min(longer, diagonals + rows) + kAhead);
      longest = std::max(
          longest, std::min(longer, (longer + diagonals) / 2) + 64 * (shorter / 2 / rows + 1));
    }
    return longest * step_time(k, 1, true) + busy / schedulers * 1.2 * (7 * k + 6);
  };
  tune::Config config;
  config.set("K", seconds(2) < seconds(4) ? 2 : 4);
  return config;
}

std::int64_t first_threshold(const Problem& problem, std::int64_t estimate) {
  const auto longest = static_cast<double>(std::max(problem.a.size(), problem.b.size()));
  const double part = static_cast<double>(estimate) / std::max(longest, 1.0);
  const double margin = 1.3 - std::clamp(part - 0.1, 0.0, 0.2);
  return static_cast<std::int64_t>(margin * static_cast<double>(estimate)) + 64;
}

std::span<const Variant> variants() {
  static const std::array all{
      strips_variant(), full_variant(), blocks_variant(), flow_batch_variant(),
#ifdef RHOMB_HAVE_CUDA
      cuda_variant(),
#endif
  };
  return all;
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  return engine::plan(variant, trimmed(problem), limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  return engine::solve_pair(device, variant, problem, config,
                            [&](Problem& rest) { guess(variant, rest); });
}

Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config) {
  Problem rest = trimmed(problem);
  guess(variant, rest);
  const Plan plan = engine::plan(variant, rest, limits, config);
  const Band band = plan.band(plan.threshold);
  const Schedule schedule(plan.size, plan.shape, band);
  Facts facts;
  facts.add("config", plan.config.text());
  facts.add("program", plan.program.text());
  facts.add("rows", plan.swapped ? "second text" : "first text");
  facts.add("rows_per_lane", plan.shape.rows());
  facts.add("forward_lanes", plan.size.upper);
  facts.add("backward_lanes", plan.size.lower);
  if (plan.banded) {
    facts.add("first_threshold", plan.threshold);
    facts.add("first_band_diagonals", band.below + band.above + 1);
  }
  facts.add("launches_per_pass", plan.together ? 1 : schedule.launches());
  if (!plan.together) facts.add("columns_per_launch", 32 * plan.shape.slab);
  facts.add("max_distance", plan.max_distance);
  facts.add("device_bytes", static_cast<std::int64_t>(plan.bytes));
  facts.add("device_bytes_of_texts", static_cast<std::int64_t>(plan.text_bytes));
  return facts;
}

}  // namespace rhomb::strip
