// SPDX-License-Identifier: Apache-2.0
// Session: the device a verb computes on, which may be none.
#pragma once

#include <memory>
#include <optional>

#include "host/ocl/device.h"
#include "tools/options.h"

namespace rhomb::cli {

/// Chooses at once, opens when asked to, so that files can be read in between.
class Session {
 public:
  /// Looks at no device at all if `needed` is false.
  Session(const DeviceOptions& options, bool needed);
  ~Session();

  const ocl::DeviceInfo* info() const { return info_ ? &*info_ : nullptr; }
  /// Null if no device is needed.
  ocl::Device* open();

 private:
  DeviceOptions options_;
  std::optional<ocl::DeviceInfo> info_;
  std::unique_ptr<ocl::Device> device_;
};

}  // namespace rhomb::cli
