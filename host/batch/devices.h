// SPDX-License-Identifier: Apache-2.0
// DeviceSet: the devices that a selector names, each opened when it is first needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/ocl/device.h"

namespace rhomb::batch {

/// A device that work may go to: known from the start, opened by the thread that uses it, and only
/// if there is work.
struct DeviceChoice {
  const ocl::DeviceInfo* info = nullptr;
  std::function<ocl::Device&()> open;
  std::function<bool()> is_open = {};  ///< empty: it is not
};

/// The name of each; "host" if there is none.
std::string names_of(const std::vector<DeviceChoice>& devices);

class DeviceSet {
 public:
  /// `selector` as ocl::choose_devices() takes it. `memory`: bytes of each device that plans may
  /// ask for, 0 for all that it has. Nothing is looked for yet.
  explicit DeviceSet(std::string selector, ocl::DeviceOptions options = {},
                     std::uint64_t memory = 0);
  /// A device that was chosen already.
  DeviceSet(const ocl::DeviceInfo& device, ocl::DeviceOptions options);
  ~DeviceSet();
  DeviceSet(const DeviceSet&) = delete;
  DeviceSet& operator=(const DeviceSet&) = delete;

  /// The chosen devices, at least one. Throws ocl::DeviceError if there is none.
  const std::vector<ocl::DeviceInfo>& infos();
  /// Likewise; empty if there is none, or nobody has looked for them.
  const std::vector<ocl::DeviceInfo>& chosen() const { return infos_; }
  /// One that is ready; different ones may be opened by different threads, once infos() has been
  /// called.
  ocl::Device& open(std::size_t i = 0);
  bool any_open() const;

  /// One a device, for runs over many sequences. Where there is none, and none was asked for, it is
  /// one without a name that throws why when it is opened; so what needs no device can do without.
  /// This object stays while they are used.
  std::vector<DeviceChoice> choices();
  /// Leaves what is open to the end of the process, which is at hand.
  void abandon();

 private:
  std::string selector_;
  ocl::DeviceOptions options_;
  std::uint64_t memory_ = 0;
  std::vector<ocl::DeviceInfo> infos_;
  std::exception_ptr none_;  // why there is no device
  struct Opened {
    std::unique_ptr<ocl::Device> device;
    std::atomic<bool> ready = false;  // others may ask
  };
  std::deque<Opened> opened_;
};

}  // namespace rhomb::batch
