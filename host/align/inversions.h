// SPDX-License-Identifier: Apache-2.0
// Parts of an alignment that look like nothing, and are the other strand: reported, not applied.
#pragma once

#include <string_view>
#include <vector>

#include "host/distance/run.h"

namespace rhomb::align {

/// The stretches without a long match that are at least 1,000 symbols of both texts and nearer to
/// each other if the query's is turned round (reverse complement), in the order of the alignment.
std::vector<Inversion> find_inversions(std::string_view query, std::string_view target,
                                       const Cigar& cigar, const DistanceOptions& options,
                                       const DeviceAccess& access);

}  // namespace rhomb::align
