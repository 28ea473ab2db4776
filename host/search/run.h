// SPDX-License-Identifier: Apache-2.0
// Run: any number of queries looked for in all targets, or of pairs, on one or more devices; what
// is found comes out in the order of the queries.
//
// Queries are read in blocks, and blocks cut into units (batch::Units), because there is at least
// one task for each query and target, and many short targets make more tasks than memory holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/entries.h"
#include "host/batch/units.h"
#include "host/search/search.h"
#include "host/seq/cigar.h"
#include "host/seq/sequence.h"
#include "host/tune/store.h"

namespace rhomb::search {

/// Which occurrences are wanted.
enum class Wanted {
  kBest,  ///< one a query (or pair): the fewest differences; of several on the strand +, in the
          ///< first target, with the first end
  kRuns,  ///< the best of each run of adjacent ends
  kEnds,  ///< every end
};

using batch::Entry;
using Source = batch::Source<Entry>;

struct Options : batch::Options<Variant> {
  const tune::Store* store = nullptr;  ///< of settings; null: none is used
  Wanted wanted = Wanted::kBest;
  /// Occurrences with more differences do not count; neither do those of no symbols then, which are
  /// everywhere if a query is no longer. Not optional for kRuns and kEnds.
  std::optional<std::uint32_t> most;
  bool both_strands = false;
  bool cigar = false;
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;

  std::size_t strands() const { return both_strands ? 2 : 1; }
};

/// An occurrence of a query.
struct Hit {
  std::size_t query = 0;           ///< in its block
  bool reversed = false;           ///< on the strand -
  std::size_t target = 0;          ///< among all; of pairs: in its block
  std::size_t begin = 0, end = 0;  ///< in the target, 0-based, the end not included
  std::uint32_t distance = 0;
  Cigar cigar;  ///< if one was asked for
};

struct Block : batch::EntryBlock {
  batch::Texts reversed;  ///< reverse complements, with Options::both_strands
  std::size_t held() const {
    return EntryBlock::held() + reversed.bytes() + reversed.size() * sizeof(std::string_view);
  }
  /// Of the symbols of all queries and targets up to here. Later blocks may bring new symbols, but
  /// programs are built for a number of planes; so that never shrinks.
  seq::Code code;

  // Made when the block is cut into units.
  std::vector<std::string_view> views;  ///< of each query, on the strand + and, if asked for, -
  std::vector<std::string_view> own_targets;
  std::uint32_t piece = 0;  ///< symbols of the pieces that targets are cut into
};

/// The end of an occurrence, when it is not yet known where that begins.
struct Candidate {
  bool reversed = false;
  std::size_t target = 0, end = 0;
  std::uint32_t distance = Best::kNone;
};

/// A part of a block's queries and of the targets, small enough for a device at a time; with
/// answers when it comes out of a Run.
class Unit {
 public:
  std::size_t number = 0;          ///< from 0, in order
  const Block* block = nullptr;    ///< stays until Run::release()
  std::size_t first = 0, end = 0;  ///< queries of the block; the first and last ones may be in
                                   ///< other units too
  bool last = false;               ///< of its block
  Answer answer;
  std::string_view variant;  ///< that has computed it

  /// The occurrences of query `i`, first <= i < end. May be called by several threads.
  std::vector<Hit> hits(std::size_t i) const;
  /// Computes a sample of the answers again, by plain dynamic programming: all of them where that
  /// takes less than a second. Returns how many. Throws CheckError if one differs.
  std::uint64_t check() const;
  /// The tasks, without what a device keeps.
  Problem problem() const;
  /// The name of the query that a task is about.
  std::string_view name_of(const Task& task) const {
    return block->names[first + task.query / options_->strands()];
  }

 private:
  friend class Run;
  std::span<const Task> tasks_of(std::size_t query) const;
  Candidate best_of(std::size_t query) const;
  void all_of(std::size_t query, std::vector<Hit>& hits) const;
  std::string_view target_of(const Task& task) const {
    return targets_[targets_before_ + task.text];
  }
  std::string_view view(std::size_t query, bool reversed) const {
    return block->views[query * options_->strands() + (reversed ? 1 : 0)];
  }

  const Options* options_ = nullptr;
  std::size_t first_target_ = 0, end_target_ = 0;       // of the first and the last query
  bool goes_on_ = false;                                // the last query does in the next unit
  std::span<const std::string_view> targets_;           // all, or those of the block's pairs
  std::size_t targets_before_ = 0, targets_count_ = 0;  // those that the tasks count
  std::size_t part_ = 0;                                // of a device's targets
  std::vector<Task> tasks_;
  std::optional<Candidate> before_;  // the best of the first query in the units before
};

struct Totals : batch::Totals {
  double queries = 0;
};

class Run {
 public:
  /// Starts to read. `targets`: what all queries are compared with; empty where each has its own.
  /// `store`, and what `options` and `targets` point to, stay as they are while the run lives.
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
  /// What the run takes if `plan` is that unit's, on devices like this one.
  batch::Memory memory(const Unit& unit, const Plan& plan, const ocl::Limits& limits) const;
  const Variant& variant() const { return host_ ? variants().back() : *options_.variant; }

  /// Throws what went wrong with the queries, if anything has.
  void check() const { units_->check(); }
  bool failed() const { return units_->failed(); }
  const Totals& totals() const { return totals_; }

 private:
  struct Worker;
  void close(Block& block);
  std::uint32_t piece_of(const Block& block) const;
  void open(Block& block);
  void cut(Unit& unit);
  void make_tasks(Unit& unit) const;

  Options options_;
  bool gpu_ = false;
  std::vector<std::string_view> targets_;
  double target_symbols_ = 0;
  std::size_t longest_target_ = 0;
  std::string target_alphabet_, query_alphabet_;  // the symbols that occur, each once
  std::vector<std::size_t> parts_;  // of the targets, each of which is on a device in one piece:
                                    // where they begin, and the end
  std::size_t slots_ = 1;           // units on their way a device
  std::size_t most_tasks_ = 1;      // of a unit
  double most_cells_ = std::numeric_limits<double>::infinity();  // likewise

  std::size_t query_ = 0, target_ = 0;  // where the next unit begins
  bool host_ = false;   // the whole problem is so small that the host is done sooner
  bool asked_ = false;  // for a variant or tunables
  Totals totals_;
  std::optional<Candidate> best_;                   // so far, of the query that goes on
  std::optional<batch::Units<Block, Unit>> units_;  // last: its threads use the others
};

/// Where parts begin that have at most `most` symbols each, every text from a word of 32 on; and
/// the end. A longer text is a part of its own.
std::vector<std::size_t> parts_of_texts(std::span<const std::string_view> texts,
                                        std::uint64_t most);

/// Symbols that an occurrence of a query of `m` with at most `most` differences takes at most, as a
/// multiple of 32.
std::uint32_t longest_occurrence(std::size_t m, std::optional<std::uint32_t> most);

/// An occurrence with names, for callers of search().
struct Occurrence {
  std::string_view query, target;  ///< names
  std::size_t query_length = 0, target_length = 0;
  const Hit& hit;
};

/// All of it: `take` is called for each occurrence, in the order of the queries, for each in the
/// order of targets and ends. Throws what Run throws, and what was wrong with the queries after the
/// occurrences of those before.
Totals search(Source queries, std::span<const seq::Sequence> targets, const Options& options,
              const std::function<void(const Occurrence&)>& take);

}  // namespace rhomb::search
