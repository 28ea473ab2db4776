// SPDX-License-Identifier: Apache-2.0
// The columns of bits of the search, as the host's compiler takes them: every query and every piece
// of a few symbols, and others about the borders of words.
#include <array>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/search/search.h"
#include "host/seq/packed.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

#define NATIVE one_word
#define W 1
#define HEAD 1
#define PLANES 1
#define SETS 0
#include "tests/support/native_search.h"
#define NATIVE three_words
#define W 3
#define HEAD 3
#define PLANES 2
#define SETS 0
#include "tests/support/native_search.h"
#define NATIVE two_words_of_sets
#define W 2
#define HEAD 2
#define PLANES 4
#define SETS 1
#include "tests/support/native_search.h"
#define NATIVE two_words_of_bytes
#define W 2
#define HEAD 2
#define PLANES 8
#define SETS 0
#include "tests/support/native_search.h"

namespace rhomb::test::search_step_tests {
namespace {

/// A query, a piece and what does not count of it.
struct Sought {
  std::string query, text;
  std::uint32_t skip = 0;
};

template <class Coop>
std::vector<search::Best> found_by(void (*item)(const Coop*, u32, u32, u32*),
                                   const std::vector<Sought>& all, const seq::Code& code) {
  const auto pack = [&](auto part, const auto& table, std::vector<u32>& starts) {
    std::vector<std::string_view> texts;
    for (const Sought& one : all) texts.push_back(one.*part);
    std::vector<u32> words(seq::batch_words(texts, code.planes, 40));
    starts.resize(all.size());
    seq::pack_batch(texts, table, code.planes, words, starts);
    return words;
  };
  std::vector<u32> query_starts, text_starts;
  const auto queries = pack(&Sought::query, code.a, query_starts);
  const auto texts = pack(&Sought::text, code.b, text_starts);
  std::vector<SearchTask> tasks;
  for (std::size_t i = 0; i < all.size(); ++i)
    tasks.push_back({query_starts[i], static_cast<u32>(all[i].query.size()), text_starts[i],
                     static_cast<u32>(all[i].text.size()), all[i].skip, 0, static_cast<u32>(i)});
  std::vector<SearchAnswer> answers(all.size());
  const Coop coop{queries.data(), texts.data(), tasks.data(), static_cast<u32>(tasks.size()),
                  answers.data()};
  for (u32 i = 0; i < (tasks.size() + 31) / 32 * 32; ++i) item(&coop, i / 32, i % 32, nullptr);
  std::vector<search::Best> best;
  for (const SearchAnswer& answer : answers) best.push_back({answer.distance, answer.end});
  return best;
}

std::vector<search::Best> found_by_reference(const std::vector<Sought>& all,
                                             const seq::Code& code) {
  std::vector<search::Best> best;
  for (const Sought& one : all) {
    const auto [distance, end] = reference::best_occurrence(one.query, one.text, code, one.skip);
    best.push_back(distance < 0 ? search::Best{}
                                : search::Best{static_cast<std::uint32_t>(distance),
                                               static_cast<std::uint32_t>(end)});
  }
  return best;
}

/// All texts of up to `longest` symbols A and B.
std::vector<std::string> all_texts(std::size_t longest) {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; texts[i].size() < longest; ++i)
    for (const char symbol : {'A', 'B'}) texts.push_back(texts[i] + symbol);
  return texts;
}

std::vector<Sought> about_borders(Rng& rng, std::size_t longest, int alphabet) {
  std::vector<Sought> all;
  for (int i = 0; i < 3000; ++i) {
    Sought one;
    const char first = first_of(alphabet);
    const std::size_t border = 32 * (1 + random_below(rng, longest / 32));
    one.query =
        random_text(rng, std::min(longest, border - 1 + random_below(rng, 3)), alphabet, first);
    one.text = random_text(rng, random_below(rng, 70), alphabet, first) +
               mutate(rng, one.query, 0.15, alphabet, first) +
               random_text(rng, random_below(rng, 70), alphabet, first);
    one.skip = static_cast<std::uint32_t>(32 * random_below(rng, 4));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

TEST_CASE("every short query is found in every short piece", "[search]") {
  const auto code = whole_code(2);
  REQUIRE(code.planes == 1);
  std::vector<Sought> all;
  for (const auto& query : all_texts(5))
    for (const auto& text : all_texts(8))
      if (!query.empty()) all.push_back({query, text});
  CHECK(all.size() == 62 * 511);
  CHECK(found_by(one_word::coop_item, all, code) == found_by_reference(all, code));
}

TEST_CASE("queries of several words are found by columns of bits", "[search]") {
  constexpr std::uint64_t kSeed = 71;
  INFO("seed " << kSeed);
  Rng rng(kSeed);
  const auto dna = whole_code(4), bytes = whole_code(256);
  const auto letters = about_borders(rng, 96, 4);
  CHECK(found_by(three_words::coop_item, letters, dna) == found_by_reference(letters, dna));
  const auto any = about_borders(rng, 64, 256);
  CHECK(found_by(two_words_of_bytes::coop_item, any, bytes) == found_by_reference(any, bytes));
  auto bases = about_borders(rng, 64, 4);
  for (Sought& one : bases) {
    one.query = as_nucleotides(rng, one.query, 9);
    one.text = as_nucleotides(rng, one.text, 9);
  }
  const auto sets = seq::make_code("ACGTUacgtuNRYSWKMBDHVnry", "", seq::Ambiguous::kMatch);
  CHECK(found_by(two_words_of_sets::coop_item, bases, sets) == found_by_reference(bases, sets));
}

}  // namespace rhomb::test::search_step_tests
