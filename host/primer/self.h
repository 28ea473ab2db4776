// SPDX-License-Identifier: Apache-2.0
// What the host computes where a device's kernels do not know how: windows near their own place in
// a text, where a symbol does not match itself, and prefixes that stay near for long.
#pragma once

#include <cstdint>

#include "host/primer/windows.h"

namespace rhomb::primer {

/// Whether the piece's part of the text has a symbol that is one of its window.
bool meets_itself(const Problem& problem, const Piece& piece);

struct Near {
  std::uint32_t distance, end;  ///< the end in the text
};

/// The least distance of the piece's window and a part of its text, and the end of the first such
/// part, by Myers' bit vectors; no symbol matches itself. An end that does not count is left out.
Near nearest_end(const Problem& problem, const Piece& piece);

/// The longest prefix of alpha[start..) of at most `limit` symbols that some part of the text comes
/// nearer to than k, along diagonals low <= column - row <= high, row 0 being `start`; at least 0.
/// Furthest rows on diagonals (Landau and Vishkin 1986); O(k (high - low)) and the symbols matched.
std::uint32_t longest_near(const Problem& problem, std::uint32_t start, std::uint32_t limit,
                           std::uint32_t text, std::int64_t low, std::int64_t high);

}  // namespace rhomb::primer
