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
  bool sets = false;              ///< symbols match when they share a base (seq::Matching::kSets)
  bool swapped = false;           ///< the second text has the rows, because it is the shorter one
  bool banded = false;            ///< a band around an estimate first; otherwise the whole matrix
  int batch = 1;                  ///< launches between two looks at the progress
  bool self_test = false;         ///< the run is a known-answer test itself
  std::int64_t max_distance = 0;  ///< min(asked for, max(m, n))
  /// Of the first band; the only one if the distance turns out not to exceed it.
  std::int64_t threshold = 0;
  std::uint64_t bytes = 0;  ///< device memory

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

/// Where the cheapest paths through a part of a matrix cross the row in its middle.
struct Crossing {
  std::int64_t row = 0;    ///< rows above it
  std::int64_t least = 0;  ///< what the cheapest paths cost
  std::int64_t first = 0;  ///< columns to the left of the first place where one crosses
  /// For each place from there to the last where one crosses: what a path to it and one from it
  /// cost at least. Exact where both add up to `least`; elsewhere no less than the truth.
  std::vector<std::int32_t> before, after;
  double cells = 0;       ///< computed
  bool given_up = false;  ///< Problem::give_up said so; the rest means nothing
};

/// A part of a matrix: the rows of Problem::a and the columns of Problem::b. Paths may begin at the
/// first places of the first row, each at its cost, and end at the last ones of the last row.
struct Part {
  std::span<const std::int32_t> top;     ///< of place 0, 1, ...; at least one
  std::span<const std::int32_t> bottom;  ///< to the very end from the last places
  std::int64_t threshold = 0;            ///< no path of interest costs more between both
};

/// Plans a pass over a part: `strips` with as many rows a strip as divide its rows, which must be a
/// multiple of 32 unless Part::bottom is one place. Throws what planning throws.
Plan plan_part(const Problem& problem, const Part& part, const ocl::Limits& limits);

/// Runs it. Crossing::least and what stands there are costs of whole paths, top and bottom
/// included. Not for a part of a single lane.
Crossing cross(ocl::Device& device, const Plan& plan, const Problem& problem, const Part& part);

/// The same for a whole pair whose distance is unknown: passes over wider bands until all cheapest
/// paths are inside. `a` is not longer than `b`, and Problem::guess is given.
struct Crossed {
  Answer answer;
  Crossing crossing;  ///< if there is a distance
};
Crossed cross_all(ocl::Device& device, const Plan& plan, const Problem& problem);

}  // namespace rhomb::strip
