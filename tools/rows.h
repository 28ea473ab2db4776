// SPDX-License-Identifier: Apache-2.0
// Rows: JSON objects as a table, for the verbs whose columns are no benchmark's.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Rows with equal keys, printed as asked for; null is NA, an object a configuration.
std::string printed(const std::vector<Json>& rows, Format format);

}  // namespace rhomb::cli
