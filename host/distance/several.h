// SPDX-License-Identifier: Apache-2.0
// Several long pairs on a GPU, which share launches of wavefronts (wfa/meetings.h) or of strips
// (strip/several.h): alone each of them would leave most of the device idle.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/distance/distance.h"

namespace rhomb {

/// The variants by which pairs that are computed alone on a device like this one may share launches
/// if there are several; empty where none do, or another method is asked for.
std::string ways_to_share(const ocl::Limits& limits, const DistanceOptions& options);

/// Answers of the first pairs, as distance() gives them; none where there are no two that gain.
/// `share_strips`: whether strips may share launches; nothing: where that gains. Throws as
/// distance() does.
std::vector<DistanceAnswer> answer_several(
    ocl::Device& device, std::span<const std::pair<std::string_view, std::string_view>> pairs,
    const DistanceOptions& options, std::optional<bool> share_strips = {});

}  // namespace rhomb
