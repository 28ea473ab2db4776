// SPDX-License-Identifier: Apache-2.0
// The table of variants, and the reference.
#include <array>

#include "host/engine/solve.h"
#include "host/error.h"
#include "host/primer/internal.h"

namespace rhomb::primer {
namespace {

void check(const Problem& problem) {
  const std::size_t m = problem.alpha.size();
  if (problem.k == 0) throw UsageError("k is 0, so every substring is far enough");
  if (problem.k >= kNone) throw UsageError("k is 2^31 - 1 or more");
  if (m >= kNone) throw UsageError("a sequence of 2^31 - 1 symbols or more");
  if (problem.first > problem.last || problem.last > m)
    throw UsageError("starts that are not in the sequence");
  if (!problem.least.empty() && problem.least.size() != problem.last - problem.first)
    throw UsageError("Problem::least has not one value a start");
  for (const std::string_view text : problem.texts)
    if (text.size() >= kNone) throw UsageError("a text of 2^31 - 1 symbols or more");
  if (problem.self && (problem.self->text >= problem.texts.size() ||
                       problem.self->begin + m > problem.texts[problem.self->text].size()))
    throw UsageError("Problem::self is not in its text");
}

/// The length of the shortest substring from start j on that is far enough from all texts: rows of
/// Sellers' matrix, until all cells are at least k.
std::uint32_t shortest_length(const Problem& problem, std::uint32_t j, double& cells) {
  const std::uint32_t limit = limit_of(problem, j);
  std::vector<std::vector<std::uint32_t>> rows;
  for (const std::string_view text : problem.texts) rows.emplace_back(text.size() + 1, 0);
  for (std::uint32_t i = 1; i <= limit; ++i) {
    std::uint32_t least = i;  // of the empty substring
    for (std::uint32_t t = 0; t < rows.size(); ++t) {
      std::vector<std::uint32_t>& row = rows[t];
      std::uint32_t corner = row[0];
      row[0] = i;
      for (std::uint32_t c = 1; c < row.size(); ++c) {
        const std::uint32_t across = corner + (matches(problem, j + i - 1, t, c - 1) ? 0 : 1);
        corner = row[c];
        row[c] = std::min({across, row[c] + 1, row[c - 1] + 1});
        least = std::min(least, row[c]);
      }
      cells += static_cast<double>(row.size() - 1);
    }
    if (least >= problem.k) return i;
  }
  return kNone;
}

Plan plan_reference(const Problem&, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  plan.variant = "reference";
  return plan;
}

Answer run_reference(ocl::Device*, const Plan&, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  Answer answer;
  for (std::uint32_t j = problem.first; j < problem.last; ++j) {
    check_stop(problem);
    answer.ends.push_back(end_for(problem, j, shortest_length(problem, j, answer.cells)));
    if (problem.progress)
      problem.progress({0, 0, answer.cells,
                        (j + 1.0 - problem.first) / (problem.last - problem.first), now() - start});
  }
  answer.counted.comparisons = answer.cells;
  answer.compute = now() - start;
  return answer;
}

}  // namespace

void check_stop(const Problem& problem) {
  if (problem.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
}

const Variant& reference_variant() {
  static const Variant variant = Variant::reference(plan_reference, run_reference);
  return variant;
}

std::span<const Variant> variants() {
  static const std::array all{cores_variant(), dense_variant(), alternative_variant(),
                              conventional_variant(), reference_variant()};
  return all;
}

bool compares_windows(const Variant& variant) {
  return variant.run != alternative_variant().run && variant.run != conventional_variant().run;
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  check(problem);
  return engine::plan(variant, problem, limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  check(problem);
  return engine::solve(device, variant, problem, config);
}

}  // namespace rhomb::primer
