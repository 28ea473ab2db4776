// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "host/reference.h"
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

const Row& reference_row() {
  static const Row row{"reference",
                       "plain dynamic programming on the host, to check others against",
                       {},
                       plan_reference,
                       run_reference};
  return row;
}

std::span<const Row> variants() {
  static const std::array<Row, 5> rows{fused_row(), batched_row(), dynamic_row(), baseline_row(),
                                       reference_row()};
  return rows;
}

Problem trimmed(const Problem& problem) {
  Problem rest = problem;
  const seq::Code& code = *problem.code;
  // Equal bytes match unless they are ambiguous and match nothing; different ones may match too
  // (U and T, sets that share a base). So runs of equal bytes are stripped fast where that is
  // allowed, and single symbols in between by their codes.
  const bool by_bytes = code.matching == seq::Matching::kEqual && code.same_tables();
  const auto strip = [&] {
    const std::size_t prefix = by_bytes ? seq::common_prefix(rest.a, rest.b) : 0;
    rest.a.remove_prefix(prefix);
    rest.b.remove_prefix(prefix);
    if (rest.a.empty() || rest.b.empty() || !code.match(rest.a.front(), rest.b.front()))
      return false;
    rest.a.remove_prefix(1);
    rest.b.remove_prefix(1);
    return true;
  };
  const auto strip_back = [&] {
    const std::size_t suffix = by_bytes ? seq::common_suffix(rest.a, rest.b) : 0;
    rest.a.remove_suffix(suffix);
    rest.b.remove_suffix(suffix);
    if (rest.a.empty() || rest.b.empty() || !code.match(rest.a.back(), rest.b.back())) return false;
    rest.a.remove_suffix(1);
    rest.b.remove_suffix(1);
    return true;
  };
  while (strip()) continue;
  while (strip_back()) continue;
  return rest;
}

std::int64_t distance_limit(const Problem& problem) {
  const auto longest = static_cast<std::int64_t>(std::max(problem.a.size(), problem.b.size()));
  return std::min(problem.max_distance.value_or(longest), longest);
}

Plan plan(const Row& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  config.check_names(row.space);
  return row.plan(trimmed(problem), limits, config);
}

Answer solve(ocl::Device* device, const Row& row, const Problem& problem,
             const tune::Config& config) {
  if (problem.max_distance && *problem.max_distance < 0)
    throw UsageError("the largest distance must not be negative");
  config.check_names(row.space);
  const Problem rest = trimmed(problem);
  const auto m = static_cast<std::int64_t>(rest.a.size());
  const auto n = static_cast<std::int64_t>(rest.b.size());
  const std::int64_t limit = problem.max_distance.value_or(std::max(m, n));
  Answer answer;
  // One side used up: the rest of the other is inserted. Lengths further apart than the limit: no
  // path is cheaper than their difference.
  if (m == 0 || n == 0) {
    if (std::max(m, n) <= limit) answer.distance = std::max(m, n);
    return answer;
  }
  if (std::abs(n - m) > limit || limit == 0) return answer;
  const Plan plan = row.plan(rest, device != nullptr ? device->limits() : ocl::Limits{}, config);
  if (!plan.file.empty() && device == nullptr)
    throw UsageError("variant '" + plan.variant + "' needs an OpenCL device");
  answer = row.run(device, plan, rest);
  answer.config = plan.config;
  return answer;
}

}  // namespace rhomb::wfa
