// SPDX-License-Identifier: Apache-2.0
// Band: what a device computes for the corridor (cl/corridor/band.cl), and what the host reads off
// the differences that it leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/corridor/grid.h"
#include "host/engine/kept.h"

namespace rhomb::corridor {

using Words = std::vector<std::uint32_t>;

/// The cells of some diagonals in one or more blocks of rows.
struct Band {
  int block = 0;                   ///< the first one
  std::vector<std::int32_t> left;  ///< of each block: the first chunk of the window
  int words = 0;                   ///< of the window
  /// Plus and minus of each word of the window: differences along the first row before, along the
  /// last row after it was computed. Empty: all equal.
  Words state;
  /// Cost at the left end of the window after the last block, less that before the first one.
  std::int64_t score = 0;

  /// A row that was kept.
  struct Row {
    std::int64_t score = 0;  ///< cost at the left end of the window, less that before the first row
    RowWords words;          ///< of the window but the last one, whose differences are +1

    bool operator==(const Row&) const = default;
  };
  /// After every so many times 32 rows, but not after the last, a row is kept; 0: none. The same in
  /// all bands that are computed at once.
  int every = 0;
  std::vector<Row> kept;
  std::shared_ptr<std::uint32_t[]> memory;  ///< of their words, unless these own it

  /// Times 32 rows.
  std::int64_t steps(const Grid& grid) const {
    return static_cast<std::int64_t>(left.size()) * (grid.rows / kChunk);
  }
  /// Rows that are kept.
  std::int64_t kept_rows(const Grid& grid) const {
    return every > 0 ? (steps(grid) - 1) / every : 0;
  }
  double cells(const Grid& grid) const {
    return static_cast<double>(left.size()) * words * kChunk * grid.rows;
  }
};

/// Those of most blocks first, and of as many blocks the widest.
std::vector<Band*> longest_first(std::span<Band> bands);

/// Computes bands, which do not depend on each other.
using Compute = std::function<void(std::span<Band>)>;

/// A window that tells what a block costs, wherever it is entered, for exits in `chunks`, up to 32
/// `margin`.
Band window(int block, const Range& chunks, int margin);

/// What a computed window tells: no path costs less that leaves the block in chunk `first` + i. A
/// path that leaves the window pays for its way back.
struct WindowCosts {
  std::int64_t first = 0;
  std::vector<std::int32_t> cost;
};
WindowCosts costs_of(const Band& computed);

/// A window that tells what paths pay for a block that are far from a diagonal before it and leave
/// it in `chunks`.
struct FarWindow {
  int block = 0;
  Range chunks;
  std::int64_t middle = 0;  ///< the diagonal
};
/// Chunks beside these that such windows have: a path that leaves them pays as much as unrelated
/// texts do.
inline constexpr int kFarMargin = 32;

/// Of each window what no path pays less that begins more than `near` diagonals from its middle.
using LeastOfFar =
    std::function<std::vector<std::int32_t>(std::span<const FarWindow>, std::int64_t near)>;
/// The same of bands that `compute` computes; the rest with no more than `threads`.
std::vector<std::int32_t> least_far(std::span<const FarWindow> windows, std::int64_t near,
                                    const Compute& compute, std::size_t threads);

double cells_of(const Grid& grid, std::span<const FarWindow> windows);

/// Differences along a boundary, as far as they matter.
struct Edge {
  Range range;
  std::int64_t value = 0;  ///< cost at the left end, on diagonal 32 * range.first
  Words words;             ///< plus and minus of each chunk

  /// Cost on a diagonal of the range.
  std::int64_t at(std::int64_t diagonal) const;
};

/// The part of a computed band's last row that lies in `range`. `begin` is the cost at the left end
/// of its first window.
Edge edge_of(const Band& computed, const Range& range, std::int64_t begin);

/// Costs along a computed band's last row, from the left end of its window to the right end: 32
/// `words` + 1. `begin` is the cost at the left end of its first window.
std::vector<std::int64_t> costs_along(const Band& computed, std::int64_t begin);

/// Makes a band begin with `edge`, and beyond its ends with what costs one more for each diagonal.
/// Returns the cost at the left end of its first window.
std::int64_t begin_with(Band& band, const Edge& edge);

/// The same with costs along the whole window, neighbours of which differ by 1 at most.
std::int64_t begin_with(Band& band, std::span<const std::int64_t> costs);

/// The same with costs that rise by one for each diagonal on either side of `diagonal`, where they
/// are 0; or that fall so, and rise again behind `reach` diagonals.
std::int64_t begin_at(Band& band, std::int64_t diagonal, std::int64_t reach = 0);

}  // namespace rhomb::corridor
