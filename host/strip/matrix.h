// SPDX-License-Identifier: Apache-2.0
// Matrix: a pair on a device, ready for passes over bands of its matrix.
#pragma once

#include <functional>
#include <vector>

#include "host/strip/strip.h"

namespace rhomb::strip {

class Matrix {
 public:
  Matrix(ocl::Device& device, const Plan& plan, const Problem& problem);

  /// The cost of the cheapest path within `band`: an upper bound of the distance, and the distance
  /// if a band_of() this value would be no wider. `report` is called with the part done.
  std::int64_t pass(const Band& band, const std::function<void(double)>& report);

  double cells() const { return cells_; }        ///< computed so far
  double transfer() const { return transfer_; }  ///< seconds for packing and copying the texts

 private:
  void enqueue(Schedule& schedule, const Band& band, const std::function<void(double)>& report);
  std::int64_t join(const Band& band);

  ocl::Device& device_;
  const Plan& plan_;
  ocl::Kernel kernel_;
  ocl::Buffer<std::uint32_t> pattern_, text_, state_, ring_, last_;
  std::uint32_t pattern_turn_ = 0;
  std::uint32_t text_plane_ = 0;
  std::uint32_t stride_ = 0;
  double cells_ = 0;
  double transfer_ = 0;
};

/// One half's dh along the row where the halves meet, as its kernel put them out: bit 31 - i of
/// ph[w] is set where column 32 w + i has dh = +1; mh: -1.
struct Edge {
  std::int64_t first = 0;  ///< the words [first, end) are known
  std::int64_t end = 0;
  std::int64_t start = 0;  ///< cost at the left end of word `first`
  std::vector<std::uint32_t> words;  ///< ph and mh of word 0, of word 1, ...
};

/// The least sum of both halves at a place of the row where they meet. `columns` are those of the
/// matrix; column c of one half is column columns - 1 - c of the other.
std::int64_t least_sum(const Edge& upper, const Edge& lower, std::int64_t columns);

}  // namespace rhomb::strip
