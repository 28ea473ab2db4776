// SPDX-License-Identifier: Apache-2.0
// The options of rhomb search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/search/search.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Which occurrences are wanted.
enum class Wanted {
  kBest,  ///< one a query (or pair): the fewest differences
  kRuns,  ///< the best of each run of adjacent ends
  kEnds,  ///< every end
};

enum class SearchFormat { kTsv, kJson, kPaf };

struct SearchOptions {
  std::string pairs;  ///< the file of pairs; empty: queries against texts
  Wanted wanted = Wanted::kBest;
  std::optional<std::uint32_t> most;  ///< differences
  bool both_strands = false;
  bool cigar = false;
  bool check = false;
  bool explain = false;
  SearchFormat format = SearchFormat::kTsv;
  const search::Variant* row = nullptr;
  tune::Config config;
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  std::size_t memory = 0;  ///< bytes of the host

  /// Whether the row computes on an OpenCL device.
  bool on_opencl() const { return row->uses_opencl(); }
  int strands() const { return both_strands ? 2 : 1; }
};

Help search_help();
std::vector<Group> search_groups();
/// Those that no other verb has, --format among them.
SearchOptions parse_search(const CommandLine& line);

}  // namespace rhomb::cli
