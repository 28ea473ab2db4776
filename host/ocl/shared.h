// SPDX-License-Identifier: Apache-2.0
// Shared: what Devices beside each other have together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "host/ocl/device.h"
#include "host/ocl/program.h"

namespace rhomb::ocl {

struct Device::Shared {
  Shared(const DeviceInfo& of, DeviceOptions with);

  const DeviceInfo info;
  const DeviceOptions options;
  cl_device_id device;
  cl::Context context;
  std::atomic<std::uint64_t> allocations = 0;  ///< buffers made so far
  std::recursive_mutex testing;

  std::mutex mutex;  ///< for the rest
  std::unique_ptr<Programs> programs;
  std::set<std::string> warned;  ///< of these files
};

}  // namespace rhomb::ocl
