// SPDX-License-Identifier: Apache-2.0
// The plans of the variants fused and fused-batch: what one work-item, group and launch do, by
// device and width.
#include <algorithm>

#include "host/seq/packed.h"
#include "host/wfa/internal.h"
#include "host/wfa/meeting.h"
#include "host/wfa/meetings.h"

namespace rhomb::wfa {
namespace {

using engine::setting;

const tune::Param kFusedGroup{
    "WG", {128, 256, 64, 32, 512, 1}, "work-items a group; 1 where VEC > 1"};
const tune::Param kLanes{"VEC", {1, 4, 8, 16}, "lanes of a vector: 1 on GPUs, a register on CPUs"};
const tune::Param kDiags{"DIAGS", {4, 1, 2, 8, 16, 32, 64}, "diagonals a lane of a work-item"};
const tune::Param kSteps{"STEPS", {32, 16, 64, 128, 8}, "costs a launch, less than half a tile"};
const tune::Param kWalk{"WALK", {0, 1}, "1: groups walk very long matches together; needs WG > 2"};
const tune::Param kLaunches{"BATCH", {64, 16, 4, 1, 256}, "launches between two reads, at most"};

const tune::Param kManyLaunches{"BATCH", {16, 4, 1, 64}, kLaunches.meaning};

constexpr int kMostDiags = 1024;  // of a lane; more is memory nobody has in registers or cache

/// What was measured to be best. On an H200: few diagonals a work-item while there are fewer
/// work-items than the device can hold, for then a step's latency is all that counts; more of them
/// later, because halos and edges cost less.
std::vector<Stage> usual_stages(const ocl::Limits& limits, bool many) {
  constexpr std::int64_t kForever = std::int64_t{1} << 40;
  if (!limits.gpu) {
    if (many) return {{kForever, 1, 1, 32, 8}};  // vectors are of one pair
    const int lanes = limits.vector_ints >= 16 ? 16 : 8;
    return {{kForever, 1, lanes, 1024 / lanes, 32}};
  }
  const auto largest = static_cast<int>(std::min<std::size_t>(limits.max_work_group, 256));
  if (largest < 8) {
    // Not a GPU as we know them; a tile must still be much wider than its steps.
    const int diags = 32 / std::max(largest, 1);
    return {{kForever, largest, 1, diags, largest * diags / 4}};
  }
  const auto units = static_cast<std::int64_t>(limits.compute_units);
  const int half = std::max(1, largest / 2);
  const int quarter = std::max(1, largest / 4);
  const auto larger = static_cast<int>(std::min<std::size_t>(limits.max_work_group, 512));
  // Very long matches are walked by groups, which costs each step a fifth.
  Stage very_long{units * 256, largest, 1, 1, quarter};
  very_long.walk = very_long.long_matches = true;
  // Close genomes, whose windows do not last: one diagonal a work-item, so that neighbours read
  // neighbouring places, and large groups, so that halos stay small.
  Stage dense{0, larger, 1, 1, quarter};
  dense.dense_matches = true;
  return {very_long,
          {units * 128, larger, 1, 1, larger / 4},  // half of a tile is halo, but few launches
          {units * 512, largest, 1, 1, quarter},
          dense,
          {units * 6000, largest, 1, 2, quarter},
          {units * 16000, half, 1, 4, std::max(1, half / 4)},
          {kForever, half, 1, 8, std::max(1, half / 4)}};
}

void check_shape(const Stage& stage, const ocl::Limits& limits) {
  engine::check_group(stage.group, limits);
  engine::check_lanes(stage.lanes, stage.group, "VEC");
  // One bit of a word names a register of a lane.
  const int most = stage.lanes == 1 ? 32 : kMostDiags;
  if (stage.diags < 1 || stage.diags > most)
    throw tune::Unfit(setting("DIAGS", stage.diags) + " is not between 1 and " +
                      std::to_string(most) + " with " + setting("VEC", stage.lanes));
  // Two edges, two sides.
  if (stage.group > 1 &&
      4 * sizeof(std::int32_t) * (static_cast<std::size_t>(stage.group) + 1) > limits.local_bytes)
    throw tune::Unfit(setting("WG", stage.group) + " needs more local memory than the device has");
}

void check_steps(const Stage& stage) {
  if (stage.steps < 1 || 2 * std::int64_t{stage.steps} >= stage.tile())
    throw tune::Unfit(setting("STEPS", stage.steps) +
                      " is not between 1 and less than half of the " +
                      std::to_string(stage.tile()) + " diagonals of a group (WG * VEC * DIAGS)");
}

std::vector<Stage> chosen_stages(const ocl::Limits& limits, const tune::Config& config, bool many) {
  std::vector<Stage> stages = usual_stages(limits, many);
  if (config.has("WG") || config.has("VEC") || config.has("DIAGS")) {
    // What is forced holds for all widths; what is not follows from it.
    Stage stage = stages[stages.size() > 1 ? stages.size() - 2 : 0];
    stage.widest = stages.back().widest;
    stage.dense_matches = false;
    stage.group = config.get("WG", config.get("VEC", stage.lanes) > 1 ? 1 : stage.group);
    stage.lanes = config.get("VEC", stage.group > 1 ? 1 : stage.lanes);
    stage.diags = config.get("DIAGS", stage.lanes == 1 && stage.group == 1
                                          ? 32
                                          : (stage.lanes > 1 ? 1024 / stage.lanes : 4));
    check_shape(stage, limits);
    stage.walk = false;
    stage.steps = std::max(1, std::min(stage.steps, stage.tile() / 4));
    stages = {stage};
  }
  if (config.has("STEPS")) {
    for (Stage& stage : stages) stage.steps = config.get("STEPS", stage.steps);
    // Narrow tiles may be too small for so many steps; the wider ones then start earlier.
    std::erase_if(stages, [widest = stages.back().widest](const Stage& stage) {
      return stage.widest < widest && 2 * std::int64_t{stage.steps} >= stage.tile();
    });
  }
  for (Stage& stage : stages) {
    const int walk = config.get("WALK", stage.walk);
    if (walk != 0 && walk != 1) throw tune::Unfit(setting("WALK", walk) + " is not 0 or 1");
    stage.walk = walk != 0;
    check_shape(stage, limits);
    check_steps(stage);
    // PoCL 3.1 hangs with two work-items, whose barriers it treats in a way of its own.
    if (stage.walk && stage.group < 3) throw tune::Unfit(setting("WALK", 1) + " needs WG > 2");
  }
  return stages;
}

/// What is the same for all pairs of a code; `many`: they share launches.
Plan plan_stages(const Variant& variant, const seq::Code& code, const ocl::Limits& limits,
                 const tune::Config& config, bool many) {
  Plan plan;
  plan.variant = &variant;
  plan.planes = code.planes;
  plan.sets = code.matching == seq::Matching::kSets;
  plan.stages = chosen_stages(limits, config, many);
  const bool vectors = plan.stages.front().lanes > 1;
  plan.file = vectors ? "wfa/vectors.cl" : "wfa/fused.cl";
  plan.kernel = "wfa_fused";
  for (Stage& stage : plan.stages) {
    const auto set = [&](const char* name, int value) {
      stage.defines.emplace_back(name, std::to_string(value));
    };
    set("VEC", stage.lanes);
    set("DIAGS", stage.diags);
    if (!vectors) {
      set("MANY", many);
      set("WG", stage.group);
      set("WALK", stage.walk);
      set("TEAM", engine::team_size(limits, stage.group));
    }
    set("PLANES", plan.planes);
    set("SETS", plan.sets);
  }
  const Stage& last = plan.stages.back();
  plan.config.set("WG", last.group);
  plan.config.set("DIAGS", last.diags);
  plan.config.set("STEPS", last.steps);
  plan.config.set("WALK", last.walk);
  plan_batch(plan, config, (many ? kManyLaunches : kLaunches).values.front());
  return plan;
}

void check_room(std::uint64_t texts, std::uint64_t all, const ocl::Limits& limits) {
  if (all > limits.global_bytes || texts > limits.alloc_bytes)
    throw MemoryError("the texts need " + std::to_string(all >> 20) +
                      " MiB on the device, which has " + std::to_string(limits.global_bytes >> 20) +
                      " MiB (" + std::to_string(limits.alloc_bytes >> 20) + " MiB in one piece)");
}

Plan plan_fused(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  Plan plan = plan_stages(fused_variant(), *problem.code, limits, config, false);
  plan.max_distance = distance_limit(problem);
  const Stage& last = plan.stages.back();
  plan.config.set("VEC", last.lanes);

  // Three rows of two directions; a row of cost s has at most 2 s + 1 diagonals and s stops at half
  // the distance.
  const std::int64_t longest_row =
      std::min(plan.max_distance + 2 * std::int64_t{last.steps} + 3, m + n + 1);
  plan.first_row = std::min<std::int64_t>(longest_row, 1 << 14);
  const auto spare = static_cast<std::int64_t>(seq::Planes::kFrontWords + seq::Planes::kBackWords);
  const auto texts = static_cast<std::uint64_t>(2 * 4 * plan.planes) *
                     static_cast<std::uint64_t>((m + n) / 32 + 2 + 2 * spare);
  plan.text_bytes = texts;
  plan.widest_row = longest_row;
  plan.bytes = plan.bytes_at(0);
  plan.most_bytes = texts + 2 * 24 * static_cast<std::uint64_t>(longest_row);
  check_room(texts / 2, plan.bytes, limits);
  return plan;
}

/// A pair alone.
MeetingTask task_of(const Problem& problem) {
  return {problem.a, problem.b, distance_limit(problem)};
}

Plan plan_fused_batch(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config) {
  Plan plan = plan_meetings(*problem.code, limits, config);
  plan.max_distance = distance_limit(problem);
  const MeetingTask task = task_of(problem);
  if (!fits(task))
    throw tune::Unfit("rows of texts with " + std::to_string(problem.a.size() + problem.b.size()) +
                      " diagonals are more than the kernels can number");
  plan.text_bytes = meeting_text_bytes(plan, task);
  plan.bytes = plan.most_bytes = meeting_bytes(plan, task, false);
  check_room(plan.bytes, plan.bytes, limits);
  return plan;
}

Answer run_fused_batch(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const MeetingTask task = task_of(problem);
  MeetingsProblem one;
  one.tasks = {&task, 1};
  one.code = problem.code;
  one.threads = problem.threads;
  one.trace = problem.trace;
  one.give_up = [&](const Progress& progress) { return report(problem, progress); };
  const MeetingsAnswer found = meet(*device, plan, one);
  Answer answer;
  answer.distance = found.distances.front();
  answer.given_up = found.given_up;
  answer.cells = found.cells;
  answer.compute = found.compute;
  answer.build = found.build;
  answer.transfer = found.transfer;
  return answer;
}

}  // namespace

Plan plan_meetings(const seq::Code& code, const ocl::Limits& limits, const tune::Config& config) {
  return plan_stages(fused_batch_variant(), code, limits, config, true);
}

const Variant& fused_batch_variant() {
  static const Variant variant{
      kFusedBatch,
      "two wavefronts that meet, many costs a launch and many long pairs in each",
      {kFusedGroup, kDiags, kSteps, kWalk, kManyLaunches},
      plan_fused_batch,
      run_fused_batch};
  return variant;
}

const Variant& fused_variant() {
  static const Variant variant{
      "fused",
      "two wavefronts that meet, many costs a launch, diagonals in registers",
      {kFusedGroup, kLanes, kDiags, kSteps, kWalk, kLaunches},
      plan_fused,
      run_meeting,
      /*cuda_device=*/nullptr,
      /*on_host=*/false,
      /*saves=*/true};
  return variant;
}

}  // namespace rhomb::wfa
