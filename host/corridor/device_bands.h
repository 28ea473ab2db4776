// SPDX-License-Identifier: Apache-2.0
// DeviceBands: computes bands on a device, many at once (cl/corridor/band.cl).
#pragma once

#include <span>

#include "host/corridor/corridor.h"

namespace rhomb::corridor {

/// 32-bit words that a run of the plan keeps of its texts.
std::size_t text_words(const Grid& grid, int planes);

/// What the kernel reads: rows with their bits turned, columns as they are.
struct PackedTexts {
  Words rows, columns;
};
PackedTexts pack(const Plan& plan, const Problem& problem);

class DeviceBands {
 public:
  /// Copies the texts to the device.
  DeviceBands(ocl::Device& device, const Plan& plan, const PackedTexts& texts);

  /// Computes them; Band::state and Band::score are what they end with.
  void compute(std::span<Band> bands);

 private:
  void launch(std::span<Band* const> bands);

  ocl::Device& device_;
  const Plan& plan_;
  ocl::Kernel kernel_;
  ocl::Buffer<std::uint32_t> rows_, columns_;
  Words state_;  // of a launch; kept, since new memory costs more than what is done with it
};

}  // namespace rhomb::corridor
