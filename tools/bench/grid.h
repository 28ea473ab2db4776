// SPDX-License-Identifier: Apache-2.0
// Grid: measures each pair with each method.
#pragma once

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

/// What runs took on the shorter pairs of a series, and what that says of the next.
class Foresight {
 public:
  /// Seconds that a run will take at most: as the last two lengths grew, but as the square of the
  /// length where only one is known; 0 where none is, or the last one took less than `least`.
  double seconds(const PairAsked& pair, const std::string& who, double least = 0) const;
  void learn(const PairAsked& pair, const std::string& who, double seconds);
  /// Longer pairs are left out.
  void stop(const PairAsked& pair, const std::string& who) { known_[{pair.series(), who}] = {}; }
  bool stopped(const PairAsked& pair, const std::string& who) const;

 private:
  struct Last {
    double length = 0, seconds = 0;  // 0: stopped
    double exponent = 2;             // of the growth since the one before
  };
  std::map<std::pair<std::string, std::string>, Last> known_;  // by series and who ran
};

/// What is different about a benchmark that is a grid.
struct GridRules {
  bool named = false;      ///< a method whose device is absent was asked for by name
  bool to_first = false;   ///< ratio compares with the first record of a pair, not the fastest
  bool exponents = false;  ///< column exponent, of each series and choice
  /// Columns before those of every grid; may be empty.
  std::function<Json(const Sample&, const Measured&)> columns = {};
};

class Grid {
 public:
  Grid(const Runner& runner, GridRules rules) : runner_(runner), rules_(std::move(rules)) {}

  /// A record for each of `all`, in which the methods of a pair stand together and shorter pairs
  /// come first. Columns: those of the rules, series, choice, those of add_columns(); in JSON
  /// timeline, where the runner has one. What does not fit, or takes too long, is left out with a
  /// note; so are longer pairs of its series then.
  /// Throws CheckError if the distances of a pair differ, tune::Unfit if no record is left.
  std::vector<Json> measure(const std::vector<Asked>& all);

 private:
  std::optional<Json> record_of(const Asked& asked, const Sample& pair);
  /// Complains, and leaves out longer pairs as well if there may be any.
  void leave_out(const Asked& asked, const std::string& why);
  void note(const std::string& what);
  void complete(std::span<Json> records);

  const Runner& runner_;
  GridRules rules_;
  PairSource source_;
  Foresight foresight_;
  std::set<std::string> notes_;
};

/// compute, passes, cells, cells_per_second, runs, spread.
void add_columns(const Measured& measured, Json& record);

}  // namespace rhomb::cli
