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
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/corridor/grid.h"
#include "host/seq/alphabet.h"

namespace rhomb::corridor {

/// What is looked for and where: in tiles of blocks that are searched independently.
struct WordSearch {
  Range seen;                 ///< occurrences count on these diagonals,
  std::vector<Range> hidden;  ///< but not on those that this has by block
  std::int64_t radius = 0;    ///< R is 32 `radius`
  int k = 0;                  ///< symbols of a word
  std::int64_t most = 0;      ///< words of a block
  std::vector<int> tiles;     ///< the first block of each, and the end of the last; empty for none

  /// Symbols that are sets of bases are not looked for. `workers` will search tiles at once.
  WordSearch(const Grid& grid, std::string_view a, const seq::Code& code, const Range& seen,
             std::vector<Range> hidden, std::int64_t radius, std::size_t workers);

  /// Where words of a tile of `a` matter in the second text: symbols [from, to).
  struct Columns {
    std::int64_t from, to;
  };
  Columns columns(const Grid& grid, std::string_view a, std::size_t tile) const;
};

/// What blocks side by side have.
struct FoundWords {
  std::vector<std::int32_t> words;   ///< N, by block
  std::vector<std::int32_t> hits;    ///< occurrences, by block
  std::vector<std::int32_t> chunks;  ///< of the occurrences, block by block, ascending in each
};

class Seeds {
 public:
  Seeds() = default;  ///< nothing is known

  /// The search's blocks, none of which has any words before they are added.
  explicit Seeds(WordSearch search);
  /// Those of the next blocks.
  void add(const FoundWords& found);

  bool operator==(const Seeds&) const = default;
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
  std::vector<std::int32_t> words_;     // N, by block
  std::vector<std::size_t> begins_{0};  // by block, and the end of the last: its part of chunks_
  std::vector<std::int32_t> chunks_;    // of occurrences, ascending
};

/// Looks for words of a grid's texts, wherever that is done.
using LookForWords =
    std::function<Seeds(const Range& seen, const std::vector<Range>& hidden, std::int64_t radius)>;

/// Looks for the words of `a` in `b` on the host.
Seeds look_for_words(const Grid& grid, std::string_view a, std::string_view b,
                     const seq::Code& code, WordSearch search, std::size_t threads);

}  // namespace rhomb::corridor
