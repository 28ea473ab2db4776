// SPDX-License-Identifier: Apache-2.0
// lcs: lengths of the longest common subsequences of one query with many subjects (Ozsoy, Chauhan
// and Swany 2013). One table of variants; see variants().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine.h"
#include "host/lcs/chunks.h"
#include "host/ocl/device.h"
#include "host/pair.h"

namespace rhomb::lcs {

/// One query, many subjects, and how their symbols compare.
struct Problem {
  std::string_view query;                              ///< length m
  std::span<const std::string_view> subjects;          ///< of any lengths, also empty
  const seq::Code* code = nullptr;                     ///< a: of the query, b: of the subjects
  std::function<void(const Progress&)> progress = {};  ///< may be empty
  trace::Trace* trace = nullptr;                       ///< records the phases, unless it is null
  /// Whether Answer::kernel is wanted: everything is then computed a second time.
  bool time_kernel = false;
};

struct Answer {
  std::vector<std::uint32_t> lengths;  ///< of the longest common subsequences, one a subject
  double cells = 0;                    ///< m times the subjects' symbols
  double compute = 0;  ///< seconds on the device, launches, copies and reads included
  /// Seconds of the launches alone, with the data resident; 0 unless Problem::time_kernel. They are
  /// those of a second run, which waits for all copies before the launches of each round of queues.
  double kernel = 0;
  double build = 0;     ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing what is not hidden behind launches
  tune::Config config;  ///< every tunable with the value that was used
};

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  std::string variant;
  std::string file;     ///< program, "lcs/strips.cl"; empty for the reference
  tune::Config config;  ///< every tunable with the value it has
  int group = 1;        ///< work-items a group
  int lanes = 1;        ///< lanes a work-item (a vector register on a CPU)
  int strips = 32;      ///< strips a subject; 32 / strips subjects share a lane
  int k = 1;            ///< rows a strip
  int words = 0;        ///< of the row vector in a block; 0: strips
  bool local = false;   ///< alphabet strings in local memory, else in constant memory
  bool allison = false;
  int planes = 0;           ///< bits a symbol
  bool sets = false;        ///< symbols match when they share a base (seq::Matching::kSets)
  std::int64_t m = 0;       ///< length of the query
  std::int64_t blocks = 1;  ///< of the query's rows
  int queues = 1;           ///< chunks that are copied and computed at a time
  /// Operations on 32-bit registers for one column of a subject and all rows, a guess: what rows
  /// are compared by (choose()).
  double operations = 0;
  double rate = 1e9;          ///< cells a second that launches are cut by, from the same guess
  bool self_test = false;     ///< the run is a known-answer test itself
  std::uint64_t bytes = 0;    ///< device memory
  std::vector<Chunk> chunks;  ///< of the subjects that are not empty, longest first

  int block_rows() const { return words > 0 ? 32 * words : strips * k; }
  int subjects_of_lane() const { return words > 0 ? 1 : 32 / strips; }
  /// Words that 32 columns of a lane's subjects take (cl/lcs/lanes.h).
  int text_words() const;
  int stream_words() const { return words > 0 ? (allison ? 2 : 1) : subjects_of_lane(); }
  /// Blocks of rows that a launch over `chunk` takes: not longer than displays and drivers bear.
  std::int64_t launch_blocks(const Chunk& chunk) const;
  /// Macros the program is built with.
  ocl::Defines defines() const;
};

using Row = Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Row> variants();

/// The row to take where none is asked for: of those that fit, the one with the fewest operations.
/// That is crochemore on GPUs, but for short queries, and strips-lcs on CPUs, which have vectors.
const Row& choose(const Problem& problem, const ocl::Limits& limits);

/// Plans and runs `row`: answers what needs no device, makes sure that the program's known-answer
/// test has passed on this device (else CheckError). `device` may be null for the reference row.
///
/// Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Row& row, const Problem& problem,
             const tune::Config& config = {});

/// The plan that solve() would use.
Plan plan(const Row& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

}  // namespace rhomb::lcs
