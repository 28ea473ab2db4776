// SPDX-License-Identifier: Apache-2.0
// DeviceSlabs: a device walks through the slabs between the rows that a corridor has kept
// (cl/corridor/slabs.cl).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cl/corridor/slabs.h"
#include "host/corridor/corridor.h"
#include "host/corridor/device_bands.h"
#include "host/engine/kept.h"
#include "host/engine/program.h"
#include "host/seq/unset.h"

namespace rhomb::corridor {

engine::Program slabs_program(const Plan& plan);

/// What is walked through: the slabs below these rows, from `exit` of row `end`, which costs so
/// much, back to the first of them.
struct Slabs {
  std::span<const KeptRow> rows;
  std::int64_t end = 0, exit = 0, cost = 0;
  bool turned = false;  ///< rows and columns have changed places
};

class DeviceSlabs {
 public:
  /// Waits until all is known. No more than `threads` of the host, 0 for as many as there are
  /// cores. Throws what devices throw.
  DeviceSlabs(ocl::Device& device, const Plan& plan, const DeviceTexts& texts, const Slabs& slabs,
              std::size_t threads);

  /// SlabPath::runs is 0 where it is not known. The path of another exit says nothing.
  const SlabPath& path(std::size_t slab) const { return paths_[slab]; }
  /// Its runs, as SLAB_MISMATCH and so on say.
  std::span<const std::uint16_t> runs(std::size_t slab) const {
    return std::span(runs_).subspan(slab * SLAB_RUNS, paths_[slab].runs);
  }

 private:
  std::vector<SlabPath> paths_;
  UnsetVector<std::uint16_t> runs_;
};

}  // namespace rhomb::corridor
