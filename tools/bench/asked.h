// SPDX-License-Identifier: Apache-2.0
// Asked: what a measurement was asked for, from which it can be repeated: the pair, the method and
// how often. Rows in JSON carry it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/samples.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"

namespace rhomb::cli {

/// A pair of sequences: random, or in two files.
struct PairAsked {
  std::int64_t length = 0;  ///< of both random texts; that of a copy will differ a little
  Divergence divergence;
  std::uint64_t seed = 1;
  std::vector<std::string> files;  ///< none for a random pair
  std::vector<std::string> input;  ///< options of input_group(), as in "--record=chr21"

  bool random() const { return files.empty(); }
  /// False if a file is standard input.
  bool repeatable() const;
  /// "1%, 10,000 bases", or the names of the files.
  std::string name() const;
  /// Makes or reads the texts. Throws InputError and UsageError.
  Sample make() const;

  bool operator==(const PairAsked&) const = default;
};

struct Asked {
  PairAsked pair;
  DistanceOptions method;
  int runs = 1;
};

/// "0.01" or "unrelated".
std::string divergence_name(Divergence divergence);
/// "1%" or "unrelated".
std::string divergence_title(Divergence divergence);
/// "auto", "strips", "fused WG=128": a name for what was asked for.
std::string way_of(const DistanceOptions& method);

/// The options of these groups that were given, as arguments of a program.
std::vector<std::string> given_arguments(const CommandLine& line, const std::vector<Group>& groups);

Json json_of(const Asked& asked);
/// Throws UsageError, or an exception of Json, if `object` is not what json_of() made.
Asked asked_of(const Json& object);

}  // namespace rhomb::cli
