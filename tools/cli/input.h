// SPDX-License-Identifier: Apache-2.0
// Input: two files, their records, and which of them are compared with which.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/seq/sequence.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

using seq::Pair;

/// The file as messages call it.
std::string shown(const std::string& path);

/// The records of both files, after choosing and joining them.
struct Inputs {
  seq::Batch a;
  std::optional<seq::Batch> b;  ///< nothing: the same file as `a`
  double seconds = 0;           ///< the reading took this long
  const seq::Batch& second() const { return b ? *b : a; }
};

/// Reads both files at the same time, while the caller does something else.
class Reading {
 public:
  /// At most one of them is standard input, which is read only in get(), so that nothing waits for
  /// a user who will first see an error.
  Reading(std::string a, std::string b, InputOptions options);

  /// Whether get() will not wait for files, or hardly.
  bool ready() const;
  /// Waits. Throws what the reader throws, and InputError for records that are not there and for
  /// ambiguous symbols that are not allowed.
  Inputs get();

 private:
  struct File {
    seq::Batch records;
    double seconds = 0;
  };
  std::future<File> start(const std::string& path) const;

  std::string a_;
  std::string b_;
  InputOptions options_;
  std::future<File> first_;
  std::future<File> second_;
};

/// The pairs to compare. Throws InputError if the files have different numbers of records and these
/// are to be taken by order.
std::vector<Pair> make_pairs(const Inputs& inputs, const std::string& a, const std::string& b,
                             const InputOptions& options);

/// Throws InputError if `record`, which is record `index` (from 0) of the file, has one of the
/// IUPAC ambiguity codes.
void forbid_ambiguous(const std::string& path, const seq::Sequence& record, std::size_t index);

/// Throws InputError if `record` has a symbol that is no nucleotide and so has no complement.
void require_nucleotides(const std::string& path, const seq::Sequence& record, std::size_t index);
/// Likewise for symbols that stand in `line`, 0 if that is not known.
void require_nucleotides(const std::string& path, const std::string& name, std::string_view symbols,
                         long line);

/// Throws InputError for what `input` and `nucleotides`, as above, do not allow in a record.
void check_record(const std::string& path, const seq::Sequence& record, std::size_t index,
                  const InputOptions& input, bool nucleotides);

/// The records of a file, or those that --record names. Throws InputError where there are none of
/// that name, and what check_record() throws.
seq::Batch read_records(const std::string& path, const InputOptions& input,
                        bool nucleotides = false);

/// What all records of a file count where they are cut into parts: they are read for it.
double weight_of(const std::string& path, seq::ReadOptions options);

/// The line of the symbol at `position` (0-based) of the record `index` of a FASTA file; 0 when
/// that cannot be told.
long line_of(const std::string& path, std::size_t index, std::size_t position);

}  // namespace rhomb::cli
