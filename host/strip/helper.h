// SPDX-License-Identifier: Apache-2.0
// Two devices that are alike can have a half each of a pair (halves.h): whether that gains, and by
// which plan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "host/engine/others.h"
#include "host/strip/strip.h"

namespace rhomb::strip {

struct HalfEach {
  std::size_t other = 0;  ///< which of the others
  Plan plan;              ///< of both
  /// How many times as fast as `alone` on the first one that is, with what it takes to open the
  /// other.
  double gain = 1;
};
/// The first of the others with which that gains; nothing if there is none: slower ones, those that
/// would compute a half in another way or cannot at all do not. Pure.
std::optional<HalfEach> half_each(const Plan& alone, const Problem& problem,
                                  const ocl::Limits& first, std::span<const ocl::Limits> others,
                                  const tune::Config& config, double to_open = kToOpenAnother);

/// Another device that computes a half, and the plan of both.
struct Helper {
  ocl::Device* device = nullptr;
  Plan plan;
};
/// Opens it; nothing if there is none that gains, or it cannot be opened or computes wrongly.
std::optional<Helper> helper_for(ocl::Device& device, const Plan& alone, const Problem& problem,
                                 const tune::Config& config, const OtherDevices& others);

}  // namespace rhomb::strip
