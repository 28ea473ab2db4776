// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "host/engine/reference.h"
#include "host/seq/packed.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

Plan plan_reference(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  plan.variant = "reference";
  plan.max_distance = distance_limit(problem);
  return plan;
}

Answer run_reference(ocl::Device*, const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  const auto m = static_cast<double>(problem.a.size()), n = static_cast<double>(problem.b.size());
  Answer answer;
  if (plan.max_distance < std::max(std::int64_t(m), std::int64_t(n))) {
    answer.distance =
        reference::edit_distance_within(problem.a, problem.b, *problem.code, plan.max_distance);
    answer.cells = std::min(m, n) * std::min(n, 2.0 * static_cast<double>(plan.max_distance) + 1);
  } else {
    answer.distance =
        reference::edit_distance(problem.a, problem.b, *problem.code, [&](double part) {
          if (problem.progress) problem.progress({0, 0, part * m * n, part});
        });
    answer.cells = m * n;
  }
  answer.compute = now() - start;
  return answer;
}

}  // namespace

void check_group(int group, const ocl::Limits& limits) {
  if (group < 1 || static_cast<std::size_t>(group) > limits.max_work_group)
    throw tune::Unfit("WG=" + std::to_string(group) + " is not between 1 and " +
                      std::to_string(limits.max_work_group) + ", the largest group of the device");
}

void plan_batch(Plan& plan, const tune::Config& config, int usual) {
  plan.batch = config.get("BATCH", usual);
  if (plan.batch < 1) throw tune::Unfit("BATCH must be at least 1");
  plan.config.set("BATCH", plan.batch);
}

bool report_cost(const Plan& plan, const Problem& problem, std::int64_t cost, Answer& answer) {
  const double part = static_cast<double>(cost) / static_cast<double>(plan.max_distance);
  const Progress state{cost - 1, 0, answer.cells, std::min(part, 1.0)};
  if (problem.progress) problem.progress(state);
  answer.given_up = problem.give_up && problem.give_up(state);
  return answer.given_up;
}

ocl::Defines Plan::defines(const Stage& stage) const {
  ocl::Defines defines;
  const auto set = [&](const char* name, int value) {
    defines.emplace_back(name, std::to_string(value));
  };
  if (tile_length > 0) set("T", tile_length);
  if (file == "wfa/fused.cl" || file == "wfa/vectors.cl") {
    set("VEC", stage.lanes);
    set("DIAGS", stage.diags);
  }
  if (file != "wfa/vectors.cl") set("WG", stage.group);
  if (file == "wfa/fused.cl") set("WALK", stage.walk);
  if (file == "wfa/tiled.cl")
    set("STORE", variant == "tiled-global" ? 0 : variant == "tiled-register" ? 1 : 2);
  if (file == "wfa/group.cl") set("DYNAMIC", variant == "diamond");
  const bool packed =
      file == "wfa/stepped.cl" || file == "wfa/prefetch.cl" || file == "wfa/tiled.cl";
  set(packed ? "BITS" : "PLANES", planes);
  set("SETS", sets);
  return defines;
}

const Variant& reference_variant() {
  static const Variant row{"reference",
                           "plain dynamic programming on the host, to check others against",
                           {},
                           plan_reference,
                           run_reference,
                           nullptr,
                           true};
  return row;
}

std::span<const Variant> variants() {
  static const std::array rows{
      fused_variant(),          diamond_variant(),      group_variant(),    tiled_local_variant(),
      tiled_register_variant(), tiled_global_variant(), prefetch_variant(), batched_variant(),
      dynamic_variant(),        baseline_variant(),     reference_variant()};
  return rows;
}

Plan plan(const Variant& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  config.check_names(row.space);
  return row.plan(trimmed(problem), limits, config);
}

Answer solve(ocl::Device* device, const Variant& row, const Problem& problem,
             const tune::Config& config) {
  check_limit(problem);
  config.check_names(row.space);
  const Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  const Plan plan = row.plan(rest, device != nullptr ? device->limits() : ocl::Limits{}, config);
  if (row.uses_opencl() && device == nullptr)
    throw UsageError("variant '" + std::string(row.name) + "' needs an OpenCL device");
  Answer answer = row.run(device, plan, rest);
  answer.config = plan.config;
  return answer;
}

}  // namespace rhomb::wfa
