// SPDX-License-Identifier: Apache-2.0
// Several long pairs on a GPU, which share launches of wavefronts (wfa/meetings.h) or of strips
// (strip/several.h): alone each of them would leave most of the device idle.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/distance/distance.h"

namespace rhomb {

/// Answers of the first pairs, as distance() gives them; none where there are no two that gain.
/// `share_strips`: whether strips may share launches; nothing: where that gains. Throws as
/// distance() does.
std::vector<DistanceAnswer> answer_several(
    ocl::Device& device, std::span<const std::pair<std::string_view, std::string_view>> pairs,
    const DistanceOptions& options, std::optional<bool> share_strips = {});

}  // namespace rhomb
