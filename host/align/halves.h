// SPDX-License-Identifier: Apache-2.0
// halves: the canonical path of a pair whose two halves the strips have computed.
#pragma once

#include "host/align/trace.h"
#include "host/engine/pair.h"
#include "host/strip/halves.h"

namespace rhomb::align {

/// The canonical path from the last symbols to the first. The upper half's rows say what places
/// cost from the start, so it is walked there from the places of the row in the middle where it may
/// come from, until these paths are one. The lower half's rows say what places cost to the end:
/// that is enough for the leftmost and the rightmost of all cheapest paths. Where these are at the
/// same place of a row, all cheapest paths are. What lies between such places can be walked through
/// by itself, all at once.
///
/// `halves` are not used any more once TraceOptions::as_pair is called.
///
/// `middle`, `distance`: what the run found. `problem`: as the run had it, and so are `codes`;
/// `turned`: what reversed() makes of them with the
/// plan's padding.
Traced trace_halves(strip::Halves& halves, const strip::Plan& plan, const strip::Crossing& middle,
                    std::int64_t distance, const Problem& problem, const Codes& codes, Codes turned,
                    const TraceOptions& options);

}  // namespace rhomb::align
