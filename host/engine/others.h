// SPDX-License-Identifier: Apache-2.0
// OtherDevices: those that may help the first one with a pair.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "host/engine/facts.h"
#include "host/ocl/limits.h"

namespace rhomb {

namespace ocl {
class Device;
}
namespace strip {
class Team;
}

/// What a device computes in a time, as far as its limits tell: compute units, of one kind alike.
inline double weight_of(const ocl::Limits& limits) {
  return std::max(1.0, static_cast<double>(limits.compute_units)) * (limits.gpu ? 64 : 1);
}

/// Seconds that a driver takes to open another device, about.
inline constexpr double kToOpenAnother = 0.07;

/// None by default. Their limits tell whether they would help; only then are they opened.
struct OtherDevices {
  std::vector<ocl::Limits> limits;  ///< of those of this process
  std::function<std::vector<ocl::Device*>()> open;
  double to_open = kToOpenAnother;  ///< seconds; 0 where they are open
  strip::Team* team = nullptr;      ///< other processes that may help with theirs; null: none

  bool empty() const { return limits.empty() && team == nullptr; }
};

/// What --explain says of devices that may share a pair: how many times as fast that makes it, and
/// why they do not where it is not `shared`. `why`: of GPUs.
Facts facts_of_sharing(std::span<const ocl::Limits> limits, double gain, bool shared,
                       std::string_view why);

}  // namespace rhomb
