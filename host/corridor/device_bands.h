// SPDX-License-Identifier: Apache-2.0
// DeviceBands: computes bands on a device, many at once (cl/corridor/band.cl).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/corridor/packed_texts.h"
#include "host/seq/unset.h"

namespace rhomb::corridor {

/// The texts on the device, rows without spare words.
struct DeviceTexts {
  ocl::Buffer<std::uint32_t> rows, columns;

  DeviceTexts(ocl::Device& device, const PackedTexts& texts);
};

/// The program for windows far from a path. Empty where blocks have too many rows, or a number that
/// does not fit: bands tell the same.
std::optional<engine::Program> far_program(const Plan& plan);
/// As ensure_tested(), for that; nothing where there is none.
void ensure_far_tested(ocl::Device& device, const Plan& plan);

class DeviceBands {
 public:
  /// No more than `threads` of the host prepare bands, 0 for as many as there are cores.
  DeviceBands(ocl::Device& device, const Plan& plan, const DeviceTexts& texts, std::size_t threads);

  /// Computes them; Band::state and Band::score are what they end with.
  void compute(std::span<Band> bands);

  /// LeastOfFar, where there is far_program(). Makes sure that its known-answer test has passed.
  std::vector<std::int32_t> least_far(std::span<const FarWindow> windows, std::int64_t near);

 private:
  int team_for(std::span<const Band> bands) const;
  double most_cells() const;
  std::size_t bands_of_group() const {
    return static_cast<std::size_t>(plan_.group * plan_.lanes / team_);
  }
  void launch(std::span<Band* const> bands);

  ocl::Device& device_;
  const Plan& plan_;
  ocl::Kernel kernel_;
  const DeviceTexts& texts_;
  int team_ = 1;  // members that compute a band together
  std::size_t threads_;
  // Of a launch; kept, since new memory costs more than what is done with it.
  UnsetVector<std::uint32_t> state_, kept_;
};

}  // namespace rhomb::corridor
