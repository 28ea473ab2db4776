// SPDX-License-Identifier: Apache-2.0
// Grid: how the matrix of a pair is cut. Blocks of rows meet at boundaries; diagonals (column minus
// row) are counted in chunks of 32, which is what a word holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhomb::corridor {

/// Diagonals of a chunk, columns of a word, rows of a step.
inline constexpr std::int64_t kChunk = 32;

/// The matrix of texts of m and n symbols, to the end of both of which the same symbols were
/// appended so that the rows are whole blocks. Their distance is the same.
struct Grid {
  std::int64_t m = 0, n = 0;  ///< with what was appended
  std::int64_t padding = 0;   ///< symbols that were appended to either text
  int rows = 0;               ///< of a block, a multiple of 32
  int blocks = 0;             ///< boundary s is above row s * rows, 0 <= s <= blocks

  Grid() = default;
  Grid(std::int64_t of_m, std::int64_t of_n, int of_rows) : rows(of_rows) {
    blocks = static_cast<int>((of_m + rows - 1) / rows);
    m = std::int64_t{rows} * blocks;
    padding = m - of_m;
    n = of_n + padding;
  }
  /// The diagonal on which all paths end; they begin on diagonal 0.
  std::int64_t end() const { return n - m; }
};

/// The chunk of a diagonal.
constexpr std::int64_t chunk_of(std::int64_t diagonal) {
  return diagonal >= 0 ? diagonal / kChunk : -((kChunk - 1 - diagonal) / kChunk);
}

/// Chunks [first, end). Chunk c is the diagonals from 32 c to 32 c + 32, both included.
struct Range {
  std::int64_t first = 0, end = 0;

  constexpr std::int64_t size() const { return end - first; }
  constexpr bool empty() const { return first >= end; }
  constexpr bool has(std::int64_t chunk) const { return first <= chunk && chunk < end; }
  bool operator==(const Range&) const = default;
};

/// The smallest range that holds both.
constexpr Range hull(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.first, b.first), std::max(a.end, b.end)};
}

/// Diagonals between `diagonal` and the nearest one of a chunk.
constexpr std::int64_t gap(std::int64_t chunk, std::int64_t diagonal) {
  const std::int64_t low = kChunk * chunk, high = low + kChunk;
  return diagonal < low ? low - diagonal : diagonal > high ? diagonal - high : 0;
}

/// The chunks that a path of cost `threshold` can reach at all: its way there and its way to the
/// end cost a gap at least. Empty if the threshold is less than |n - m|.
inline Range reachable(const Grid& grid, std::int64_t threshold) {
  const std::int64_t low = std::min<std::int64_t>(0, grid.end());
  const std::int64_t high = std::max<std::int64_t>(0, grid.end());
  if (threshold < high - low) return {};
  const std::int64_t spare = (threshold - (high - low)) / 2;
  return {chunk_of(low - spare) - 1, chunk_of(high + spare) + 1};
}

/// Of vectors.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace rhomb::corridor
