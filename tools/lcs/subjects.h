// SPDX-License-Identifier: Apache-2.0
// Subjects: a file of them, read in blocks by a thread of its own while others compute. However
// large the file is, no more is in memory than was allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/batch/handover.h"
#include "host/seq/alphabet.h"
#include "host/seq/reader.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Subjects that go through a device together.
struct Block {
  std::size_t number = 0;   ///< from 0, in the order of the file
  std::uint64_t first = 0;  ///< position of its first subject in the file, from 0
  seq::Batch subjects;
  double symbols = 0;  ///< of all subjects
  /// Of the queries and all subjects up to here. Later blocks may bring new symbols, but programs
  /// are built for a number of planes; so that never shrinks.
  seq::Code code;
  std::vector<std::uint32_t> lengths;  ///< of each query with each subject
  double begins = 0, ends = 0;         ///< parts of the file, 0 to 1
  bool more = true;                    ///< other blocks follow
  std::size_t bytes = 0;               ///< of memory that it stands for

  std::uint32_t length(std::size_t query, std::size_t subject) const {
    return lengths[query * subjects.size() + subject];
  }
};

class Subjects {
 public:
  struct Options {
    InputOptions input;
    seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
    std::size_t memory = 0;   ///< bytes for blocks, until they are released
    std::size_t devices = 1;  ///< that share the blocks
  };

  /// Starts to read `path`. `queries` are needed for the code.
  Subjects(std::string path, Options options, const seq::Batch& queries);
  ~Subjects();
  Subjects(const Subjects&) = delete;
  Subjects& operator=(const Subjects&) = delete;

  /// The next block, or nothing at the end: of the file, in front of an error, or after stop(). May
  /// be called by several threads. A block lasts until it is released.
  std::optional<Block> next() { return handover_.take(true); }
  void release(const Block& block) { handover_.release(block.bytes); }
  /// Reads no further.
  void stop() { handover_.stop(); }

  /// Throws what went wrong with the file, if anything has.
  void check() const { handover_.check(); }
  bool failed() const { return handover_.failed(); }
  /// Seconds that reading took, waiting for memory left out; at the end.
  double seconds() const { return seconds_; }

 private:
  void run();
  std::size_t cost_of(const seq::Sequence& subject) const;

  std::string path_;
  Options options_;
  std::size_t queries_;
  std::string query_symbols_;  // each that occurs, once
  double seconds_ = 0;

  std::size_t most_;  // bytes of a block: one is filled while others are computed and printed
  batch::Handover<Block> handover_;
  std::thread thread_;
};

}  // namespace rhomb::cli
