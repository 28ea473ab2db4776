// SPDX-License-Identifier: Apache-2.0
// The CUDA variants of the search: their plans, and their answers beside those of the reference.
// Compiled only with CUDA; what computes is left out where there is no CUDA device.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "host/search/search.h"
#include "tests/support/catch.h"
#include "tests/support/cuda.h"
#include "tests/support/pairs.h"
#include "tests/support/search_tasks.h"

namespace rhomb::cuda_search_tests {
namespace {

using test::contains;
using test::h200;
using test::Tasks;

const std::vector<std::string> kTwins = {"cuda-strips-batch", "cuda-coop"};

const search::Variant& row_of(std::string_view name) {
  return find_variant(search::variants(), name);
}

bool runs_here() { return test::runs_here(row_of(kTwins.front()), "search"); }

seq::Code sets_code() {
  return seq::make_code("ACGTUacgtuNRYSWKMBDHVnry", "", seq::Ambiguous::kMatch);
}

/// A query of `m` symbols and a text that it may occur in, at the start, inside, twice or not.
void add_random(Tasks& tasks, test::Rng& rng, std::size_t m, int alphabet) {
  const char first = test::first_of(alphabet);
  const auto flank = [&] {
    return test::random_text(rng, test::random_below(rng, 1 + m / 4 + 40), alphabet, first);
  };
  std::string query = test::random_text(rng, m, alphabet, first), text;
  const auto edited = [&] {
    const auto percent = static_cast<double>(test::random_below(rng, 30));
    return test::mutate(rng, query, percent / 100, alphabet, first);
  };
  switch (test::random_below(rng, 6)) {
    case 0:
      text = test::random_text(rng, test::random_below(rng, 2 * m + 2), alphabet, first);
      break;
    case 1:
      text = query.substr(test::random_below(rng, m));
      break;
    case 2:
      query = std::string(m, first);
      text = std::string(test::random_below(rng, 2 * m + 2), first);
      break;
    case 3:
      text = flank() + edited() + flank() + edited() + flank();
      break;
    default:
      text = flank() + edited() + flank();
  }
  const auto skip =
      test::random_below(rng, 3) == 0 ? 32 * test::random_below(rng, 1 + text.size() / 32) : 0;
  tasks.add(std::move(query), std::move(text),
            static_cast<std::uint32_t>(test::random_below(rng, 5)),
            static_cast<std::uint32_t>(skip));
}

int wrong_answers(const search::Variant& row, Tasks& tasks, const seq::Code& code) {
  return test::wrong_answers(nullptr, row, {}, tasks, code);
}

/// The longest query that a variant was compiled for, with planes for `alphabet`; 0: sets.
std::size_t longest_of(std::string_view variant, int alphabet) {
  const bool strips = variant == "cuda-strips-batch";
  if (alphabet > 0 && alphabet <= 4) return strips ? 2500 : 2048;  // the strips have no end
  if (!strips) return 2048;
  return alphabet == 0 ? 768 : 512;
}

TEST_CASE(
    "cuda: CUDA variants of the search have plans for all queries that they were compiled for",
    "[search][cuda][host]") {
  CHECK(!search::variants().front().uses_cuda());
  CHECK(search::variants().back().name == "reference");
  for (const auto& name : kTwins)
    for (const int alphabet : {2, 4, 5, 200, 0}) {
      const auto& row = row_of(name);
      CHECK(row.uses_cuda());
      CHECK(row.space.empty());
      const auto code = alphabet == 0 ? sets_code() : test::whole_code(alphabet);
      const std::size_t longest = longest_of(name, alphabet);
      Tasks all;
      std::set<std::string> programs;
      for (std::size_t m = 1; m <= longest; ++m) {
        Tasks one;
        one.add(std::string(m, 'A'), std::string(40, 'A'));
        all.add(std::string(m, 'A'), std::string(m % 70, 'A'));
        const auto plan = search::plan(row, one.problem(code), h200());
        if (plan.shapes.size() != 1) FAIL("not one shape for " << m);
        const auto& shape = plan.shapes.front();
        if (plan.planes != (alphabet == 0   ? 4
                            : alphabet <= 4 ? 2
                                            : 8) ||
            plan.sets != (alphabet == 0) || plan.profiles || shape.group != 64 ||
            shape.longest != m)
          FAIL("another plan for " << m);
        std::string program;
        for (const auto& [macro, value] : shape.defines) program += macro + "=" + value + " ";
        programs.insert(program);
        // No query has more rows than its strips or words, or so few that HEAD is not enough.
        const auto value = [&](std::string_view macro) {
          const auto found =
              std::ranges::find(shape.defines, macro, &std::pair<std::string, std::string>::first);
          return static_cast<std::size_t>(std::stoi(found->second));
        };
        if (name == "cuda-coop") {
          const std::size_t words = 32 / value("R") * value("W");
          if (m > 32 * words || (value("HEAD") < value("W") && m + 32 * value("HEAD") < 32 * words))
            FAIL(program << "for " << m);
        } else {
          const std::size_t strips = (m + value("K") - 1) / value("K");
          if ((strips > value("SLOT") && value("CHAIN") == 0) ||
              (strips % value("SLOT") != 0 && value("MIXED") == 0) ||
              strips * value("K") - m > value("HEAD"))
            FAIL(program << "for " << m);
        }
      }
      const auto plan = search::plan(row, all.problem(code), h200());
      INFO(name << ", " << alphabet << " symbols");
      CHECK(plan.shapes.size() == programs.size());
      CHECK(plan.order.size() == longest);
      if (name == "cuda-strips-batch" && plan.planes == 2) continue;  // there is no longest one
      Tasks one;
      one.add(std::string(longest + 1, 'A'), "A");
      CHECK_THROWS_WITH(search::plan(row, one.problem(code), h200()),
                        contains("compiled for up to " + std::to_string(longest)));
    }
}

TEST_CASE("cuda: CUDA variants of the search say what they cannot do", "[search][cuda][host]") {
  const auto code = test::whole_code(4);
  Tasks tasks;
  tasks.add("ACGT", "ACGT");
  for (const auto& name : kTwins) {
    const auto& row = row_of(name);
    CHECK_THROWS_AS(search::plan(row, tasks.problem(code), ocl::Limits{}), tune::Unfit);
    CHECK_THROWS_AS(search::plan(row, tasks.problem(code), h200(), tune::Config::parse("WG=64")),
                    UsageError);
    if (!runs_here())
      CHECK_THROWS_WITH(search::solve(nullptr, row, tasks.problem(code)),
                        contains("no CUDA device"));
  }
}

TEST_CASE("cuda: queries of all lengths are found as the reference finds them", "[search][cuda]") {
  if (!runs_here()) return;
  constexpr std::uint64_t kSeed = 71;
  test::Rng rng(kSeed);
  for (const auto& name : kTwins)
    for (const int alphabet : {1, 2, 4, 5, 20, 256, 0}) {
      const std::size_t longest = longest_of(name, alphabet);
      const auto code = alphabet == 0 ? sets_code() : test::whole_code(alphabet);
      Tasks tasks;
      for (int i = 0; i < 1500; ++i) {
        // Mostly short ones.
        const auto part = static_cast<double>(test::random_below(rng, 1001)) / 1000;
        const auto more = part * part * part * part * static_cast<double>(longest - 1);
        add_random(tasks, rng, 1 + static_cast<std::size_t>(more), alphabet == 0 ? 4 : alphabet);
        if (alphabet != 0) continue;
        tasks.queries.back() = test::as_nucleotides(rng, tasks.queries.back(), 9);
        tasks.texts.back() = test::as_nucleotides(rng, tasks.texts.back(), 9);
      }
      INFO(name << ", " << alphabet << " symbols, seed " << kSeed);
      CHECK(wrong_answers(row_of(name), tasks, code) == 0);
    }
}

TEST_CASE("cuda: queries of one length, those of the smallest shapes and about their borders",
          "[search][cuda]") {
  if (!runs_here()) return;
  test::Rng rng(72);
  const auto code = test::whole_code(4);
  for (const auto& name : kTwins)
    for (const std::size_t m :
         {1u,   2u,   31u,  32u,  33u,   63u,   64u,   65u,   99u,   100u, 104u,
          105u, 127u, 128u, 129u, 200u,  201u,  224u,  256u,  257u,  416u, 512u,
          513u, 608u, 800u, 999u, 1000u, 1023u, 1024u, 1025u, 2047u, 2048u}) {
      Tasks tasks;
      for (int i = 0; i < (m < 300 ? 700 : 100); ++i) add_random(tasks, rng, m, 4);
      INFO(name << ", queries of " << m);
      CHECK(wrong_answers(row_of(name), tasks, code) == 0);
    }
}

TEST_CASE("cuda: few tasks, no task, and pieces about the borders of words", "[search][cuda]") {
  if (!runs_here()) return;
  test::Rng rng(73);
  const auto code = test::whole_code(4);
  for (const auto& name : kTwins) {
    for (const int count : {0, 1, 3, 4, 5, 63, 64, 65, 257}) {
      Tasks tasks;
      for (int i = 0; i < count; ++i) add_random(tasks, rng, 50, 4);
      INFO(name << ", " << count << " tasks");
      CHECK(wrong_answers(row_of(name), tasks, code) == 0);
    }
    Tasks tasks;
    tasks.add("ACGT", "");
    tasks.add("ACGT", "", 0, 32);
    tasks.add("A", "C");
    for (const std::size_t m : {31u, 32u, 33u, 100u, 200u, 257u})
      for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 128u, 257u}) {
        std::string query = test::random_text(rng, m, 2), text = query;
        while (text.size() < n) text += test::random_text(rng, 1, 2) + query;
        // At the end of the piece, so that the last columns count.
        tasks.add(query, text.substr(text.size() - n));
        tasks.add(query, std::string(n, 'A'), 0, static_cast<std::uint32_t>(n / 32 * 32));
        tasks.add(query, test::random_text(rng, n, 2), 0, 32);
      }
    INFO(name);
    CHECK(wrong_answers(row_of(name), tasks, code) == 0);
  }
}

TEST_CASE("cuda: many tasks, launches that are repeated, and times", "[search][cuda]") {
  if (!runs_here()) return;
  test::Rng rng(74);
  const auto code = test::whole_code(4);
  // One text and many pieces of it.
  const std::string text = test::random_text(rng, 100'000, 4);
  std::vector<std::string> queries;
  std::vector<search::Task> tasks;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    const auto begin = static_cast<std::uint32_t>(test::random_below(rng, text.size() - 140));
    queries.push_back(test::mutate(rng, text.substr(begin + 20, 100), 0.05, 4));
    tasks.push_back({i, 0, begin, 140, 0});
  }
  const std::vector<std::string_view> views(queries.begin(), queries.end()), texts{text};
  search::Problem problem;
  problem.queries = views;
  problem.texts = texts;
  problem.tasks = tasks;
  problem.code = &code;
  const auto expected = search::solve(nullptr, row_of("reference"), problem);
  problem.repeats = 3;
  double told = 0;
  problem.progress = [&](const Progress& progress) { told = progress.part; };
  for (const auto& name : kTwins) {
    told = 0;
    const auto got = search::solve(nullptr, row_of(name), problem);
    INFO(name);
    CHECK(got.best == expected.best);
    CHECK(got.kernel > 0);
    CHECK(got.compute > 0);
    CHECK(got.transfer > 0);
    CHECK(told == 1);
  }
}

}  // namespace
}  // namespace rhomb::cuda_search_tests
