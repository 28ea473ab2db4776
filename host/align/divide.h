// SPDX-License-Identifier: Apache-2.0
// divide: the canonical path between two texts whose distance is known, from the cells where
// cheapest paths cross some rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "host/align/slab.h"
#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/ocl/device.h"

namespace rhomb::align {

/// The places of a row from the first to the last where a cheapest path crosses it, and for each
/// what a path to it and one from it to the end costs at least.
struct Boundary {
  std::int64_t row = 0;    ///< rows above it
  std::int64_t first = 0;  ///< columns to the left of the first place
  std::vector<std::int32_t> before, after;

  std::int64_t last() const { return first + static_cast<std::int64_t>(before.size()) - 1; }
};

struct DivideOptions {
  /// Parts of more rows are divided by the device; nothing: where that will be faster.
  std::optional<std::int64_t> most_rows;
  /// Wavefronts of the host alone that have fewer numbers than this find the path at once.
  double most_numbers = 2e7;
  std::size_t memory = std::size_t{1} << 28;  ///< bytes of rows that a slab keeps, about
};

struct Divided {
  Cigar backwards;
  double device_cells = 0, host_cells = 0;
  double device_seconds = 0, host_seconds = 0;
  int parts = 0;  ///< slabs that the host walked through
};

/// The canonical path. `problem` has the rows' text in `a`, not longer than `b`, as `codes` has.
/// `middle`: a row that is known already. `device` null: all by the host. Throws CheckError where
/// parts contradict each other.
Divided divide(ocl::Device* device, const Rates& rates, const Problem& problem, const Codes& codes,
               std::int64_t distance, std::optional<Boundary> middle, const DivideOptions& options);

}  // namespace rhomb::align
