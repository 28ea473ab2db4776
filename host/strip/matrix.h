// SPDX-License-Identifier: Apache-2.0
// Matrix: a pair on an OpenCL device, ready for passes over bands of its matrix.
#pragma once

#include "host/strip/texts.h"

namespace rhomb::strip {

class Matrix {
 public:
  Matrix(ocl::Device& device, const Plan& plan, const Problem& problem);

  /// The cost of the cheapest path within `band`: an upper bound of the distance, and the distance
  /// if a band_of() this value would be no wider. `report` is called with the part done.
  std::int64_t pass(const Band& band, const Report& report);

  double transfer() const { return transfer_; }  ///< seconds for packing and copying the texts

 private:
  void enqueue(const Band& band, const Report& report);
  Edge edge(std::size_t turn, std::int64_t lanes, const Band& band);

  ocl::Device& device_;
  const Plan& plan_;
  Layout layout_;
  ocl::Kernel kernel_;
  ocl::Buffer<std::uint32_t> pattern_, text_, state_, ring_, last_, tickets_;
  std::uint32_t pattern_turn_ = 0;
  std::uint32_t text_plane_ = 0;
  double transfer_ = 0;
};

}  // namespace rhomb::strip
