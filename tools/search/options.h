// SPDX-License-Identifier: Apache-2.0
// The options of rhomb search.
#pragma once

#include <string>
#include <vector>

#include "host/search/run.h"
#include "tools/cli/command_line.h"
#include "tools/cli/many.h"

namespace rhomb::cli {

struct SearchOptions : ManyOptions<search::Options> {
  std::string pairs;   ///< the file of pairs; empty: queries against targets
  bool cigar = false;  ///< is printed, with any format
  Format format = Format::kTsv;
};

Help search_help();
std::vector<Group> search_groups();
/// Those that no other verb has, --format among them.
SearchOptions parse_search(const CommandLine& line);

}  // namespace rhomb::cli
