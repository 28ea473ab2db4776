// SPDX-License-Identifier: Apache-2.0
// Session: the device a verb computes on, which may be none.
#pragma once

#include <memory>
#include <optional>

#include "host/ocl/device.h"
#include "host/tune/store.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// The user's store and those shipped, damaged lines told on standard error.
tune::Store load_store();

/// Chooses at once, opens when asked to, so that files can be read in between.
class Session {
 public:
  /// Looks at no device at all if `needed` is false.
  Session(const DeviceOptions& options, bool needed);
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
