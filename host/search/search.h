// SPDX-License-Identifier: Apache-2.0
// search: where short queries occur in texts with few differences, semi-globally (Myers 1999;
// Chacon, Marco-Sola, Espinosa, Ribeca and Moure 2014). One table of variants; see variants().
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
#include "host/pair.h"

namespace rhomb::search {

/// A query and the piece of a text that it is looked for in: the whole query, any part of the
/// piece.
struct Task {
  std::uint32_t query = 0;   ///< which of Problem::queries
  std::uint32_t text = 0;    ///< which of Problem::texts
  std::uint32_t begin = 0;   ///< first symbol of the piece
  std::uint32_t length = 0;  ///< its symbols
  /// Occurrences that end before so many symbols of the piece do not count: they belong to the piece
  /// before. A multiple of 32; with 0 all count, also the empty one at the very start.
  std::uint32_t skip = 0;
};

/// The occurrence with the fewest differences, and of those the one that ends first.
struct Best {
  static constexpr std::uint32_t kNone = 0x7fffffff;  ///< no end counts

  std::uint32_t distance = kNone;
  std::uint32_t end = 0;  ///< symbols of the piece up to its end
  bool operator==(const Best&) const = default;
};

struct Problem {
  std::span<const std::string_view> queries;  ///< none is empty
  std::span<const std::string_view> texts;
  std::span<const Task> tasks;
  const seq::Code* code = nullptr;  ///< a: of the queries, b: of the texts
  /// Launches are repeated so often with the data in place, for Answer::kernel.
  int repeats = 0;
  std::function<void(const Progress&)> progress = {};  ///< may be empty
  trace::Trace* trace = nullptr;                       ///< records the phases, unless it is null
};

struct Answer {
  std::vector<Best> best;  ///< one a task
  double cells = 0;        ///< of the matrices: the sum of the tasks' m * n
  double compute = 0;      ///< seconds on the device, launches, copies and reads included
  double kernel = 0;       ///< seconds of the launches alone, data in place; with repeats
  double build = 0;        ///< seconds for finding, building and testing programs
  double transfer = 0;     ///< seconds for packing
  tune::Config config;     ///< every tunable with the value that was used
};

/// Tasks that one program computes in one go: queries of about the same length.
struct Shape {
  ocl::Defines defines;
  int group = 1;               ///< work-items a group
  int tasks = 1;               ///< tasks a group
  int strips = 0;              ///< strips a query (strips-batch)
  std::uint32_t shortest = 1;  ///< the queries' lengths that the program takes
  std::uint32_t longest = 1;
  std::uint32_t columns = 0;  ///< symbols of the longest piece
  std::size_t first = 0;      ///< its tasks in Plan::order
  std::size_t count = 0;
  /// Words of scratch memory that each task has for 32 of its columns.
  std::size_t scratch = 0;
};

struct Plan {
  std::string variant;
  std::string file;    ///< program, "strip/batch.cl"; empty for the reference
  std::string kernel;  ///< its name in there
  tune::Config config;
  int planes = 0;
  bool sets = false;
  bool profiles = false;   ///< a bit vector for each query and symbol is made first
  bool self_test = false;  ///< the run is a known-answer test itself
  int lanes = 1;           ///< words a work-item
  std::vector<Shape> shapes;
  std::vector<std::uint32_t> order;  ///< the tasks as the shapes have them; empty: as they are
  std::uint64_t bytes = 0;           ///< device memory
};

using Row = Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Row> variants();

/// The plan that solve() would use.
Plan plan(const Row& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Plans and runs `row`. Makes sure that the programs' known-answer test has passed on this device
/// (else CheckError). `device` may be null for the reference. Throws UsageError for an empty query,
/// tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Row& row, const Problem& problem,
             const tune::Config& config = {});

}  // namespace rhomb::search
