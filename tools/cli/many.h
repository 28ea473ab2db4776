// SPDX-License-Identifier: Apache-2.0
// What the verbs for many sequences share: several devices, and what is shown meanwhile.
#pragma once

#include <deque>
#include <vector>

#include "host/batch/workers.h"
#include "tools/cli/options.h"
#include "tools/cli/session.h"

namespace rhomb::cli {

/// The devices that --device names, as in "0,1"; each is opened when it is needed.
class Devices {
 public:
  /// None if `needed` is false.
  Devices(const DeviceOptions& options, bool needed);

  bool empty() const { return sessions_.empty(); }
  std::size_t size() const { return sessions_.size(); }
  /// Of the first one; null if there is none.
  const ocl::DeviceInfo* info() const {
    return sessions_.empty() ? nullptr : sessions_.front().info();
  }
  const tune::Store* store() { return sessions_.empty() ? nullptr : &sessions_.front().store(); }
  /// For the library. This object stays meanwhile.
  std::vector<batch::DeviceChoice> choices();
  /// Names and drivers; "host" if there is none.
  std::string described() const;

 private:
  std::deque<Session> sessions_;
};

/// What is shown while a run lasts: with `auto` nothing where records on a terminal show it
/// themselves, or where nobody looks. `prints`: records come out during the run.
ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool prints);

}  // namespace rhomb::cli
