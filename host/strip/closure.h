// SPDX-License-Identifier: Apache-2.0
// Closure: whether what a block of rows has left can be right.
//
// Around any part of a matrix the differences add up: dh along its lower edge and dv down its left
// one lead to the same corner as dh along its upper edge and dv down its right one. Each cell keeps
// that, whatever it is given, so where a bit of what is kept or sent is another one than was
// written, it is wrong from then on. So one look at the end of a block finds such faults in all of
// its launches: in the state of lanes, in rings, in words that the host sent or got. It does not
// see wrong comparisons of symbols: these are counted, see symbols_gap().
#pragma once

#include <cstdint>
#include <string>

#include "host/engine/fault.h"
#include "host/strip/strip.h"
#include "host/strip/texts.h"

namespace rhomb::strip {

/// The lanes of a block, as pair.cl has run them.
struct ClosureLanes {
  const Shape& shape;
  Band band;
  std::int64_t columns = 0;
  std::int64_t first = 0, end = 0;  ///< lanes [first, end) are the block's
  std::int64_t stride = 0;          ///< of the state
  int planes = 0;

  /// Words of columns that a lane has, and how many it has gone through.
  std::int64_t first_word(std::int64_t lane) const;
  std::int64_t end_word(std::int64_t lane) const;
  std::int64_t last_word(std::int64_t lane) const;
};

/// What differences do not add up to, 0 if they do. `state`: all values of all lanes; `taken`: the
/// sum of the dh that the first lane took in between its first column and where the lane above
/// ends; `left`: of those that the last lane left between its first column and its last.
std::int64_t closure_gap(const ClosureLanes& lanes, const Words& state, std::int64_t taken,
                         std::int64_t left);

/// How many bits of symbols the state has that the pattern, of the rows from lane 0 on
/// (cl/planes.h), does not have, or the other way round; 0 if each plane has equally many.
std::int64_t symbols_gap(const ClosureLanes& lanes, const Words& state, const Words& pattern);

}  // namespace rhomb::strip
