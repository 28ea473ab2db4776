// SPDX-License-Identifier: Apache-2.0
// strip: edit distance by bit-sliced strips, the engine for sequences that are not nearly the same.
// It fills the matrix, or a band of it, 32 cells an operation of a 32-bit word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/engine/facts.h"
#include "host/engine/pair.h"
#include "host/engine/program.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"
#include "host/strip/geometry.h"

namespace rhomb::strip {

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  engine::Program program;
  tune::Config config;  ///< every tunable with the value it has
  Shape shape;
  Size size;
  int planes = 0;
  bool sets = false;       ///< symbols match when they share a base (seq::Matching::kSets)
  bool swapped = false;    ///< the second text has the rows, because it is the shorter one
  bool banded = false;     ///< a band around an estimate first; otherwise the whole matrix
  int batch = 1;           ///< launches between two looks at the progress
  bool self_test = false;  ///< the run is a known-answer test itself
  bool together = false;   ///< pairs share launches, each of which is a whole pass (several.h)
  std::int64_t max_distance = 0;  ///< min(asked for, max(m, n))
  /// Of the first band; the only one if the distance turns out not to exceed it.
  std::int64_t threshold = 0;
  /// That a pass over it takes a GPU, about; 0: not known.
  double seconds = 0;
  std::uint64_t bytes = 0;       ///< device memory
  std::uint64_t text_bytes = 0;  ///< of it, both texts

  /// The band of a pass with this threshold; the whole matrix for rows that know no other.
  Band band(std::int64_t of_threshold) const {
    return banded ? band_of(size, of_threshold) : Band{size.m, size.n};
  }
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// The threshold of the first band for an estimate of a problem's distance: more than the estimate,
/// because a second pass costs more than the width, and most so for narrow bands, whose width costs
/// least.
std::int64_t first_threshold(const Problem& problem, std::int64_t estimate);

/// The table, best first.
std::span<const Variant> variants();

/// Plans and runs `variant`: takes a sketch of the pair if Problem::guess is empty, strips the
/// common prefix and suffix, answers what needs no device, makes sure that the program's
/// known-answer test has passed on this device (else CheckError). `device` may be null for a row
/// with a device of its own.
///
/// Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config = {});

/// What --explain prints of the plan that solve() would use. Throws what planning throws.
Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config);

/// The plan that solve() would use, prefix and suffix stripped, if Problem::guess is given.
Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Where the cheapest paths cross the row in the middle of the matrix: the first place and the
/// last, numbered by the columns to their left. There may be others in between that none crosses.
struct Crossing {
  std::int64_t row = 0;  ///< rows above it
  std::int64_t first = 0, last = 0;
};

/// What passes that keep rows have found (halves.h).
struct Crossed {
  Answer answer;
  Crossing crossing;  ///< if there is a distance
};

}  // namespace rhomb::strip
