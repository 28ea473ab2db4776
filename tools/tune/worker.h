// SPDX-License-Identifier: Apache-2.0
// Worker: the process that tries configurations, started again whenever it is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/tune/trial.h"
#include "tools/cli/child.h"

namespace rhomb::cli {

class Worker {
 public:
  /// `arguments` start the process (tune_child.cpp), which has `limit` seconds for each answer.
  /// Throws DeviceError if it does not come up.
  Worker(std::vector<std::string> arguments, double limit);

  const tune::Machine& machine() const { return machine_; }
  const std::string& kernels() const { return kernels_; }
  bool gpu() const { return gpu_; }

  /// Tries a configuration: one run to warm up, then `runs`, or as many as show that it takes more
  /// than `enough` seconds. `run_limit`: seconds that a run may take.
  tune::Trial attempt(const tune::Task& task, const tune::Config& config, int runs,
                      double run_limit, double enough);

  /// What the device can do at most, as a line of a store; nothing if that failed.
  std::optional<std::string> ceilings();

 private:
  Child& child();

  std::vector<std::string> arguments_;
  double limit_;
  std::unique_ptr<Child> child_;
  tune::Machine machine_;
  std::string kernels_;
  bool gpu_ = false;
};

}  // namespace rhomb::cli
