// SPDX-License-Identifier: Apache-2.0
// Queries compared with the whole of their pieces: the edit distance of many pairs at a time.
#include <string>
#include <vector>

#include "host/search/occurrence.h"
#include "host/search/search.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"
#include "tests/support/search_tasks.h"

namespace rhomb::test::search_whole_tests {
namespace {

const search::Variant& strips() { return find_variant(search::variants(), "strips-batch"); }

/// A pair from a recipe: equal, related, unrelated, one of them short or nearly empty.
void add_pair(Tasks& tasks, Rng& rng, std::size_t m, int alphabet) {
  const char first = first_of(alphabet);
  std::string query = random_text(rng, m, alphabet, first), text;
  switch (random_below(rng, 7)) {
    case 0:
      text = query;
      break;
    case 1:
      text = random_text(rng, random_below(rng, 2 * m + 2), alphabet, first);
      break;
    case 2:
      text = random_text(rng, random_below(rng, 3), alphabet, first);
      break;
    case 3:
      query = std::string(m, first);
      text = std::string(random_below(rng, 2 * m + 2), first);
      break;
    case 4:  // a long gap at the start
      text = random_text(rng, m, alphabet, first) + query;
      break;
    default:
      text = mutate(rng, query, 0.3 * static_cast<double>(random_below(rng, 100)) / 100, alphabet,
                    first);
  }
  tasks.add(std::move(query), std::move(text), static_cast<std::uint32_t>(random_below(rng, 5)));
}

int wrong(Tasks& tasks, const std::string& config, const seq::Code& code) {
  tasks.whole = true;
  return wrong_answers(&device(), strips(), tune::Config::parse(config), tasks, code);
}

}  // namespace

TEST_CASE("pairs of one length have the distance of the reference", "[search][device]") {
  Rng rng(seed());
  for (const std::size_t m :
       {1u, 7u, 31u, 32u, 33u, 100u, 150u, 257u, 1000u, 1024u, 1025u, 2100u}) {
    Tasks tasks;
    for (int i = 0; i < (m < 300 ? 1000 : 40); ++i) add_pair(tasks, rng, m, 4);
    INFO("queries of " << m << ", seed " << seed());
    CHECK(wrong(tasks, "", whole_code(4)) == 0);
  }
}

TEST_CASE("pairs of all lengths have the distance of the reference", "[search][device]") {
  Rng rng(seed());
  const std::string lanes = device().limits().gpu ? "LANES=1,WG=32" : "LANES=4";
  for (const auto& [config, alphabet] :
       {std::pair(std::string(), 4), std::pair(std::string(), 5), std::pair(std::string(), 256),
        std::pair(lanes, 4), std::pair(std::string("SLOT=32,K=8"), 2)}) {
    Tasks tasks;
    for (int i = 0; i < 3000; ++i) {
      const double part = static_cast<double>(random_below(rng, 1001)) / 1000;
      add_pair(tasks, rng, 1 + static_cast<std::size_t>(part * part * part * 2000), alphabet);
    }
    INFO(config << ", " << alphabet << " symbols, seed " << seed());
    CHECK(wrong(tasks, config, whole_code(alphabet)) == 0);
  }
}

TEST_CASE("variants that only search refuse whole pieces", "[search]") {
  Tasks tasks;
  tasks.add("ACGT", "ACG");
  tasks.whole = true;
  const seq::Code code = whole_code(4);
  const auto problem = tasks.problem(code);
  for (const char* const variant : {"coop", "task-private", "task-local"})
    CHECK_THROWS_AS(search::plan(find_variant(search::variants(), variant), problem, {}),
                    tune::Unfit);
  tasks.tasks[0].skip = 32;
  CHECK_THROWS_AS(search::plan(strips(), tasks.problem(code), {}), UsageError);
}

TEST_CASE("the host's bit vectors compare whole texts", "[search]") {
  Rng rng(seed());
  Tasks tasks;
  tasks.whole = true;
  for (int i = 0; i < 500; ++i) add_pair(tasks, rng, 1 + random_below(rng, 200), 4);
  const seq::Code code = whole_code(4);
  const auto problem = tasks.problem(code);
  const auto expected =
      search::solve(nullptr, find_variant(search::variants(), "reference"), problem).best;
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const search::Task& task = tasks.tasks[i];
    INFO("pair " << i << ", seed " << seed());
    CHECK(search::Finder(tasks.queries[i], code).distance(tasks.texts[i].substr(task.begin)) ==
          expected[i].distance);
  }
}

}  // namespace rhomb::test::search_whole_tests
