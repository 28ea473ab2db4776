// SPDX-License-Identifier: Apache-2.0
// Session: the device a verb computes on, which may be none.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "host/ocl/device.h"
#include "host/tune/store.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Tells on standard error what lines of a store are damaged, and once what to do about it.
void say_damage(const tune::Store& store);

/// The user's store and those shipped, damaged lines told on standard error.
tune::Store load_store();

/// The devices of --device where several are allowed: "0,1", "all" that are usable, or one as
/// ocl::choose_device() takes it. One that is named twice is there twice.
std::vector<ocl::DeviceInfo> choose_devices(const DeviceOptions& options);

/// Chooses at once, opens when asked to, so that files can be read in between.
class Session {
 public:
  /// Looks at no device at all if `needed` is false.
  Session(const DeviceOptions& options, bool needed);
  /// On this device, one of those that choose_devices() gave.
  Session(const DeviceOptions& options, const ocl::DeviceInfo& device);
  ~Session();

  const ocl::DeviceInfo* info() const { return info_ ? &*info_ : nullptr; }
  /// Null if no device is needed.
  ocl::Device* open();
  /// What was measured on devices, read once; what is damaged there is told on standard error.
  const tune::Store& store();

 private:
  DeviceOptions options_;
  std::optional<ocl::DeviceInfo> info_;
  std::unique_ptr<ocl::Device> device_;
  std::optional<tune::Store> store_;
};

}  // namespace rhomb::cli
