// SPDX-License-Identifier: Apache-2.0
// cuts: cells that a cheapest path is proven to go through, or each cheapest path, wherever the
// texts have long gaps. The pieces between them are independent pairs: their distances add up, and
// if each path goes through, their alignments make up that of the whole pair.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "host/corridor/band.h"
#include "host/corridor/seeds.h"
#include "host/engine/cost.h"
#include "host/engine/sketch.h"
#include "host/seq/alphabet.h"
#include "host/trace/trace.h"

namespace rhomb::corridor {

struct CutOptions {
  LookForWords seeds = {};          ///< empty: there are none
  const seq::Code* code = nullptr;  ///< of the symbols; without it long gaps are computed as bands
  /// Words tell what paths pay that stay within 32 times so many diagonals.
  std::int64_t radius = 6;
  std::int64_t apart = 0;     ///< rows between two cuts, at least
  int margin = 4;             ///< chunks beside the reference path where its cost is computed
  std::int64_t expected = 0;  ///< about the distance, or 0
  double most_cells = 0;      ///< of bands, at most; 0: no limit
  /// Whether windows of so many cells are to tell more than words of paths far from the reference
  /// path, if what is probably left uncut then is known, too. Empty: never.
  std::function<bool(double cells, std::span<const PieceCosts> without,
                     std::span<const PieceCosts> with)>
      worth_windows = {};
  int piece = 256;                ///< chunks that one of these tells of, at most
  LeastOfFar least_far = {};      ///< empty: of bands that are computed
  bool all = false;               ///< cuts are where all cheapest paths go through, not only one
  std::size_t threads = 0;        ///< of the host, at most; 0: as many as cores
  trace::Trace* trace = nullptr;  ///< may be null
  std::function<bool()> give_up = {};  ///< asked now and then; true ends the search
};

/// A cell: the path goes on with symbol i of the first text and symbol j of the second.
struct Cut {
  std::int64_t i = 0, j = 0;
  std::int64_t at_most = 0;  ///< cost of a path from the cut before, or from the start
};

struct Cuts {
  /// One cheapest path goes through all of them (CutOptions::all: each). Ascending in i and j; the
  /// last is the end of the grid.
  std::vector<Cut> cells;
  bool given_up = false;
  bool looked_far = false;   ///< by windows
  std::int64_t at_most = 0;  ///< cost of the reference path, or 0
  std::int64_t near = 0;     ///< boundaries near which all cheapest paths are known to cross them
  double computed = 0;       ///< cells of bands
};

/// The reference path follows `words`, which both texts have. `a` and `b` are what the grid was
/// made of, without what it appends.
Cuts find_cuts(const Grid& grid, std::string_view a, std::string_view b,
               std::span<const Anchor> words, const Compute& compute, const CutOptions& options);

}  // namespace rhomb::corridor
