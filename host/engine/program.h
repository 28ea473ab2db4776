// SPDX-License-Identifier: Apache-2.0
// What plans of all engines have in common: the programs they run, and the shapes of their groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <string_view>

#include "host/ocl/device.h"
#include "host/ocl/limits.h"
#include "host/tune/config.h"

namespace rhomb::engine {

/// A kernel and what its file is built with.
struct Program {
  std::string file;    ///< below cl/: "strip/pair.cl"
  std::string kernel;  ///< its name in there
  ocl::Defines defines;

  /// "strip/pair.cl WG=128 K=4"
  std::string text() const;
};

/// Has another thread make programs ready while this one does something else: calls make() with
/// `device` as another thread may use it. Nothing is done where `threads` allow one only. Errors
/// are left to those who need the programs. `device` and what make() uses outlive what is returned.
std::future<void> make_meanwhile(ocl::Device& device, std::size_t threads,
                                 std::function<void(ocl::Device&)> make);

/// "K=4", for messages.
std::string setting(std::string_view name, std::int64_t value);

/// Lanes a work-item: the tunable LANES, or what the device is best at: 1 on GPUs and in groups of
/// several work-items, the width of a vector register on CPUs.
int usual_lanes(const ocl::Limits& limits, const tune::Config& config);

/// Throws Unfit unless vectors have so many lanes and, where there are several, groups have one
/// work-item. `name` is that of the tunable.
void check_lanes(int lanes, int group, std::string_view name = "LANES");

/// Throws Unfit unless a group of the device can have so many work-items.
void check_group(int group, const ocl::Limits& limits);

/// Throws Unfit unless `value` of the tunable `name` is between `least` and `most`.
void check_between(std::string_view name, std::int64_t value, std::int64_t least,
                   std::int64_t most);

/// Work-items of a group that run in lockstep (cl/team.h): the macro TEAM.
int team_size(const ocl::Limits& limits, int group);

}  // namespace rhomb::engine
