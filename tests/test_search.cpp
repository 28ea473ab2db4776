// SPDX-License-Identifier: Apache-2.0
// Every row of the search's table against the reference: random queries and pieces of texts of all
// sizes and alphabets, and sizes about every border.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "host/reference.h"
#include "host/search/search.h"
#include "tests/catch.h"
#include "tests/pairs.h"

namespace rhomb::test {
namespace {

/// Queries, texts and tasks that live together.
struct Tasks {
  std::vector<std::string> queries, texts;
  std::vector<search::Task> tasks;

  void add(std::string query, std::string text, std::uint32_t begin = 0, std::uint32_t skip = 0) {
    const auto number = static_cast<std::uint32_t>(queries.size());
    const auto length = static_cast<std::uint32_t>(text.size());
    begin = std::min(begin, length);
    queries.push_back(std::move(query));
    texts.push_back(std::move(text));
    tasks.push_back({number, number, begin, length - begin, skip});
  }
};

std::string shown(const search::Best& best) {
  return std::to_string(best.distance) + " at " + std::to_string(best.end);
}

/// Solves all tasks by `row` and compares; the number of wrong answers, the first few told.
int wrong_answers(const search::Row& row, const tune::Config& config, const Tasks& given,
                  const seq::Code& code) {
  const std::vector<std::string_view> queries(given.queries.begin(), given.queries.end());
  const std::vector<std::string_view> texts(given.texts.begin(), given.texts.end());
  search::Problem problem;
  problem.queries = queries;
  problem.texts = texts;
  problem.tasks = given.tasks;
  problem.code = &code;
  const auto got = search::solve(&device(), row, problem, config);
  const auto expected =
      search::solve(nullptr, find_variant(search::variants(), "reference"), problem);
  REQUIRE(got.best.size() == given.tasks.size());
  int wrong = 0;
  for (std::size_t i = 0; i < given.tasks.size(); ++i) {
    if (got.best[i] == expected.best[i]) continue;
    const search::Task& task = given.tasks[i];
    if (++wrong <= 3)
      std::cerr << row.name << " " << config.text() << ", task " << i << ": " << shown(got.best[i])
                << " instead of " << shown(expected.best[i]) << ", query of "
                << queries[task.query].size() << ", piece of " << task.length << ", skip "
                << task.skip << "\n";
  }
  return wrong;
}

/// A query of `m` symbols and a text about it, from a recipe.
void add_random(Tasks& tasks, Rng& rng, std::size_t m, int alphabet) {
  const char first = first_of(alphabet);
  const auto flank = [&] {
    return random_text(rng, random_below(rng, 1 + m / 4 + 40), alphabet, first);
  };
  std::string query = random_text(rng, m, alphabet, first);
  std::string text;
  switch (random_below(rng, 8)) {
    case 0:
      text = random_text(rng, random_below(rng, 2 * m + 2), alphabet, first);
      break;
    case 1:
      text = query;
      break;
    case 2:
      text = query.substr(random_below(rng, m));
      break;
    case 3:
      query = std::string(m, first);
      text = std::string(random_below(rng, 2 * m + 2), first);
      break;
    case 4:  // twice, so that the first of two ends counts
      text = flank() + mutate(rng, query, 0.05, alphabet, first) + flank() +
             mutate(rng, query, 0.05, alphabet, first) + flank();
      break;
    default:
      text = flank() +
             mutate(rng, query, 0.3 * static_cast<double>(random_below(rng, 100)) / 100, alphabet,
                    first) +
             flank();
  }
  const auto skip = random_below(rng, 3) == 0 ? 32 * random_below(rng, 1 + text.size() / 32) : 0;
  tasks.add(std::move(query), std::move(text), static_cast<std::uint32_t>(random_below(rng, 5)),
            static_cast<std::uint32_t>(skip));
}

struct Case {
  std::string variant;
  std::string config;
};

std::vector<Case> cases() {
  const bool gpu = device().limits().gpu;
  std::vector<Case> all = {{"strips-batch", ""},
                           {"strips-batch", gpu ? "LANES=1,WG=32" : "LANES=4"}};
  return all;
}

}  // namespace

TEST_CASE("queries of one length are found as the reference finds them", "[search][device]") {
  constexpr std::uint64_t kSeed = 61;
  Rng rng(kSeed);
  const auto& row = find_variant(search::variants(), "strips-batch");
  const auto code = whole_code(4);
  int wrong = 0, count = 0;
  for (const std::size_t m :
       {1u, 7u, 31u, 32u, 33u, 100u, 200u, 257u, 1000u, 1024u, 1025u, 2100u}) {
    Tasks tasks;
    for (int i = 0; i < (m < 300 ? 1500 : 60); ++i) add_random(tasks, rng, m, 4);
    count += static_cast<int>(tasks.tasks.size());
    wrong += wrong_answers(row, {}, tasks, code);
  }
  INFO("seed " << kSeed << ", " << count << " tasks");
  CHECK(wrong == 0);
}

TEST_CASE("queries of all lengths are found as the reference finds them", "[search][device]") {
  constexpr std::uint64_t kSeed = 62;
  Rng rng(kSeed);
  for (const auto& [variant, config] : cases()) {
    const auto& row = find_variant(search::variants(), variant);
    for (const int alphabet : {1, 2, 4, 5, 20, 256}) {
      Tasks tasks;
      const std::size_t longest = alphabet == 4 ? 1200 : 300;
      for (int i = 0; i < 800; ++i) {
        const double part = static_cast<double>(random_below(rng, 1001)) / 1000;
        add_random(tasks, rng,
                   1 + static_cast<std::size_t>(part * part * static_cast<double>(longest)),
                   alphabet);
      }
      INFO(variant << " " << config << ", " << alphabet << " symbols, seed " << kSeed);
      CHECK(wrong_answers(row, tune::Config::parse(config), tasks, whole_code(alphabet)) == 0);
    }
  }
}

TEST_CASE("few tasks, no task, and pieces without symbols", "[search][device]") {
  Rng rng(63);
  const auto code = whole_code(4);
  for (const auto& [variant, config] : cases()) {
    const auto& row = find_variant(search::variants(), variant);
    for (const int count : {0, 1, 3, 4, 5, 63, 64, 65, 257}) {
      Tasks tasks;
      for (int i = 0; i < count; ++i) add_random(tasks, rng, 50, 4);
      INFO(variant << " " << config << ", " << count << " tasks");
      CHECK(wrong_answers(row, tune::Config::parse(config), tasks, code) == 0);
    }
    Tasks empty;
    empty.add("ACGT", "");
    empty.add("ACGT", "", 0, 32);
    empty.add("A", "C");
    CHECK(wrong_answers(row, tune::Config::parse(config), empty, code) == 0);
  }
}

TEST_CASE("a search without a query is refused", "[search]") {
  const std::vector<std::string_view> queries{""}, texts{"ACGT"};
  const std::vector<search::Task> tasks{{0, 0, 0, 4, 0}};
  const auto code = whole_code(4);
  search::Problem problem;
  problem.queries = queries;
  problem.texts = texts;
  problem.tasks = tasks;
  problem.code = &code;
  CHECK_THROWS_AS(search::solve(nullptr, find_variant(search::variants(), "reference"), problem),
                  UsageError);
}

}  // namespace rhomb::test
