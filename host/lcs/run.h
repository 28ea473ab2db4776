// SPDX-License-Identifier: Apache-2.0
// Run: queries with any number of targets, on one or more devices. Targets are read in blocks
// (batch::Reader); each device has a thread, which takes the next block as soon as it is done with
// one; what comes out is in the order of the targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/reader.h"
#include "host/batch/run.h"
#include "host/batch/workers.h"
#include "host/lcs/lcs.h"
#include "host/seq/sequence.h"
#include "host/tune/store.h"

namespace rhomb::lcs {

using Source = batch::Source<seq::Sequence>;

/// Without a variant each device takes choose()'s for its first block.
struct Options : batch::Options<Variant> {
  const tune::Store* store = nullptr;  ///< of settings; null: none is used
  std::optional<std::size_t> top;      ///< only so many targets a query, the longest lengths
  std::uint32_t least = 0;             ///< only subsequences as long as this
  bool subsequence = false;            ///< not only lengths
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
};

/// Targets that go through a device together.
struct Block : batch::Block {
  seq::Batch targets;
  double symbols = 0;  ///< of all of them
  /// Of the queries and all targets up to here. Later blocks may bring new symbols, but programs
  /// are built for a number of planes; so that never shrinks.
  seq::Code code;
  std::vector<std::uint32_t> lengths;  ///< of each query with each target

  std::uint32_t length(std::size_t query, std::size_t target) const {
    return lengths[query * targets.size() + target];
  }
  std::vector<std::string_view> views() const;  ///< the symbols of the targets
};

struct Totals : batch::Totals {
  std::uint64_t targets = 0;
};

/// The queries that go over a block of targets together: all, if they are not very long.
std::vector<std::vector<std::string_view>> query_sets(std::span<const seq::Sequence> queries);

/// Computes a sample of the block's lengths again, all if that is fast: short pairs by plain
/// dynamic programming, long ones by finding a subsequence. Returns how many; throws CheckError
/// where one differs. The same pairs each time. `threads`: as Options has it.
std::uint64_t check(std::span<const seq::Sequence> queries, const Block& block,
                    std::size_t threads);

class Run {
 public:
  /// Starts to read. `queries`, and what `options` points to, stay as they are while the run lives.
  Run(std::span<const seq::Sequence> queries, Source targets, Options options);
  ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The next block, with lengths; nothing at the end of the targets or in front of an error in
  /// them, see check(). Throws what a device throws.
  std::optional<Block> next();
  /// Its memory may be used again.
  void release(const Block& block) { reader_->release(block.bytes); }

  /// The largest block (batch::Reader::largest()), without lengths; instead of next().
  std::optional<Block> largest();
  /// Bytes of the host that the run takes, where all blocks are like this one; about.
  std::uint64_t host_bytes(const Block& block) const;
  /// Whether `block` is all that there is, and so little that the host does it, unless a variant or
  /// a configuration was asked for.
  bool on_host(const Block& block) const;

  /// Throws what went wrong with the targets, if anything has.
  void check() const { reader_->check(); }
  bool failed() const { return reader_->failed(); }
  /// Seconds that reading took; at the end.
  double read_seconds() const { return reader_->seconds(); }
  /// After the last block.
  const Totals& totals() const { return totals_; }

 private:
  void read(batch::Reader<Block>& reader, const Source& source);
  void work(std::size_t number);
  void solve(ocl::Device* device, const Variant*& variant, Block& block);
  void solve(ocl::Device* device, const Variant& variant, Problem& problem, double before,
             Block& block);
  void report(const Block& block, double part, double cells);

  Options options_;
  std::span<const seq::Sequence> queries_;
  std::vector<std::vector<std::string_view>> sets_;  // of queries
  double query_symbols_ = 0;
  std::string query_alphabet_;       // each symbol that occurs, once
  std::array<bool, 256> present_{};  // symbols of all targets so far
  std::mutex mutex_;
  Totals totals_;
  double reported_ = 0;  // part done
  bool started_ = false;
  std::optional<batch::Reader<Block>> reader_;
  batch::Workers<Block> workers_;  // last: its threads use the others
};

/// A length with names, for callers of lcs().
struct Found {
  std::size_t query = 0;
  std::string_view target;  ///< its name
  std::int64_t target_length = 0;
  std::uint32_t length = 0;
  std::size_t rank = 0;     ///< with Options::top: 1 for the longest of the query
  std::string subsequence;  ///< with Options::subsequence: its symbols, as the query has them
};

/// All of it: `take` is called for each length, in the order of the targets, for each in that of
/// the queries; with `top` in the order of the queries, the longest first. Throws what Run throws,
/// and what was wrong with the targets after the lengths of those before.
Totals lcs(std::span<const seq::Sequence> queries, Source targets, const Options& options,
           const std::function<void(const Found&)>& take);

}  // namespace rhomb::lcs
