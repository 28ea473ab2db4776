// SPDX-License-Identifier: Apache-2.0
// speed: what devices can do, as far as it is known.
//
//   guesses    from a device's limits alone, here: launches are cut by them, so that none takes
//   long Rates      what the choice of an engine goes by, measured or usual: cost.h Ceilings   what
//   nothing can exceed, measured, for reports: ceilings.h
#pragma once

#include "host/ocl/limits.h"

namespace rhomb::engine {

/// Cells of bit-parallel matrices a second that a device hardly exceeds.
double guessed_cells_a_second(const ocl::Limits& limits);

/// Operations on 32-bit registers a second; on CPUs on vector registers.
double guessed_operations_a_second(const ocl::Limits& limits);

}  // namespace rhomb::engine
