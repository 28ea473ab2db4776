// SPDX-License-Identifier: Apache-2.0
// Trials of the engines that take many texts at once, search, lcs and gaps. A configuration is
// planned, then checked against the reference on small problems that cross the borders of words and
// strips, then measured; all answers must be those of another variant, which is another algorithm,
// and of these a sample those of the reference.
#pragma once

#include <memory>
#include <vector>

#include "host/ocl/device.h"
#include "host/tune/trial.h"
#include "tools/bench/measure.h"

namespace rhomb::cli {

/// How much a trial may take.
struct Effort {
  int runs = 1;
  double limit = 0;   ///< seconds of a run
  double enough = 0;  ///< one that takes longer is not run again
};

/// `runs` measured ones, or one if that takes long enough to be the loser, become the trial's
/// seconds and their spread. `first`: seconds of one before; `run` returns those of one. Throws
/// TooSlow.
template <class Run>
void measure_trial(tune::Trial& trial, const Effort& effort, double first, const Run& run);

/// The median becomes the trial's seconds. `seconds` is not empty.
void take_seconds(tune::Trial& trial, const std::vector<double>& seconds);

class ManyTrier {
 public:
  explicit ManyTrier(ocl::Device& device);
  ~ManyTrier();
  ManyTrier(ManyTrier&&) noexcept;

  /// Throws tune::Unfit, CheckError, TooSlow, and what solve() of the engines throws.
  void try_out(tune::Trial& trial, const Effort& effort);

 private:
  struct Engines;
  std::unique_ptr<Engines> engines_;
};

template <class Run>
void measure_trial(tune::Trial& trial, const Effort& effort, double first, const Run& run) {
  std::vector<double> seconds;
  double fastest = first;
  for (int i = 0; i < effort.runs && (i == 0 || fastest < effort.enough); ++i) {
    seconds.push_back(run());
    fastest = seconds.back() < fastest ? seconds.back() : fastest;
    if (fastest > effort.limit) throw TooSlow{};
  }
  take_seconds(trial, seconds);
}

}  // namespace rhomb::cli
