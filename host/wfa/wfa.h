// SPDX-License-Identifier: Apache-2.0
// wfa: edit distance by wavefronts (Castells-Rufas 2023, section 3), the engine for similar
// sequences. One table of variants; see variants().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine.h"
#include "host/ocl/device.h"
#include "host/seq/alphabet.h"

namespace rhomb::wfa {

/// How far a run is; given to Problem::progress now and then.
struct Progress {
  std::int64_t cost = 0;      ///< the distance is known to be larger than this
  std::int64_t expected = 0;  ///< a guess of the final distance from what is left; 0 when unknown
  double cells = 0;           ///< wavefront cells computed so far
  double part = 0;            ///< part of the work that is probably done, 0..1
};

/// Two texts, how their symbols compare, and the largest distance that is of interest.
struct Problem {
  std::string_view a;  ///< pattern: rows, length m
  std::string_view b;  ///< text: columns, length n
  const seq::Code* code = nullptr;
  std::optional<std::int64_t> max_distance;
  std::function<void(const Progress&)> progress;  ///< may be empty
};

/// One way the fused row runs while its rows are not wider than `widest`.
struct Stage {
  std::int64_t widest = 0;  ///< diagonals of a row, both directions counted
  int group = 1;            ///< work-items a group
  int lanes = 1;            ///< lanes a work-item (a vector register on a CPU)
  int diags = 1;            ///< diagonals a lane
  int steps = 1;            ///< costs a launch
  /// Also for wider rows of texts so similar that a window of matches hardly lasts a step: then
  /// neighbouring work-items should read neighbouring places of the texts.
  bool steep = false;
  int tile() const { return group * lanes * diags; }  ///< diagonals a group
};

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  std::string variant;
  std::string file;               ///< program, "wfa/fused.cl"; empty for the reference
  tune::Config config;            ///< every tunable with the value it has
  std::vector<Stage> stages;      ///< narrowest first; rows of one launch a cost have one stage
  int planes = 0;                 ///< bits a symbol, as the kernel reads it
  bool sets = false;              ///< symbols match when they share a base (seq::Matching::kSets)
  int batch = 1;                  ///< launches between two reads of the end condition
  bool self_test = false;         ///< the run is a known-answer test itself
  std::int64_t max_distance = 0;  ///< the search stops here: min(asked for, max(m, n))
  std::int64_t first_row = 0;     ///< diagonals a row has room for at the start
  std::uint64_t bytes = 0;        ///< device memory at the start
  std::uint64_t most_bytes = 0;   ///< device memory if the distance turns out to be max_distance

  /// Macros the program of `stage` is built with.
  ocl::Defines defines(const Stage& stage) const;
};

struct Answer {
  std::optional<std::int64_t> distance;  ///< nothing: larger than max_distance
  double cells = 0;                      ///< wavefront cells computed, halos not counted
  double compute = 0;                    ///< seconds on the device, launches and reads included
  double build = 0;                      ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing the texts and copying them to the device
  tune::Config config;  ///< every tunable with the value that was used
};

using Row = Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Row> variants();

/// Plans and runs `row`: strips the common prefix and suffix, answers what needs no device, makes
/// sure that the program's known-answer test has passed on this device (else CheckError).
///
/// `device` may be null for the reference row. Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Row& row, const Problem& problem,
             const tune::Config& config = {});

/// The plan that solve() would use, prefix and suffix stripped.
Plan plan(const Row& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

}  // namespace rhomb::wfa
