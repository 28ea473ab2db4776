// SPDX-License-Identifier: Apache-2.0
// BandedRun: a pair on an OpenCL device, ready for passes over bands of its matrix.
#pragma once

#include "host/strip/texts.h"

namespace rhomb::strip {

class BandedRun {
 public:
  BandedRun(ocl::Device& device, const Plan& plan, const Problem& problem);

  /// The cost of the cheapest path within `band`: an upper bound of the distance, and the distance
  /// if a band_of() this value would be no wider. Nothing where `report` gave the pass up.
  std::optional<std::int64_t> pass(const Band& band, const Report& report);

  double transfer() const { return transfer_; }  ///< seconds for packing and copying the texts

 private:
  /// False where the pass was given up.
  bool enqueue(const Band& band, const Report& report);
  Edge edge(std::size_t direction, std::int64_t lanes, const Band& band);

  ocl::Device& device_;
  const Plan& plan_;
  Layout layout_;
  ocl::Kernel kernel_;
  ocl::Buffer<std::uint32_t> pattern_, text_, state_, ring_, last_, tickets_;
  std::uint32_t pattern_reverse_ = 0;
  std::uint32_t text_plane_ = 0;
  double transfer_ = 0;
};

}  // namespace rhomb::strip
