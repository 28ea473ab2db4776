// SPDX-License-Identifier: Apache-2.0
// --checkpoint, --resume and --every, and the signals that a run which saves what it reaches is
// told by: SIGINT and SIGTERM end it, SIGUSR1 has it save at once.
#pragma once

#include <stop_token>

#include "host/rhomb.h"
#include "tools/cli/command_line.h"
#include "tools/cli/progress.h"

namespace rhomb::cli {

/// A group of options with those three.
Group keeping(Group group);

/// Where --checkpoint or --resume say; nowhere without them. Throws UsageError.
Keeping parse_keeping(const CommandLine& line);

/// Has a run with DistanceOptions::keeping say on `progress` what becomes of its checkpoints, and
/// listen to signals. After the first that ends it, SIGINT and SIGTERM end the process at once.
/// `run.progress` is set before; both stay while the run lasts. One at a time.
class SavedRun {
 public:
  /// Has SIGUSR1 wait until it is asked for, in this thread and those that it starts later: before
  /// there are others.
  static void hold_signal();
  SavedRun(DistanceOptions& run, Progress& progress);
  SavedRun(const SavedRun&) = delete;
  SavedRun& operator=(const SavedRun&) = delete;

 private:
  std::stop_source stop_;
};

}  // namespace rhomb::cli
