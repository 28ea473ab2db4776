// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <string>

#include "host/batch/threads.h"
#include "host/engine/solve.h"
#include "host/gaps/internal.h"
#include "host/gaps/reference.h"

namespace rhomb::gaps {
namespace {

Plan plan_reference(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  plan.variant = "reference";
  plan.cells = cells_of(problem);
  return plan;
}

Answer run_reference(ocl::Device*, const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  struct One {
    Best best;
    Alignment alignment;
  };
  Answer answer;
  answer.best.reserve(problem.tasks.size());
  const auto make = [&](std::size_t i) {
    const Task& task = problem.tasks[i];
    const std::string_view query = problem.queries[task.query];
    const std::string_view target = problem.targets[task.target];
    One one;
    one.best = reference::best(query, target, *problem.scoring, problem.rules);
    if (problem.align && one.best.found())
      one.alignment = reference::align(query, target, *problem.scoring, problem.rules, one.best);
    return one;
  };
  batch::in_order(problem.tasks.size(), batch::threads_of(problem.threads), make, [&](One one) {
    answer.best.push_back(one.best);
    if (problem.align) answer.alignments.push_back(std::move(one.alignment));
    if (problem.progress)
      problem.progress(
          {0, 0, 0,
           static_cast<double>(answer.best.size()) / static_cast<double>(problem.tasks.size())});
  });
  answer.cells = plan.cells;
  answer.compute = answer.kernel = now() - start;
  return answer;
}

void check_symbols(std::span<const std::string_view> texts, const Scoring& scoring) {
  for (const std::string_view text : texts)
    for (const char symbol : text)
      if (!scoring.known[static_cast<unsigned char>(symbol)])
        throw UsageError(std::string("the symbol '") + symbol + "' has no score in " +
                         scoring.name);
}

std::size_t longest(std::span<const std::string_view> texts) {
  std::size_t most = 0;
  for (const std::string_view text : texts) most = std::max(most, text.size());
  return most;
}

}  // namespace

void check_problem(const Problem& problem) {
  const Rules& rules = problem.rules;
  if (rules.gaps < 0 || rules.gaps > kMostGaps)
    throw UsageError(std::to_string(rules.gaps) + " gaps are not between 0 and " +
                     std::to_string(kMostGaps));
  if (rules.band && rules.ends == Ends::kInfix)
    throw UsageError("a band is about the diagonal from the start, which is free");
  check_symbols(problem.queries, *problem.scoring);
  check_symbols(problem.targets, *problem.scoring);
  for (const Task& task : problem.tasks)
    if (task.query >= problem.queries.size() || task.target >= problem.targets.size())
      throw UsageError("a task is about a text that there is not");
  Range range;
  const auto m = static_cast<std::int64_t>(longest(problem.queries));
  const auto n = static_cast<std::int64_t>(longest(problem.targets));
  if (!fits(problem, symbols_of(problem), m + 1, m, n, 32, range))
    throw UsageError("the scores of texts of " + std::to_string(m) + " and " + std::to_string(n) +
                     " symbols might not fit 32 bits");
}

const Variant& reference_variant() {
  static const Variant variant = Variant::reference(plan_reference, run_reference);
  return variant;
}

std::span<const Variant> variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> table{lanes_variant()};
#ifdef RHOMB_HAVE_CUDA
    table.push_back(cuda_lanes_variant());
#endif
    for (const Variant& variant : paper_variants()) table.push_back(variant);
    table.push_back(reference_variant());
    return table;
  }();
  return all;
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  check_problem(problem);
  return engine::plan(variant, problem, limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  check_problem(problem);
  return engine::solve(device, variant, problem, config);
}

}  // namespace rhomb::gaps
