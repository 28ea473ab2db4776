// SPDX-License-Identifier: Apache-2.0
// Random rules and scores for gaps, and pairs of texts that have gaps.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "host/gaps/gaps.h"
#include "tests/support/random.h"

namespace rhomb::test {

inline gaps::Rules random_rules(Rng& rng, int most_gaps) {
  gaps::Rules rules;
  rules.gaps = static_cast<int>(random_below(rng, static_cast<std::size_t>(most_gaps) + 1));
  rules.ends = static_cast<gaps::Ends>(random_below(rng, 3));
  rules.strict = random_below(rng, 3) == 0;
  if (rules.ends != gaps::Ends::kInfix && random_below(rng, 3) == 0)
    rules.band = static_cast<std::uint32_t>(random_below(rng, 6));
  return rules;
}

inline std::string shown(const gaps::Rules& rules) {
  constexpr const char* kEnds[] = {"prefix", "global", "infix"};
  return std::to_string(rules.gaps) + " gaps, " + kEnds[static_cast<int>(rules.ends)] +
         (rules.strict ? ", strict" : "") +
         (rules.band ? ", band " + std::to_string(*rules.band) : "");
}

inline std::string shown(const gaps::Best& best) {
  return std::to_string(best.score) + " at " + std::to_string(best.end) + " with " +
         std::to_string(best.gaps) + " gaps";
}

/// Scores of `alphabet` symbols from 'A' on: equal or not, or a matrix that is not symmetric.
inline gaps::Scoring random_scoring(Rng& rng, int alphabet) {
  gaps::Scoring scoring;
  scoring.name = "random";
  scoring.known.fill(true);
  scoring.extend = -1 - static_cast<int>(random_below(rng, 3));
  scoring.open = scoring.extend - static_cast<int>(random_below(rng, 8));
  const bool alike = random_below(rng, 2) == 0;
  const int match = 1 + static_cast<int>(random_below(rng, 6));
  const int mismatch = -static_cast<int>(random_below(rng, 6));
  for (int x = 0; x < alphabet; ++x)
    for (int t = 0; t < alphabet; ++t)
      scoring.pairs[static_cast<std::size_t>(('A' + x) << 8 | ('A' + t))] =
          alike ? (x == t ? match : mismatch)
                : static_cast<int>(random_below(rng, 9)) - (x == t ? 2 : 6);
  return scoring;
}

/// Texts and tasks that live together.
struct GapTasks {
  std::vector<std::string> queries, targets;
  std::vector<gaps::Task> tasks;
  std::vector<std::string_view> query_views, target_views;

  void add(std::string query, std::string target) {
    const auto number = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back({number, number});
    queries.push_back(std::move(query));
    targets.push_back(std::move(target));
  }

  gaps::Problem problem(const gaps::Scoring& scoring, const gaps::Rules& rules, bool align) {
    query_views.assign(queries.begin(), queries.end());
    target_views.assign(targets.begin(), targets.end());
    gaps::Problem made;
    made.queries = query_views;
    made.targets = target_views;
    made.tasks = tasks;
    made.scoring = &scoring;
    made.rules = rules;
    made.align = align;
    return made;
  }
};

/// A query of `m` symbols and a target that may be like it, with some long gaps.
inline void add_random(GapTasks& tasks, Rng& rng, std::size_t m, int alphabet) {
  std::string query = random_text(rng, m, alphabet);
  std::string target;
  if (random_below(rng, 5) == 0) {
    target = random_text(rng, random_below(rng, 2 * m + 10), alphabet);
  } else {
    target = mutate(rng, query, 0.1, alphabet);
    for (std::size_t i = random_below(rng, 4); i > 0; --i) {
      const std::size_t at = random_below(rng, target.size() + 1);
      if (random_below(rng, 2) == 0)
        target.erase(at, random_below(rng, 12));
      else
        target.insert(at, random_text(rng, random_below(rng, 12), alphabet));
    }
    if (random_below(rng, 2) == 0) target += random_text(rng, random_below(rng, 40), alphabet);
  }
  tasks.add(std::move(query), std::move(target));
}

/// Wrong answers of a variant, the first few told; alignments are proven and, where `same`,
/// compared with the reference's.
inline int wrong_answers(ocl::Device* device, const gaps::Variant& variant,
                         const tune::Config& config, const gaps::Problem& problem,
                         bool same = true) {
  const auto got = gaps::solve(device, variant, problem, config);
  const auto expected = gaps::solve(nullptr, gaps::variants().back(), problem);
  REQUIRE(got.best.size() == problem.tasks.size());
  REQUIRE(got.alignments.size() == (problem.align ? problem.tasks.size() : 0));
  CHECK(got.cells == expected.cells);
  int wrong = 0;
  for (std::size_t i = 0; i < got.best.size(); ++i) {
    std::string why;
    if (!(got.best[i] == expected.best[i]))
      why = shown(got.best[i]) + " instead of " + shown(expected.best[i]);
    else if (problem.align && same && !(got.alignments[i] == expected.alignments[i]))
      why = "another alignment";
    else if (problem.align && got.best[i].found())
      try {
        gaps::prove(got.alignments[i], got.best[i], problem.queries[problem.tasks[i].query],
                    problem.targets[problem.tasks[i].target], *problem.scoring, problem.rules);
      } catch (const Error& error) {
        why = error.what();
      }
    if (why.empty() || ++wrong > 3) continue;
    std::cerr << variant.name << " " << config.text() << ", " << shown(problem.rules) << ", task "
              << i << " of " << problem.queries[problem.tasks[i].query].size() << " with "
              << problem.targets[problem.tasks[i].target].size() << ": " << why << '\n';
  }
  return wrong;
}

}  // namespace rhomb::test
