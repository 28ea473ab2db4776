// SPDX-License-Identifier: Apache-2.0
// Cigars, the plain alignment against all alignments, and slabs against the plain alignment.
#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "host/align/align.h"
#include "host/align/reference.h"
#include "host/align/slab.h"
#include "host/align/strand.h"
#include "host/align/trace.h"
#include "host/align/waves.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::align_tests {
namespace {

using test::Rng;
using test::shown;

/// All alignments of the first i symbols of `a` and the first j of `b` of cost `left`, read
/// backwards, appended to `found`.
void all_of(std::string_view a, std::string_view b, const seq::Code& code, std::int64_t left,
            const std::string& behind, std::vector<std::string>& found) {
  if (a.empty() && b.empty()) {
    if (left == 0) found.push_back(behind);
    return;
  }
  // No path is cheaper than the difference of the lengths.
  const auto apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (left < static_cast<std::int64_t>(apart)) return;
  const auto shorter = [](std::string_view text) { return text.substr(0, text.size() - 1); };
  if (!a.empty() && !b.empty()) {
    const bool match = code.match(a.back(), b.back());
    if (match || left > 0)
      all_of(shorter(a), shorter(b), code, left - (match ? 0 : 1), behind + (match ? '=' : 'X'),
             found);
  }
  if (left == 0) return;
  if (!a.empty()) all_of(shorter(a), b, code, left - 1, behind + 'I', found);
  if (!b.empty()) all_of(a, shorter(b), code, left - 1, behind + 'D', found);
}

std::string letters(const Cigar& cigar) {
  std::string all;
  for (const Cigar::Run& run : cigar) all.append(run.length, static_cast<char>(run.edit));
  return all;
}

/// The definition: of all optimal alignments, read backwards, the first if pairs stand before
/// insertions before deletions.
std::string canonical_of_all(std::string_view a, std::string_view b, const seq::Code& code) {
  std::vector<std::string> found;
  all_of(a, b, code, reference::edit_distance(a, b, code), "", found);
  const auto ranked = [](std::string text) {
    for (char& c : text) c = c == 'I' ? 'b' : c == 'D' ? 'c' : 'a';
    return text;
  };
  std::string best =
      *std::ranges::min_element(found, {}, [&](const std::string& text) { return ranked(text); });
  std::ranges::reverse(best);
  return best;
}

align::Codes codes_of(std::string_view a, std::string_view b, const seq::Code& code, bool turned) {
  align::Turned pair;
  pair.code = code;
  pair.problem.a = turned ? b : a;
  pair.problem.b = turned ? a : b;
  if (turned) std::swap(pair.code.a, pair.code.b);
  pair.codes = align::kind_of(code, turned);
  return align::encoded(pair);
}

/// Costs from the first symbols to all cells, row by row.
std::vector<std::vector<std::int32_t>> matrix_of(const align::Codes& codes) {
  const std::size_t m = codes.rows.size(), n = codes.columns.size();
  std::vector<std::vector<std::int32_t>> costs(m + 1, std::vector<std::int32_t>(n + 1));
  std::iota(costs[0].begin(), costs[0].end(), 0);
  for (std::size_t i = 1; i <= m; ++i) {
    const auto& above = costs[i - 1];
    auto& row = costs[i];
    row[0] = static_cast<std::int32_t>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const bool match =
          codes.match(static_cast<std::int64_t>(i) - 1, static_cast<std::int64_t>(j) - 1);
      row[j] = std::min({above[j - 1] + (match ? 0 : 1), above[j] + 1, row[j - 1] + 1});
    }
  }
  return costs;
}

/// The same of the reversed texts: costs to all cells from the last symbols.
std::vector<std::vector<std::int32_t>> matrix_to_end(const align::Codes& codes) {
  return matrix_of(align::reversed(codes));
}

/// The places [first, last] of a row, and a few behind.
KeptRow kept(std::int64_t row, const std::vector<std::int32_t>& costs, std::size_t first,
             std::size_t last) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = first; at < last; at += 32) {
    std::uint32_t plus = 0, minus = 0;
    for (std::size_t bit = 0; bit < 32; ++bit) {
      const int step = at + bit < last ? costs[at + bit + 1] - costs[at + bit] : 1;
      plus |= static_cast<std::uint32_t>(step > 0) << bit;
      minus |= static_cast<std::uint32_t>(step < 0) << bit;
    }
    words.insert(words.end(), {plus, minus});
  }
  return {row, static_cast<std::int64_t>(first), costs[first], words};
}

/// The same of rows that go on: at least the places from `first` to `last`.
KeptRow kept_part(std::int64_t row, const std::vector<std::int32_t>& costs, std::int64_t first,
                  std::int64_t last) {
  const auto end = static_cast<std::int64_t>(costs.size()) - 1;
  first = std::clamp<std::int64_t>(first, 0, end);
  last = std::min(end, first + 32 * ((std::max(last - first, std::int64_t{1}) + 31) / 32));
  KeptRow made = kept(row, costs, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  made.more_before = first > 0;
  made.more_behind = last < end;
  return made;
}

}  // namespace

TEST_CASE("rows that are kept say what their places cost", "[align]") {
  const std::vector<std::int32_t> costs{9, 8, 8, 9, 10, 9};
  const KeptRow row = kept(3, costs, 1, 5);
  CHECK(row.last() == 33);
  for (std::int64_t place = 1; place <= 5; ++place)
    CHECK(row.at(place) == costs[std::size_t(place)]);
  CHECK(row.at(-2) == 11);
  CHECK(row.at(34) == 38);
  CHECK(KeptRow{}.at(7) == 7);
  CHECK(KeptRow{}.step(-1) == -1);
}

TEST_CASE("rows that are kept say how long they rise", "[align]") {
  Rng rng(test::seed() + 12);
  for (const std::size_t rise : {0u, 1u, 31u, 32u, 33u, 64u, 100u}) {
    std::vector<std::int32_t> costs{40};
    for (std::size_t i = 0; i < 70; ++i)
      costs.push_back(costs.back() + static_cast<std::int32_t>(test::random_below(rng, 3)) - 1);
    for (std::size_t i = 0; i < rise; ++i) costs.push_back(costs.back() + 1);
    for (const std::size_t first : {std::size_t{0}, std::size_t{5}, costs.size() - 1}) {
      const KeptRow row = kept(0, costs, first, costs.size() - 1);
      INFO(rise << " places rise, the first is " << first << ", seed " << test::seed());
      for (auto place = static_cast<std::int64_t>(first) - 2; place <= row.last() + 40; ++place) {
        std::int64_t from = place;
        while (row.step(from - 1) > 0) --from;
        CHECK(row.rises_from(place) == from);
      }
    }
  }
}

TEST_CASE("paths back through kept rows are the plain alignment", "[align]") {
  Rng rng(test::seed() + 9);
  int again = 0;
  for (std::uint64_t number = 0; number < 4000; ++number) {
    const int alphabet = number % 11 == 0 ? 9 : (const int[]){2, 4, 20, 256}[number % 4];
    auto pair = test::random_pair(test::seed() + 9, number, number % 10 == 0 ? 900 : 200, alphabet);
    auto code = test::whole_code(alphabet);
    if (number % 11 == 0) {
      pair.a = test::as_nucleotides(rng, pair.a, 5);
      pair.b = test::as_nucleotides(rng, pair.b, 5);
      code = seq::make_code(pair.a, pair.b, seq::Ambiguous::kMatch);
    }
    const bool turned = number % 3 == 0;
    const auto codes = codes_of(pair.a, pair.b, code, turned);
    const auto expected = reference::alignment(pair.a, pair.b, code);
    const auto costs = matrix_of(codes);
    const auto to_end = matrix_to_end(codes);
    const std::size_t m = codes.rows.size(), n = codes.columns.size();
    const std::int64_t distance = costs[m][n];
    // Rows cut off somewhere beside all places that cheapest paths cross.
    std::vector<KeptRow> rows{KeptRow{}};
    const std::size_t apart = 1 + test::random_below(rng, 130);
    for (std::size_t i = apart; i < m; i += apart) {
      std::size_t first = n, last = 0;
      for (std::size_t j = 0; j <= n; ++j)
        if (costs[i][j] + to_end[m - i][n - j] == distance) {
          first = std::min(first, j);
          last = std::max(last, j);
        }
      const bool behind = number % 7 == 0;  // the row goes on behind the text, where it is cheap
      const std::size_t end = behind ? n : last + test::random_below(rng, n - last + 1);
      rows.push_back(kept(static_cast<std::int64_t>(i), costs[i],
                          first - test::random_below(rng, first + 1), end));
      if (behind) {
        RowWords& words = rows.back().words;
        std::vector<std::uint32_t> more(words.begin(), words.end());
        more.insert(more.end(), {0, ~0u, 0, ~0u});
        words = more;
      }
    }
    align::TraceOptions options;
    options.threads = 1 + number % 2;
    options.piece = 1 + test::random_below(rng, 4);
    options.memory = number % 5 == 0 ? 100 : 1 << 20;  // slabs instead of wavefronts
    INFO(pair.what << ", turned " << turned << ", rows " << apart << " apart: " << shown(pair.a)
                   << ", " << shown(pair.b));
    auto made = align::trace(codes, rows, static_cast<std::int64_t>(m),
                             static_cast<std::int64_t>(n), distance, options);
    made.backwards.emplace_back().add(turned ? Edit::kInsert : Edit::kDelete, made.entry);
    REQUIRE(Cigar::reversed(made.backwards) == expected);
    REQUIRE(made.parts == static_cast<int>(rows.size()));
    again += made.parts > 3;
  }
  CHECK(again > 300);
}

TEST_CASE("long gaps between unlike symbols are walked through without computing them", "[align]") {
  Rng rng(test::seed() + 14);
  double cells = 0, all_cells = 0;
  for (int number = 0; number < 300; ++number) {
    // v finds all of its symbols in w, in very many ways.
    const auto v = test::random_text(rng, 60 + test::random_below(rng, 140), 4);
    const auto w = test::random_text(rng, 5 * v.size(), 4);
    const auto u = test::random_text(rng, 100, 4), x = test::random_text(rng, 100, 4);
    std::string a = u + v + test::mutate(rng, x, 0.03, 4), b = u + w + x;
    const bool turned = number % 2 == 0;  // the shorter text is the target
    if (turned) a.swap(b);
    const auto code = seq::make_code(a, b);
    const auto codes = codes_of(a, b, code, turned);
    const auto costs = matrix_of(codes), to_end = matrix_to_end(codes);
    const std::size_t m = codes.rows.size(), n = codes.columns.size();
    std::vector<KeptRow> rows{KeptRow{}};
    std::vector<align::Places> expected{{0, 0}};
    for (std::size_t i = 40; i < m; i += 40) {
      rows.push_back(kept(static_cast<std::int64_t>(i), costs[i], 0, n));
      align::Places& places = expected.emplace_back(-1, -1);
      for (std::size_t j = 0; j <= n; ++j) {
        const std::int32_t left = to_end[m - i][n - j];
        const auto place = static_cast<std::int64_t>(j);
        if (costs[i][j] + left != costs[m][n]) continue;
        const bool down = to_end[m - i - 1][n - j] + 1 == left;
        const bool match = j < n && codes.match(static_cast<std::int64_t>(i), place);
        const bool pair = j < n && to_end[m - i - 1][n - j - 1] + (match ? 0 : 1) == left;
        if (!down && !pair) continue;  // it only goes on along the row from there
        if (places.first < 0) places.first = place;
        places.last = place;
      }
    }
    align::TraceOptions options;
    options.threads = 1 + static_cast<std::size_t>(number % 3);
    options.piece = 1 + test::random_below(rng, 6);
    INFO("number " << number << ", " << a << ", " << b);
    const auto end = static_cast<std::int64_t>(m), exit = static_cast<std::int64_t>(n);
    auto made = align::trace(codes, rows, end, exit, costs[m][n], options);
    made.backwards.emplace_back().add(turned ? Edit::kInsert : Edit::kDelete, made.entry);
    REQUIRE(Cigar::reversed(made.backwards) == reference::alignment(a, b, code));
    cells += made.cells;
    all_cells += static_cast<double>(m * n);
    const auto found = align::crossings(codes, rows, end, {exit, exit}, false, options);
    for (std::size_t k = 1; k < found.size(); ++k) {
      INFO("row " << rows[k].row << ": " << found[k].at.first << " to " << found[k].at.last);
      REQUIRE(found[k].at == expected[k]);
    }
  }
  INFO(cells << " cells of " << all_cells);
  CHECK(cells < all_cells / 10);
}

TEST_CASE("rows that were read in part are read again where cheapest paths need it", "[align]") {
  Rng rng(test::seed() + 10);
  std::atomic<int> read_again = 0;
  int apart = 0, together = 0;
  for (int number = 0; number < 400; ++number) {
    // v and w stand twice in b, spoilt the second time or the first: a long gap may stand in two
    // places, and costs are level beside it as far as it is long.
    const auto text = [&](std::size_t length, char first) {
      return test::random_text(rng, length, 4, first);
    };
    const auto spoilt = [&](std::string v) {
      for (std::size_t k = 0; k < 30; ++k) {
        char& c = v[(k * v.size() + v.size() / 2) / 30];
        c = static_cast<char>('A' + (c - 'A' + 1) % 4);
      }
      return v;
    };
    const std::string u = text(100, 'A'), v = text(200, 'A'), w = text(140, 'A');
    const std::string x = text(160, 'E');
    const std::string a = u + v + w + x, b = u + spoilt(v) + w + v + spoilt(w) + x;
    const auto code = seq::make_code(a, b);
    const auto codes = codes_of(a, b, code, false);
    const auto costs = matrix_of(codes), to_end = matrix_to_end(codes);
    const std::size_t m = a.size(), n = b.size();

    std::vector<KeptRow> rows;
    std::vector<align::Places> expected;
    std::vector<std::int64_t> guesses;
    const bool level = number % 2 == 0;  // rows that end within what is level, or any
    for (std::size_t i = level ? 300 : 30 + test::random_below(rng, 60); i < m;
         i += level ? 200 : 30 + test::random_below(rng, 90)) {
      align::Places places{-1, -1};
      for (std::size_t j = 0; j <= n; ++j) {
        const std::int32_t left = to_end[m - i][n - j];
        if (costs[i][j] + left != costs[m][n]) continue;
        const bool down = to_end[m - i - 1][n - j] + 1 == left;
        const bool pair = j < n && to_end[m - i - 1][n - j - 1] + (a[i] == b[j] ? 0 : 1) == left;
        if (!down && !pair) continue;
        if (places.first < 0) places.first = static_cast<std::int64_t>(j);
        places.last = static_cast<std::int64_t>(j);
      }
      expected.push_back(places);
      const auto near = [&] { return static_cast<std::int64_t>(test::random_below(rng, 320)); };
      guesses.push_back(level || number % 4 == 1 ? places.last : places.first);
      rows.push_back(kept_part(static_cast<std::int64_t>(i), costs[i], guesses.back() - near(),
                               guesses.back() + (level ? 100 : near())));
    }
    align::TraceOptions options;
    options.threads = 1 + static_cast<std::size_t>(number % 2);
    options.piece = 1 + test::random_below(rng, 3);
    options.probable = [&](std::size_t k) { return align::Places{guesses[k], guesses[k]}; };
    options.read = [&](std::size_t k, const align::Places& places) {
      ++read_again;
      return kept_part(rows[k].row, costs[static_cast<std::size_t>(rows[k].row)], places.first,
                       places.last);
    };
    const auto exit = static_cast<std::int64_t>(n);
    const auto found =
        align::crossings(codes, rows, static_cast<std::int64_t>(m), {exit, exit}, false, options);
    INFO("number " << number << ", " << a << ", " << b);
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      INFO("row " << rows[k].row << ": " << found[k].at.first << " to " << found[k].at.last);
      CHECK(found[k].at == expected[k]);
    }

    // The canonical paths from all places of a row, or from the last symbols, up to the first row.
    const Cigar whole = reference::alignment(a, b, code);
    std::vector<std::int64_t> comes_to(m + 1);  // by row, where that path comes to it from below
    std::int64_t i = 0, j = 0;
    for (const auto& [edit, length] : whole)
      for (std::uint32_t k = 0; k < length; ++k) {
        i += edit != Edit::kDelete;
        j += edit != Edit::kInsert;
        comes_to[static_cast<std::size_t>(i)] = j;
      }
    rows.insert(rows.begin(), KeptRow{});
    guesses.insert(guesses.begin(), 0);
    for (const std::size_t last : {rows.size(), 1 + test::random_below(rng, rows.size() - 1)}) {
      const std::size_t end = last < rows.size() ? static_cast<std::size_t>(rows[last].row) : m;
      align::Places exits{exit, exit};
      if (end < m)
        for (exits = {-1, -1}, j = 0; j <= exit; ++j) {
          const auto at = static_cast<std::size_t>(j);
          if (costs[end][at] + to_end[m - end][n - at] != costs[m][n]) continue;
          if (exits.first < 0) exits.first = j;
          exits.last = j;
        }
      const auto paths = align::crossings(codes, std::span(rows).first(last),
                                          static_cast<std::int64_t>(end), exits, true, options);
      REQUIRE(paths.size() == last);
      align::Places at = exits;
      Cigar backwards;
      std::int64_t joined = exits.first == exits.last ? static_cast<std::int64_t>(end) : -1;
      for (std::size_t k = last; k-- > 0;) {
        INFO("row " << rows[k].row << " of " << end);
        const std::int64_t place = comes_to[static_cast<std::size_t>(rows[k].row)];
        CHECK(paths[k].at.first <= place);
        CHECK(paths[k].at.last >= place);
        if (at.first == at.last) {
          CHECK(paths[k].at == align::Places{place, place});
          backwards.append(paths[k].backwards);
        } else {
          CHECK(paths[k].backwards.empty());
          if (paths[k].at.first == paths[k].at.last) joined = rows[k].row;
        }
        at = paths[k].at;
      }
      apart += exits.first != exits.last;
      if (joined < 0) continue;
      together += exits.first != exits.last;
      backwards.add(Edit::kDelete, at.first);
      backwards.reverse();
      Cigar expected_part;
      std::int64_t row = 0;
      for (const auto& [edit, length] : whole)
        for (std::uint32_t k = 0; k < length; ++k) {
          row += edit != Edit::kDelete;
          if (row <= joined) expected_part.add(edit, 1);
        }
      CHECK(backwards == expected_part);
    }
  }
  CHECK(read_again > 100);
  CHECK(apart > 50);
  CHECK(together > 25);
}

TEST_CASE("alignments keep to where cheapest paths are said to be", "[align]") {
  Rng rng(test::seed() + 12);
  double cells = 0, all_cells = 0;
  int pairs = 0;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const int alphabet = (const int[]){2, 4, 4, 1}[number % 4];
    const auto pair = test::random_pair(test::seed() + 12, number, 400, alphabet);
    const auto code = test::whole_code(std::max(alphabet, 2));  // some have none in common
    const auto codes = codes_of(pair.a, pair.b, code, false);
    const auto costs = matrix_of(codes);
    const auto to_end = matrix_to_end(codes);
    const auto m = static_cast<std::int64_t>(codes.rows.size());
    const auto n = static_cast<std::int64_t>(codes.columns.size());
    const auto on = [&](std::int64_t i, std::int64_t j) {
      const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
      return costs[x][y] + to_end[codes.rows.size() - x][codes.columns.size() - y] ==
             costs.back().back();
    };
    // Some stretches one behind the other. Along the row at one of its ends a stretch says nothing
    // of paths that its neighbour has, as is so where somebody walked along them.
    std::vector<align::Stretch> stretches;
    const bool down = number % 2 == 0;
    const auto below = [&](std::size_t most) {
      return static_cast<std::int64_t>(test::random_below(rng, most));
    };
    // Strips of 64 rows end where some stretches do.
    const std::int64_t grain = number / 2 % 2 == 0 ? 64 : 1;
    std::int64_t row = number % 3 == 0 ? 0 : below(grain == 64 ? 2 : 80) * grain;
    while (row < m) {
      align::Stretch one{
          row,
          std::min<std::int64_t>(m, row + (1 + below(grain == 64 ? 2 : 150)) * grain),
          {n, -m}};
      const auto touch = [&](std::int64_t i, std::int64_t j) {
        one.diagonals = hull(one.diagonals, {j - i, j - i});
      };
      for (std::int64_t i = one.row; i <= one.end; ++i)
        for (std::int64_t j = 0; j <= n; ++j) {
          if (!on(i, j)) continue;
          const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
          const bool inside = down ? i < one.end || i == m : i > one.row;
          if (inside) touch(i, j);
          // A gap to the next row; a pair stays on its diagonal.
          if (i < one.end && on(i + 1, j) && costs[x + 1][y] == costs[x][y] + 1) {
            touch(i, j);
            touch(i + 1, j);
          }
        }
      row = one.end;
      if (one.diagonals.first <= one.diagonals.last && below(3) != 0) stretches.push_back(one);
    }
    align::TraceOptions options;
    options.memory = number % 7 < 3 ? 2000 : 1 << 20;  // slabs that are computed again, or not
    const std::vector<align::Point> points{{0, 0}, {m, n}};
    if (m == 0) continue;
    INFO(pair.what << ": " << shown(pair.a) << ", " << shown(pair.b));
    const auto expected = reference::alignment(pair.a, pair.b, code);
    auto made = align::trace_between(codes, points, stretches, expected.cost(), options);
    REQUIRE(Cigar::reversed(made.backwards) == expected);
    cells += made.cells;
    all_cells += align::trace_between(codes, points, {}, expected.cost(), options).cells;
    // Somebody else does it, and is told no more than what it costs.
    options.pair_cells = 1;
    options.as_pair = [&](const align::Point& from, const align::Point& to, std::int64_t least) {
      CHECK((from.row == 0 && from.place == 0 && to.row == m && to.place == n));
      CHECK(least <= expected.cost());
      ++pairs;
      Cigar backwards = expected;
      backwards.reverse();
      return std::optional(backwards);
    };
    made = align::trace_between(codes, points, stretches, expected.cost(), options);
    REQUIRE(Cigar::reversed(made.backwards) == expected);
  }
  CHECK(cells < all_cells);
  CHECK(pairs > 500);
}

TEST_CASE("cigars: runs, text, cost, proof", "[align]") {
  Cigar cigar;
  CHECK(cigar.text().empty());
  cigar.add(Edit::kMatch, 2);
  cigar.add(Edit::kMatch, 1);
  cigar.add(Edit::kInsert, 0);
  cigar.add(Edit::kMismatch, 1);
  Cigar rest;
  rest.add(Edit::kMismatch, 1);
  rest.add(Edit::kInsert, 3);
  rest.add(Edit::kDelete, 1);
  cigar.append(rest);
  CHECK(cigar.text() == "3=2X3I1D");
  CHECK(cigar.cost() == 6);
  CHECK(cost_of(cigar) == 6);
  CHECK(cigar.size() == 4);
  const auto code = test::whole_code(4);
  const std::string a = "AAABBCCC", b = "AAAAAD";
  cigar.verify(a, b, code, 6);
  CHECK_THROWS_AS(cigar.verify(a, b, code, 5), CheckError);
  CHECK_THROWS_AS(cigar.verify(a + "A", b, code, 6), CheckError);
  CHECK_THROWS_AS(cigar.verify(a, b + "A", code, 6), CheckError);
  CHECK_THROWS_AS(cigar.verify("AABBBCCC", b, code, 6), CheckError);  // a match that is none
  CHECK_THROWS_AS(cigar.verify("AAABACCC", b, code, 6), CheckError);  // a mismatch that is none
  CHECK_THROWS_AS(cigar.verify("AAAB", b, code, 6), CheckError);
  CHECK_THROWS_AS(cigar.verify(a, "AAAAA", code, 6), CheckError);
  cigar.reverse();
  CHECK(cigar.text() == "1D3I2X3=");
}

TEST_CASE("parts of cigars are put together and turned round", "[align]") {
  Rng rng(test::seed() + 15);
  for (const std::size_t most : {0u, 1u, 3u, 2000u}) {
    for (int round = 0; round < (most < 2000 ? 200 : 3); ++round) {
      std::vector<Cigar> parts(test::random_below(rng, 80));
      Cigar expected;
      for (Cigar& part : parts) {
        const std::size_t runs = test::random_below(rng, most + 1);
        for (std::size_t i = 0; i < runs; ++i)
          part.add("=XID"[test::random_below(rng, most < 3 ? 2 : 4)] == '=' ? Edit::kMatch
                                                                            : Edit::kDelete,
                   1 + static_cast<std::int64_t>(test::random_below(rng, 3)));
        for (const auto& [edit, length] : part) expected.add(edit, length);
      }
      expected.reverse();
      for (const std::size_t threads : {1u, 3u}) CHECK(Cigar::reversed(parts, threads) == expected);
    }
  }
}

TEST_CASE("the plain alignment is the canonical one of all", "[align]") {
  const auto code = test::whole_code(4);
  const auto text = [&](std::string_view a, std::string_view b) {
    return reference::alignment(a, b, code).text();
  };
  CHECK(text("AAA", "AAAAA") == "2D3=");
  CHECK(text("AAAAA", "AAA") == "2I3=");
  CHECK(text("ABAB", "ABABAB") == "2D4=");
  CHECK(text("AB", "BA") == "2X");
  CHECK(text("", "AB") == "2D");
  CHECK(text("AB", "") == "2I");
  for (std::uint64_t number = 0; number < 10000; ++number) {
    const auto pair = test::random_pair(test::seed() + 1, number, 9, 2 + int(number % 3));
    if (pair.a.size() + pair.b.size() > 14) continue;
    INFO(pair.what << ": " << shown(pair.a) << ", " << shown(pair.b));
    REQUIRE(letters(reference::alignment(pair.a, pair.b, code)) ==
            canonical_of_all(pair.a, pair.b, code));
  }
}

TEST_CASE("wavefronts along a gap find the plain alignment between two cells", "[align]") {
  Rng rng(test::seed() + 15);
  std::size_t gaps = 0, found = 0;
  for (std::uint64_t number = 0; number < 6000; ++number) {
    const int alphabet = (const int[]){2, 4, 20, 256}[number % 4];
    auto pair = test::random_pair(test::seed() + 15, number, 120, alphabet);
    if (number % 3 == 0) {  // one finds nearly all of its symbols in the other
      pair.a = test::random_text(rng, 1 + test::random_below(rng, 60), alphabet);
      pair.b = test::mutate(rng, pair.a, 0.05, alphabet);
      for (std::uint64_t more = test::random_below(rng, 200); more > 0; --more)
        pair.b.insert(test::random_below(rng, pair.b.size() + 1), 1,
                      pair.a[test::random_below(rng, pair.a.size())]);
      if (number % 2 == 0) pair.a.swap(pair.b);
    }
    const auto code = test::whole_code(alphabet);
    const bool turned = number % 5 < 2;
    const auto expected = reference::alignment(pair.a, pair.b, code);
    // The cells lie anywhere in longer texts.
    const auto before_a = test::random_text(rng, test::random_below(rng, 20), alphabet);
    const auto before_b = test::random_text(rng, test::random_below(rng, 20), alphabet);
    const auto behind = test::random_text(rng, test::random_below(rng, 20), alphabet);
    const std::string a = before_a + pair.a + behind, b = before_b + pair.b + behind;
    const auto codes = codes_of(a, b, code, turned);
    align::Region region;
    region.row = std::ssize(turned ? before_b : before_a);
    region.rows = std::ssize(turned ? pair.b : pair.a);
    region.column = std::ssize(turned ? before_a : before_b);
    region.first_exit = region.last_exit = region.column + std::ssize(turned ? pair.a : pair.b);
    INFO(pair.what << ", turned " << turned << ": " << shown(pair.a) << ", " << shown(pair.b));
    align::GapWaves waves(codes);
    for (const std::int64_t more : {0, 1, 2, 5, -1}) {
      region.threshold = expected.cost() + more;
      auto path = waves.walk(region);
      REQUIRE(path.has_value() == (more >= 0));
      if (!path) continue;
      if (path->entry < region.column) {  // symbols before the cell match, too
        REQUIRE(region.column > 0);
        continue;
      }
      ++found;
      path->backwards.add(turned ? Edit::kInsert : Edit::kDelete, path->entry - region.column);
      path->backwards.reverse();
      REQUIRE(path->backwards == expected);
    }
    gaps += pair.a.size() > 2 * pair.b.size() || pair.b.size() > 2 * pair.a.size() ? 1u : 0u;
  }
  CHECK(gaps > 1000);
  CHECK(found > 20000);
}

TEST_CASE("slabs of the host find the plain alignment", "[align]") {
  Rng rng(test::seed() + 2);
  for (std::uint64_t number = 0; number < 10000; ++number) {
    const int alphabet = (const int[]){2, 4, 20, 256}[number % 4];
    const auto pair =
        test::random_pair(test::seed() + 2, number, number % 10 == 0 ? 700 : 150, alphabet);
    const auto code = test::whole_code(alphabet);
    const bool turned = number % 3 == 0;
    const auto codes = codes_of(pair.a, pair.b, code, turned);
    const auto expected = reference::alignment(pair.a, pair.b, code);
    align::Region region;
    region.rows = static_cast<std::int64_t>(codes.rows.size());
    region.top = {0};
    region.first_exit = region.last_exit = static_cast<std::int64_t>(codes.columns.size());
    // The band of the distance is wide enough; wider ones give the same.
    region.threshold =
        expected.cost() +
        (number % 2 == 0 ? 0 : static_cast<std::int64_t>(test::random_below(rng, 90)));
    const align::Slab slab(codes, region, test::random_below(rng, 2) == 0 ? 1 << 20 : 100,
                           1 + number % 2, static_cast<Processor>(test::random_below(rng, 3)));
    INFO(pair.what << ", turned " << turned << ": " << shown(pair.a) << ", " << shown(pair.b));
    if (region.rows > 0) REQUIRE(slab.cost(region.last_exit) == expected.cost());
    auto path = slab.walk(region.last_exit);
    path.backwards.add(turned ? Edit::kInsert : Edit::kDelete, path.entry);
    path.backwards.reverse();
    REQUIRE(path.backwards == expected);
  }
}

TEST_CASE("alignments of the host alone, both sides of gaps, sets, limits", "[align]") {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    Rng rng(test::seed() + number);
    auto pair = test::random_pair(test::seed() + 3, number, 400, 9);
    AlignOptions options;
    options.engine = "reference";
    if (number % 4 == 0) {
      pair.a = test::as_nucleotides(rng, pair.a, 5);
      pair.b = test::as_nucleotides(rng, pair.b, 5);
      options.ambiguous = number % 8 == 0 ? seq::Ambiguous::kMatch : seq::Ambiguous::kMismatch;
    }
    INFO(pair.what << ": " << shown(pair.a) << ", " << shown(pair.b));
    const auto code = seq::make_code(pair.a, pair.b, options.ambiguous);
    const auto expected = reference::alignment(pair.a, pair.b, code);
    const auto answer = align_pair(nullptr, pair.a, pair.b, options);
    REQUIRE(answer.distance == expected.cost());
    REQUIRE(answer.cigar == expected);
    options.gaps_right = true;
    const std::string a(pair.a.rbegin(), pair.a.rend()), b(pair.b.rbegin(), pair.b.rend());
    auto mirrored = reference::alignment(a, b, code);
    mirrored.reverse();
    REQUIRE(align_pair(nullptr, pair.a, pair.b, options).cigar == mirrored);
    options.max_distance = expected.cost();
    REQUIRE(align_pair(nullptr, pair.a, pair.b, options).distance == expected.cost());
    if (expected.cost() > 0) {
      options.max_distance = expected.cost() - 1;
      const auto above = align_pair(nullptr, pair.a, pair.b, options);
      REQUIRE(!above.distance);
      REQUIRE(above.cigar.empty());
    }
  }
}

TEST_CASE("alignments keep to the memory that they are given", "[align]") {
  Rng rng(test::seed() + 4);
  const auto a = test::random_text(rng, 3000, 4), b = test::mutate(rng, a, 0.1, 4);
  AlignOptions options;
  options.engine = "reference";
  const auto free = align_pair(nullptr, a, b, options);
  options.memory = 1000;
  CHECK_THROWS_AS(align_pair(nullptr, a, b, options), MemoryError);
  options.memory = 200'000;
  CHECK(align_pair(nullptr, a, b, options).cigar == free.cigar);
}

}  // namespace rhomb::align_tests
