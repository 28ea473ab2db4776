// SPDX-License-Identifier: Apache-2.0
// Variant: one way to solve a problem, an entry of an engine's table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/ocl/limits.h"
#include "host/tune/config.h"

namespace rhomb {

namespace ocl {
class Device;
}

/// A variant of an engine: an entry of its table, best first, the CPU reference last. Tests, tuner,
/// bench and --help walk the same table.
template <class Problem, class Plan, class Answer>
struct Variant {
  std::string_view name;     ///< "fused"
  std::string_view summary;  ///< one line, shown by --help and in the README
  tune::Space space;         ///< what may be tuned; the first value of each is the default
  /// Geometry, bytes and defines of a run, or throws tune::Unfit. Pure: needs no device.
  Plan (*plan)(const Problem&, const ocl::Limits&, const tune::Config&);
  /// Runs a plan. The device is null unless uses_opencl().
  Answer (*run)(ocl::Device*, const Plan&, const Problem&);
  /// Of a variant in CUDA: the device that it computes on, whose limits plan() is given. Throws
  /// ocl::DeviceError where there is no such device.
  ocl::DeviceInfo (*cuda_device)() = nullptr;
  bool on_host = false;  ///< computes on the host, as the reference does
  bool saves = false;    ///< what it reaches may be saved, and gone on from

  /// The last of a table.
  static Variant reference(decltype(plan) its_plan, decltype(run) its_run) {
    return {"reference", "plain dynamic programming on the host, to check others against",
            {},          its_plan,
            its_run,     nullptr,
            true};
  }

  bool uses_cuda() const { return cuda_device != nullptr; }
  bool uses_opencl() const { return !uses_cuda() && !on_host; }
};

/// The variant called `name`. Throws UsageError listing the names there are.
template <class Variant>
const Variant& find_variant(std::span<const Variant> variants, std::string_view name) {
  std::string names;
  for (const Variant& variant : variants) {
    if (variant.name == name) return variant;
    names += (names.empty() ? "" : ", ") + std::string(variant.name);
  }
  throw UsageError("unknown variant '" + std::string(name) + "'; there are: " + names);
}

}  // namespace rhomb
