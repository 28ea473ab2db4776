// SPDX-License-Identifier: Apache-2.0
// The subsequences themselves, and the best of many.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/lcs/rank.h"
#include "host/lcs/subsequence.h"
#include "host/seq/alphabet.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::lcs_subsequence_tests {
namespace {

using lcs::Match;
using lcs::Ranked;

using Table = std::vector<std::vector<std::uint32_t>>;

/// L(i, j) of all prefixes, as the definition has it.
Table lengths(std::string_view query, std::string_view target, const seq::Code& code) {
  Table table(query.size() + 1, std::vector<std::uint32_t>(target.size() + 1));
  for (std::size_t i = 1; i <= query.size(); ++i)
    for (std::size_t j = 1; j <= target.size(); ++j)
      table[i][j] = code.match(query[i - 1], target[j - 1])
                        ? table[i - 1][j - 1] + 1
                        : std::max(table[i - 1][j], table[i][j - 1]);
  return table;
}

/// The subsequence that is to be found of several, as the header defines it.
std::vector<Match> chosen(const Table& table) {
  std::vector<Match> matches;
  std::size_t i = table.size() - 1;
  std::size_t j = table.front().size() - 1;
  while (table[i][j] > 0) {
    const auto length = table[i][j];
    while (i > 0 && table[i - 1][j] == length) --i;
    while (j > 0 && table[i][j - 1] == length) --j;
    matches.push_back({static_cast<std::uint32_t>(--i), static_cast<std::uint32_t>(--j)});
  }
  std::reverse(matches.begin(), matches.end());
  return matches;
}

/// Empty if all is well.
std::string fault(std::string_view query, std::string_view target, const seq::Code& code,
                  const std::vector<Match>& matches, std::size_t length) {
  if (matches.size() != length) return "is " + std::to_string(matches.size()) + " long";
  for (std::size_t k = 0; k < matches.size(); ++k) {
    const auto [i, j] = matches[k];
    if (i >= query.size() || j >= target.size()) return "leaves the texts";
    if (k > 0 && (i <= matches[k - 1].query || j <= matches[k - 1].target)) return "goes back";
    if (!code.match(query[i], target[j])) return "pairs symbols that do not match";
  }
  return "";
}

void check(std::string_view query, std::string_view target,
           seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol) {
  const seq::Code code = seq::make_code(query, target, ambiguous);
  const Table table = lengths(query, target, code);
  const lcs::Tracer tracer(query, code);
  // As much memory as there is need for; parts computed again; and again and again.
  for (const std::size_t memory : {lcs::Tracer::kMemory, std::size_t{2000}, std::size_t{0}}) {
    const auto matches = tracer.matches(target, memory);
    const auto wrong = fault(query, target, code, matches, table.back().back());
    if (!wrong.empty())
      FAIL(wrong << " with " << memory << " bytes: '" << query << "' and '" << target << "'");
    if (matches != chosen(table))
      FAIL("not the one promised with " << memory << " bytes: '" << query << "' and '" << target
                                        << "'");
  }
}

TEST_CASE("subsequences of texts that are easily seen", "[lcs][host]") {
  const auto found = [](std::string_view query, std::string_view target) {
    const seq::Code code = seq::make_code(query, target);
    return symbols(query, lcs::Tracer(query, code).matches(target));
  };
  CHECK(found("", "").empty());
  CHECK(found("", "ACGT").empty());
  CHECK(found("ACGT", "").empty());
  CHECK(found("AAAA", "CCCC").empty());
  CHECK(found("ACGT", "ACGT") == "ACGT");
  CHECK(found("HUMAN", "CHIMPANZEE") == "HMAN");
  CHECK(found("TCCAGATG", "AAAGTGACCTAGCCCG") == "TCCAGG");
  CHECK(found("AB", "BA") == "A");  // ends earlier in the query than "B"
  const std::string long_text(200, 'A');
  CHECK(found(long_text, std::string(130, 'A')) == std::string(130, 'A'));
}

TEST_CASE("subsequences of 10,000 random pairs", "[lcs][host]") {
  test::Rng rng(test::seed());
  const std::vector<int> alphabets{1, 2, 3, 4, 5, 20, 26, 60, 128, 256};
  for (int round = 0; round < 10'000; ++round) {
    const int alphabet = alphabets[test::random_below(rng, alphabets.size())];
    const std::size_t most = round % 100 == 0 ? 400 : 70;
    const auto query = test::random_text(rng, test::random_below(rng, most), alphabet);
    const auto target = round % 3 == 0
                            ? test::mutate(rng, query, 0.2, alphabet)
                            : test::random_text(rng, test::random_below(rng, most), alphabet);
    check(query, target);
  }
}

TEST_CASE("subsequences where words end", "[lcs][host]") {
  test::Rng rng(test::seed());
  const std::size_t borders[] = {0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 129, 192, 257};
  for (const auto m : borders)
    for (const auto n : borders)
      for (const int alphabet : {1, 2, 20}) {
        const auto query = test::random_text(rng, m, alphabet);
        check(query, test::random_text(rng, n, alphabet));
        check(query, query);
      }
}

TEST_CASE("subsequences of ambiguous symbols", "[lcs][host]") {
  test::Rng rng(test::seed());
  const std::string letters = "ACGTACGTACGTNRYSWKMBDHV";
  const auto text = [&](std::size_t length) {
    std::string made(length, ' ');
    for (char& symbol : made) symbol = letters[test::random_below(rng, letters.size())];
    return made;
  };
  for (int round = 0; round < 500; ++round)
    for (const auto how : {seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch})
      check(text(test::random_below(rng, 150)), text(test::random_below(rng, 150)), how);
}

TEST_CASE("a subsequence of long texts takes little memory", "[lcs][host]") {
  test::Rng rng(test::seed());
  const auto query = test::random_text(rng, 30'000, 4);
  const auto target = test::mutate(rng, query, 0.3, 4);
  const seq::Code code = seq::make_code(query, target);
  const lcs::Tracer tracer(query, code);
  const auto all = tracer.matches(target, std::size_t{256} << 20);
  CHECK(fault(query, target, code, all, all.size()).empty());
  CHECK(all.size() > 20'000);
  CHECK((tracer.matches(target, std::size_t{1} << 20) == all));
  CHECK((tracer.matches(target, std::size_t{1} << 14) == all));
}

TEST_CASE("the best of many", "[lcs][host]") {
  test::Rng rng(test::seed());
  for (int round = 0; round < 200; ++round) {
    const std::size_t most = 1 + test::random_below(rng, 12);
    const std::size_t queries = 1 + test::random_below(rng, 3);
    const std::size_t count = test::random_below(rng, 60);
    const auto least = static_cast<std::uint32_t>(test::random_below(rng, 4));
    std::vector<std::vector<std::uint32_t>> lengths(queries, std::vector<std::uint32_t>(count));
    seq::Batch targets(count);
    for (std::size_t i = 0; i < count; ++i) {
      targets[i] = {"s" + std::to_string(i), std::string(1 + i, 'A')};
      for (auto& of_query : lengths)
        of_query[i] = static_cast<std::uint32_t>(test::random_below(rng, 8));
    }
    lcs::Ranking ranking(queries, most, round % 2 == 0);
    // In two parts, the second one first every other time.
    const std::size_t cut = count == 0 ? 0 : test::random_below(rng, count);
    const auto add = [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> part;
      for (const auto& of_query : lengths)
        part.insert(part.end(), of_query.begin() + static_cast<std::ptrdiff_t>(begin),
                    of_query.begin() + static_cast<std::ptrdiff_t>(end));
      ranking.add(begin, std::span(targets).subspan(begin, end - begin), part, least);
    };
    if (round % 4 < 2) {
      add(0, cut);
      add(cut, count);
    } else {
      add(cut, count);
      add(0, cut);
    }
    std::vector<bool> used(count);
    for (std::size_t query = 0; query < queries; ++query) {
      std::vector<std::pair<int, std::uint64_t>> expected;
      for (std::size_t i = 0; i < count; ++i)
        if (lengths[query][i] >= least)
          expected.emplace_back(-static_cast<int>(lengths[query][i]), i);
      std::ranges::sort(expected);
      expected.resize(std::min(expected.size(), most));
      const auto best = ranking.best(query);
      REQUIRE(best.size() == expected.size());
      for (std::size_t k = 0; k < best.size(); ++k) {
        CHECK(best[k].length == static_cast<std::uint32_t>(-expected[k].first));
        REQUIRE(best[k].target == expected[k].second);
        const auto& target = ranking.target(best[k]);
        CHECK(target.sequence.name == "s" + std::to_string(best[k].target));
        CHECK(target.length == static_cast<std::int64_t>(1 + best[k].target));
        CHECK(target.sequence.symbols.empty() == (round % 2 != 0));
        used[best[k].target] = true;
      }
    }
    CHECK(ranking.kept() == static_cast<std::size_t>(std::ranges::count(used, true)));
  }
}

}  // namespace
}  // namespace rhomb::lcs_subsequence_tests
