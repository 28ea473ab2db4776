// SPDX-License-Identifier: Apache-2.0
// bounds: what every path must cost at least, and the corridor that this leaves.
//
// D(s, d) is the cost of the cheapest path from the start to boundary s on diagonal d, D'(s, d)
// that from there to the end. Costs hold numbers C(s, c) that no path pays less than for block s if
// it leaves it in chunk c, wherever it entered. Bounds follow from boundary to boundary: a path
// that leaves the block on diagonal d and entered on e paid at least max(C, |d - e|), and since D
// changes by at most 1 from a diagonal to the next, those with |d - e| <= C are all that need be
// looked at. Where nothing is known of a block, a diagonal's bound stays what it was. Likewise
// backwards, with what a path pays that enters in a chunk, wherever it leaves: max(C, distance)
// over all chunks.
//
// Far from the probable path all chunks on a side have one bound together, that of the cheapest of
// them: paths there pay what the block costs where it is cheapest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/corridor/costs.h"
#include "host/corridor/grid.h"

namespace rhomb::corridor {

/// By boundary the chunks that have bounds of their own.
using Near = std::vector<Range>;

/// Where paths of cost `threshold` or less can be.
struct Corridor {
  std::int64_t threshold = 0;
  std::int64_t lower = 0;    ///< no path costs less than this
  std::vector<Range> at;     ///< by boundary: where they cross it
  std::vector<Range> block;  ///< by block: where they can be inside it

  /// Whether no path can be.
  bool empty() const { return at.front().empty(); }
  /// Chunks of all blocks.
  std::int64_t chunks() const;
  std::int64_t widest() const;
};

/// What `costs` leave of paths of cost `threshold` or less. They and the grid outlive this.
class Bounds {
 public:
  Bounds(const Grid& grid, const Costs& costs, std::int64_t threshold, std::size_t threads = 0);
  ~Bounds();

  /// The corridor. All of its ranges are empty if there is no such path. Where paths can be beyond
  /// `near` it reaches as far as they can at all. Of one that was asked for before with nearly the
  /// same `near` only what is not the same is computed.
  Corridor corridor(const Near& near);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All chunks of `range` at all boundaries.
Near everywhere(const Grid& grid, const Range& range);

/// Lower bounds of D (forward) or D' by boundary, for all chunks of `range`: what Bounds go
/// by. For tests and small problems.
std::vector<std::vector<std::int32_t>> lower_bounds(const Grid& grid, const Costs& costs,
                                                    const Range& range, const Near& near,
                                                    bool forward);

}  // namespace rhomb::corridor
