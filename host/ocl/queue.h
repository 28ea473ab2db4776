// SPDX-License-Identifier: Apache-2.0
// Queue: one of a Device's in-order queues, and what is known of it.
#pragma once

#include <memory>

#include "host/ocl/commands.h"
#include "host/ocl/device.h"
#include "host/ocl/opencl.h"

namespace rhomb::ocl {

struct Device::Queue {
  cl::CommandQueue queue;
  std::unique_ptr<Commands> commands;  ///< null without a trace
  bool busy = false;          ///< something was enqueued since the queue was last known empty
  cl_event newest = nullptr;  ///< of the last command enqueued, if we have its event; not owned

  cl_command_queue get() const { return queue(); }
  void enqueued() {
    busy = true;
    newest = nullptr;
  }
  /// Where an enqueue puts its event: nowhere without a trace.
  cl_event* wanted(cl_event& event) const { return commands ? &event : nullptr; }
};

}  // namespace rhomb::ocl
