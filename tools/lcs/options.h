// SPDX-License-Identifier: Apache-2.0
// The options of rhomb lcs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/lcs/lcs.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

struct LcsOptions {
  std::optional<std::size_t> top;  ///< only so many subjects a query
  std::uint32_t least = 0;         ///< only subsequences as long as this
  bool subsequence = false;        ///< not only lengths
  bool check = false;
  bool explain = false;
  const lcs::Variant* row = nullptr;  ///< null: the one that lcs::choose() takes
  tune::Config config;
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  std::size_t memory = 0;  ///< bytes of the host

  bool on_host() const { return row != nullptr && row->on_host; }
};

Help lcs_help();
std::vector<Group> lcs_groups();
/// Those that no other verb has.
LcsOptions parse_lcs(const CommandLine& line);

}  // namespace rhomb::cli
