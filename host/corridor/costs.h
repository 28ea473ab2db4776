// SPDX-License-Identifier: Apache-2.0
// costs: what is known of the blocks. No path pays less for a block that leaves it in a chunk,
// wherever it entered.
#pragma once

#include <cstdint>
#include <vector>

#include "host/corridor/grid.h"
#include "host/corridor/seeds.h"

namespace rhomb::corridor {

class Costs {
 public:
  /// Chunks side by side of a block that windows have told about; those next to them they have not.
  struct Run {
    std::int64_t first = 0;
    std::vector<std::int32_t> cost;
    Range range() const { return {first, first + static_cast<std::int64_t>(cost.size())}; }
  };

  explicit Costs(int blocks) : runs_(static_cast<std::size_t>(blocks)) {}

  /// Adds bounds of the chunks from `first` on. Of two bounds for a chunk the larger one holds.
  void add(int block, std::int64_t first, std::vector<std::int32_t> cost);

  /// What words tell, of all blocks.
  void set_seeds(Seeds seeds) { seeds_ = std::move(seeds); }
  const Seeds& seeds() const { return seeds_; }

  /// What windows tell: apart from each other, ascending.
  const std::vector<Run>& of(int block) const { return runs_[static_cast<std::size_t>(block)]; }

  /// The parts of `range` of which windows tell nothing.
  std::vector<Range> unknown(int block, const Range& range) const;

  /// What is paid at least, by chunk of `range`; 0 where nothing is known.
  std::vector<std::int32_t> in(int block, const Range& range) const;

  /// The least of them.
  std::int32_t least(int block, const Range& range) const;

 private:
  std::vector<std::vector<Run>> runs_;
  Seeds seeds_;
};

}  // namespace rhomb::corridor
