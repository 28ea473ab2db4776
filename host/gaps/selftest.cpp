// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program of gaps-lanes passes before its first real use on a device:
// queries of lengths about the borders of its columns, near targets and unrelated ones, compared
// with the reference. A pass is remembered with the cached binary.
#include "host/engine/selftest.h"

#include <algorithm>
#include <string>
#include <vector>

#include "host/gaps/internal.h"
#include "host/gaps/reference.h"

namespace rhomb::gaps {
namespace {

using selftest::compare;
using selftest::edited;
using selftest::random_text;

/// A text with pieces left out, and others put in, which gaps are for.
std::string gapped(selftest::Numbers& numbers, std::string text, unsigned symbols) {
  for (int i = 0; i < 2; ++i) {
    const std::size_t at = numbers.below(static_cast<unsigned>(text.size()) + 1);
    if (numbers.below(2) == 0)
      text.erase(at, numbers.below(9));
    else
      text.insert(at, random_text(numbers, numbers.below(9), symbols));
  }
  return text;
}

/// Scores for which the plan takes the way of finding them that the shape has.
Scoring scoring_of(int scores, unsigned symbols) {
  Scoring scoring;
  scoring.open = -7;
  scoring.extend = -1;
  scoring.known.fill(true);
  for (unsigned x = 0; x < symbols; ++x)
    for (unsigned t = 0; t < symbols; ++t)
      scoring.pairs[x << 8 | t] = x == t        ? 5
                                  : scores == 0 ? -4
                                                : -static_cast<int>((3 * x + t) % 6);
  return scoring;
}

/// What a program is tested with.
struct Known {
  int scores = 1;        ///< how scores are found (cl/gaps/lanes.h)
  unsigned columns = 1;  ///< queries end about these
  tune::Config config;   ///< for which the plan takes this program
};

void test(ocl::Device& device, const Variant& variant, const Known& known, const Problem& asked) {
  const bool infix = asked.rules.ends == Ends::kInfix;
  const unsigned symbols = known.scores == 2   ? (infix ? 3 : 4)
                           : known.scores == 3 ? (infix ? 7 : 8)
                                               : 11;
  const Scoring scoring = scoring_of(known.scores, symbols);
  const unsigned columns = known.columns;
  selftest::Numbers numbers;
  std::vector<std::string> queries, targets;
  std::vector<Task> tasks;
  for (unsigned i = 0; i < 60; ++i) {
    const unsigned lengths[] = {columns - 1,
                                columns,
                                columns + 1,
                                1 + numbers.below(columns),
                                0,
                                1,
                                std::min(2 * columns + 3, 300u)};
    const unsigned m = lengths[i % std::size(lengths)];
    queries.push_back(random_text(numbers, m, symbols));
    std::string target =
        i % 4 == 3 ? random_text(numbers, numbers.below(m + 20), symbols)
                   : gapped(numbers, edited(numbers, queries.back(), 9, symbols), symbols);
    if (i % 2 == 0) target += random_text(numbers, numbers.below(30), symbols);
    targets.push_back(std::move(target));
    tasks.push_back({i, i});
  }
  const std::vector<std::string_view> q(queries.begin(), queries.end());
  const std::vector<std::string_view> t(targets.begin(), targets.end());
  Problem problem;
  problem.queries = q;
  problem.targets = t;
  problem.tasks = tasks;
  problem.scoring = &scoring;
  problem.rules = asked.rules;
  if (problem.rules.band) problem.rules.band = 12;
  problem.align = asked.align;
  Plan trial = variant.plan(problem, device.limits(), known.config);
  trial.self_test = true;
  const Answer answer = variant.run(&device, trial, problem);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Best expected = reference::best(q[i], t[i], scoring, problem.rules);
    compare(answer.best[i].score, expected.score, "score");
    compare(answer.best[i].end, expected.end, "end");
    compare(answer.best[i].gaps, expected.gaps, "number of gaps");
    if (problem.align && expected.found())
      static_cast<void>(prove(answer.alignments[i], expected, q[i], t[i], scoring, problem.rules));
  }
}

}  // namespace

void ensure_tested(ocl::Device& device, const Variant& variant, const Plan& plan,
                   const Shape& shape, const Problem& problem) {
  if (plan.self_test) return;
  Known known{shape.scores, static_cast<unsigned>(shape.span * shape.cols), {}};
  known.config.set("WG", shape.group);
  known.config.set("SPAN", shape.span);
  known.config.set("COLS", shape.cols);
  known.config.set("BITS", shape.wide ? 32 : 16);
  known.config.set("SCORES", shape.scores);
  known.config.set("DIAGONAL", shape.diagonal ? 1 : 0);
  selftest::ensure_passed(device, plan.file, shape.defines,
                          [&] { test(device, variant, known, problem); });
}

void ensure_tested(ocl::Device& device, const Variant& variant, const Plan& plan,
                   const ocl::Defines& defines, const Problem& problem) {
  if (plan.self_test) return;
  Known known{1, static_cast<unsigned>(plan.config.get("WG", 1)), plan.config};
  Problem all = problem;
  all.align = plan.back != Plan::Back::kNone;
  all.rules.gaps = 3;  // an argument of the kernel, so one test is enough
  selftest::ensure_passed(device, plan.file, defines, [&] { test(device, variant, known, all); });
}

}  // namespace rhomb::gaps
