// SPDX-License-Identifier: Apache-2.0
// EntryFiles: the queries of a file, each with its own target or not, or the pairs of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/batch/entries.h"
#include "host/seq/reader.h"
#include "tools/cli/pairs.h"

namespace rhomb::cli {

enum class EntryKind {
  kQueries,  ///< targets are read elsewhere
  kByOrder,  ///< the first query with the first target, and so on
  kPairs,    ///< one file has both
};

/// QUERIES and TARGETS, or the file of --pairs and nothing. Throws UsageError.
std::vector<std::string> entry_files(const CommandLine& line);

class EntryFiles {
 public:
  /// Opens `files`, as entry_files() gives them. `nucleotides`: InputError for symbols without a
  /// complement. Everything stays as it is while this lives.
  EntryFiles(const std::vector<std::string>& files, EntryKind kind, const InputOptions& input,
             bool nucleotides = false);
  EntryFiles(const EntryFiles&) = delete;
  EntryFiles& operator=(const EntryFiles&) = delete;

  batch::Source<batch::Entry> source();

 private:
  bool next(batch::Entry& into);
  bool next_pair(batch::Entry& into);

  const std::vector<std::string>& files_;
  const InputOptions& input_;
  const bool nucleotides_;
  std::optional<PairReader> pairs_;
  std::optional<seq::Reader> queries_, targets_;
  seq::Sequence query_, target_;
  std::size_t count_ = 0;
};

}  // namespace rhomb::cli
