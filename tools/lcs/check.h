// SPDX-License-Identifier: Apache-2.0
// --check of rhomb lcs: some lengths of each block are computed again on the host.
#pragma once

#include <cstdint>

#include "host/lcs/run.h"

namespace rhomb::cli {

/// Computes a sample of the block's lengths again, all if that is fast: short pairs by plain
/// dynamic programming, long ones by finding a subsequence. Returns how many; throws CheckError
/// where one differs. The same pairs each time.
std::uint64_t check_block(const seq::Batch& queries, const lcs::Block& block);

}  // namespace rhomb::cli
