// SPDX-License-Identifier: Apache-2.0
// Worker: the process that tries configurations, started again whenever it is gone; and what that
// process does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/tune/trial.h"
#include "tools/cli/child.h"
#include "tools/cli/options.h"
#include "tools/tune/trier.h"

namespace rhomb::cli {

/// In the process: the first line it writes names its device; then each line it reads is a
/// question, and each line it writes the trial that answers it. Until there are no more.
int answer_questions(const DeviceOptions& device);

class Worker {
 public:
  /// `arguments` start a process that calls answer_questions(), which has `limit` seconds for each
  /// answer. Throws DeviceError if it does not come up.
  Worker(std::vector<std::string> arguments, double limit);

  const tune::Machine& machine() const { return machine_; }
  const std::string& kernels() const { return kernels_; }  ///< their hash
  bool gpu() const { return gpu_; }

  tune::Trial attempt(const tune::Task& task, const tune::Config& config, const Effort& effort);

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
