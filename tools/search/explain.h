// SPDX-License-Identifier: Apache-2.0
// What rhomb search would run for a block of queries, and the check of what it has run.
#pragma once

#include <cstdint>
#include <string>

#include "host/ocl/limits.h"
#include "host/search/run.h"
#include "tools/search/options.h"

namespace rhomb::cli {

/// `unit` is the first one of `run`. `device` and `store` are null where none is used.
std::string explain_search(const SearchOptions& asked, const search::Run& run,
                           const search::Unit& unit, const ocl::DeviceInfo* device,
                           const tune::Store* store);

/// Computes a sample of the answers again, by plain dynamic programming: all of them where that
/// takes less than a second. Returns how many. Throws CheckError if one differs.
std::uint64_t check_search(const search::Unit& unit);

}  // namespace rhomb::cli
