// SPDX-License-Identifier: Apache-2.0
// What rhomb search would run for a block of queries.
#pragma once

#include <string>

#include "host/ocl/limits.h"
#include "host/search/run.h"
#include "tools/search/options.h"

namespace rhomb::cli {

/// `unit` is run.largest(). `device` and `store` are null where none is used.
std::string explain_search(const SearchOptions& asked, const search::Run& run,
                           const search::Unit& unit, const ocl::DeviceInfo* device,
                           const tune::Store* store);

}  // namespace rhomb::cli
