// SPDX-License-Identifier: Apache-2.0
// seeds: what blocks of rows cost far from the probable path, by words that both texts have.
//
// A block has N words of k symbols that do not overlap. Take a path that leaves it on diagonal d.
// If it stays within R diagonals of d, it pays for each word that the second text has nowhere on [d
// - R, d + R]; if it strays further, it pays more than R for its way back. So it pays R at least,
// or N less the words that are there. Words that are too frequent are not taken, and do not count
// in N.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/corridor/grid.h"
#include "host/seq/alphabet.h"

namespace rhomb::corridor {

class Seeds {
 public:
  Seeds() = default;  ///< nothing is known

  /// Looks for the words of `a` in `b` on the diagonals of `seen`, except for those that `hidden`
  /// has by block. R is 32 `radius`. Symbols that are sets of bases are not looked for: nothing is
  /// known then.
  Seeds(const Grid& grid, std::string_view a, std::string_view b, const seq::Code& code,
        const Range& seen, std::vector<Range> hidden, std::int64_t radius, std::size_t threads);

  bool empty() const { return words_.empty(); }
  /// N of all blocks together.
  std::int64_t words() const;

  /// Raises bounds of what is paid for a block, by chunk of `range` that it is left in, to what is
  /// known here.
  void raise(int block, const Range& range, std::vector<std::int32_t>& costs) const;

  /// No path pays less for the block that leaves it in `range`.
  std::int32_t least(int block, const Range& range) const;

 private:
  /// Occurrences matter in so many chunks below a chunk and above it.
  std::int64_t below() const { return radius_; }
  std::int64_t above() const { return radius_ + 1; }
  std::int32_t cost(int block, std::int64_t found) const;
  /// Chunks of which something is known, below what is hidden and above it.
  Range low(int block) const;
  Range high(int block) const;

  Range seen_;
  std::int64_t radius_ = 0;
  std::vector<Range> hidden_;
  std::vector<std::int32_t> words_;   // N, by block
  std::vector<std::size_t> begins_;   // by block, and the end of the last: its part of chunks_
  std::vector<std::int32_t> chunks_;  // of occurrences, ascending
};

}  // namespace rhomb::corridor
