// SPDX-License-Identifier: Apache-2.0
// SearchRows: occurrences as lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/search/options.h"

namespace rhomb::cli {

class SearchRows {
 public:
  explicit SearchRows(const SearchOptions& asked) : asked_(asked) {}

  /// The first line of TSV, empty otherwise.
  std::string header() const;
  struct Named {
    std::string_view name;
    std::size_t length;
  };
  void append(std::string& out, const search::Hit& hit, const Named& query,
              const Named& target) const;

 private:
  const SearchOptions& asked_;
};

}  // namespace rhomb::cli
