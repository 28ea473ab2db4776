// SPDX-License-Identifier: Apache-2.0
// Every row of the table of longest common subsequences, in many configurations, against the
// reference: lengths about every border, all counts of targets that tiles and chunks care about,
// and thousands of random ones over alphabets of 1 to 256 symbols.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/reference.h"
#include "host/lcs/lcs.h"
#include "tests/support/catch.h"
#include "tests/support/cuda.h"
#include "tests/support/pairs.h"

namespace rhomb::lcs_tests {
namespace {

using Lengths = std::vector<std::uint32_t>;
using test::whole_code;

/// A row in one configuration. Each compiles a program for each number of planes.
struct Way {
  const lcs::Variant* row;
  tune::Config config;
  int alphabet;  ///< a second one, besides the four bases; 0: sets of bases

  std::string text() const { return std::string(row->name) + " " + config.text(); }
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = [] {
    const struct {
      const char* row;
      const char* config;
      int alphabet;
    } chosen[] = {
        {"strips-lcs", "LANES=16,K=2,S=32", 20},
        {"strips-lcs", "LANES=8,K=1,S=16,CHUNK=16,QUEUES=4", 0},
        {"strips-lcs", "LANES=4,K=3,S=8,CHUNK=4,QUEUES=1", 256},
        {"strips-lcs", "LANES=16,K=4,S=4,CHUNK=8,QUEUES=3", 1},
        {"strips-lcs", "LANES=1,WG=8,K=1,S=32,CHUNK=8", 2},
        {"strips-lcs", "LANES=1,WG=3,K=5,S=4,CHUNK=1,QUEUES=16", 0},
        {"crochemore", "WG=1,W=4,STORE=1", 20},
        {"crochemore", "WG=8,W=8,STORE=1,CHUNK=4,QUEUES=4", 256},
        {"crochemore", "WG=5,W=4,STORE=0,CHUNK=1,QUEUES=1", 0},
        {"crochemore", "WG=1,W=16,STORE=0,CHUNK=16", 1},
        {"allison-dix", "WG=1,W=4,STORE=1", 2},
        {"allison-dix", "WG=8,W=8,STORE=1,CHUNK=4,QUEUES=4", 0},
        {"allison-dix", "WG=5,W=4,STORE=0,CHUNK=1,QUEUES=1", 256},
        {"allison-dix", "WG=1,W=16,STORE=0,CHUNK=16", 20},
        {"reference", "", 256},
    };
    std::vector<Way> made;
    for (const auto& [row, config, alphabet] : chosen)
      made.push_back({&find_variant(lcs::variants(), row), tune::Config::parse(config), alphabet});
    return made;
  }();
  return all;
}

/// A query and targets, with what is expected of them.
struct Case {
  std::string what;
  std::string query;
  std::vector<std::string> texts;
  std::vector<std::string_view> targets = {};
  Lengths expected = {};

  void finish(const seq::Code& code) {
    targets.assign(texts.begin(), texts.end());
    expected.clear();
    for (const auto& text : texts) expected.push_back(reference::lcs_length(query, text, code));
  }
};

lcs::Problem problem_of(const Case& asked, const seq::Code& code) {
  lcs::Problem problem;
  problem.query = asked.query;
  problem.targets = asked.targets;
  problem.code = &code;
  return problem;
}

void check(const Way& way, const Case& asked, const seq::Code& code) {
  const auto answer = lcs::solve(&test::device(), *way.row, problem_of(asked, code), way.config);
  if (answer.lengths == asked.expected) return;
  INFO(way.text() << ", " << asked.what << ", query of " << asked.query.size() << ", seed "
                  << test::seed());
  REQUIRE(answer.lengths.size() == asked.expected.size());
  for (std::size_t i = 0; i < asked.texts.size(); ++i)
    if (answer.lengths[i] != asked.expected[i])
      FAIL("target " << i << " of " << asked.texts.size() << ", " << asked.texts[i].size()
                     << " symbols: " << answer.lengths[i] << " instead of " << asked.expected[i]);
}

void check_all(Case asked, int alphabet = 4) {
  const auto code = whole_code(alphabet);
  asked.finish(code);
  for (const auto& way : ways()) check(way, asked, code);
}

TEST_CASE("targets with a shape agree with the reference", "[lcs][device]") {
  test::Rng rng(test::seed() + 1);
  const std::string query = test::random_text(rng, 300, 4);
  check_all({"no targets", query, {}});
  check_all({"empty targets", query, {"", "", ""}});
  check_all({"empty query", "", {"ACGT", "", "A"}});
  check_all({"one symbol", "A", {"A", "B", "", "AAAA", "BBBA"}});
  check_all({"the query itself", query, {query, "", query + query, query.substr(0, 299)}});
  check_all({"nothing in common", std::string(130, 'A'), {std::string(200, 'B'), "B", "CCD"}});
  check_all({"one letter", std::string(257, 'A'), {std::string(200, 'A'), std::string(300, 'A')}});
  check_all({"reversed", query, {std::string(query.rbegin(), query.rend())}});
  std::vector<std::string> unequal;
  for (const std::size_t size : {9000u, 1u, 0u, 3000u, 64u, 4097u, 4096u, 4095u, 2u, 8191u, 33u})
    unequal.push_back(test::random_text(rng, size, 4));
  check_all({"very unequal lengths", query, unequal});
}

TEST_CASE("every count of targets about the borders of tiles and chunks", "[lcs][device]") {
  test::Rng rng(test::seed() + 2);
  const auto code = whole_code(4);
  const std::string query = test::random_text(rng, 70, 4);
  for (const std::size_t count : {1u,  2u,  3u,  7u,  8u,  9u,   15u,  16u,  17u,  31u,
                                  32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 257u}) {
    Case asked{std::to_string(count) + " targets", query, {}};
    for (std::size_t i = 0; i < count; ++i)
      asked.texts.push_back(test::random_text(rng, test::random_below(rng, 40), 4));
    asked.finish(code);
    for (const auto& way : ways()) check(way, asked, code);
  }
}

TEST_CASE("lengths about the borders of words, slots and blocks", "[lcs][device]") {
  test::Rng rng(test::seed() + 3);
  const auto code = whole_code(4);
  for (const auto& way : ways()) {
    if (way.row->name == "reference") continue;
    Case asked{"borders", "A", {}};
    for (const std::size_t border : {1u, 4u, 8u, 16u, 32u, 64u, 96u, 128u, 256u})
      for (const std::size_t size : {border - 1, border, border + 1})
        asked.texts.push_back(test::random_text(rng, size, 4));
    asked.finish(code);
    const auto plan =
        lcs::plan(*way.row, problem_of(asked, code), test::device().limits(), way.config);
    const auto block = static_cast<std::size_t>(plan.block_rows(plan.usual_size()));
    for (const std::size_t m :
         {std::size_t{31}, std::size_t{32}, std::size_t{33}, block - 1, block, block + 1,
          2 * block - 1, 2 * block, 2 * block + 1, 5 * block + 3}) {
      asked.query = test::random_text(rng, m, 4);
      asked.texts.push_back(test::mutate(rng, asked.query, 0.1, 4));
      asked.finish(code);
      check(way, asked, code);
    }
  }
}

TEST_CASE("random targets agree with the reference", "[lcs][device]") {
  const char* wanted = std::getenv("RHOMB_TEST_PAIRS");
  const std::size_t total = wanted ? std::strtoull(wanted, nullptr, 10) : 10'000;
  std::size_t pairs = 0;
  for (const auto& row : lcs::variants()) {
    if (row.uses_cuda()) continue;
    const auto of_row = std::count_if(ways().begin(), ways().end(),
                                      [&](const Way& way) { return way.row == &row; });
    REQUIRE(of_row > 0);
    const std::size_t each = total / static_cast<std::size_t>(of_row) + 1;
    std::size_t number = 0;
    for (const auto& way : ways()) {
      if (way.row != &row) continue;
      for (std::size_t done = 0; done < each; ++number) {
        test::Rng rng(test::seed() + 1000 * number);
        const int alphabet = number % 4 == 3 ? way.alphabet : 4;
        const bool sets = alphabet == 0;
        const int letters = sets ? 9 : alphabet;
        const auto text_of = [&](std::size_t size) {
          auto text = test::random_text(rng, size, letters, test::first_of(letters));
          return sets ? test::as_nucleotides(rng, text, 4) : text;
        };
        Case asked{"random " + std::to_string(number), text_of(1 + rng() % 300), {}};
        for (std::size_t i = 0; i < 60; ++i) {
          const auto size = rng() % (i % 10 == 0 ? 400 : 120);
          asked.texts.push_back(i % 4 == 0 && !sets
                                    ? test::mutate(rng, asked.query.substr(0, size), 0.2, letters,
                                                   test::first_of(letters))
                                    : text_of(size));
        }
        const auto code = sets ? seq::make_code("ACGTUNRYSWKMBDHV", "", seq::Ambiguous::kMatch)
                               : whole_code(alphabet);
        asked.finish(code);
        check(way, asked, code);
        done += asked.texts.size();
        pairs += asked.texts.size();
      }
    }
  }
  std::cerr << "lcs: " << pairs << " random pairs in " << ways().size()
            << " configurations compared with the reference\n";
  CHECK(pairs >= 4 * total);
}

TEST_CASE("several queries share the targets", "[lcs][device]") {
  test::Rng rng(test::seed() + 5);
  const auto code = whole_code(4);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 150; ++i)
    texts.push_back(test::random_text(rng, test::random_below(rng, 90), 4));
  const std::vector<std::string_view> targets(texts.begin(), texts.end());
  // More than are enqueued at a time, of as many lengths, some empty.
  for (const std::size_t count : {2u, 7u, 600u}) {
    std::vector<std::string> own;
    for (std::size_t q = 0; q < count; ++q)
      own.push_back(test::random_text(rng, q % 5 == 4 ? 0 : test::random_below(rng, 300), 4));
    const std::vector<std::string_view> queries(own.begin(), own.end());
    lcs::Problem problem;
    problem.queries = queries;
    problem.targets = targets;
    problem.code = &code;
    Lengths expected;
    double cells = 0, symbols = 0;
    for (const auto& text : texts) symbols += static_cast<double>(text.size());
    for (const auto& query : own) {
      cells += static_cast<double>(query.size()) * symbols;
      for (const auto& text : texts) expected.push_back(reference::lcs_length(query, text, code));
    }
    for (auto way : ways()) {
      if (count > 100 && way.config.get("CHUNK", 8) < 8) continue;  // takes long
      std::vector<double> parts;
      problem.progress = [&](const Progress& state) { parts.push_back(state.part); };
      const auto answer = lcs::solve(&test::device(), *way.row, problem, way.config);
      INFO(way.text() << ", " << count << " queries, seed " << test::seed());
      CHECK((answer.lengths == expected));
      CHECK(answer.cells == cells);
      CHECK(std::is_sorted(parts.begin(), parts.end()));
      CHECK(parts.back() > 0.999);
    }
    // With the shapes that the rows choose, and the launches timed.
    problem.time_kernel = true;
    problem.progress = {};
    for (const auto& row : lcs::variants())
      if (!row.uses_cuda()) CHECK((lcs::solve(&test::device(), row, problem).lengths == expected));
  }
}

TEST_CASE("a progress report may end the run", "[lcs][device]") {
  test::Rng rng(test::seed() + 6);
  const auto code = whole_code(4);
  Case asked{"ended", test::random_text(rng, 300, 4), {}};
  for (std::size_t i = 0; i < 300; ++i) asked.texts.push_back(test::random_text(rng, 70, 4));
  asked.finish(code);
  struct Enough {};
  for (const auto& way : ways()) {
    auto problem = problem_of(asked, code);
    problem.progress = [](const Progress&) { throw Enough(); };
    CHECK_THROWS_AS(lcs::solve(&test::device(), *way.row, problem, way.config), Enough);
    check(way, asked, code);  // and the device is as good as before
  }
}

TEST_CASE("symbols that match nothing, not even themselves", "[lcs][device]") {
  const auto code = seq::make_code("ACGTN", "ACGTN", seq::Ambiguous::kMismatch);
  Case asked{"mismatch", "ANCNGNNTACGT", {"NNNN", "ANCNG", "ACGT", "TNTNT", "N"}};
  asked.finish(code);
  REQUIRE(asked.expected[0] == 0);
  for (const auto& way : ways())
    if (way.alphabet == 20 || way.alphabet == 1) check(way, asked, code);
}

TEST_CASE("defaults, progress and the time of the launches", "[lcs][device]") {
  test::Rng rng(test::seed() + 4);
  const auto code = whole_code(4);
  Case asked{"defaults", test::random_text(rng, 700, 4), {}};
  for (std::size_t i = 0; i < 200; ++i)
    asked.texts.push_back(test::random_text(rng, 100 + rng() % 200, 4));
  asked.finish(code);
  for (const auto& row : lcs::variants()) {
    if (row.uses_cuda()) continue;
    INFO(row.name);
    auto problem = problem_of(asked, code);
    problem.time_kernel = true;
    std::vector<double> parts;
    problem.progress = [&](const Progress& state) { parts.push_back(state.part); };
    const auto answer = lcs::solve(&test::device(), row, problem);
    CHECK(answer.lengths == asked.expected);
    REQUIRE(!parts.empty());
    CHECK(std::is_sorted(parts.begin(), parts.end()));
    CHECK(parts.back() > 0.999);
    double cells = 0;
    for (const auto& text : asked.texts) cells += 700.0 * static_cast<double>(text.size());
    CHECK(answer.cells == cells);
    CHECK(answer.compute > 0);
    if (row.name != "reference") CHECK(answer.kernel > 0);
    for (const auto& param : row.space) CHECK(answer.config.has(param.name));
  }
}

#ifdef RHOMB_HAVE_CUDA
TEST_CASE("the lcs rows of CUDA agree with the reference", "[lcs][cuda]") {
  for (const auto& row : lcs::variants()) {
    if (!row.uses_cuda() || !test::runs_here(row, "lcs")) continue;
    std::uint64_t number = 0, pairs = 0;
    for (const int alphabet : {4, 20, 256, 0})
      for (const int size : row.space.front().values)
        for (int round = 0; round < 12; ++round, ++number) {
          test::Rng rng(test::seed() + 77 * number);
          const int letters = alphabet == 0 ? 9 : alphabet;
          const auto text_of = [&](std::size_t length) {
            auto text = test::random_text(rng, length, letters, test::first_of(letters));
            return alphabet == 0 ? test::as_nucleotides(rng, text, 4) : text;
          };
          Case asked{"cuda", text_of(1 + rng() % (round % 4 == 0 ? 4500 : 700)), {}};
          for (std::size_t i = 0; i < 60; ++i) asked.texts.push_back(text_of(rng() % 130));
          const auto code = alphabet == 0
                                ? seq::make_code("ACGTUNRYSWKMBDHV", "", seq::Ambiguous::kMatch)
                                : whole_code(alphabet);
          asked.finish(code);
          Way way{&row, {}, alphabet};
          way.config.set(row.space.front().name, size);
          way.config.set("CHUNK", 1 << round % 4);
          way.config.set("QUEUES", 1 + round % 5);
          try {
            check(way, asked, code);
          } catch (const tune::Unfit& why) {
            // Not every size was compiled for every alphabet.
            CHECK_THAT(std::string(why.what()), test::contains("was compiled for"));
            continue;
          }
          check({&row, {}, alphabet}, asked, code);
          pairs += 2 * asked.texts.size();
          // The targets as queries too, all with all.
          auto problem = problem_of(asked, code);
          problem.queries = asked.targets;
          Lengths expected;
          for (const auto& a : asked.texts)
            for (const auto& b : asked.texts) expected.push_back(reference::lcs_length(a, b, code));
          CHECK((lcs::solve(nullptr, row, problem).lengths == expected));
        }
    std::cerr << "lcs: " << pairs << " random pairs on CUDA in " << row.name << '\n';
    CHECK(pairs > 10'000);
  }
}
#endif

}  // namespace
}  // namespace rhomb::lcs_tests
