// SPDX-License-Identifier: Apache-2.0
// What rhomb gaps says of a run before it is run.
#pragma once

#include <string>

#include "tools/gaps/options.h"

namespace rhomb::cli {

/// Keys and values for the first part of the first block.
std::string explain_gaps(const GapsOptions& asked, const gaps::Run& run, const gaps::Unit& unit,
                         const ocl::DeviceInfo* device, const tune::Store* store);

}  // namespace rhomb::cli
