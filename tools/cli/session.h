// SPDX-License-Identifier: Apache-2.0
// Session: the devices a verb computes on, which may be none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/batch/devices.h"
#include "host/tune/store.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Tells on standard error what lines of a store are damaged, and once what to do about it.
void say_damage(const tune::Store& store);

/// The user's store and those shipped, damaged lines told on standard error.
tune::Store load_store();

/// Other processes that help with a pair; null, if nobody says otherwise before a verb runs: none.
void use_team(strip::Team* team);
strip::Team* used_team();

/// Sets the environment up for drivers of OpenCL: before one is loaded, and before threads start.
void prepare_opencl();

/// While there is one, the devices of a Session stay open for the next one, which is made with the
/// same options.
class SharedDevices {
 public:
  SharedDevices();
  ~SharedDevices();
  SharedDevices(const SharedDevices&) = delete;
  SharedDevices& operator=(const SharedDevices&) = delete;
};

/// The devices of --device, chosen at once and opened when asked to, so that files can be read in
/// between.
class Session {
 public:
  enum class Count {
    kOne,      ///< --device names one, and there must be one
    kSeveral,  ///< it may name several, and that there is none is an error for who opens it
  };
  /// Looks at no device at all if `needed` is false.
  Session(const DeviceOptions& options, bool needed, Count count = Count::kOne);
  /// On this device.
  Session(const DeviceOptions& options, const ocl::DeviceInfo& device);
  ~Session();

  /// How many devices there are, and the first of them; null if there is none.
  std::size_t size() const { return set_ ? set_->chosen().size() : 0; }
  const ocl::DeviceInfo* info() const { return size() > 0 ? &set_->chosen().front() : nullptr; }
  /// The others.
  std::vector<ocl::DeviceInfo> others() const {
    if (size() < 2) return {};
    return {set_->chosen().begin() + 1, set_->chosen().end()};
  }
  /// The first one; null if none is needed. Throws if there is none.
  ocl::Device* open() { return set_ ? &set_->open() : nullptr; }
  bool any_open() const { return set_ && set_->any_open(); }
  /// Throws why there is no device where one is needed.
  void check() {
    if (set_) set_->infos();
  }
  /// All of them, for the library. This object stays meanwhile.
  std::vector<batch::DeviceChoice> choices();
  /// Names and drivers; "host" if there is none.
  std::string described() const;
  /// What was measured on devices, read once; what is damaged there is told on standard error.
  const tune::Store& store();

 private:
  std::unique_ptr<batch::DeviceSet> set_;
  std::optional<tune::Store> store_;
};

}  // namespace rhomb::cli
