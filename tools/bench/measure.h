// SPDX-License-Identifier: Apache-2.0
// Measure: several runs of `distance` or `align` on one pair, and what they came to.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "host/engine/others.h"
#include "tools/bench/samples.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"

namespace rhomb::cli {

/// A run took longer than it may; thrown from inside it.
struct TooSlow {};

struct Measured {
  DistanceAnswer answer;  ///< of the last run
  double seconds = 0;     ///< median of Timing::total
  double compute = 0;     ///< median of Timing::compute
  double spread = 1;      ///< slowest / fastest Timing::total
  int runs = 0;           ///< those that count
  /// Of the last run, where it was asked for: the cost reached, and the seconds since the start.
  std::vector<std::pair<std::int64_t, double>> timeline;

  double cells_per_second() const { return compute > 0 ? answer.cells / compute : 0; }
};

/// The distance of `pair`, with `align` that of its alignment, which has no `passes` (0), and the
/// time of either. Throws what distance() and align_pair() throw.
DistanceAnswer answer_of(ocl::Device* device, const Sample& pair, const DistanceOptions& method,
                         bool align, const OtherDevices& others = {});

/// The slowest / the fastest; 1 of one value. `seconds` is not empty.
double spread_of(const std::vector<double>& seconds);

/// Who runs pairs, and how often.
struct Runner {
  Session& session;  ///< all of its devices, where they share a pair
  Progress& progress;
  int runs = 1;  ///< measured ones, after one to warm up
  double run_limit = std::numeric_limits<double>::infinity();  ///< seconds of one run
  double limit = std::numeric_limits<double>::infinity();      ///< of all; else runs are left out
  std::size_t timeline = 0;                                    ///< points of Measured::timeline

  /// Runs `method` on `pair`, for the alignment or only for the distance; `label` is what the
  /// progress calls it. Throws TooSlow, and what answer_of() throws.
  Measured measure(const Sample& pair, DistanceOptions method, const std::string& label,
                   bool align = false) const;
};

}  // namespace rhomb::cli
