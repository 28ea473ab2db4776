// SPDX-License-Identifier: Apache-2.0
// SearchRows: occurrences as lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/search/hits.h"
#include "tools/search/options.h"

namespace rhomb::cli {

class SearchRows {
 public:
  explicit SearchRows(const SearchOptions& asked) : asked_(asked) {}

  /// The first line of TSV, empty otherwise.
  std::string header() const;
  void append(std::string& out, const Hit& hit, std::string_view query, std::size_t query_length,
              std::string_view text, std::size_t text_length) const;

 private:
  const SearchOptions& asked_;
};

}  // namespace rhomb::cli
