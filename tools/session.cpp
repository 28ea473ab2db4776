// SPDX-License-Identifier: Apache-2.0
#include "tools/session.h"

namespace rhomb::cli {

Session::Session(const DeviceOptions& options, bool needed) : options_(options) {
  if (needed) info_ = ocl::choose_device(options_.selector, ocl::list_devices());
}

ocl::Device* Session::open() {
  if (info_ && !device_) device_ = std::make_unique<ocl::Device>(*info_, options_.open);
  return device_.get();
}

}  // namespace rhomb::cli
