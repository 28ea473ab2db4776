// SPDX-License-Identifier: Apache-2.0
// align: the alignment of one pair, on a device that is open. Devices::align() is for users.
#pragma once

#include <optional>
#include <string_view>

#include "host/align/divide.h"
#include "host/rhomb.h"

namespace rhomb {

/// Whether align() needs no device for a pair of these lengths.
bool aligned_at_once(std::size_t query, std::size_t target, const AlignOptions& options);

/// The canonical optimal alignment (host/align/README.md), proven by going through it. `device` may
/// be null for engine "reference", and where aligned_at_once() says so. Throws as Devices::align().
AlignAnswer align_pair(ocl::Device* device, std::string_view query, std::string_view target,
                       const AlignOptions& options, const align::DivideOptions& divide = {});

/// What align_pair() would do, and how much memory it takes, without running anything.
Facts explain_alignment(const ocl::DeviceInfo* device, std::string_view query,
                        std::string_view target, const AlignOptions& options);

}  // namespace rhomb
