// SPDX-License-Identifier: Apache-2.0
// Slab: some rows of the matrix, computed by the host within a band, and the canonical path through
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "host/align/codes.h"
#include "host/align/region.h"
#include "host/batch/processor.h"

namespace rhomb::align {

/// Strips of 64 rows by Myers' bit vectors (1999, in Hyyro's form), a column a step, that take in
/// the differences along the row above them. Those along their last rows are kept, and those down
/// every 64th column; of all strips, or only of some if that took more than `memory` bytes. To walk
/// back, 64 columns of a strip are computed again at a time.
///
/// All values are costs of real paths, so those on cheapest paths are exact as long as the band has
/// all cheapest paths; hence so is every step of the walk, which only asks whether the cell before
/// is on one.
class Slab {
 public:
  /// So many threads compute at the same time, where all of it is kept. `most`: what is made use
  /// of, if this processor can do it.
  Slab(const Codes& codes, Region region, std::size_t memory, std::size_t threads = 1,
       Processor most = Processor::kAvx512);

  /// How many columns its strips have together.
  static double columns(const Region& region);

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
  /// Signs of the differences down a column, a bit a row.
  struct Column {
    Word plus = ~Word{0}, minus = 0;
  };
  /// Of a strip: those down its first column and every 64th behind it.
  using Columns = std::vector<Column>;

  static std::vector<Strip> divide(const Region& region);
  Row first_row() const;
  std::vector<Word> profile(const Strip& strip) const;
  template <class Keep>
  Column block(const Strip& strip, const std::vector<Word>& profile, const Row& above,
               std::int64_t from, std::int64_t to, Column column, Row* below,
               const Keep& keep) const;
  /// What comes of a strip.
  struct Computed {
    Row below;
    Columns columns;
  };
  /// A strip that is being computed, and its columns.
  struct Lane;
  template <class W>
  struct Steps;
  /// Blocks of a row that are there.
  struct alignas(64) Progress {
    std::atomic<std::size_t> blocks = 0;
  };
  static Computed room_for(const Strip& strip);
  template <class Vector>
  void full_blocks_by(std::span<Lane* const> lanes) const;
  void full_blocks(std::span<Lane* const> lanes) const;
  void full_blocks_avx2(std::span<Lane* const> lanes) const;
  void full_blocks_avx512(std::span<Lane* const> lanes) const;
  void compute_all(std::size_t threads);
  void compute(std::size_t first, std::size_t end, const Row& above, Computed* made,
               const Progress* before, Progress* done, const std::atomic<bool>& failed) const;
  std::vector<Computed> compute(std::size_t first, std::size_t end, const Row& above) const;
  void walk_strip(const Strip& strip, const Row& above, const Columns& columns, Order order,
                  Path& path) const;

  const Codes& codes_;
  Processor processor_;
  Region region_;
  std::vector<Strip> strips_;
  std::size_t apart_ = 1;  // of so many strips the last row of one is kept
  std::vector<Row> kept_;  // kept_[k]: above strip k * apart_
  Row last_;
  std::vector<Columns> columns_;  // of each strip, if all rows are kept
  double cells_ = 0;
};

}  // namespace rhomb::align
