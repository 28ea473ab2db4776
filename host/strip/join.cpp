// SPDX-License-Identifier: Apache-2.0
// Where two halves meet: the least sum along a row, 32 columns at a time where they cannot matter.
#include <algorithm>
#include <bit>

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

}  // namespace

std::int64_t rise(const Edge& edge, std::int64_t from, std::int64_t to) {
  std::int64_t total = 0;
  for (; from < to && from % 32 != 0; ++from) total += dh(edge, from);
  for (; from + 32 <= to; from += 32) {
    const std::size_t word = 2 * static_cast<std::size_t>(from / 32);
    total += std::popcount(edge.words[word]) - std::popcount(edge.words[word + 1]);
  }
  for (; from < to; ++from) total += dh(edge, from);
  return total;
}

std::pair<std::int64_t, std::int64_t> common_places(const Edge& upper, const Edge& lower,
                                                    std::int64_t columns) {
  const auto last = [&](const Edge& edge) { return std::min(32 * edge.end, columns); };
  const std::int64_t from = std::max(32 * upper.first, columns - last(lower));
  const std::int64_t to = std::min(last(upper), columns - 32 * lower.first);
  if (from > to) throw CheckError("the halves of a matrix do not meet; please report this");
  return {from, to};
}

std::vector<std::int32_t> costs_along(const Edge& edge, std::int64_t first, std::int64_t last) {
  std::vector<std::int32_t> costs;
  costs.reserve(static_cast<std::size_t>(last - first + 1));
  std::int64_t cost = edge.start + rise(edge, 32 * edge.first, first);
  for (std::int64_t place = first;; ++place) {
    costs.push_back(static_cast<std::int32_t>(cost));
    if (place == last) return costs;
    cost += dh(edge, place);
  }
}

std::int64_t least_sum(const Edge& upper, const Edge& lower, std::int64_t columns) {
  const auto [from, to] = common_places(upper, lower, columns);
  std::int64_t at = upper.start + rise(upper, 32 * upper.first, from) + lower.start +
                    rise(lower, 32 * lower.first, columns - from);
  std::int64_t least = at;
  std::int64_t place = from;
  const auto step = [&] {
    at += dh(upper, place) - dh(lower, columns - 1 - place);
    least = std::min(least, at);
    ++place;
  };
  while (place < to && place % 32 != 0) step();
  while (place + 32 <= to) {
    // The sum falls by one at most for each -1 of the upper half and each +1 of the lower one.
    const std::size_t word = 2 * static_cast<std::size_t>(place / 32);
    const std::int64_t fall = std::popcount(upper.words[word + 1]) + 32;
    if (at - fall < least) {
      for (int i = 0; i < 32; ++i) step();
    } else {
      at += std::popcount(upper.words[word]) - std::popcount(upper.words[word + 1]) -
            rise(lower, columns - 32 - place, columns - place);
      place += 32;
    }
  }
  while (place < to) step();
  return least;
}

}  // namespace rhomb::strip
