// SPDX-License-Identifier: Apache-2.0
// Rows of `rhomb distance`: a pair and its distance, in a table or as JSON.
#pragma once

#include <string>

#include "host/distance/run.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

class DistanceRows {
 public:
  DistanceRows(Format format, const DistanceOptions& method) : format_(format), method_(method) {}

  /// What stands before the first row; may be empty.
  std::string header() const;
  /// May be called by several threads.
  void append(std::string& text, const seq::Pair& pair, const DistanceAnswer& answer) const;

 private:
  void append_tsv(std::string& text, const seq::Pair& pair, const DistanceAnswer& answer) const;

  Format format_;
  const DistanceOptions& method_;
};

}  // namespace rhomb::cli
