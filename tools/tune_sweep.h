// SPDX-License-Identifier: Apache-2.0
// Sweep: the configurations of one task, tried one after another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/tune/search.h"
#include "tools/tried.h"
#include "tools/tune_worker.h"

namespace rhomb::cli {

/// A task, what is known of it, and what to try next.
struct Sweep {
  Tried tried;
  tune::Search search;
};

class Tuner {
 public:
  /// `limit`: seconds that one configuration may take in all.
  Tuner(Worker& worker, int runs, double limit, bool quiet)
      : worker_(worker), runs_(runs), limit_(limit), quiet_(quiet) {}

  /// Takes a trial into account that was made before.
  static void recall(Sweep& sweep, const tune::Trial& trial) { take(sweep, trial); }

  /// Tries one configuration, the plan's own choice first, and keeps the trial. False when there is
  /// none left. `left`: seconds of the budget, to be shown.
  bool step(Sweep& sweep, double left);

  /// Measures the fastest configuration and the plan's own choice again, side by side: the fastest
  /// of many is partly the luckiest. What comes out counts, but is no further evidence.
  void confirm(Sweep& sweep);

  /// Sees to it that the user's store says what this sweep has found.
  static void keep(const Sweep& sweep, const tune::Store& store);

  /// Wipes the line that shows what is going on.
  void clear();

 private:
  static void take(Sweep& sweep, const tune::Trial& trial);
  void show(const Sweep& sweep, const tune::Config& config, double left);

  Worker& worker_;
  int runs_;
  double limit_;
  bool quiet_;
  bool shown_ = false;
};

}  // namespace rhomb::cli
