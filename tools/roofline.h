// SPDX-License-Identifier: Apache-2.0
// Roofline: operations and bytes that a cell takes, and how near to a device's ceilings that comes
// (Williams, Waterman and Patterson 2009).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/engine/ceilings.h"
#include "tools/plot.h"
#include "tools/tune/tried.h"

namespace rhomb::cli {

/// What a cell takes, counted by hand in the kernels: estimates.
struct Work {
  double operations = 0;  ///< on 32-bit words
  double bytes = 0;       ///< of device memory, if caches keep the texts and nothing else
};

/// The work of a trial that was measured; nothing for a variant that nobody has counted.
std::optional<Work> work_of(const tune::Trial& trial);

/// A row of a table, at its best.
struct RooflineMark {
  const tune::Trial* trial = nullptr;
  Work work;

  double intensity() const { return work.operations / work.bytes; }
  double operations() const { return rate_of(*trial) * work.operations; }
  /// Of what the device can do at this intensity.
  double part(const Ceilings& ceilings) const;
};

/// One mark a variant: the trial of all of these with most operations a second.
std::vector<RooflineMark> roofline_marks(const std::vector<const Tried*>& all);

/// The roof, and a mark for each.
Plot roofline(const Ceilings& ceilings, const std::vector<RooflineMark>& marks,
              const std::string& device);

}  // namespace rhomb::cli
