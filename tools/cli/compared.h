// SPDX-License-Identifier: Apache-2.0
// What rhomb distance and rhomb align share: which pairs they compare, and how they talk of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/pairs.h"
#include "host/distance/run.h"
#include "host/engine/facts.h"
#include "tools/cli/entries.h"
#include "tools/cli/input.h"
#include "tools/cli/options.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"

namespace rhomb::cli {

/// The pairs of two files by order, of the file of --pairs, or of each record with each.
class Compared {
 public:
  /// Opens the files and starts to read. `whole`: everything is wanted before the first pair is
  /// compared. `nucleotides`: as EntryFiles has it, of queries. Throws UsageError.
  Compared(std::vector<std::string> files, const CommandLine& line, const InputOptions& input,
           bool whole, bool nucleotides = false);

  bool all_pairs() const { return input_.all_pairs && !listed_; }
  /// With --shard: of what was read as a whole leaves but the queries, or pairs, of that part.
  /// `rows`: of all pairs those of whole queries, however few these are.
  void cut(bool rows = false);
  /// The first query that is left, of all.
  std::size_t first() const { return first_; }
  /// Whether inputs() would wait for files.
  bool waits() const { return reading_ && !inputs_ && !reading_->ready(); }
  /// All records, with --all-pairs and where everything is wanted: waits for them. Throws as
  /// Reading::get() does, and InputError where they do not pair up.
  const Inputs& inputs();
  /// All pairs of them.
  std::vector<Pair> list();
  /// Pairs one after another; once. Records that are in memory stay there.
  batch::PairSource source();

 private:
  const std::vector<std::string> files_;
  const InputOptions& input_;
  const bool nucleotides_;
  std::optional<EntryFiles> entries_;  // of which there may be any number
  std::optional<Reading> reading_;
  std::optional<Inputs> inputs_;
  std::size_t next_ = 0, first_ = 0;
  bool listed_ = false;  // of all pairs some, next_ to end_
  std::size_t end_ = 0;
};

/// Options of input, with --pairs.
Group compared_group();

/// Whether a command line asks for one pair, as far as it and the first file tell, with --all-pairs
/// both; so where that is standard input.
bool is_one_pair(const CommandLine& line);
/// Whether it asks for the pairs of two files by order.
bool by_order(const CommandLine& line);

/// "A and B", or with many pairs "pair 2 of 10, A and B".
std::string label_of(const PairPlace& place, const Pair& pair);

/// Has a run tell `progress`, which stays while it lasts, what it is at.
template <class Options>
void tell(Options& run, Progress& progress) {
  run.progress = [&progress](const rhomb::Progress& now) { progress.update(now); };
  run.begin = [&progress](const PairPlace& place, const Pair& pair) {
    progress.start(label_of(place, pair));
  };
  run.end = [&progress] { progress.finish(); };
}

/// A pair's part of --explain: its names and lengths, and these facts.
std::string explanation(const Pair& pair, const Facts& facts, bool json);

/// The devices of a verb that may do without, chosen when the first pair needs one.
class LazySession {
 public:
  /// `possible`: it may be needed. Before threads start.
  LazySession(DeviceOptions options, bool possible) : options_(std::move(options)) {
    if (possible) prepare_opencl();
  }

  /// With devices chosen if one is `needed`.
  Session& choose(bool needed);
  /// For a run, which uses it from one thread at a time.
  DeviceAccess access();
  const ocl::DeviceInfo* info() const { return session_ ? session_->info() : nullptr; }

 private:
  DeviceOptions options_;
  std::optional<Session> session_;
};

/// The cells of the whole matrix a second, in billions.
std::string gcups_of(std::size_t query, std::size_t target, double seconds);

/// 1 - distance / longer length.
std::string similarity_of(std::size_t query, std::size_t target, std::int64_t distance);

}  // namespace rhomb::cli
