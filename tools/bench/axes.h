// SPDX-License-Identifier: Apache-2.0
// Axes: the pairs and methods that the command line of a benchmark spans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/asked.h"
#include "tools/cli/command_line.h"
#include "tools/cli/progress.h"

namespace rhomb::cli {

/// The options that name random pairs, and what they are when they are not given.
struct PairAxes {
  std::string lengths = "10k,100k,1M";
  std::string divergences = "0.001,0.01,0.1,unrelated";
  std::int64_t least = 1;       ///< the shortest length that is allowed
  bool prefixes = false;        ///< --prefix, and copies of one file
  std::string structural = "";  ///< numbers of structural variants; "": there is no such option
};

/// Their flags for --help.
std::vector<Flag> flags_of(const PairAxes& axes);
/// The random pairs, by divergence, the shortest of each first. Throws UsageError.
std::vector<PairAsked> parse_random_pairs(const CommandLine& line, const PairAxes& axes);
/// The same, or the pair in the two files if files are given, or copies of one file.
std::vector<PairAsked> parse_pairs(const CommandLine& line, const PairAxes& axes);

/// Which methods a benchmark compares when the command line does not say.
struct MethodAxes {
  std::vector<std::string> engines = {"auto"};
  bool fixed = false;  ///< there is no option for the engines
  bool every = false;  ///< all variants of the engines but the reference, not just the best
};

/// The options --engine, --variant and --config, for --help.
std::vector<Flag> flags_of(const MethodAxes& axes);
/// Each engine, or its variants that are named, with each configuration. Tunables that a variant
/// does not have are left out with a note. Throws UsageError.
std::vector<DistanceOptions> parse_methods(const CommandLine& line, const MethodAxes& axes,
                                           Progress& progress);

/// "K=4/8,WG=64" is K=4,WG=64 and K=8,WG=64. Throws UsageError.
std::vector<tune::Config> configs_of(const std::string& text);

/// Each pair with each method; with `align` its distance and then its alignment.
std::vector<Asked> product(const std::vector<PairAsked>& pairs,
                           const std::vector<DistanceOptions>& methods, int runs,
                           bool align = false);

}  // namespace rhomb::cli
