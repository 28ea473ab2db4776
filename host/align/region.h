// SPDX-License-Identifier: Apache-2.0
// Region: some rows of the matrix, and where paths through them begin and end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/engine/kept.h"
#include "host/seq/cigar.h"

namespace rhomb::align {

/// Places of a row, or diagonals (place less row), from one to another.
struct Places {
  std::int64_t first = 0, last = 0;
  bool operator==(const Places&) const = default;
};

inline Places hull(const Places& a, const Places& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// Where cheapest paths are between two rows. Along these themselves they may also be where the
/// neighbour says.
struct Stretch {
  std::int64_t row = 0, end = 0;
  Places diagonals;
};

/// Rows [row, row + rows). Places of a row are numbered by the columns to their left.
struct Region {
  std::int64_t row = 0, rows = 0;
  std::int64_t column = 0;        ///< the first place where paths begin on the first row
  std::vector<std::int32_t> top;  ///< what they have cost there and at those behind it
  std::int64_t first_exit = 0, last_exit = 0;  ///< where they end on the last row
  std::int64_t threshold = 0;                  ///< no path of interest costs more from top to exit
  /// No path of interest leaves the diagonals of the places that paths begin at (but left of place
  /// 0 there are some).
  bool inside = false;
  /// Nor these, in rows that they tell of; ascending.
  std::span<const Stretch> stretches;
};

/// A path through a region, from its exit on the last row back to the first row.
struct Path {
  Cigar backwards;
  std::int64_t entry = 0;  ///< the place on the first row
};

/// The region below `top` whose paths end on place `exit` of the last row at `cost`, counted as
/// `top` does: the cheapest ones, or those as cheap as one that is known. Nothing where there are
/// none.
std::optional<Region> region_below(const KeptRow& top, std::int64_t rows, std::int64_t exit,
                                   std::int64_t cost);

}  // namespace rhomb::align
