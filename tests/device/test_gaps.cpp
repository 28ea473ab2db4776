// SPDX-License-Identifier: Apache-2.0
// Every variant of gaps against the reference: random rules, scores and texts of all alphabets,
// lengths about every border, alignments of all of them.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host/gaps/gaps.h"
#include "tests/support/catch.h"
#include "tests/support/gaps.h"
#include "tests/support/pairs.h"

namespace rhomb::test::gaps_tests {
namespace {

using gaps::Ends;

const gaps::Variant& variant_of(std::string_view name) {
  return find_variant(gaps::variants(), name);
}

struct Case {
  std::string config;
  gaps::Rules rules;
  int alphabet;
  std::size_t longest;
  bool align;
};

/// Few enough programs that PoCL builds them in a minute, and something of everything.
std::vector<Case> cases() {
  const bool gpu = device().limits().gpu;
  const std::string one = gpu ? "SPAN=8,COLS=4" : "SPAN=1,COLS=4";
  const std::string wide = gpu ? "SPAN=8,COLS=26,WG=32" : "SPAN=4,COLS=13,WG=4";
  const std::string team = gpu ? "SPAN=4,COLS=3,WG=32" : "SPAN=4,COLS=3,WG=8";
  return {{"", {.gaps = 0}, 4, 70, true},
          {"", {.gaps = 1}, 4, 200, true},
          {one, {.gaps = 2}, 4, 70, true},
          {"", {.gaps = 2}, 4, 500, true},  // values that differ by more than eight bits
          {"", {.gaps = 3, .band = 40}, 4, 400, true},
          {one + ",BITS=32", {.gaps = 2}, 2, 70, true},
          {one + ",SCORES=1", {.gaps = 3}, 20, 70, true},
          {"", {.gaps = 4, .strict = true}, 5, 70, true},
          {"", {.gaps = 5, .ends = Ends::kInfix}, 7, 70, true},
          {"", {.gaps = 6, .ends = Ends::kGlobal}, 4, 70, false},
          {team, {.gaps = 2, .strict = true}, 8, 70, true},
          {team, {.gaps = 1, .ends = Ends::kInfix, .strict = true}, 3, 70, true},
          {team + ",BITS=32", {.gaps = 3, .ends = Ends::kGlobal, .band = 5}, 4, 70, true},
          {one, {.gaps = 2, .band = 9}, 4, 70, true},
          {wide, {.gaps = 2, .band = 9}, 4, 300, true},  // a team has more columns than the band
          {one, {.gaps = 2, .strict = true, .band = 3}, 3, 70, false},
          {"", {.gaps = 32}, 4, 40, true},
          {"DIAGONAL=1", {.gaps = 1}, 4, 200, true},
          {one + ",DIAGONAL=1", {.gaps = 2}, 4, 70, true},
          {one + ",BITS=32,DIAGONAL=1", {.gaps = 3}, 20, 70, true},
          {"DIAGONAL=1", {.gaps = 3, .band = 40}, 4, 400, true},
          {"DIAGONAL=1", {.gaps = 4, .strict = true}, 5, 70, true},
          {team + ",DIAGONAL=1", {.gaps = 2, .strict = true}, 8, 70, true},
          {team + ",DIAGONAL=1", {.gaps = 3, .ends = Ends::kGlobal, .band = 5}, 4, 70, true}};
}

}  // namespace

TEST_CASE("gaps-lanes agrees with the reference", "[gaps][device]") {
  constexpr std::uint64_t kSeed = 143;
  Rng rng(kSeed);
  std::size_t count = 0;
  for (const Case& each : cases())
    for (int matrix = 0; matrix < 2; ++matrix) {
      GapTasks tasks;
      for (int i = 0; i < (kSanitized ? 210 : 400); ++i)
        add_random(tasks, rng, random_below(rng, each.longest + 1), each.alphabet);
      tasks.add("", "");
      tasks.add("", "ABA");
      tasks.add("ABA", "");
      tasks.add("A", random_text(rng, 150, each.alphabet));
      tasks.add(random_text(rng, 150, each.alphabet), "B");
      const auto scoring = random_scoring(rng, each.alphabet);
      INFO(each.config << ", " << shown(each.rules) << ", seed " << kSeed);
      CHECK(wrong_answers(&device(), variant_of("gaps-lanes"), tune::Config::parse(each.config),
                          tasks.problem(scoring, each.rules, each.align)) == 0);
      count += tasks.tasks.size();
    }
  CHECK(count >= 10'000);
}

TEST_CASE("words that no task has read the queries within their buffer", "[gaps][device]") {
  // Without symbols in any query: a byte that nobody has set was a place far behind the scores. The
  // layer that guards buffers (tests/README.md) sees it.
  Rng rng(146);
  GapTasks tasks;
  for (std::size_t n = 0; n < 5; ++n) tasks.add("", random_text(rng, 7 * n, 3));
  const std::string config = device().limits().gpu ? "SPAN=2,WG=32" : "SPAN=1,WG=16";
  for (const char* scores : {"0", "1"})
    CHECK(wrong_answers(&device(), variant_of("gaps-lanes"),
                        tune::Config::parse(config + ",COLS=4,DIAGONAL=0,BITS=32,SCORES=" + scores),
                        tasks.problem(random_scoring(rng, 3), {.gaps = 2}, true)) == 0);
}

TEST_CASE("all lengths about the borders of columns, work-items and passes", "[gaps][device]") {
  Rng rng(144);
  const std::string config = device().limits().gpu ? "SPAN=2,COLS=4" : "SPAN=2,COLS=4,WG=4";
  GapTasks tasks;
  for (std::size_t m = 0; m <= 70; ++m)
    for (int i = 0; i < 6; ++i) add_random(tasks, rng, m, 4);
  const auto scoring = random_scoring(rng, 4);
  for (const char* diagonal : {"0", "1"})
    CHECK(wrong_answers(&device(), variant_of("gaps-lanes"),
                        tune::Config::parse(config + ",DIAGONAL=" + diagonal),
                        tasks.problem(scoring, {.gaps = 2}, true)) == 0);
}

TEST_CASE("long and short texts in one problem", "[gaps][device]") {
  // Each pair's scores fit 16 bits, those of the longest query with the longest target do not.
  Rng rng(147);
  GapTasks tasks;
  for (int i = 0; i < 6; ++i) {
    tasks.add(random_text(rng, 3000 + static_cast<std::size_t>(i), 4), random_text(rng, 3, 4));
    tasks.add(random_text(rng, 3, 4), random_text(rng, 4000, 4));
    add_random(tasks, rng, 700, 4);
  }
  gaps::Scoring scoring = random_scoring(rng, 4);
  for (auto& score : scoring.pairs) score *= 3;
  CHECK(wrong_answers(&device(), variant_of("gaps-lanes"), {},
                      tasks.problem(scoring, {.gaps = 2}, true)) == 0);
}

TEST_CASE("the paper's variants agree with the reference", "[gaps][device]") {
  constexpr std::uint64_t kSeed = 145;
  Rng rng(kSeed);
  for (const char* name : {"single-a", "single-b", "single-h", "multi-a", "multi-b", "multi-h"})
    for (const int k : {0, 1, 2, 5}) {
      GapTasks tasks;
      const int alphabet = k == 5 ? 20 : 4;
      for (int i = 0; i < 60; ++i) add_random(tasks, rng, random_below(rng, 70), alphabet);
      tasks.add("", "");
      tasks.add("", "ABA");
      tasks.add("ABA", "");
      tasks.add("A", random_text(rng, 150, alphabet));
      tasks.add(random_text(rng, 150, alphabet), "B");
      for (std::uint32_t i = 0; i < 20; ++i) tasks.tasks.push_back({i, 7});
      const auto scoring = random_scoring(rng, alphabet);
      const auto ends = k == 2 ? Ends::kGlobal : Ends::kPrefix;
      INFO(name << ", " << k << " gaps, seed " << kSeed);
      const bool align = std::string_view(name).back() != 'a';
      auto problem = tasks.problem(scoring, {.gaps = k, .ends = ends}, align);
      problem.repeats = 1;
      CHECK(wrong_answers(&device(), variant_of(name), tune::Config::parse("WG=32,BATCH=16"),
                          problem) == 0);
    }
}

}  // namespace rhomb::test::gaps_tests
