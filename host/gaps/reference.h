// SPDX-License-Identifier: Apache-2.0
// The reference: plain dynamic programming over all layers on the host, obviously right, which
// every other way is checked against.
#pragma once

#include <functional>
#include <string_view>

#include "host/gaps/alignment.h"

namespace rhomb::gaps::reference {

/// The best score of `query` aligned to `target`, in O(gaps m n) time and O(gaps m) memory. `tick`
/// is called now and then with the part that is done; what it throws ends the computation.
Best best(std::string_view query, std::string_view target, const Scoring& scoring,
          const Rules& rules, const std::function<void(double)>& tick = {});

/// The alignment that reaches `best`, in O(gaps m n) time and memory. Of several: from the end on a
/// pair is taken before a gap in the target, that before one in the query, and gaps are as short as
/// they can be. Throws UsageError if nothing was found, MemoryError for more than 16 GB.
Alignment align(std::string_view query, std::string_view target, const Scoring& scoring,
                const Rules& rules, const Best& best);

}  // namespace rhomb::gaps::reference
