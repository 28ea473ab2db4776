// SPDX-License-Identifier: Apache-2.0
#include "host/batch/devices.h"

#include <algorithm>
#include <utility>

#include "host/trace/trace.h"

namespace rhomb::batch {

std::string names_of(const std::vector<DeviceChoice>& devices) {
  std::string names;
  for (const DeviceChoice& device : devices)
    names += (names.empty() ? "" : ", ") + device.info->name;
  return names.empty() ? "host" : names;
}

DeviceSet::DeviceSet(std::string selector, ocl::DeviceOptions options, std::uint64_t memory)
    : selector_(std::move(selector)), options_(std::move(options)), memory_(memory) {}

DeviceSet::DeviceSet(const ocl::DeviceInfo& device, ocl::DeviceOptions options)
    : options_(std::move(options)), infos_{device} {
  opened_.emplace_back();
}

DeviceSet::~DeviceSet() = default;

const std::vector<ocl::DeviceInfo>& DeviceSet::infos() {
  if (none_) std::rethrow_exception(none_);
  if (!infos_.empty()) return infos_;
  const trace::Scope scope(options_.trace, trace::Work::kOpen);
  try {
    infos_ = ocl::choose_devices(selector_, ocl::list_devices());
  } catch (const Error& error) {
    if (error.kind() == Kind::kDevice) none_ = std::current_exception();
    throw;
  }
  for (ocl::DeviceInfo& info : infos_)
    if (memory_ > 0) {
      info.limits.global_bytes = std::min(info.limits.global_bytes, memory_);
      info.limits.alloc_bytes = std::min(info.limits.alloc_bytes, memory_);
    }
  while (opened_.size() < infos_.size()) opened_.emplace_back();
  return infos_;
}

ocl::Device& DeviceSet::open(std::size_t i) {
  const ocl::DeviceInfo& info = infos().at(i);
  Opened& opened = opened_[i];
  if (!opened.device) {
    const trace::Scope scope(options_.trace, trace::Work::kOpen, info.name);
    opened.device = std::make_unique<ocl::Device>(info, options_);
    opened.ready = true;
  }
  return *opened.device;
}

bool DeviceSet::any_open() const {
  return std::ranges::any_of(opened_, [](const Opened& one) { return one.ready.load(); });
}

std::vector<DeviceChoice> DeviceSet::choices() {
  static const ocl::DeviceInfo kNone;
  try {
    infos();
  } catch (const Error& error) {
    if (error.kind() != Kind::kDevice || !selector_.empty()) throw;
    return {{&kNone, [this]() -> ocl::Device& { return open(); }}};
  }
  std::vector<DeviceChoice> choices;
  for (std::size_t i = 0; i < infos_.size(); ++i)
    choices.push_back({&infos_[i], [this, i]() -> ocl::Device& { return open(i); },
                       [this, i] { return opened_[i].ready.load(); }});
  return choices;
}

void DeviceSet::abandon() {
  for (Opened& one : opened_) static_cast<void>(one.device.release());
}

}  // namespace rhomb::batch
