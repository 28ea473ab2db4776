// SPDX-License-Identifier: Apache-2.0
// search: where short queries occur in texts with few differences, semi-globally (Myers 1999;
// Chacon, Marco-Sola, Espinosa, Ribeca and Moure 2014). One table of variants; see variants().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/async_batch.h"
#include "host/batch/run.h"
#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"

namespace rhomb::search {

/// A query and the piece of a text that it is looked for in: the whole query, any part of the
/// piece; with Problem::whole all of it.
struct Task {
  std::uint32_t query = 0;   ///< which of Problem::queries
  std::uint32_t text = 0;    ///< which of Problem::texts
  std::uint32_t begin = 0;   ///< first symbol of the piece
  std::uint32_t length = 0;  ///< its symbols
  /// Occurrences that end before so many symbols of the piece do not count: they belong to the
  /// piece before. A multiple of 32; with 0 all count, also the empty one at the very start.
  std::uint32_t skip = 0;
};

/// The occurrence with the fewest differences, and of those the one that ends first.
struct Best {
  static constexpr std::uint32_t kNone = 0x7fffffff;  ///< no end counts

  std::uint32_t distance = kNone;
  std::uint32_t end = 0;  ///< symbols of the piece up to its end
  bool operator==(const Best&) const = default;
};

/// Texts that stay on a device, for many problems.
class ResidentTexts {
 public:
  /// Packs the texts with code.b and copies them there. Throws UsageError where they have 2^32
  /// symbols or more together, ocl::DeviceError, MemoryError.
  ResidentTexts(ocl::Device& device, std::span<const std::string_view> texts, const seq::Code& code,
                std::uint32_t longest_piece);

  const ocl::Buffer<std::uint32_t>& words() const { return words_; }
  /// First symbols, among all that are packed, and lengths.
  std::span<const std::uint32_t> starts() const { return starts_; }
  std::span<const std::uint32_t> lengths() const { return lengths_; }
  std::uint32_t longest_piece() const { return longest_piece_; }
  /// Whether the texts were packed as `code` has them.
  bool fits(const seq::Code& code) const;

 private:
  std::vector<std::uint32_t> starts_, lengths_;
  std::uint32_t longest_piece_;
  seq::Code code_;
  ocl::Buffer<std::uint32_t> words_;
};

struct Problem {
  std::span<const std::string_view> queries;  ///< none is empty
  std::span<const std::string_view> texts;    ///< not needed with `resident`, but for the reference
  std::span<const Task> tasks;
  const seq::Code* code = nullptr;  ///< a: of the queries, b: of the texts
  /// Queries are compared with all of their pieces: Best::distance is the edit distance of both,
  /// end the piece's length. Only strips-batch in OpenCL and the reference can do so; Task::skip is
  /// 0.
  bool whole = false;
  /// The texts, on the device that computes; null: they are packed and copied with the problem. A
  /// piece that is longer than ResidentTexts::longest_piece() is a UsageError, and so is another
  /// code.
  const ResidentTexts* resident = nullptr;
  /// Launches are repeated so often with the data in place, for Answer::kernel.
  int repeats = 0;
  std::function<void(const Progress&)> progress = {};  ///< may be empty
  std::size_t threads = 0;        ///< of the host, at most; 0: as many as it has cores
  trace::Trace* trace = nullptr;  ///< records the phases, unless it is null
};

struct Answer {
  std::vector<Best> best;  ///< one a task
  double cells = 0;        ///< of the matrices: the sum of the tasks' m * n
  /// Seconds on the device, launches, copies and reads included; of batches that take turns, what
  /// they wait for each other too.
  double compute = 0;
  double kernel = 0;    ///< seconds of the launches alone, data in place; with repeats
  double build = 0;     ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing
  tune::Config config;  ///< every tunable with the value that was used
};

/// Tasks that one program computes in one go: queries of about the same length.
struct Shape {
  ocl::Defines defines;
  int group = 1;               ///< work-items a group
  int tasks = 1;               ///< tasks a group
  int strips = 0;              ///< strips a query (strips-batch), or words
  std::uint32_t shortest = 1;  ///< of its queries
  std::uint32_t longest = 1;
  /// Lengths of queries for the program's known-answer test, which the program takes and which
  /// touch its borders. None is more than a few thousand, unless the program takes no shorter ones.
  std::vector<std::uint32_t> tested;
  std::uint32_t columns = 0;  ///< symbols of the longest piece
  std::size_t first = 0;      ///< its tasks in Plan::order
  std::size_t count = 0;
  /// Words of scratch memory that each task has for 32 of its columns.
  std::size_t scratch = 0;
};

struct Plan {
  std::string file;    ///< program, "search/batch.cl"; none of the reference
  std::string kernel;  ///< its name in there
  tune::Config config;
  int planes = 0;
  bool sets = false;
  bool whole = false;  ///< Problem::whole
  /// A bit vector for each query and symbol is made first, of Shape::strips words; no two shapes
  /// take the same lengths then.
  bool profiles = false;
  bool self_test = false;  ///< the run is a known-answer test itself
  int lanes = 1;           ///< words a work-item
  std::vector<Shape> shapes;
  std::vector<std::uint32_t> order;  ///< the tasks as the shapes have them; empty: as they are
  std::uint64_t bytes = 0;           ///< device memory for profiles
  double cells = 0;                  ///< of the matrices: the sum of the tasks' m * n
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// Throws UsageError where a place in texts that are packed one after another, each from a word of
/// 32 symbols on, is not a number of 32 bits.
void check_places(std::span<const std::uint32_t> lengths);

/// The table, best first, the reference last.
std::span<const Variant> variants();

/// The plan that solve() would use.
Plan plan(const Variant& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Plans and runs `row`. Makes sure that the programs' known-answer test has passed on this device
/// (else CheckError). `device` may be null for the reference. Throws UsageError for an empty query,
/// tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& row, const Problem& problem,
             const tune::Config& config = {});

/// What a batch takes, on the device and of the host's pinned memory; `grown`: after others.
batch::Memory batch_memory(const Plan& plan, const Problem& problem, const ocl::Limits& limits,
                           bool grown);
/// Likewise texts that stay on a device, as packed with `code`.
std::uint64_t resident_bytes(std::span<const std::string_view> texts, const seq::Code& code,
                             std::uint32_t longest_piece);

using AsyncBatch = batch::AsyncBatch<Problem, Plan, Answer>;

}  // namespace rhomb::search
