// SPDX-License-Identifier: Apache-2.0
// Sweep: the configurations of one task, tried one after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "host/tune/search.h"
#include "tools/cli/progress.h"
#include "tools/tune/tried.h"
#include "tools/tune/worker.h"

namespace rhomb::cli {

/// A task, what is known of it, and what to try next.
struct Sweep {
  Tried tried;
  tune::Search search;
};

class Tuner {
 public:
  /// `limit`: seconds that one configuration may take in all. `share`: of the budget, for a sweep.
  Tuner(Worker& worker, int runs, double limit, double share, Progress& progress)
      : worker_(worker),
        runs_(runs),
        limit_(limit),
        long_(std::min(share / 4, 6.0)),
        progress_(progress) {}

  /// Takes a trial into account that was made before.
  static void recall(Sweep& sweep, const tune::Trial& trial) { take(sweep, trial); }

  /// Tries one configuration, first the plan's own choice and what is in use at present, and keeps
  /// the trial. False when there is none left. `left`: seconds of the budget, to be shown.
  bool step(Sweep& sweep, double left);

  /// Measures the fastest configurations again, in turn with the plan's own choice and what is in
  /// use: the fastest of many is partly the luckiest, and a device is not as fast at all times.
  /// What comes out takes the place of the trials.
  void confirm(Sweep& sweep);

  /// Seconds that confirm() will take, about.
  double confirming(const Sweep& sweep) const;

  /// Sees to it that the user's store says what this sweep has found, be it the plan's own choice.
  static void keep(const Sweep& sweep, const tune::Store& store);

 private:
  static void take(Sweep& sweep, const tune::Trial& trial);
  tune::Trial attempt(const Sweep& sweep, const tune::Config& config, const Effort& effort);
  std::vector<tune::Config> rivals(const Sweep& sweep) const;
  void show(const Sweep& sweep, const tune::Config& config, double left);

  Worker& worker_;
  int runs_;
  double limit_;
  double long_;  // seconds after which rivals do not run more often than they must
  Progress& progress_;
};

}  // namespace rhomb::cli
