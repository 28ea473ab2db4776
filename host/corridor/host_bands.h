// SPDX-License-Identifier: Apache-2.0
// HostBands: computes bands on the host, some in the lanes of a vector and several of these at
// once, as cl/corridor/band.cl does on a device.
#pragma once

#include <span>
#include <string_view>

#include "host/batch/processor.h"
#include "host/corridor/band.h"
#include "host/corridor/packed_texts.h"

namespace rhomb::corridor {

class HostBands {
 public:
  static constexpr int kLanes = 16;  ///< bands of a vector, at most

  /// No more than `threads` compute and pack, 0 for as many as there are cores. `most`: what is
  /// made use of, if this processor can do it.
  HostBands(const Grid& grid, const seq::Code& code, std::string_view a, std::string_view b,
            std::size_t threads, Processor most = Processor::kAvx512);

  /// Computes them; Band::state and Band::score are what they end with.
  void compute(std::span<Band> bands) const;

 private:
  Grid grid_;
  bool sets_;
  Processor processor_;
  PackedTexts texts_;
  std::size_t threads_;
};

}  // namespace rhomb::corridor
