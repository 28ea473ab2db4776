// SPDX-License-Identifier: Apache-2.0
// Rows of rhomb lcs, written many at a time: there may be millions of them a second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/seq/sequence.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

class LcsRows {
 public:
  struct Columns {
    Format format = Format::kTsv;
    bool rank = false;
    bool subsequence = false;
  };

  LcsRows(const seq::Batch& queries, const Columns& columns);

  /// The line before the rows; empty for JSON.
  std::string header() const;

  /// A sequence as rows have it, its name and length. Made once, used in many rows.
  std::string target(std::string_view name, std::size_t length) const;

  /// What a row says of a query and a target.
  struct Found {
    std::uint32_t length = 0;
    std::size_t rank = 0;               ///< from 1, if there is such a column
    std::string_view subsequence = {};  ///< likewise
  };
  /// Appends a row to `text`. `target` is what target() made.
  void append(std::string& text, std::size_t query, std::string_view target,
              const Found& found) const;

 private:
  std::string sequence(std::string_view what, std::string_view name, std::size_t length) const;

  Columns columns_;
  std::vector<std::string> queries_;
};

}  // namespace rhomb::cli
