// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>

#include "host/engine/reference.h"
#include "host/engine/solve.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

Plan plan_reference(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  plan.variant = &reference_variant();
  plan.max_distance = distance_limit(problem);
  return plan;
}

Answer run_reference(ocl::Device*, const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  const auto m = static_cast<double>(problem.a.size()), n = static_cast<double>(problem.b.size());
  const bool banded = plan.max_distance < std::max(std::int64_t(m), std::int64_t(n));
  const double cells =
      banded ? std::min(m, n) * std::min(n, 2.0 * static_cast<double>(plan.max_distance) + 1)
             : m * n;
  struct GivenUp {};
  Answer answer;
  const auto tick = [&](double part) {
    answer.cells = part * cells;
    if (report(problem, {0, 0, answer.cells, part, now() - start})) throw GivenUp{};
  };
  try {
    if (banded)
      answer.distance = reference::edit_distance_within(problem.a, problem.b, *problem.code,
                                                        plan.max_distance, tick);
    else
      answer.distance = reference::edit_distance(problem.a, problem.b, *problem.code, tick);
    answer.cells = cells;
  } catch (const GivenUp&) {
    answer.given_up = true;
  }
  answer.compute = now() - start;
  return answer;
}

}  // namespace

void plan_batch(Plan& plan, const tune::Config& config, int usual) {
  plan.batch = config.get("BATCH", usual);
  if (plan.batch < 1) throw tune::Unfit("BATCH must be at least 1");
  plan.config.set("BATCH", plan.batch);
}

bool report_cost(const Plan& plan, const Problem& problem, std::int64_t cost, double seconds,
                 Answer& answer) {
  const double part = static_cast<double>(cost) / static_cast<double>(plan.max_distance);
  answer.given_up = report(problem, {cost - 1, 0, answer.cells, std::min(part, 1.0), seconds});
  return answer.given_up;
}

const Variant& reference_variant() {
  static const Variant variant = Variant::reference(plan_reference, run_reference);
  return variant;
}

std::span<const Variant> variants() {
  static const std::array all{
      fused_variant(),    fused_batch_variant(), wavefront_batch_variant(), diamond_variant(),
      group_variant(),    tiled_local_variant(), tiled_register_variant(),  tiled_global_variant(),
      prefetch_variant(), batched_variant(),     dynamic_variant(),         baseline_variant(),
      host_variant(),     reference_variant()};
  return all;
}

std::uint64_t Plan::bytes_at(std::int64_t distance) const {
  if (widest_row == 0) return bytes;
  // The last launch goes some costs further.
  const std::int64_t wanted = std::min(distance + 2 * stages.back().steps + 3, widest_row);
  std::int64_t capacity = first_row, before = 0;
  while (capacity < wanted) {
    before = capacity;  // both are there while one is copied
    capacity *= 2;
  }
  return text_bytes + 6 * sizeof(std::int32_t) * static_cast<std::uint64_t>(capacity + before);
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  return engine::plan(variant, trimmed(problem), limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  return engine::solve_pair(device, variant, problem, config, [](Problem&) {});
}

Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config) {
  Facts facts;
  if (variant.on_host) return facts;
  const Plan plan = wfa::plan(variant, problem, limits, config);
  facts.add("config", plan.config.text());
  std::int64_t from = 0;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    const std::string name = "stage_" + std::to_string(i + 1) + "_";
    facts.add(name + "program", plan.program(stage).text());
    facts.add(name + "diagonals", std::to_string(from) + "-" +
                                      (stage.dense_matches ? "" : std::to_string(stage.widest)));
    if (stage.long_matches || stage.dense_matches)
      facts.add(name + "symbols_per_edit",
                std::to_string(stage.long_matches ? Matches::kVeryLong : Matches::kDense) + "-");
    facts.add(name + "diagonals_per_group", std::to_string(stage.tile()));
    facts.add(name + "costs_per_launch", std::to_string(stage.steps));
    if (!stage.long_matches && !stage.dense_matches) from = stage.widest + 1;
  }
  facts.add("launches_per_read", plan.batch);
  facts.add("max_distance", plan.max_distance);
  facts.add("device_bytes",
            static_cast<std::int64_t>(problem.guess ? plan.bytes_at(*problem.guess) : plan.bytes));
  facts.add("device_bytes_of_texts", static_cast<std::int64_t>(plan.text_bytes));
  facts.add("device_bytes_at_max_distance", static_cast<std::int64_t>(plan.most_bytes));
  return facts;
}

}  // namespace rhomb::wfa
