// SPDX-License-Identifier: Apache-2.0
// Rows: records of results as JSON objects, and how they are printed.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Rows with equal keys, printed as asked for. In tables null is NA, an object a configuration, and
/// lists and the key `asked` are left out. Numbers with a fraction have six significant digits.
std::string printed(const std::vector<Json>& rows, Format format);

}  // namespace rhomb::cli
