// SPDX-License-Identifier: Apache-2.0
// Variant: one way to solve a problem, a row in an engine's table.
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

/// A row of an engine's table, best first, the CPU reference last. Tests, tuner, bench and --help
/// walk the same table.
template <class Problem, class Plan, class Answer>
struct Variant {
  std::string_view name;  ///< "fused"
  std::string_view idea;  ///< one line, shown by --help and in the README
  tune::Space space;      ///< what may be tuned; the first value of each is the default
  /// Geometry, bytes and defines of a run, or throws tune::Unfit. Pure: needs no device.
  Plan (*plan)(const Problem&, const ocl::Limits&, const tune::Config&);
  /// Runs a plan. The device may be null for rows that compute on the CPU (Plan::file is empty).
  Answer (*run)(ocl::Device*, const Plan&, const Problem&);
  /// Of a row that computes elsewhere than on OpenCL's devices: its own device, whose limits plan()
  /// is given, while run() is given none. Throws ocl::DeviceError where there is no such device.
  ocl::DeviceInfo (*own_device)() = nullptr;
};

/// The row called `name`. Throws UsageError listing the names there are.
template <class Row>
const Row& find_variant(std::span<const Row> rows, std::string_view name) {
  std::string names;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw UsageError("unknown variant '" + std::string(name) + "'; there are: " + names);
}

}  // namespace rhomb
