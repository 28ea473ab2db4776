// SPDX-License-Identifier: Apache-2.0
// tune_map: which tunables of a task matter, and the heat map of the two that matter most.
#pragma once

#include <string>
#include <vector>

#include "tools/heatmap.h"
#include "tools/tune/tried.h"

namespace rhomb::cli {

/// How much a tunable matters.
struct Spread {
  std::string name;
  std::string meaning;      ///< as --help has it; empty if this rhomb has no such tunable
  std::vector<int> values;  ///< that were tried or could be, from the least on
  double factor = 1;        ///< the best rate over its values, the highest / the lowest
};

/// All tunables of the trials, those that matter most first.
std::vector<Spread> spreads_of(const Tried& tried);

/// The best rate for each pair of values of the first two tunables, over all others. One row if
/// there is but one tunable.
HeatMap heat_map(const Tried& tried, const std::vector<Spread>& spreads);

}  // namespace rhomb::cli
