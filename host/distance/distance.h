// SPDX-License-Identifier: Apache-2.0
// distance: one pair by any engine, on a device that is open. Devices::distance() is for users.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "host/engine/others.h"
#include "host/rhomb.h"

namespace rhomb::ocl {
class Device;
}

namespace rhomb {

/// Throws UsageError for an engine, a variant or a tunable that there is not.
void check_method(const DistanceOptions& options);

/// False for the reference, and for variants that compute on a device that is not OpenCL's.
bool needs_opencl(const DistanceOptions& options);

/// Whether distance() answers a pair of these lengths by the reference, before a device would have
/// compiled anything: where the engine is chosen by itself and nothing is to be checked.
bool answered_at_once(std::size_t a, std::size_t b, const DistanceOptions& options);

/// The unit-cost edit distance of `a` and `b`, exact. Reads the files of what was measured, unless
/// RunOptions::store is given, and writes none without DistanceOptions::may_measure, except the
/// device's cache of programs. Phases go to the device's own trace if RunOptions::trace is null.
///
/// `device` may be null if needs_opencl() is false or answered_at_once() true. Throws as
/// Devices::distance() does.
/// `others` share a pair where that gains. One that cannot be opened, or has too little memory, is
/// no error: the device does without all of them.
DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options = {}, const OtherDevices& others = {});

/// The same by a method of the host; nothing where texts are too unlike for that.
std::optional<DistanceAnswer> distance_unless_passed_on(std::string_view a, std::string_view b,
                                                        const DistanceOptions& options);

/// What distance() would do and why, without running anything. `to_align`: for an alignment.
Facts explain_distance(const ocl::DeviceInfo* device, std::string_view a, std::string_view b,
                       const DistanceOptions& options, std::span<const ocl::DeviceInfo> others = {},
                       bool to_align = false);

}  // namespace rhomb
