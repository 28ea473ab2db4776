// SPDX-License-Identifier: Apache-2.0
// Paths: the canonical alignments of many pairs at a time whose distances are known, walked on the
// device (cl/wfa/paths.cl). What is kept for a pair grows with the square of its distance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/engine/program.h"
#include "host/ocl/device.h"
#include "host/seq/alphabet.h"
#include "host/seq/cigar.h"
#include "host/trace/trace.h"
#include "host/tune/config.h"
#include "host/wfa/pairs.h"

namespace rhomb::align {

/// A pair of texts, by their numbers, and its distance.
struct PathTask {
  std::uint32_t a = 0, b = 0;
  std::uint32_t distance = 0;
};

struct PathsPlan {
  /// A program, and up to which distance it is used.
  struct Stage {
    std::int64_t most = 0;
    int group = 1;  ///< work-items
    ocl::Defines defines = {};
  };
  std::vector<Stage> stages;     ///< ascending
  int planes = 0;                ///< of the texts
  bool sets = false;             ///< seq::Matching::kSets
  std::uint64_t cell_bytes = 0;  ///< of a cell
  std::uint64_t bytes = 0;       ///< for cells of all groups, at most
  std::uint32_t groups = 0;      ///< at a time, at most
  bool self_test = false;        ///< it is for the known-answer test itself

  /// The largest distance that there is memory for.
  std::int64_t most() const;
};

/// For texts of at most `longest` symbols. Pure. Throws tune::Unfit.
PathsPlan plan_paths(const seq::Code& code, std::int64_t longest, const ocl::Limits& limits,
                     const tune::Config& config);

struct PathsProblem {
  const wfa::PackedTexts* a = nullptr;  ///< on the device that walks, packed with `code`
  const wfa::PackedTexts* b = nullptr;
  std::span<const PathTask> tasks;  ///< distances up to PathsPlan::most(); these must be right
  const seq::Code* code = nullptr;
  trace::Trace* trace = nullptr;
};

/// Edits as cl/wfa/paths.h has them; of task i those from first[i] on, as many as its distance.
struct PathsAnswer {
  std::span<const std::uint32_t> edits;  ///< good until the next start()
  std::vector<std::uint32_t> first;
  double compute = 0, build = 0;  ///< seconds, as in rhomb::Answer
};

/// Bytes of the cells of as many groups as there are tasks or may be, for distances up to this in
/// texts that are as long as each other; at most.
std::uint64_t most_cell_bytes(const PathsPlan& plan, std::size_t tasks, std::uint32_t distance);
/// And what each task takes besides, on the device and of the host's pinned memory.
std::uint64_t path_task_bytes(std::uint32_t distance);

/// The path that edits say, of m symbols with n. It is to be verified.
Cigar path_of(std::span<const std::uint32_t> edits, std::size_t m);

/// Batches one after another on a queue of a device, as wfa::PairsBatch.
class PathsBatch {
 public:
  PathsBatch(ocl::Device& device, std::size_t queue);
  ~PathsBatch();
  PathsBatch(PathsBatch&&) noexcept;
  PathsBatch& operator=(PathsBatch&&) noexcept;

  /// Builds and tests the programs, enqueues all, and returns. Tasks may go then; the texts and the
  /// trace stay until finish(). Throws as solve() does.
  void start(const PathsPlan& plan, const PathsProblem& problem);
  PathsAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhomb::align
