// SPDX-License-Identifier: Apache-2.0
// Slab: some rows of the matrix, computed by the host within a band, and the canonical path through
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/align/cigar.h"

namespace rhomb::align {

/// Both texts as codes. The rows are the target's where `turned`.
struct Codes {
  std::vector<std::uint8_t> rows, columns;
  int planes = 1;
  bool sets = false;  ///< codes match when they share a bit
  bool turned = false;

  bool match(std::int64_t row, std::int64_t column) const {
    const unsigned x = rows[static_cast<std::size_t>(row)];
    const unsigned y = columns[static_cast<std::size_t>(column)];
    return sets ? (x & y) != 0 : x == y;
  }
};

/// Rows [row, row + rows). Places of a row are numbered by the columns to their left.
struct Region {
  std::int64_t row = 0, rows = 0;
  std::int64_t column = 0;        ///< the first place where paths begin on the first row
  std::vector<std::int32_t> top;  ///< what they have cost there and at those behind it
  std::int64_t first_exit = 0, last_exit = 0;  ///< where they end on the last row
  std::int64_t threshold = 0;                  ///< no path of interest costs more from top to exit
};

/// Strips of 64 rows by Myers' bit vectors (1999, in Hyyro's form), a column a step, that take in
/// the differences along the row above them. Those along their last rows are kept, all of them or
/// only some if that took more than `memory` bytes. To walk back a strip is computed again.
///
/// All values are costs of real paths, so those on cheapest paths are exact as long as the band has
/// all cheapest paths; hence so is every step of the walk, which only asks whether the cell before
/// is on one.
class Slab {
 public:
  Slab(const Codes& codes, Region region, std::size_t memory);

  /// What a cheapest path to the place `exit` costs, the cost at the top included.
  std::int64_t cost(std::int64_t exit) const;

  struct Path {
    Cigar backwards;         ///< from the exit on
    std::int64_t entry = 0;  ///< the place on the first row
  };
  /// The canonical path from `exit` back (host/align/reference.h).
  Path walk(std::int64_t exit) const;

  double cells() const { return cells_; }
  const Region& region() const { return region_; }

 private:
  using Word = std::uint64_t;
  /// Signs of the differences along a row from place `left` to `right`: a bit a column.
  struct Row {
    std::int64_t left = 0, right = 0;
    std::vector<Word> plus, minus;
  };
  struct Strip {
    std::int64_t row = 0;  ///< in the slab
    int rows = 0;
    std::int64_t left = 0, right = 0;  ///< places; the differences down the left one are +1
  };

  Strip strip(std::int64_t number) const;
  Row first_row() const;
  template <class Keep>
  void compute(const Strip& strip, const Row& above, std::int64_t right, Row* below,
               const Keep& keep) const;
  Row below(std::int64_t number, const Row& above) const;
  void walk_strip(std::int64_t number, const Row& above, Path& path) const;

  const Codes& codes_;
  Region region_;
  std::int64_t lowest_ = 0, highest_ = 0;  // diagonals, from (row, column) on
  std::int64_t strips_ = 0;
  std::int64_t apart_ = 1;  // of so many strips the last row of one is kept
  std::vector<Row> kept_;   // kept_[k]: above strip k * apart_
  Row last_;
  double cells_ = 0;
};

}  // namespace rhomb::align
