// SPDX-License-Identifier: Apache-2.0
// --explain of rhomb lcs.
#pragma once

#include <deque>
#include <string>

#include "tools/cli/session.h"
#include "tools/lcs/options.h"
#include "tools/lcs/subjects.h"

namespace rhomb::cli {

/// What would be run for each query with the subjects of `block`, and why: lines of text, or one
/// JSON object a query.
std::string explain_lcs(const LcsOptions& asked, const seq::Batch& queries, const Block& block,
                        std::deque<Session>& sessions, Format format);

}  // namespace rhomb::cli
