// SPDX-License-Identifier: Apache-2.0
// GapsRows: alignments as lines of text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/gaps/options.h"

namespace rhomb::cli {

class GapsRows {
 public:
  /// `targets`: for the header of SAM, where all queries share them.
  GapsRows(const GapsOptions& asked, std::span<const seq::Sequence> targets)
      : asked_(asked), targets_(targets) {}

  /// The first lines.
  std::string header() const;
  struct Text {
    std::string_view name, symbols;
  };
  /// Adds a row, if the format has one for it. Throws CheckError where the alignment is not what
  /// its score says.
  bool append(std::string& out, const gaps::Found& found, const Text& query,
              const Text& target) const;

 private:
  void append_tsv(std::string& out, const gaps::Found& found, const Text& query, const Text& target,
                  const gaps::Replayed* replayed) const;
  void append_json(std::string& out, const gaps::Found& found, const Text& query,
                   const Text& target, const gaps::Replayed* replayed) const;
  std::string score_tag(const gaps::Found& found) const;

  const GapsOptions& asked_;
  std::span<const seq::Sequence> targets_;
};

}  // namespace rhomb::cli
