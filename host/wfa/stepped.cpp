// SPDX-License-Identifier: Apache-2.0
// The variants with one launch a cost: baseline, dynamic, batched (Castells-Rufas
// 2023, 4.1.1-4.1.3) and prefetch (4.2.1).
#include <algorithm>

#include "cl/wfa/front.h"
#include "host/seq/packed.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

const tune::Param kSteppedGroup{"WG", {128, 64, 256, 32, 384, 512}, "work-items a group"};
const tune::Param kSteppedBatch{
    "BATCH", {100, 1, 10, 1000}, "launches between two reads of the answer"};

Plan plan_stepped(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  Plan plan;
  plan.file = "wfa/stepped.cl";
  plan.kernel = "wfa_stepped";
  plan.packed = true;
  plan.max_distance = distance_limit(problem);
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.planes = problem.code->planes <= 2 && !plan.sets ? 2 : 8;
  Stage stage;
  stage.group =
      config.get("WG", static_cast<int>(std::min<std::size_t>(128, limits.max_work_group)));
  engine::check_group(stage.group, limits);
  stage.widest = m + n + 1;
  stage.diags = 1;
  stage.defines = {{"WG", std::to_string(stage.group)},
                   {"BITS", std::to_string(plan.planes)},
                   {"SETS", std::to_string(plan.sets)}};
  plan.stages = {stage};
  plan.config.set("WG", stage.group);

  // Two rows of m + n + 1 diagonals and a spare one on both sides, as in the paper.
  plan.first_row = m + n + 3;
  plan.text_bytes = static_cast<std::uint64_t>((m + n) * plan.planes / 8);
  plan.bytes = plan.most_bytes = plan.text_bytes + 8 * static_cast<std::uint64_t>(plan.first_row);
  if (plan.first_row > (std::int64_t{1} << 31) - 1)
    throw tune::Unfit("m + n + 3 = " + std::to_string(plan.first_row) +
                      " diagonals are more than the paper's kernels can number (2^31 - 1)");
  if (8 * static_cast<std::uint64_t>(plan.first_row) > limits.alloc_bytes ||
      plan.bytes > limits.global_bytes)
    throw tune::Unfit("two rows of m + n + 3 = " + std::to_string(plan.first_row) +
                      " positions are more than the device can take; variant fused needs less");
  return plan;
}

Plan plan_one_read(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_stepped(problem, limits, config);
  plan.batch = 1;
  return plan;
}

Plan plan_baseline(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_one_read(problem, limits, config);
  plan.variant = &baseline_variant();
  plan.all_diagonals = true;
  return plan;
}

Plan plan_dynamic(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_one_read(problem, limits, config);
  plan.variant = &dynamic_variant();
  return plan;
}

Plan plan_batched(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_stepped(problem, limits, config);
  plan.variant = &batched_variant();
  plan_batch(plan, config, kSteppedBatch.values.front());
  return plan;
}

Plan plan_prefetch(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan = plan_batched(problem, limits, config);
  plan.variant = &prefetch_variant();
  plan.file = "wfa/prefetch.cl";
  plan.kernel = "wfa_prefetch";
  const std::size_t fetched = 4 * (static_cast<std::size_t>(plan.stages.front().group) + 2);
  if (fetched > limits.local_bytes)
    throw tune::Unfit("WG=" + std::to_string(plan.stages.front().group) + " needs " +
                      std::to_string(fetched) + " bytes of local memory, the device has " +
                      std::to_string(limits.local_bytes));
  return plan;
}

Answer run_stepped(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const Stage& stage = plan.stages.front();
  Answer result;
  const double begin = now();
  const auto step = tested_kernel(*device, plan, stage);
  result.build = now() - begin;
  const auto m = static_cast<std::uint32_t>(problem.a.size());
  const auto n = static_cast<std::uint32_t>(problem.b.size());
  const auto row = static_cast<std::uint32_t>(plan.first_row);

  trace::Scope packing(problem.trace, trace::Work::kPack);
  const auto pattern = device->upload(std::span<const std::uint32_t>(
      seq::pack_text(problem.a, problem.code->a, plan.planes, 0, problem.threads).words));
  const auto text = device->upload(std::span<const std::uint32_t>(
      seq::pack_text(problem.b, problem.code->b, plan.planes, 0, problem.threads).words));
  packing.end();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  result.transfer = start - begin - result.build;
  const auto rows = device->filled<std::int32_t>(2 * std::size_t{row}, WFA_UNREACHED);
  const auto answer = device->filled<std::int32_t>(1, WFA_OPEN);

  const auto group = static_cast<std::size_t>(stage.group);
  std::int64_t counted = 0;  // costs whose cells are counted
  for (std::int64_t s = 0; s <= plan.max_distance;) {
    const std::int64_t stop = std::min<std::int64_t>(s + plan.batch, plan.max_distance + 1);
    for (; s < stop; ++s) {
      const std::int64_t lo =
          plan.all_diagonals ? -std::int64_t{m} : std::max<std::int64_t>(-s, -std::int64_t{m});
      const std::int64_t hi = plan.all_diagonals ? n : std::min<std::int64_t>(s, n);
      const auto items = static_cast<std::size_t>(hi - lo + 1);
      const ocl::Range range{(items + group - 1) / group * group, 1, group, 1};
      step(range, pattern, m, text, n, rows, row, answer, static_cast<std::int32_t>(s),
           static_cast<std::int32_t>(lo));
    }
    const std::int32_t distance = device->read(answer, 0, 1)[0];
    // Launches after the answer returned at once.
    for (; counted < s && counted <= distance; ++counted)
      result.cells += static_cast<double>(std::min<std::int64_t>(counted, n) +
                                          std::min<std::int64_t>(counted, m) + 1);
    if (distance != WFA_OPEN) {
      result.distance = distance;
      break;
    }
    if (report_cost(plan, problem, s, now() - start, result)) break;
  }
  result.compute = now() - start;
  return result;
}

}  // namespace

const Variant& baseline_variant() {
  static const Variant variant{
      "baseline",
      "one work-item a cell, always m + n + 1 of them, a read after every launch",
      {kSteppedGroup},
      plan_baseline,
      run_stepped};
  return variant;
}

const Variant& dynamic_variant() {
  static const Variant variant{
      "dynamic",
      "baseline, but only as many work-items as the wavefront has diagonals",
      {kSteppedGroup},
      plan_dynamic,
      run_stepped};
  return variant;
}

const Variant& batched_variant() {
  static const Variant variant{"batched",
                               "dynamic, but several launches between two reads of the answer",
                               {kSteppedGroup, kSteppedBatch},
                               plan_batched,
                               run_stepped};
  return variant;
}

const Variant& prefetch_variant() {
  static const Variant variant{"prefetch",
                               "batched, but groups fetch the row before into local memory",
                               {kSteppedGroup, kSteppedBatch},
                               plan_prefetch,
                               run_stepped};
  return variant;
}

}  // namespace rhomb::wfa
