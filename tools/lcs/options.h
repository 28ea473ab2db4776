// SPDX-License-Identifier: Apache-2.0
// The options of rhomb lcs.
#pragma once

#include <vector>

#include "host/lcs/run.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

struct LcsOptions {
  lcs::Options run;  ///< but for devices, store, progress and trace
  bool explain = false;

  /// Whether an OpenCL device may be needed.
  bool on_opencl() const { return run.variant == nullptr || run.variant->uses_opencl(); }
};

Help lcs_help();
std::vector<Group> lcs_groups();
/// Those that no other verb has.
LcsOptions parse_lcs(const CommandLine& line);

}  // namespace rhomb::cli
