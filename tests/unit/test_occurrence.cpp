// SPDX-License-Identifier: Apache-2.0
// Ends, starts and alignments that the host finds, against plain dynamic programming.
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/search/occurrence.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::test::occurrence_tests {
namespace {

/// The bottom row of the semi-global matrix.
std::vector<std::uint32_t> bottom_row(std::string_view query, std::string_view text) {
  std::vector<std::uint32_t> column(query.size() + 1), row;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<std::uint32_t>(i);
  row.push_back(column.back());
  for (const char symbol : text) {
    std::uint32_t diagonal = 0;
    for (std::size_t i = 1; i < column.size(); ++i) {
      const std::uint32_t replaced = diagonal + (query[i - 1] == symbol ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({replaced, diagonal + 1, column[i - 1] + 1});
    }
    row.push_back(column.back());
  }
  return row;
}

}  // namespace

TEST_CASE("ends, starts and alignments agree with the matrix", "[search]") {
  Rng rng(seed());
  int occurrences = 0;
  for (int number = 0; number < 3000; ++number) {
    const int alphabet = (const int[]){1, 2, 4, 20, 256}[random_below(rng, 5)];
    const char first = first_of(alphabet);
    const std::size_t m =
        number % 3 == 0 ? 62 + random_below(rng, 5) : 1 + random_below(rng, number % 50 ? 90 : 300);
    const auto query = random_text(rng, m, alphabet, first);
    const auto text = random_text(rng, random_below(rng, 60), alphabet, first) +
                      mutate(rng, query, 0.15, alphabet, first) +
                      random_text(rng, random_below(rng, 60), alphabet, first);
    const auto code = whole_code(alphabet);
    const auto row = bottom_row(query, text);
    const auto most = static_cast<std::uint32_t>(random_below(rng, m + 2));
    std::vector<search::End> expected;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] <= most) expected.push_back({j, row[j]});

    search::Finder finder(query, code);
    INFO("number " << number << ", " << alphabet << " symbols, " << shown(query) << " in "
                   << shown(text));
    REQUIRE(finder.ends(text, most) == expected);
    for (const search::End& end : search::best_of_runs(expected)) {
      const std::size_t start = finder.start(text, end);
      const auto part = std::string_view(text).substr(start, end.at - start);
      REQUIRE(reference::edit_distance(query, part) == end.distance);
      // No longer part is as near.
      for (std::size_t longer = std::max<std::size_t>(start, 3) - 3; longer < start; ++longer)
        REQUIRE(reference::edit_distance(
                    query, std::string_view(text).substr(longer, end.at - longer)) > end.distance);
      const auto cigar = finder.cigar(part);
      REQUIRE_NOTHROW(cigar.verify(query, part, code, end.distance));
      REQUIRE(finder.cigar(part, random_below(rng, 1000)) == cigar);  // in little memory
      if (++occurrences % 3 == 0) break;
    }
  }
  CHECK(occurrences > 2000);
}

TEST_CASE("the distance of whole texts, however wide the band has to be", "[search]") {
  Rng rng(seed() + 1);
  for (int number = 0; number < 2000; ++number) {
    const int alphabet = (const int[]){1, 2, 4, 20, 256}[random_below(rng, 5)];
    const char first = first_of(alphabet);
    const std::size_t around = 64 * random_below(rng, 6);
    const std::size_t m = 1 + (number % 3 == 0 ? around + random_below(rng, 3)
                                               : random_below(rng, number % 50 ? 400 : 3000));
    const auto query = random_text(rng, m, alphabet, first);
    std::string text = number % 4 == 0 ? random_text(rng, random_below(rng, 900), alphabet, first)
                                       : mutate(rng, query, 0.02 * (number % 7), alphabet, first);
    if (number % 5 == 0)  // a gap, of which the diagonals are far from those of the corners
      text = random_text(rng, random_below(rng, 300), alphabet, first) +
             text.substr(0, text.size() - random_below(rng, text.size() + 1));
    const auto code = whole_code(alphabet);
    INFO("number " << number << ", " << alphabet << " symbols, " << shown(query) << " and "
                   << shown(text));
    REQUIRE(search::Finder(query, code).distance(text) ==
            static_cast<std::uint32_t>(reference::edit_distance(query, text)));
  }
}

TEST_CASE("a run of ends has one best", "[search]") {
  using search::End;
  const std::vector<End> ends{{3, 2}, {4, 1}, {5, 1}, {6, 2}, {8, 2}, {9, 2}, {20, 0}};
  CHECK(search::best_of_runs(ends) == std::vector<End>{{4, 1}, {8, 2}, {20, 0}});
  CHECK(search::best_of_runs({}).empty());
}

TEST_CASE("an alignment prefers pairs of symbols", "[search]") {
  const auto code = whole_code(4);
  search::Finder finder("ABCD", code);
  CHECK(finder.cigar("ABCD").text() == "4=");
  CHECK(finder.cigar("ABDD").text() == "2=1X1=");
  CHECK(finder.cigar("ABD").text() == "2=1I1=");
  CHECK(finder.cigar("ABCCD").text() == "2=1D2=");
  CHECK(finder.cigar("").text() == "4I");
  CHECK(finder.start("CABCDA", {5, 0}) == 1);
  CHECK_THROWS(finder.start("DDDD", {2, 0}));
}

TEST_CASE("alignments of long sequences take no more memory than they may", "[search]") {
  Rng rng(5);
  const auto code = whole_code(4);
  const auto query = random_text(rng, 30000, 4);
  const auto part = mutate(rng, query, 0.1, 4);
  search::Finder finder(query, code);
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  // All columns take 225 MB.
  rlimit less = before;
  less.rlim_cur = pages * 4096 + (std::size_t{100} << 20);
  Cigar cigar;
  if (!kSanitized) REQUIRE(setrlimit(RLIMIT_AS, &less) == 0);
  try {
    cigar = finder.cigar(part);
  } catch (const std::bad_alloc&) {
  }
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  const auto distance = reference::edit_distance_within(query, part, code, 5000);
  REQUIRE(distance);
  CHECK_NOTHROW(cigar.verify(query, part, code, *distance));
}

TEST_CASE("codes that are sets of bases match when they share one", "[search]") {
  const auto code = seq::make_code("ACGTNR", "ACGTNR", seq::Ambiguous::kMatch);
  search::Finder finder("ARGT", code);
  CHECK(finder.ends("TTAGGTTT", 0) == std::vector<search::End>{{6, 0}});
  CHECK(finder.ends("TTANGTTT", 0) == std::vector<search::End>{{6, 0}});
  CHECK(finder.ends("TTACGTTT", 0).empty());
}

TEST_CASE("the reverse complement", "[search]") {
  CHECK(search::reverse_complement("AACGTN") == "NACGTT");
  CHECK(search::reverse_complement("RYKMBVDHSWU-acgt") == "acgt-AWSDHBVKMRY");
  CHECK(search::reverse_complement("").empty());
  // RNA: by its own symbols, or where it has neither T nor U by those of the target.
  CHECK(search::reverse_complement("ACCU") == "AGGU");
  CHECK(search::reverse_complement("acTU") == "AAgt");
  CHECK(search::reverse_complement("AACC", "ACGU") == "GGUU");
  CHECK(search::reverse_complement("AACC", "ACGTU") == "GGTT");
  CHECK(search::reverse_complement("AACCT", "ACGU") == "AGGTT");
  CHECK(search::reverse_complement("AACCU", "ACGT") == "AGGUU");
}

}  // namespace rhomb::test::occurrence_tests
