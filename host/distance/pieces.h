// SPDX-License-Identifier: Apache-2.0
// pieces: a pair that is cut where a cheapest path is proven to go through (corridor/cuts.h). Each
// piece is solved by what is fastest for it.
#pragma once

#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/ocl/device.h"

namespace rhomb {

/// The corridor's tunables, and how many pieces are computed at a time.
const tune::Space& pieces_space();

/// What --explain prints of it.
Facts explain_pieces(const Problem& problem, const ocl::Limits& limits, tune::Config config);

/// Answer::passed_on where the pair cannot be cut.
Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    tune::Config config);

}  // namespace rhomb
