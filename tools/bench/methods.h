// SPDX-License-Identifier: Apache-2.0
// Grid: measures each pair with each method.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/asked.h"
#include "tools/bench/bench.h"
#include "tools/bench/measure.h"

namespace rhomb::cli {

struct GridPoint {
  Asked asked;
  Measurement row;
};

/// What is different about a benchmark that is a grid.
struct GridRules {
  bool named = false;     ///< a method whose device is absent was asked for by name
  bool to_first = false;  ///< ratio compares with the first record of a pair, not the fastest
  /// Columns before those of every grid; may be empty.
  std::function<void(const Asked&, const Sample&, const Measured&, Measurement&)> columns;
};

class Grid {
 public:
  Grid(const Runner& runner, GridRules rules) : runner_(runner), rules_(std::move(rules)) {}

  /// A record for each of `all`, in which the methods of a pair stand together and shorter pairs
  /// come first. Columns: those of the rules, series, choice, compute, passes, cells,
  /// cells_per_second, runs, spread; in JSON timeline, where the runner has one. What does not fit,
  /// or takes too long, is left out with a note; so are longer pairs of its series then.
  /// Throws CheckError if the distances of a pair differ, tune::Unfit if no record is left.
  std::vector<GridPoint> measure(const std::vector<Asked>& all);

 private:
  /// How a method did on the shorter pairs of a series.
  struct History {
    double model = 0;     // seconds foreseen for the last pair
    double measured = 0;  // and what it took
    bool stopped = false;
  };

  std::optional<Measurement> row_of(const Asked& asked, const Sample& pair);
  /// Complains, and leaves out longer pairs as well if there may be any.
  void leave_out(const Asked& asked, const std::string& why);
  void note(const std::string& what);
  void complete(std::vector<GridPoint>& points, std::size_t first) const;

  const Runner& runner_;
  GridRules rules_;
  PairSource source_;
  std::map<std::pair<std::string, std::string>, History> histories_;  // by series and way
  std::set<std::string> notes_;
};

/// Seconds that the cost model foresees for a pair, variants that it does not know taken for the
/// best of their engine; 0 where it knows nothing. `device` may be null.
double model_seconds(const DistanceOptions& method, const ocl::DeviceInfo* device,
                     const Sample& pair);

/// What the columns of every grid say, as the last ones of a record.
void add_columns(const Measured& measured, Measurement& row);

/// The records of points.
std::vector<Measurement> rows_of(const std::vector<GridPoint>& points);

}  // namespace rhomb::cli
