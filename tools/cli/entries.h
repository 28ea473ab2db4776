// SPDX-License-Identifier: Apache-2.0
// EntryFiles: the queries of a file, each with its own target or not, or the pairs of one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/batch/entries.h"
#include "host/batch/pairs.h"
#include "host/seq/reader.h"
#include "tools/cli/pairs.h"

namespace rhomb::cli {

enum class EntryKind {
  kQueries,  ///< targets are read elsewhere
  kByOrder,  ///< the first query with the first target, and so on
  kPairs,    ///< one file has both
};

/// --pairs; `what` says what it does.
Flag pairs_flag(const std::string& what);

/// QUERIES and TARGETS, or the file of --pairs and nothing. Throws UsageError.
std::vector<std::string> entry_files(const CommandLine& line);

/// Throws InputError if two files, which are read for it, have different numbers of records, so
/// that these cannot be compared by order.
void check_by_order(const std::vector<std::string>& files, const InputOptions& input);

class EntryFiles {
 public:
  /// Opens `files`, as entry_files() gives them. `nucleotides`: InputError for symbols without a
  /// complement. Everything stays as it is while this lives.
  EntryFiles(const std::vector<std::string>& files, EntryKind kind, const InputOptions& input,
             bool nucleotides = false);
  EntryFiles(const EntryFiles&) = delete;
  EntryFiles& operator=(const EntryFiles&) = delete;

  batch::Source<batch::Entry> source();
  /// The same of queries that have targets.
  batch::PairSource pairs();

 private:
  /// A file that is read by a thread of its own.
  class File {
   public:
    File(const std::string& path, const InputOptions& input, bool nucleotides);
    batch::ReadAhead& records() { return ahead_; }
    double part() const { return ahead_.part(); }

   private:
    seq::Reader reader_;
    std::size_t count_ = 0;
    batch::ReadAhead ahead_;  // last: its thread uses the others
  };

  double weight() const;
  bool next(batch::Entry& into);
  bool next_pair(batch::Entry& into);
  template <class Record>
  bool next_records(Record& query, Record& target);
  template <class Record>
  bool next_record_pair(Record& query, Record& target);
  void give_records(const std::function<bool(batch::SomePairs&)>& give);
  bool next_line(batch::Entry& into);
  [[noreturn]] void refuse(bool queries_left);
  double part() const { return pairs_ ? pairs_->part() : queries_->part(); }

  const std::vector<std::string>& files_;
  const bool nucleotides_;
  const bool twice_;  // the targets are the queries
  const InputOptions& input_;
  const EntryKind kind_;
  std::optional<ShardCut> cut_;  // of a shard
  std::optional<PairReader> pairs_;
  std::optional<File> queries_, targets_;
  seq::Sequence query_, target_;
  batch::Entry entry_;
  std::size_t count_ = 0;
};

}  // namespace rhomb::cli
