// SPDX-License-Identifier: Apache-2.0
// Commands: those of one queue on their way into a trace.
//
// Each command's event is kept until its times can be read. Some thousand are, so that a long run
// does not fill the memory; then the older half is waited for, newer ones keeping the device busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/ocl/device.h"
#include "host/ocl/opencl.h"
#include "host/trace/trace.h"

namespace rhomb::ocl {

class Commands {
 public:
  /// Of a queue with profiling, which has nothing to do now. All of these live longer.
  Commands(trace::Trace& trace, const DeviceInfo& info, cl_command_queue queue);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// The kernel was launched, or memory written, read and so on. `event` is taken over.
  void launched(cl_event event, const std::string& kernel, const Range& range);
  void moved(cl_event event, trace::Command::Kind kind, std::size_t bytes);

  /// Waits for all commands and hands their times over. Those that failed have none.
  void collect();

 private:
  struct Running {
    cl_event event;
    trace::Command command;
  };
  void keep(cl_event event, trace::Command command);
  void collect_oldest(std::size_t count);
  void synchronize();
  struct Moment {
    trace::Sync sync;
    trace::Nanos doubt;  ///< the host's time may be off by this
  };
  std::optional<Moment> marker() const;
  std::optional<trace::Sync> timer() const;

  trace::Trace& trace_;
  const DeviceInfo& info_;
  cl_command_queue queue_;
  std::uint32_t lane_;
  std::uint64_t launches_ = 0;
  std::vector<Running> running_;   ///< in the order they were enqueued
  bool compared_ = false;          ///< the clocks were
  trace::Nanos synchronized_ = 0;  ///< when the clocks were last compared
};

}  // namespace rhomb::ocl
