// SPDX-License-Identifier: Apache-2.0
// by_pieces: a pair that is cut where all cheapest paths go through one cell (corridor/cuts.h).
// Each piece is aligned as a pair of its own.
#pragma once

#include <optional>

#include "host/align/strand.h"
#include "host/engine/cost.h"
#include "host/tune/store.h"

namespace rhomb::align {

/// `sketched` is the pair without what both begin with, and has a guess and a chain. Nothing where
/// it cannot be cut.
std::optional<Found> find_by_pieces(ocl::Device& device, const Turned& turned,
                                    const Problem& sketched, const Rates& rates,
                                    const AlignOptions& options, const AlignTuning& tuning,
                                    const tune::Store& store);

}  // namespace rhomb::align
