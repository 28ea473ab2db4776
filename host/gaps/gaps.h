// SPDX-License-Identifier: Apache-2.0
// gaps: the best alignments of queries with targets that have at most k gaps of any length, by a
// matrix of scores and affine gaps (Carroll, Ojiaku and Wong 2019; Barton et al. 2015). One table
// of variants; see variants().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cl/gaps/task.h"
#include "host/batch/async_batch.h"
#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/gaps/alignment.h"
#include "host/ocl/device.h"

namespace rhomb::gaps {

/// A query and a target to align.
struct Task {
  std::uint32_t query = 0;   ///< which of Problem::queries
  std::uint32_t target = 0;  ///< which of Problem::targets
};

struct Problem {
  std::span<const std::string_view> queries;  ///< of any lengths, also empty
  std::span<const std::string_view> targets;
  std::span<const Task> tasks;
  const Scoring* scoring = nullptr;  ///< all symbols of queries and targets are known to it
  Rules rules;
  bool align = false;  ///< alignments are wanted, not only scores
  /// Launches are repeated so often with the data in place, for Answer::kernel.
  int repeats = 0;
  std::function<void(const Progress&)> progress = {};  ///< may be empty
  std::size_t threads = 0;        ///< of the host, at most; 0: as many as it has cores
  trace::Trace* trace = nullptr;  ///< records the phases, unless it is null
};

struct Answer {
  std::vector<Best> best;             ///< one a task
  std::vector<Alignment> alignments;  ///< likewise, if wanted; without runs where there is none
  double cells = 0;                   ///< of the matrices: the sum of the tasks' m n
  double compute = 0;   ///< seconds on the device, launches, copies and reads included
  double kernel = 0;    ///< seconds of the launches alone, data in place; with repeats
  double build = 0;     ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing
  tune::Config config;  ///< every tunable with the value that was used
};

/// What kernels know of symbols and scores.
struct Symbols {
  std::array<std::uint8_t, 256> code{};  ///< of each symbol that occurs: its number
  std::vector<std::uint8_t> all;         ///< these symbols
  int largest = 0, least = 0;            ///< score of a pair of them, scaled
  bool alike = false;                    ///< equal symbols score `match`, others `mismatch`
  int match = 0, mismatch = 0;
};

/// How scores are kept in a word, so that none of them overflows (cl/gaps/lanes.h).
struct Range {
  std::int64_t zero = 0;   ///< stands for 0
  std::int64_t never = 0;  ///< stands for no alignment
  std::int64_t least = 0;  ///< values from here on are scores
};

/// Tasks that one program computes: queries of about the same length.
struct Shape {
  ocl::Defines defines;
  int group = 1;  ///< work-items a group
  int pairs = 1;  ///< alignments a word
  int span = 1;   ///< work-items a team, which has a word
  int cols = 1;   ///< columns a work-item
  bool wide = false;
  bool diagonal = false;  ///< layer 0 is but one diagonal: the macro DIAGONAL
  int scores = 0;         ///< how they are found: the macro SCORES
  int trace = 0;          ///< how values are kept for alignments: the macro TRACE
  Range range;
  std::vector<std::uint32_t> slots;   ///< tasks by group, team and pair; GAPS_NOBODY fills up
  std::vector<GapsGroup> groups;      ///< their offsets count from the first group of the launch
  std::vector<std::size_t> launches;  ///< the first group of each, and the end
  std::vector<double> seconds;        ///< of each, as guessed
};

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  std::string variant;
  std::string file;  ///< program; empty for the reference
  tune::Config config;
  Symbols symbols;
  std::vector<Shape> shapes;
  std::uint64_t records = 0;  ///< bytes of the launch that needs most, see GapsGroup
  std::uint64_t values = 0;   ///< likewise
  std::uint64_t bytes = 0;    ///< device memory for them
  double cells = 0;           ///< of the matrices
  bool self_test = false;     ///< the run is a known-answer test itself
  // Of the paper's variants.
  bool single = false;  ///< one target at a time
  enum class Back { kNone, kDevice, kHost } back = Back::kNone;
  std::size_t batch = 0;  ///< pairs at a time
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Variant> variants();

/// Throws UsageError for rules that contradict each other, a symbol without a score, a task outside
/// the texts, and texts so long that a score could leave 32 bits.
void check_problem(const Problem& problem);

/// The plan that solve() would use. Throws UsageError, tune::Unfit.
Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Plans and runs `variant`. Makes sure that the programs' known-answer test has passed on this
/// device (else CheckError). `device` may be null for the reference. Throws UsageError,
/// tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config = {});

using AsyncBatch = batch::AsyncBatch<Problem, Plan, Answer>;

}  // namespace rhomb::gaps
