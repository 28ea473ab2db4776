// SPDX-License-Identifier: Apache-2.0
// ReferencePath: a path that follows the words that both texts have, and what it costs from
// boundary to boundary. It need not be a cheapest one: what is proven beside it (cuts.h) is less
// then, but right.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/corridor/band.h"
#include "host/engine/sketch.h"
#include "host/seq/alphabet.h"

namespace rhomb::corridor {

/// Where it crosses boundaries, and what it costs once that is paid.
class ReferencePath {
 public:
  /// `a` and `b` are what the grid was made of, without what it appends. Here and below so many
  /// `threads` compute, at most; 0: as many as there are cores. `code` of their symbols, if they
  /// may be looked at for costs; it stays.
  ReferencePath(const Grid& grid, std::string_view a, std::string_view b,
                std::span<const Anchor> words, std::size_t threads,
                const seq::Code* code = nullptr);

  std::int64_t diagonal(int s) const { return diagonals_[index(s)]; }
  std::int64_t chunk(int s) const { return chunk_of(diagonal(s)); }
  std::int64_t row(int s) const { return std::int64_t{s} * grid_.rows; }
  std::int64_t column(int s) const { return row(s) + diagonal(s); }
  /// The chunks of the diagonals at both ends of a block, and what is between them.
  Range chunks(int block) const;
  /// Whether all symbols around the cell match.
  bool clean(int s) const { return clean_[index(s)] != 0; }

  /// Bands along it, with `margin` chunks on either side, but for blocks where it goes far to the
  /// right.
  std::vector<Band> bands(int margin) const;
  /// What it costs: by these bands, and meanwhile by threads in the other blocks.
  void pay(std::span<Band> made, const Compute& compute);
  /// From boundary `first` to boundary `end`: no less than the distance of what is between.
  std::int64_t paid(int first, int end) const { return sums_[index(end)] - sums_[index(first)]; }
  std::int64_t paid() const { return sums_.back(); }

 private:
  bool goes_across(int block) const;
  std::int64_t cost_across(int block) const;

  const Grid& grid_;
  const std::string_view a_, b_;
  const seq::Code* const code_;
  const std::size_t threads_;
  std::vector<std::int64_t> diagonals_;  // by boundary
  std::vector<std::uint8_t> clean_;      // whether
  std::vector<std::int64_t> sums_;       // by boundary: costs up to there
};

}  // namespace rhomb::corridor
