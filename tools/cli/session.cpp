// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/session.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "host/trace/trace.h"
#include "tools/cli/messages.h"
#include "tools/cli/pocl_cache.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

void say_damage(const tune::Store& store) {
  for (const std::string& warning : store.warnings()) say(warning);
  if (!store.warnings().empty()) say("rhomb tune --forget takes damaged lines out");
}

tune::Store load_store() {
  tune::Store store = tune::Store::load();
  say_damage(store);
  return store;
}

std::vector<ocl::DeviceInfo> choose_devices(const DeviceOptions& options) {
  provide_pocl_cache();
  const auto devices = ocl::list_devices();
  std::vector<ocl::DeviceInfo> chosen;
  auto selectors = split(options.selector, ',');
  if (selectors.empty()) selectors.emplace_back();
  if (selectors == std::vector<std::string>{"all"}) {
    std::ranges::copy_if(devices, std::back_inserter(chosen), &ocl::DeviceInfo::usable);
    if (!chosen.empty()) return chosen;
    selectors = {""};  // and be told why there is none
  }
  for (const std::string& selector : selectors)
    chosen.push_back(ocl::choose_device(selector, devices));
  return chosen;
}

Session::Session(const DeviceOptions& options, const ocl::DeviceInfo& device)
    : Session(options, false) {
  info_ = device;
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
