// SPDX-License-Identifier: Apache-2.0
// The CUDA variant of gaps: its plans, and its scores and alignments beside the reference's.
// Compiled only with CUDA; what computes is left out where there is no CUDA device.
#include <string>
#include <vector>

#include "host/engine/program.h"
#include "host/gaps/gaps.h"
#include "tests/support/catch.h"
#include "tests/support/cuda.h"
#include "tests/support/gaps.h"

namespace rhomb::test::cuda_gaps_tests {
namespace {

constexpr const char* kName = "cuda-gaps-lanes";

const gaps::Variant& cuda_lanes() { return find_variant(gaps::variants(), kName); }

bool runs_here() { return test::runs_here(cuda_lanes(), "gaps"); }

/// What was compiled: so many gaps for so many symbols, with this configuration.
struct Case {
  int gaps, alphabet;
  std::string config;
  bool align;
};

std::vector<Case> cases() {
  std::vector<Case> all{{0, 4, "", false}};
  for (const int gaps : {1, 2, 3})
    for (const bool align : {false, true}) all.push_back({gaps, 4, "", align});
  all.push_back({1, 4, "SPAN=32", false});
  all.push_back({1, 4, "COLS=26", false});
  all.push_back({2, 4, "COLS=16", false});
  all.push_back({3, 4, "SPAN=16,COLS=13", false});
  for (const bool align : {false, true})
    for (const char* config : {"SCORES=3", "SCORES=1", "BITS=32"})
      all.push_back({2, 4, config, align});
  for (const int alphabet : {7, 8, 20})
    for (const bool align : {false, true}) all.push_back({2, alphabet, "", align});
  return all;
}

/// A query that takes 32 bits, where these were compiled; else one that does not.
std::size_t longest_of(const Case& one) {
  return one.gaps == 2 && !one.config.starts_with("SCORES") ? 2100 : 1100;
}

/// The programs of a plan, for messages.
std::string programs_of(const gaps::Plan& plan) {
  std::string all;
  for (const gaps::Shape& shape : plan.shapes)
    all += engine::Program{plan.file, "gaps_lanes", shape.defines}.text() + "; ";
  return all;
}

std::string value_of(const gaps::Shape& shape, std::string_view macro) {
  for (const auto& [name, value] : shape.defines)
    if (name == macro) return value;
  return "";
}

}  // namespace

TEST_CASE("cuda: plans of gaps have kernels that were compiled", "[gaps][cuda][host]") {
  CHECK_FALSE(gaps::variants().front().uses_cuda());
  CHECK(cuda_lanes().uses_cuda());
  Rng rng(151);
  for (const Case& each : cases()) {
    GapTasks tasks;
    for (std::size_t m = 0; m < 300; m += 1 + m / 20) add_random(tasks, rng, m, each.alphabet);
    add_random(tasks, rng, longest_of(each), each.alphabet);
    const auto scoring = random_scoring(rng, each.alphabet);
    const auto problem = tasks.problem(scoring, {.gaps = each.gaps}, each.align);
    const auto plan = gaps::plan(cuda_lanes(), problem, h200(), tune::Config::parse(each.config));
    INFO(each.config << ", " << programs_of(plan));
    CHECK_FALSE(plan.shapes.empty());
    std::size_t placed = 0;
    for (const gaps::Shape& shape : plan.shapes) {
      // What cuda/gaps_lanes.cu sets by itself.
      CHECK(value_of(shape, "RULES") == "0");
      CHECK(value_of(shape, "DIAGONAL") == (each.gaps > 0 ? "1" : "0"));
      CHECK(value_of(shape, "PAIRS") == (shape.wide ? "1" : "2"));
      CHECK(value_of(shape, "WG") == (shape.trace > 0 ? "32" : "64"));
      for (const std::uint32_t slot : shape.slots) placed += slot != GAPS_NOBODY;
    }
    CHECK(placed == tasks.tasks.size());
    CHECK_FALSE(plan.config.has("WG"));  // which cannot be forced
  }
}

TEST_CASE("cuda: the variant of gaps says what it cannot do", "[gaps][cuda][host]") {
  Rng rng(152);
  GapTasks tasks;
  for (int i = 0; i < 10; ++i) add_random(tasks, rng, 50, 20);
  const auto scoring = random_scoring(rng, 20);
  const auto plan = [&](const gaps::Rules& rules, const ocl::Limits& limits, const char* config) {
    return gaps::plan(cuda_lanes(), tasks.problem(scoring, rules, false), limits,
                      tune::Config::parse(config));
  };
  CHECK_NOTHROW(plan({.gaps = 2}, h200(), ""));
  CHECK_THROWS_WITH(plan({.gaps = 2}, {}, ""), contains("NVIDIA's GPUs alone"));
  CHECK_THROWS_WITH(plan({.gaps = 3}, h200(), ""), contains("no kernel was compiled for 3 gaps"));
  CHECK_THROWS_WITH(plan({.gaps = 2}, h200(), "COLS=13"), contains("COLS=13"));
  CHECK_THROWS_AS(plan({.gaps = 2}, h200(), "WG=64"), UsageError);
  for (const gaps::Rules& rules :
       {gaps::Rules{.gaps = 2, .ends = gaps::Ends::kInfix},
        gaps::Rules{.gaps = 2, .ends = gaps::Ends::kGlobal}, gaps::Rules{.gaps = 2, .strict = true},
        gaps::Rules{.gaps = 2, .band = 9}})
    CHECK_THROWS_WITH(plan(rules, h200(), ""), contains("prefix of the target alone"));
  if (!runs_here())
    CHECK_THROWS_WITH(
        gaps::solve(nullptr, cuda_lanes(), tasks.problem(scoring, {.gaps = 2}, false)),
        contains("no CUDA device"));
}

TEST_CASE("cuda: scores and alignments with at most k gaps are the reference's", "[gaps][cuda]") {
  if (!runs_here()) return;
  constexpr std::uint64_t kSeed = 153;
  Rng rng(kSeed);
  for (const Case& each : cases())
    for (int matrix = 0; matrix < 2; ++matrix) {
      GapTasks tasks;
      for (int i = 0; i < 400; ++i) add_random(tasks, rng, random_below(rng, 300), each.alphabet);
      // About the borders of a team's columns, 208 and 512 and 1,024, and in several passes.
      std::vector<std::size_t> lengths{longest_of(each)};
      for (const std::size_t border : {26u, 128u, 208u, 416u, 512u, 1024u})
        for (std::size_t less = 0; less < 4; ++less) lengths.push_back(border + 1 - less);
      for (const std::size_t m : lengths)
        for (int i = 0; i < 3; ++i) add_random(tasks, rng, m, each.alphabet);
      tasks.add("", "");
      tasks.add("", "ABA");
      tasks.add("ABA", "");
      tasks.add("A", random_text(rng, 150, each.alphabet));
      tasks.add(random_text(rng, 150, each.alphabet), "B");
      const auto scoring = random_scoring(rng, each.alphabet);
      const auto problem = tasks.problem(scoring, {.gaps = each.gaps}, each.align);
      const auto config = tune::Config::parse(each.config);
      INFO(each.gaps << " gaps, " << each.alphabet << " symbols, " << each.config
                     << (each.align ? ", alignments" : "") << ", seed " << kSeed << ", "
                     << programs_of(gaps::plan(cuda_lanes(), problem, h200(), config)));
      CHECK(wrong_answers(nullptr, cuda_lanes(), config, problem) == 0);
    }
}

TEST_CASE("cuda: few pairs, none, and launches of gaps that are repeated", "[gaps][cuda]") {
  if (!runs_here()) return;
  Rng rng(154);
  const auto scoring = random_scoring(rng, 4);
  for (const int count : {0, 1, 2, 15, 16, 17, 2000}) {
    GapTasks tasks;
    for (int i = 0; i < count; ++i) add_random(tasks, rng, 100, 4);
    auto problem = tasks.problem(scoring, {.gaps = 2}, true);
    INFO(count << " pairs");
    CHECK(wrong_answers(nullptr, cuda_lanes(), {}, problem) == 0);
    if (count == 0) continue;
    problem.repeats = 3;
    double told = 0;
    problem.progress = [&](const Progress& progress) { told = progress.part; };
    const auto answer = gaps::solve(nullptr, cuda_lanes(), problem);
    CHECK(answer.kernel > 0);
    CHECK(answer.compute > 0);
    CHECK(told == 1);
  }
}

}  // namespace rhomb::test::cuda_gaps_tests
