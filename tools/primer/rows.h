// SPDX-License-Identifier: Apache-2.0
// PrimerRows: primers, and distances of windows, as lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/seq/sequence.h"
#include "tools/primer/options.h"

namespace rhomb::cli {

class PrimerRows {
 public:
  explicit PrimerRows(const PrimerOptions& asked) : asked_(asked) {}

  /// The first line of TSV, empty otherwise.
  std::string header() const;

  /// Whether the primer has what was asked for.
  bool wanted(std::string_view sequence) const;

  /// A primer; `site` may be null.
  void append(std::string& out, const seq::Sequence& query, std::uint32_t start, std::uint32_t end,
              const primer::Nearest* site) const;
  /// Starts first .. last - 1 of windows, with this distance each; or of bedGraph with this value.
  void append_run(std::string& out, const seq::Sequence& query, std::uint32_t first,
                  std::uint32_t last, std::uint32_t value) const;

 private:
  const PrimerOptions& asked_;
};

}  // namespace rhomb::cli
