// SPDX-License-Identifier: Apache-2.0
// The variants that compare windows: cores and dense.
#include "host/engine/program.h"
#include "host/primer/ends.h"
#include "host/primer/internal.h"

namespace rhomb::primer {
namespace {

/// As many starts that the regions left of a block are about a hundred. Each row that the core is
/// shorter makes more of them: four times as many where windows have few differences, less where
/// they have many.
int usual_block(std::uint32_t k) { return k < 4 ? 2 : k < 16 ? 4 : k < 64 ? 6 : k < 192 ? 8 : 12; }

Plan plan_windows(const char* variant, const Problem& problem, const ocl::Limits& limits,
                  const tune::Config& config) {
  Plan plan;
  plan.variant = variant;
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.lanes = engine::usual_lanes(limits, {});
  plan.probes = config.get("PROBES", 2);
  engine::check_between("PROBES", plan.probes, 1, 64);
  plan.config.set("PROBES", plan.probes);
  return plan;
}

Plan plan_cores(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_windows("cores", problem, limits, config);
  const int block = config.get("BLOCK", usual_block(problem.k));
  engine::check_between("BLOCK", block, 1, 1 << 16);
  plan.block = static_cast<std::uint32_t>(block);
  plan.config.set("BLOCK", block);
  return plan;
}

Plan plan_dense(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_windows("dense", problem, limits, config);
}

Answer run_cores(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return Ends(*device, plan, problem, true).run();
}

Answer run_dense(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return Ends(*device, plan, problem, false).run();
}

const tune::Param kProbes{
    "PROBES", {2, 1, 4, 8}, "lengths of a start's window that are tried at a time"};

}  // namespace

const Variant& cores_variant() {
  static const Variant variant{
      "cores",
      "ours: starts side by side share a core, windows are compared where it occurs",
      {{"BLOCK", {12, 8, 6, 4, 16, 24, 2, 1}, "starts that share a core"}, kProbes},
      plan_cores,
      run_cores};
  return variant;
}

const Variant& dense_variant() {
  static const Variant variant{
      "dense", "ours: each window is compared with all texts", {kProbes}, plan_dense, run_dense};
  return variant;
}

}  // namespace rhomb::primer
