// SPDX-License-Identifier: Apache-2.0
// CorridorSlabs: the canonical path through the slabs between rows of a corridor, as far as a
// device has found it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "host/align/codes.h"
#include "host/align/trace.h"
#include "host/corridor/device_slabs.h"

namespace rhomb::align {

/// Slabs have no more rows, or the device does not look at them.
inline constexpr double kMostSlabRows = SLAB_ROWS;

class CorridorSlabs {
 public:
  /// `plan` is that of the run that kept the rows. Makes sure that the known-answer test of the
  /// program has passed. Throws what devices throw, SelfTestError.
  CorridorSlabs(ocl::Device& device, const corridor::Plan& plan, const corridor::DeviceTexts& texts,
                const corridor::Slabs& slabs, const Codes& codes, std::size_t threads);

  /// For TraceOptions.
  Places probable(std::size_t row) const;
  std::optional<Crossed> known(std::size_t slab, std::int64_t exit) const;
  void steps(std::size_t slab, Cigar& backwards) const;

 private:
  const Codes* codes_;
  corridor::DeviceSlabs found_;
};

}  // namespace rhomb::align
