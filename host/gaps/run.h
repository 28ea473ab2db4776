// SPDX-License-Identifier: Apache-2.0
// Run: any number of queries aligned with all targets, or each with its own, on one or more
// devices; what is found comes out in the order of the queries.
//
// Queries are read in blocks, and blocks cut into units (batch::Units), since all pairs of them and
// the targets may be more than memory holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/entries.h"
#include "host/batch/units.h"
#include "host/gaps/gaps.h"
#include "host/seq/sequence.h"
#include "host/tune/store.h"

namespace rhomb::gaps {

using batch::Entry;
using Source = batch::Source<Entry>;

struct Options : batch::Options<Variant> {
  const tune::Store* store = nullptr;  ///< of settings; null: none is used
  const Scoring* scoring = nullptr;
  Rules rules;
  bool align = false;  ///< alignments of what is found, proven
  /// Only so many targets of each query, the best scores first, of equal ones the first.
  std::optional<std::size_t> top;
  /// Only alignments that score so much, scaled (Scoring::scale).
  std::optional<std::int64_t> least;
};

/// A query with a target. Without `top` and `least` there is one for each, also without alignment.
struct Found {
  std::size_t query = 0;   ///< in its block
  std::size_t target = 0;  ///< among all; where each query has its own: in its block
  Best best;
  Alignment alignment;  ///< with Options::align, if there is one
};

struct Block : batch::EntryBlock {
  std::vector<std::string_view> query_views, target_views;  ///< made when it is cut into units
};

/// A part of a block's queries and of the targets, small enough for a device at a time.
class Unit {
 public:
  std::size_t number = 0;        ///< from 0, in order
  const Block* block = nullptr;  ///< stays until Run::release()
  bool last = false;             ///< of its block
  std::vector<Task> tasks;
  Answer answer;
  std::string_view variant;  ///< that has computed it
  std::vector<Found> found;  ///< by query, then as the targets are, or by rank

  /// Computes a sample of what was found again with the reference; how many. Throws CheckError if
  /// one differs.
  std::uint64_t check() const;
  /// The tasks, with scores alone or alignments.
  Problem problem(bool align) const;
  const Options& options() const { return *options_; }
  /// Where the unit's texts begin: Found::query less this is Task::query, likewise for targets.
  std::size_t first_query() const { return first_; }
  std::size_t first_target() const { return first_target_; }

 private:
  friend class Run;
  void choose();
  const Options* options_ = nullptr;
  std::size_t first_ = 0, end_ = 0;  // queries of the block
  std::size_t first_target_ = 0;
  std::span<const std::string_view> queries_, targets_;
  bool goes_on_ = false;  // the last query does in the next unit
};

struct Totals : batch::Totals {
  double queries = 0, pairs = 0;
};

/// A plan, and what --explain says of the setting that it was made by.
struct TunedPlan {
  Plan plan;
  std::string match;
};
/// By what rhomb tune found for queries of this one length, if nothing is asked for and it fits;
/// else as asked. `device` and `store` may be null.
TunedPlan plan_tuned(const tune::Store* store, const ocl::DeviceInfo* device,
                     const Variant& variant, const Problem& problem, const tune::Config& asked);

class Run {
 public:
  /// Starts to read. `targets`: what all queries are aligned with; empty where each has its own.
  /// What `options` and `targets` point to stays as it is while the run lives. Throws UsageError
  /// for rules that contradict each other.
  Run(Source queries, std::span<const seq::Sequence> targets, Options options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The next unit in the order of the queries, computed; nothing at the end of the queries or in
  /// front of an error in them, see check(). Throws what a device throws.
  std::optional<Unit> next();
  /// Its memory may be used again. Units are to be released in order.
  void release(const Unit& unit);

  /// The first unit of the largest block, not computed, and the variant that would; instead of
  /// next().
  std::optional<Unit> largest();
  /// What the run takes if `plan` is that unit's.
  batch::Memory memory(const Unit& unit, const Plan& plan) const;
  const Variant& variant() const { return host_ ? variants().back() : *options_.variant; }

  /// Throws what went wrong with the queries, if anything has.
  void check() const { units_->check(); }
  bool failed() const { return units_->failed(); }
  const Totals& totals() const { return totals_; }

 private:
  struct Worker;
  void check_symbols(const std::string& file, const std::string& name,
                     std::string_view symbols) const;
  void open(Block& block);
  void cut(Unit& unit);
  void make_tasks(Unit& unit) const;
  void merge(Unit& unit);

  Options options_;
  std::vector<std::string_view> targets_;
  double target_symbols_ = 0;
  std::size_t slots_ = 1;  // units on their way a device
  std::size_t most_tasks_ = 1;

  std::size_t query_ = 0, target_ = 0;  // where the next unit begins
  bool host_ = false;   // the whole problem is so small that the host is done sooner
  bool asked_ = false;  // for a variant or tunables
  Totals totals_;
  std::vector<Found> held_;                         // the best so far of the query that goes on
  std::optional<batch::Units<Block, Unit>> units_;  // last: its threads use the others
};

/// A query with a target, with names, for callers of gaps().
struct Aligned {
  std::string_view query, target;  ///< names
  std::size_t query_length = 0, target_length = 0;
  const Found& found;
  const Replayed* replayed = nullptr;  ///< of the alignment, if there is one; with its CIGAR
};

/// All of it: `take` is called for each Found, in order. Throws what Run throws, and what was wrong
/// with the queries after what was found before.
Totals gaps(Source queries, std::span<const seq::Sequence> targets, const Options& options,
            const std::function<void(const Aligned&)>& take);

}  // namespace rhomb::gaps
