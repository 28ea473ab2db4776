// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/session.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "host/error.h"
#include "tools/cli/messages.h"
#include "tools/cli/pocl_cache.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

strip::Team* team = nullptr;

bool sharing_devices = false;
std::unique_ptr<batch::DeviceSet> shared_devices;

// A GPU driver takes 50 ms to give a context back, and as long again at the end of a process; the
// kernel does both at once. The leak checker would not understand.
void abandon([[maybe_unused]] std::unique_ptr<batch::DeviceSet>& set) {
#ifndef RHOMB_SANITIZED
  if (set) set->abandon();
#endif
}

/// Of what is asked for, or of one device.
template <typename Which>
std::unique_ptr<batch::DeviceSet> opened(const Which& which, const ocl::DeviceOptions& options) {
  if (!options.self_tests)
    options.warn("RHOMB_SELF_TESTS=0: kernels are not tested before they are used");
  return std::make_unique<batch::DeviceSet>(which, options);
}

}  // namespace

void use_team(strip::Team* others) { team = others; }
strip::Team* used_team() { return team; }

void say_damage(const tune::Store& store) {
  for (const std::string& warning : store.warnings()) say(warning);
  if (!store.warnings().empty()) say("rhomb tune --forget takes damaged lines out");
}

tune::Store load_store() {
  tune::Store store = tune::Store::load();
  say_damage(store);
  return store;
}

Session::Session(const DeviceOptions& options, const ocl::DeviceInfo& device)
    : Session(options, false) {
  prepare_opencl();
  set_ = opened(device, options.open);
}

void prepare_opencl() {
  // NVIDIA's driver makes 8 hardware queues unless it is told otherwise. With 1, 2, 8 and 32 of
  // them (H200, driver 580) one short distance takes 0.28, 0.30, 0.42 and 1.00 s, since each queue
  // costs time when a process starts and ends; search -k 5 of 58,050 reads takes 1.95, 1.85, 2.05
  // and 2.67 s, and of 1.4 million pairs 1.08, 1.10, 1.23 and 1.76 s. So one is best, though search
  // and lcs use several OpenCL queues.
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", /*overwrite=*/0);
  provide_pocl_cache();
}

Session::Session(const DeviceOptions& options, bool needed, Count count) {
  if (!needed) return;
  prepare_opencl();
  set_ = std::move(shared_devices);
  if (!set_) set_ = opened(options.selector, options.open);
  if (count == Count::kSeveral)
    set_->choices();  // looks for them
  else if (set_->infos().size() > 1)
    throw UsageError("-d names several devices, and this computes on one");
}

Session::~Session() {
  if (sharing_devices)
    shared_devices = std::move(set_);
  else
    abandon(set_);
}

SharedDevices::SharedDevices() { sharing_devices = true; }
SharedDevices::~SharedDevices() {
  sharing_devices = false;
  abandon(shared_devices);
  shared_devices.reset();
}

const tune::Store& Session::store() {
  if (!store_) store_ = load_store();
  return *store_;
}

std::vector<batch::DeviceChoice> Session::choices() {
  return set_ ? set_->choices() : std::vector<batch::DeviceChoice>{};
}

std::string Session::described() const {
  std::string all;
  for (std::size_t i = 0; i < size(); ++i) {
    const ocl::DeviceInfo& device = set_->chosen()[i];
    all += text_of(all.empty() ? "" : "; ", device.name, ", driver ", device.driver);
  }
  return all.empty() ? "host" : all;
}

}  // namespace rhomb::cli
