// SPDX-License-Identifier: Apache-2.0
// pieces: a pair that is cut where a cheapest path is proven to go through (corridor/cuts.h). Each
// piece is solved by what is fastest for it.
#pragma once

#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/ocl/device.h"

namespace rhomb {

/// Answer::passed_on where the pair cannot be cut. `config` is that of the corridor.
Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    const tune::Config& config);

}  // namespace rhomb
