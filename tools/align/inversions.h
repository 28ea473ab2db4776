// SPDX-License-Identifier: Apache-2.0
// Parts of an alignment that look like nothing, and are the other strand: reported, not applied.
#pragma once

#include <functional>
#include <vector>

#include "tools/align/rows.h"

namespace rhomb::cli {

/// The distance of two texts if it is at most `most`.
using DistanceWithin = std::function<std::optional<std::int64_t>(
    std::string_view a, std::string_view b, std::int64_t most)>;

/// The stretches without a long match that are at least 1,000 symbols of both texts and nearer to
/// each other if the query's is turned round (reverse complement).
std::vector<Inversion> find_inversions(std::string_view query, std::string_view target,
                                       const Cigar& cigar, const DistanceWithin& distance);

}  // namespace rhomb::cli
