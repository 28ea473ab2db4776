// SPDX-License-Identifier: Apache-2.0
// Where two halves meet: the least sum along a row, 32 columns at a time where they cannot matter.
// Sums fall towards where that is, so one pass looks at the borders of words alone.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "cl/common.h"
#include "host/error.h"
#include "host/strip/texts.h"

namespace rhomb::strip {
namespace {

int dh(const Edge& edge, std::int64_t column) {
  const std::size_t word = 2 * static_cast<std::size_t>(column / 32);
  const auto shift = static_cast<unsigned>(31 - column % 32);
  return static_cast<int>(edge.words[word] >> shift & 1) -
         static_cast<int>(edge.words[word + 1] >> shift & 1);
}

/// The bits of 32 columns from `column` on, the first of them the lowest; `which` 0: where the row
/// rises, 1: where it falls.
std::uint32_t lowest_first(const Edge& edge, std::int64_t column, std::size_t which) {
  const std::size_t word = 2 * static_cast<std::size_t>(column / 32) + which;
  const auto shift = static_cast<unsigned>(column % 32);
  std::uint32_t bits = edge.words[word];
  if (shift > 0) bits = bits << shift | edge.words[word + 2] >> (32 - shift);
  return ::turned(bits);
}

/// How the sum changes along 32 columns, the first of them the highest bit: each bit by one.
struct Changes {
  std::uint32_t rises[2], falls[2];

  /// From `place` on, in the upper half; the lower one has these columns the other way round.
  Changes(const Edge& upper, const Edge& lower, std::int64_t columns, std::int64_t place) {
    const std::size_t word = 2 * static_cast<std::size_t>(place / 32);
    const std::uint32_t up = upper.words[word], down = upper.words[word + 1];
    const std::uint32_t back_up = lowest_first(lower, columns - 32 - place, 0),
                        back_down = lowest_first(lower, columns - 32 - place, 1);
    // Mostly one rises where the other falls.
    rises[0] = up & ~back_up;
    falls[0] = back_up & ~up;
    rises[1] = back_down & ~down;
    falls[1] = down & ~back_down;
  }
  int fall() const { return std::popcount(falls[0]) + std::popcount(falls[1]); }
  int rise() const { return std::popcount(rises[0]) + std::popcount(rises[1]); }
  int step(int column) const {
    const auto bit = [&](std::uint32_t of) { return static_cast<int>(of >> (31 - column) & 1); };
    return bit(rises[0]) + bit(rises[1]) - bit(falls[0]) - bit(falls[1]);
  }
};

}  // namespace

std::int64_t rise(const Edge& edge, std::int64_t from, std::int64_t to) {
  std::int64_t total = 0;
  while (from < to) {
    const std::int64_t word = from / 32, end = std::min(to, 32 * (word + 1));
    // Columns [from, end) of the word, of which the first is the highest bit.
    const std::uint32_t columns = ~0u >> (from % 32) & ~0u << (32 * (word + 1) - end);
    const std::size_t at = 2 * static_cast<std::size_t>(word);
    total += std::popcount(edge.words[at] & columns) - std::popcount(edge.words[at + 1] & columns);
    from = end;
  }
  return total;
}

namespace {

/// The places that both halves know, numbered as the upper half does.
std::pair<std::int64_t, std::int64_t> common_places(const Edge& upper, const Edge& lower,
                                                    std::int64_t columns) {
  const auto last = [&](const Edge& edge) { return std::min(32 * edge.end, columns); };
  const std::int64_t from = std::max(32 * upper.first, columns - last(lower));
  const std::int64_t to = std::min(last(upper), columns - 32 * lower.first);
  if (from > to) throw CheckError("the halves of a matrix do not meet; please report this");
  return {from, to};
}

/// Calls visit(place, sum) from `from` to `to` for all places whose sum may be `most` or less, and
/// for every 32nd one.
template <class Visit>
void visit_sums(const Edge& upper, const Edge& lower, std::int64_t columns, std::int64_t from,
                std::int64_t to, std::int64_t most, const Visit& visit) {
  std::int64_t at = upper.start + rise(upper, 32 * upper.first, from) + lower.start +
                    rise(lower, 32 * lower.first, columns - from);
  std::int64_t place = from;
  visit(place, at);
  const auto step = [&] {
    at += dh(upper, place) - dh(lower, columns - 1 - place);
    visit(++place, at);
  };
  while (place < to && place % 32 != 0) step();
  while (place + 32 <= to) {
    // The sum falls by one at most for each -1 of the upper half and each +1 of the lower one.
    const std::size_t word = 2 * static_cast<std::size_t>(place / 32);
    const std::int64_t fall = std::popcount(upper.words[word + 1]) + 32;
    if (at - fall > most) {
      at += std::popcount(upper.words[word]) - std::popcount(upper.words[word + 1]) -
            rise(lower, columns - 32 - place, columns - place);
      visit(place += 32, at);
      continue;
    }
    const Changes changes(upper, lower, columns, place);
    if (at - changes.fall() > most) {
      at += changes.rise() - changes.fall();
      visit(place += 32, at);
    } else {
      for (int i = 0; i < 32; ++i) visit(++place, at += changes.step(i));
    }
  }
  while (place < to) step();
}

}  // namespace

std::int64_t least_sum(const Edge& upper, const Edge& lower, std::int64_t columns) {
  const auto [from, to] = common_places(upper, lower, columns);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto lower_least = [&](std::int64_t, std::int64_t sum) { least = std::min(least, sum); };
  visit_sums(upper, lower, columns, from, to, -1, lower_least);
  visit_sums(upper, lower, columns, from, to, least - 1, lower_least);
  return least;
}

std::pair<std::int64_t, std::int64_t> least_places(const Edge& upper, const Edge& lower,
                                                   std::int64_t columns, std::int64_t least,
                                                   std::int64_t end) {
  const auto [from, to] = common_places(upper, lower, columns);
  std::int64_t first = -1, last = -1;
  visit_sums(upper, lower, columns, from, std::min(to, end), least,
             [&](std::int64_t place, std::int64_t sum) {
               if (sum != least) return;
               if (first < 0) first = place;
               last = place;
             });
  if (first < 0) throw CheckError("no path has the cost that was found; please report this");
  return {first, last};
}

}  // namespace rhomb::strip
