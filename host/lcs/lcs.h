// SPDX-License-Identifier: Apache-2.0
// lcs: lengths of the longest common subsequences of queries with many targets (Ozsoy, Chauhan and
// Swany 2013, who have one query). One table of variants; see variants().
//
// Targets lie on a device in a layout that does not depend on the query, so each chunk of them is
// packed and copied once and meets all queries there, before the next chunk takes its place.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/lcs/chunks.h"
#include "host/ocl/device.h"

namespace rhomb::lcs {

/// One query or several, many targets, and how their symbols compare.
struct Problem {
  std::string_view query;                          ///< length m
  std::span<const std::string_view> queries = {};  ///< several; `query` is then left out
  std::span<const std::string_view> targets;       ///< of any lengths, also empty
  const seq::Code* code = nullptr;                 ///< a: of the queries, b: of the targets
  /// May be empty. What it throws ends the run.
  std::function<void(const Progress&)> progress = {};
  std::size_t threads = 0;        ///< of the host, at most; 0: as many as it has cores
  trace::Trace* trace = nullptr;  ///< records the phases, unless it is null
  /// Whether Answer::kernel is wanted: everything is then computed a second time.
  bool time_kernel = false;

  std::span<const std::string_view> all_queries() const {
    return queries.empty() ? std::span(&query, 1) : queries;
  }
};

/// Symbols of all texts together.
double symbols_of(std::span<const std::string_view> texts);

struct Answer {
  /// Of the longest common subsequences: of the first query with each target, then of the next.
  std::vector<std::uint32_t> lengths;
  double cells = 0;    ///< the queries' symbols times the targets'
  double compute = 0;  ///< seconds on the device, launches, copies and reads included
  /// Seconds of the launches alone, with the data resident; 0 unless Problem::time_kernel. They are
  /// those of a second run, which waits for all copies before the launches of each round of queues.
  double kernel = 0;
  double build = 0;     ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing what is not hidden behind launches
  tune::Config config;  ///< every tunable with the value that was used
};

/// How the rows of a query are cut.
struct QueryPlan {
  std::int64_t m = 0;       ///< length of the query
  int size = 1;             ///< K, rows a strip; or W, words of the row vector in a block
  std::int64_t blocks = 0;  ///< of the query's rows; the last one may have some to spare
  /// Operations on 32-bit registers for one column of a target and all rows, a guess.
  double operations = 0;
};

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  std::string file;     ///< program, "lcs/strips.cl"; none of the reference
  std::string kernel;   ///< its name in there
  tune::Config config;  ///< every tunable with the value it has
  int group = 1;        ///< work-items a group
  int lanes = 1;        ///< lanes a work-item (a vector register on a CPU)
  /// Strips a target, 32 / strips targets share a lane; 0: row vectors.
  int strips = 32;
  bool local = false;  ///< alphabet strings in local memory, else in constant memory
  bool allison = false;
  int planes = 0;                  ///< bits a symbol
  bool sets = false;               ///< symbols match when they share a base (seq::Matching::kSets)
  std::vector<QueryPlan> queries;  ///< of few sizes, because each is a program
  int queues = 1;                  ///< chunks that are copied and computed at a time
  double speed = 1e9;              ///< operations a second that launches are cut by, a guess
  bool self_test = false;          ///< the run is a known-answer test itself
  std::uint64_t bytes = 0;         ///< device memory
  std::vector<Chunk> chunks;       ///< of the targets that are not empty, longest first

  /// Rows in a block of a query with this K or W.
  int block_rows(int size) const { return (strips > 0 ? strips : 32) * size; }
  int targets_of_lane() const { return strips > 0 ? 32 / strips : 1; }
  /// Words that 32 columns of a lane's targets take (cl/lcs/lanes.h).
  int text_words() const;
  int stream_words() const { return strips > 0 ? targets_of_lane() : allison ? 2 : 1; }
  /// Whether the words of all queries are in one buffer: constant memory has no room for that.
  bool in_one_buffer() const { return strips > 0 || local; }
  /// Words that the device has of a query: planes of its rows, or alphabet strings.
  std::size_t words_of(const QueryPlan& query) const;
  /// Seconds that a launch of one of the query's blocks over `chunk` takes, a guess.
  double block_seconds(const QueryPlan& query, const Chunk& chunk) const;
  /// Blocks of a query that a launch over `chunk` takes: not longer than displays and drivers bear.
  std::int64_t launch_blocks(const QueryPlan& query, const Chunk& chunk) const;
  /// K or W of each program, ascending.
  std::vector<int> sizes() const;
  /// The one that most of the queries' rows have.
  int usual_size() const;
  /// Macros that the program of a size is built with.
  ocl::Defines defines(int size) const;
  /// Of all queries: rows, those that fill up blocks included, and operations.
  double rows() const;
  double operations() const;
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Variant> variants();

/// What a row would take.
struct Candidate {
  const Variant* row = nullptr;
  double operations = 0;  ///< a cell
  std::string unfit;      ///< why it cannot be taken; empty: it can
};

/// The rows that choose() has in view, in the table's order: those in OpenCL, with the tunables of
/// `config`.
std::vector<Candidate> candidates(const Problem& problem, const ocl::Limits& limits,
                                  const tune::Config& config = {});

/// The row to take where none is asked for: of those that fit, the one with the fewest operations;
/// the reference if none does. That is crochemore on GPUs, but for short queries, and strips-lcs on
/// CPUs, which have vectors.
const Variant& choose(std::span<const Candidate> candidates);
const Variant& choose(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config = {});

/// Plans and runs `row`: answers what needs no device, makes sure that the program's known-answer
/// test has passed on this device (else CheckError). `device` may be null for the reference row.
///
/// Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& row, const Problem& problem,
             const tune::Config& config = {});

/// The plan that solve() would use.
Plan plan(const Variant& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

}  // namespace rhomb::lcs
