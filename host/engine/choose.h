// SPDX-License-Identifier: Apache-2.0
// choose: which engine answers a pair, and how it is told to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/engine/sketch.h"

namespace rhomb {

struct Choice {
  enum class Start {
    kCorridor,  ///< the corridor, which may pass on to the strips
    kWave,      ///< wavefronts; the strips only if they take longer than foreseen
    kProbe,     ///< wavefronts for a small share of what the strips will take, then the strips
    kStrips     ///< the strips at once
  };
  Start start = Start::kWave;
  bool cut = false;  ///< pieces first (corridor/cuts.h), and `start` if the pair cannot be cut
  bool cut_to_align = false;  ///< the same for an alignment, whose walk takes longer through pieces
  bool cut_then = false;      ///< pieces if the corridor passes on
  Sketch sketch;
  std::int64_t threshold = 0;  ///< of the strips' first band
  double wave = 0;             ///< seconds, as foreseen
  double strips = 0;
  double corridor = 0;   ///< likewise; 0 where it is not to be thought of
  double pieces = 0;     ///< likewise
  double patience = 0;   ///< seconds after which the wavefronts are given up
  bool possible = true;  ///< the strips fit on the device
  std::string why;
};

/// Whether a corridor is for texts of these lengths: few edits, few of them long gaps, and words in
/// common all along.
bool fits_corridor(const Sketch& sketch, std::int64_t m, std::int64_t n, bool gpu);

/// Besides long gaps, of texts of so many symbols.
double edits_a_symbol(const Sketch& sketch, double symbols);

/// Rows of a pair that probably will not be cut (corridor/cuts.h), and long gaps there, diagonals.
struct Uncut {
  double first = 0, end = 0;
  double gaps = 0;
};

/// Before and behind a gap the path must run for more than 12 times as long as the gap is, and as
/// other gaps there are, before words tell that nothing else is as cheap; 2.5 times before windows
/// tell it (`windows`). Where neither is so is a piece. For texts of m and n symbols.
std::vector<Uncut> uncut(const Sketch& sketch, double m, double n, bool windows);

/// About what windows beside all gaps of what words leave uncut have.
double window_cells(std::span<const Uncut> by_words);

/// Chooses for a trimmed problem that needs computing, of which nothing or a sketch is known.
Choice choose(const Problem& problem, const ocl::Limits& limits, const Rates& rates,
              const Sketch* known = nullptr);

/// Takes the corridor instead of wavefronts that are not much faster, for an alignment: the walk
/// through it is.
void choose_to_align(Choice& choice);

}  // namespace rhomb
