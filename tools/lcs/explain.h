// SPDX-License-Identifier: Apache-2.0
// --explain of rhomb lcs.
#pragma once

#include <string>

#include "host/lcs/run.h"
#include "tools/cli/session.h"
#include "tools/lcs/options.h"

namespace rhomb::cli {

/// What would be run for each query with the targets of `block`, which is run.largest(), and why:
/// lines of text, or one JSON object a query.
std::string explain_lcs(const LcsOptions& asked, const seq::Batch& queries, const lcs::Run& run,
                        const lcs::Block& block, Session& session, Format format);

}  // namespace rhomb::cli
