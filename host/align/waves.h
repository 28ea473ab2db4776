// SPDX-License-Identifier: Apache-2.0
// Waves: the canonical path through some rows of the matrix by wavefronts, for texts that are
// alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/align/codes.h"
#include "host/align/region.h"

namespace rhomb::align {

/// Wavefronts (Ukkonen 1985, Myers 1986): for each cost s and diagonal k the furthest row M(s, k)
/// that a path of cost s reaches. All are kept, and they say of any cell what it costs, not only of
/// the furthest ones: (row i, diagonal k) costs s at most where M(s, k) >= i. So the walk back asks
/// them alone which cells before are on a cheapest path.
///
/// They begin on the whole first row, at its costs, and no diagonal is looked at from which the
/// exit would cost too much: in all rows * cost cells are never seen, but about the square of what
/// the path costs inside.
class Waves {
 public:
  explicit Waves(const Codes& codes) : codes_(codes) {}

  /// Gets ready for a region. Returns how many numbers walk() will compute at most.
  double begin(const Region& region);
  /// The canonical path to its exit (host/align/reference.h). Nothing where none costs as little as
  /// Region::threshold says.
  std::optional<Path> walk();

  double cells() const { return cells_; }  ///< numbers computed so far

  /// Numbers that are kept for a path of this cost between two places, about.
  static double numbers(std::int64_t rows, std::int64_t columns, std::int64_t cost);

 private:
  /// M(s, k) for the diagonals [low, high]: reached_[at] is that of `low`. kBeside numbers on
  /// either side of them are kNone.
  struct Front {
    std::int64_t low = 0, high = -1;
    std::size_t at = 0;
  };

  std::int64_t reach(std::int64_t s, std::int64_t k) const {
    if (s < 0) return kNone;
    const Front& front = fronts_[static_cast<std::size_t>(s)];
    return k < front.low || k > front.high
               ? kNone
               : reached_[front.at + static_cast<std::size_t>(k - front.low)];
  }
  /// The diagonals at cost s.
  Front front(std::int64_t s, std::size_t at) const;
  void advance(std::int64_t s);

  static constexpr std::int32_t kNone = -(1 << 30);
  static constexpr int kBeside = 2;

  const Codes& codes_;
  double cells_ = 0;
  // Of the region at hand.
  std::int64_t row_ = 0, rows_ = 0, exit_ = 0;
  std::int64_t most_ = 0;             // of costs
  std::int64_t first_ = 0;            // place of top_.front()
  std::vector<std::int32_t> top_;     // by place, the least 0
  std::vector<std::int64_t> lowest_;  // by cost, the lowest diagonal that is reached
  std::vector<std::int64_t> highest_;
  std::vector<Front> fronts_;  // by cost
  std::size_t places_ = 0;     // that they take of `reached_`
  std::vector<std::int32_t> reached_;
};

/// The canonical path from one cell to another whose cost is known, and most of it pays for the gap
/// between their diagonals. So wavefronts are ordered by what is paid besides: with what is still
/// to be paid for the gap, so that each of few goes through all of it.
class GapWaves {
 public:
  explicit GapWaves(const Codes& codes) : codes_(codes) {}

  /// From place `column` of the first row to the exit of a region of this cost. Nothing where that
  /// is not what it costs.
  std::optional<Path> walk(const Region& region);

  double cells() const { return cells_; }  ///< numbers computed so far

  /// Numbers that are computed and kept.
  static double numbers(std::int64_t gap, std::int64_t cost);

 private:
  std::int64_t reach(std::int64_t s, std::int64_t k) const;
  void advance(std::int64_t besides);

  static constexpr std::int32_t kNone = -(1 << 30);

  const Codes& codes_;
  double cells_ = 0;
  std::int64_t row_ = 0, rows_ = 0, exit_ = 0;
  std::int64_t first_ = 0, last_ = 0;  // diagonals of both cells
  std::int64_t low_ = 0, width_ = 0;   // diagonals of a wavefront, with one more on either side
  std::int64_t levels_ = 0;
  std::vector<std::int32_t> reached_;  // by what is paid besides, width_ each
};

}  // namespace rhomb::align
