// SPDX-License-Identifier: Apache-2.0
// fronts: the canonical path of a pair whose two wavefronts have met.
#pragma once

#include "host/align/trace.h"
#include "host/wfa/fronts.h"

namespace rhomb::align {

/// The canonical path from the last symbols to the first, of texts without a common suffix.
///
/// Between two rows that were kept, of costs s and t, lies a slab. From a cell that costs t, paths
/// go back on no more than t - s diagonals on either side, so wavefronts from the row of cost s on,
/// on these, say which cells before are on a cheapest path. In each half the leftmost and the
/// rightmost of all cheapest paths are followed from the middle outwards. Where these are the same,
/// all are; what lies between is walked through by itself, all at once.
///
/// `fronts` has rows of this pair alone, and `begun` is what its begin() says, or that of another
/// which has them, too. `reversed`: what reversed() makes of the codes.
Traced trace_fronts(wfa::Fronts& fronts, const wfa::Begun& begun, std::int64_t distance,
                    const Codes& codes, const Codes& reversed, const TraceOptions& options);

}  // namespace rhomb::align
