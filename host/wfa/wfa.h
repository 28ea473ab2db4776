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

#include "host/engine/facts.h"
#include "host/engine/pair.h"
#include "host/engine/program.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"

namespace rhomb::wfa {

using rhomb::Answer;
using rhomb::Problem;
using rhomb::Progress;

/// A program, and how it runs while rows of the wavefront are not wider than `widest`.
struct Stage {
  std::int64_t widest = 0;  ///< diagonals of a row, both directions counted
  int group = 1;            ///< work-items a group
  int lanes = 1;            ///< lanes a work-item (a vector register on a CPU)
  int diags = 1;            ///< diagonals a lane
  int steps = 1;            ///< costs a launch
  /// Also for wider rows, while texts are so similar that a window of matches hardly lasts a step:
  /// then neighbouring work-items should read neighbouring places of the texts.
  bool dense_matches = false;
  bool walk = false;  ///< very long matches are walked by the whole group, which costs all steps
  bool long_matches = false;  ///< only while texts are so similar that there are such
  ocl::Defines defines = {};  ///< macros that the program is built with
  int tile() const { return group * lanes * diags; }  ///< diagonals a group
};

struct Plan;
using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  const Variant* variant = nullptr;  ///< whose plan this is: it plans the known-answer tests too
  std::string file;                  ///< program, "wfa/fused.cl"; none for the reference
  std::string kernel;                ///< its name in there
  tune::Config config;               ///< every tunable with the value it has
  std::vector<Stage> stages;         ///< narrowest first; rows of one launch a cost have one stage
  bool all_diagonals = false;        ///< each launch has a work-item for all m + n + 1 diagonals
  int tile_length = 0;            ///< side of a tile in cells (wfa/tiles.h); 0: rows without tiles
  bool group_tiles = false;       ///< a work-group a tile; otherwise a work-item
  bool bounded = false;           ///< only tiles that a bound of the distance leaves of interest
  bool packed = false;            ///< the program reads packed symbols (text.h), not planes
  int planes = 0;                 ///< bits a symbol, as the kernel reads it
  bool sets = false;              ///< symbols match when they share a base (seq::Matching::kSets)
  int batch = 1;                  ///< launches between two reads of the end condition
  bool self_test = false;         ///< the run is a known-answer test itself
  std::int64_t max_distance = 0;  ///< the search stops here: min(asked for, max(m, n))
  std::int64_t first_row = 0;     ///< diagonals a row has room for at the start
  std::uint64_t bytes = 0;        ///< device memory at the start
  std::uint64_t most_bytes = 0;   ///< device memory if the distance turns out to be max_distance
  std::uint64_t text_bytes = 0;   ///< of it, both texts
  std::int64_t widest_row = 0;    ///< diagonals that rows grow to at most; 0: they do not grow

  engine::Program program(const Stage& stage) const { return {file, kernel, stage.defines}; }

  /// Device memory, at most at a time, if the distance turns out to be this one.
  std::uint64_t bytes_at(std::int64_t distance) const;
};

/// How long matches between two edits are: so many symbols at least that most windows of 32 last
/// one step, or that a team of 32 does not see the end of most at once.
struct Matches {
  static constexpr std::int64_t kDense = 20, kVeryLong = 1500;
  bool dense = false;
  bool very_long = false;
};

/// The stage of a plan for rows of `width` diagonals.
inline const Stage& stage_for(const Plan& plan, std::int64_t width, Matches matches) {
  for (const Stage& stage : plan.stages) {
    if (stage.long_matches && !matches.very_long) continue;
    if (2 * width <= stage.widest || (stage.dense_matches && matches.dense)) return stage;
  }
  return plan.stages.back();
}

/// The table, best first, the reference last.
std::span<const Variant> variants();

/// The variant that needs no device.
inline constexpr std::string_view kHost = "host";

/// Plans and runs `variant`: strips the common prefix and suffix, answers what needs no device,
/// makes sure that the program's known-answer test has passed on this device (else CheckError).
///
/// `device` may be null for the reference. Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config = {});

/// What --explain prints of the plan that solve() would use. Throws what planning throws.
Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config);

/// The plan that solve() would use, prefix and suffix stripped.
Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

}  // namespace rhomb::wfa
