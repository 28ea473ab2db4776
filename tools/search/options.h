// SPDX-License-Identifier: Apache-2.0
// The options of rhomb search.
#pragma once

#include <string>
#include <vector>

#include "host/search/run.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

struct SearchOptions {
  search::Options run;  ///< but for devices, store and trace
  std::string pairs;    ///< the file of pairs; empty: queries against targets
  bool cigar = false;   ///< is printed, with any format
  bool explain = false;
  Format format = Format::kTsv;

  /// Whether an OpenCL device may be needed.
  bool on_opencl() const { return run.variant == nullptr || run.variant->uses_opencl(); }
};

Help search_help();
std::vector<Group> search_groups();
/// Those that no other verb has, --format among them.
SearchOptions parse_search(const CommandLine& line);

}  // namespace rhomb::cli
