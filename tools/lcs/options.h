// SPDX-License-Identifier: Apache-2.0
// The options of rhomb lcs.
#pragma once

#include <vector>

#include "host/lcs/run.h"
#include "tools/cli/command_line.h"
#include "tools/cli/many.h"

namespace rhomb::cli {

struct LcsOptions : ManyOptions<lcs::Options> {};

Help lcs_help();
std::vector<Group> lcs_groups();
/// Those that no other verb has.
LcsOptions parse_lcs(const CommandLine& line);

}  // namespace rhomb::cli
