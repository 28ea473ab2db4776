// SPDX-License-Identifier: Apache-2.0
// KeptRow: what an engine keeps of a row of the matrix for the alignment.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhomb {

/// Costs of paths from the first symbols to the places of a row, which are numbered by the columns
/// to their left. Exact on all cheapest paths from the first symbols to the last, nowhere too
/// small. Beyond both ends each place costs one more than the one before.
struct KeptRow {
  std::int64_t row = 0;    ///< rows above it
  std::int64_t first = 0;  ///< the place at its left end
  std::int64_t cost = 0;   ///< there
  /// Plus and minus of 32 steps each: bit b is the step from place 32 w + b on to the next one.
  std::vector<std::uint32_t> words;
  /// The row goes on there, but that was not read: what stands above about its ends is not so.
  bool more_before = false, more_behind = false;

  std::int64_t last() const { return first + 16 * static_cast<std::int64_t>(words.size()); }

  /// What is paid from `place` to the next one: -1, 0 or 1.
  int step(std::int64_t place) const {
    if (place < first) return -1;
    if (place >= last()) return 1;
    const auto at = static_cast<std::size_t>(place - first);
    return static_cast<int>(words[at / 32 * 2] >> (at % 32) & 1) -
           static_cast<int>(words[at / 32 * 2 + 1] >> (at % 32) & 1);
  }

  /// The cost at a place.
  std::int64_t at(std::int64_t place) const {
    if (place <= first) return cost + first - place;
    std::int64_t sum = cost + std::max<std::int64_t>(0, place - last());
    auto left = static_cast<std::size_t>(std::min(place, last()) - first);
    for (std::size_t w = 0; left > 0; w += 2) {
      const std::uint32_t mask = left >= 32 ? ~0u : (1u << left) - 1;
      sum += std::popcount(words[w] & mask) - std::popcount(words[w + 1] & mask);
      left -= std::min<std::size_t>(left, 32);
    }
    return sum;
  }
};

}  // namespace rhomb
