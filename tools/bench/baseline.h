// SPDX-License-Identifier: Apache-2.0
// Baseline: rows that an earlier benchmark printed, to be measured again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/asked.h"

namespace rhomb::cli {

struct BaselineRow {
  long line = 0;  ///< of the file, 1-based
  Asked asked;
  std::string device;
  std::optional<std::int64_t> distance;
  double seconds = 0;
  double spread = 1;  ///< slowest / fastest run
};

/// The rows of rhomb in a file of JSON, one object a line. Throws InputError, which names the line,
/// if one is damaged or does not say what was asked for; and if there is no row.
std::vector<BaselineRow> read_baseline(const std::string& file);

}  // namespace rhomb::cli
