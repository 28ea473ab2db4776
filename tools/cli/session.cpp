// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/session.h"

#include <cstdlib>
#include <string>

#include "host/trace/trace.h"
#include "tools/cli/messages.h"
#include "tools/cli/pocl_cache.h"

namespace rhomb::cli {

tune::Store load_store() {
  tune::Store store = tune::Store::load();
  for (const std::string& warning : store.warnings()) say(warning);
  return store;
}

Session::Session(const DeviceOptions& options, bool needed) : options_(options) {
  // rhomb uses one queue. NVIDIA's driver makes eight hardware queues otherwise, which costs 80 ms
  // at the start and the end of a process (H200, driver 580).
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", /*overwrite=*/0);
  if (!needed) return;
  provide_pocl_cache();
  const trace::Scope scope(options_.open.trace, trace::Work::kOpen);
  info_ = ocl::choose_device(options_.selector, ocl::list_devices());
}

// A GPU driver takes 50 ms to give a context back, and as long again at the end of a process; the
// kernel does both at once. The leak checker would not understand.
Session::~Session() {
#ifndef __SANITIZE_ADDRESS__
  static_cast<void>(device_.release());
#endif
}

const tune::Store& Session::store() {
  if (!store_) store_ = load_store();
  return *store_;
}

ocl::Device* Session::open() {
  if (info_ && !device_) {
    const trace::Scope scope(options_.open.trace, trace::Work::kOpen, info_->name);
    device_ = std::make_unique<ocl::Device>(*info_, options_.open);
  }
  return device_.get();
}

}  // namespace rhomb::cli
