// SPDX-License-Identifier: Apache-2.0
// PairReader: a query and a candidate in each line, as a mapper's filter writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "host/batch/entries.h"
#include "host/seq/lines.h"
#include "host/seq/symbols.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

class PairReader {
 public:
  /// Opens the file; "-" is standard input.
  PairReader(const std::string& path, const InputOptions& options);

  /// The next pair; false at the end. Throws InputError (file, line) for a line that has not two or
  /// four fields, an empty sequence, or a symbol that is not allowed.
  bool next(batch::Entry& into);

  double part() const;
  /// Has this called, by next(), each time before it reads from the file, which may wait.
  void before_waiting(std::function<void()> call) { lines_.before_waiting(std::move(call)); }
  /// Of the pair that came last, from 1.
  long line() const { return number_; }

 private:
  bool next_line();
  void take(std::string_view field, const char* what, std::string& into);

  seq::Lines lines_;
  seq::SymbolSet set_;
  bool fold_;
  bool forbid_ambiguous_;
  std::string_view line_;  // of the pieces, if it came in several
  std::string pieces_;
  long number_ = 0;
  bool any_ = false;
};

}  // namespace rhomb::cli
