// SPDX-License-Identifier: Apache-2.0
// The options of rhomb gaps.
#pragma once

#include <string>
#include <vector>

#include "host/gaps/run.h"
#include "tools/cli/command_line.h"
#include "tools/cli/many.h"

namespace rhomb::cli {

struct GapsOptions : ManyOptions<gaps::Options> {
  gaps::Scoring scoring;
  std::string pairs;  ///< the file of pairs; empty: queries and targets
  bool all_pairs = false;
  bool cigar = false;  ///< is printed, with any format
  Format format = Format::kTsv;
};

Help gaps_help();
std::vector<Group> gaps_groups();
/// Those that no other verb has, --format among them.
GapsOptions parse_gaps(const CommandLine& line);

}  // namespace rhomb::cli
