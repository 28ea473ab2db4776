// SPDX-License-Identifier: Apache-2.0
// Records of results as JSON objects, and how they are printed.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Records with equal keys, printed as asked for. In tables null is NA, an object a configuration,
/// a list of numbers 1,2,4; other lists and the key `asked` are left out. Numbers with a fraction
/// have six significant digits.
std::string printed(const std::vector<Json>& records, Format format);

}  // namespace rhomb::cli
