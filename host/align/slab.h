// SPDX-License-Identifier: Apache-2.0
// Slab: some rows of the matrix, computed by the host within a band, and the canonical path through
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/align/codes.h"
#include "host/align/region.h"

namespace rhomb::align {

/// Strips of 64 rows by Myers' bit vectors (1999, in Hyyro's form), a column a step, that take in
/// the differences along the row above them. Those along their last rows are kept, all of them or
/// only some if that took more than `memory` bytes. To walk back a strip is computed again, unless
/// there is room for all that a walk may ask.
///
/// All values are costs of real paths, so those on cheapest paths are exact as long as the band has
/// all cheapest paths; hence so is every step of the walk, which only asks whether the cell before
/// is on one.
class Slab {
 public:
  Slab(const Codes& codes, Region region, std::size_t memory);

  /// What a cheapest path to the place `exit` costs, the cost at the top included.
  std::int64_t cost(std::int64_t exit) const;

  /// Which cheapest path: the canonical one (host/align/reference.h), or the one that no other is
  /// left of, or right of.
  enum class Order { kCanonical, kLeftmost, kRightmost };

  /// The path from `exit` back.
  Path walk(std::int64_t exit, Order order = Order::kCanonical) const;

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

  void divide();
  Row first_row() const;
  template <class Keep>
  void compute(const Strip& strip, const Row& above, std::int64_t right, Row* below,
               const Keep& keep) const;
  /// What a walk asks of a strip's columns: bits of the rows whose difference to the cell before
  /// is 0 along the diagonal, +1 down, +1 along the row.
  struct Bits {
    Word diagonal, down, along;
  };
  Row below(const Strip& strip, const Row& above, std::vector<Bits>* bits = nullptr) const;
  void walk_strip(const Strip& strip, const Bits* bits, Order order, Path& path) const;

  const Codes& codes_;
  Region region_;
  std::vector<Strip> strips_;
  std::size_t apart_ = 1;  // of so many strips the last row of one is kept
  std::vector<Row> kept_;  // kept_[k]: above strip k * apart_
  Row last_;
  std::vector<std::vector<Bits>> bits_;  // of each strip, where that is little
  double cells_ = 0;
};

}  // namespace rhomb::align
