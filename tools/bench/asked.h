// SPDX-License-Identifier: Apache-2.0
// Asked: what a measurement was asked for, from which it can be repeated: the pair, the method and
// how often. Records in JSON have it as the key asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/distance/distance.h"
#include "tools/bench/samples.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"

namespace rhomb::cli {

/// A pair of sequences: random; in two files; or a sequence in one file and an edited copy of it.
struct PairAsked {
  std::int64_t length = 0;      ///< of both random texts; that of a copy will differ a little
  Divergence divergence;        ///< of random texts and copies
  std::int64_t structural = 0;  ///< structural variants of a random text's copy
  std::uint64_t seed = 1;
  std::vector<std::string> files;  ///< none for a random pair
  std::vector<std::string> input;  ///< options of input_group(), as in "--record=chr21"
  std::int64_t prefix = 0;         ///< only so many symbols of each sequence in a file; 0: all

  bool random() const { return files.empty(); }
  bool copied() const { return files.size() == 1; }
  /// False if a file is standard input.
  bool repeatable() const;
  /// "1%, 10,000 bases", or the names of the files.
  std::string name() const;
  /// What pairs of several lengths have in common: "1%", or the names of the files.
  std::string series() const;
  /// Whether there may be longer pairs of the series.
  bool sized() const { return random() || prefix > 0; }

  bool operator==(const PairAsked&) const = default;
};

/// Makes and reads pairs. Whole files are kept while prefixes of them are asked for.
class PairSource {
 public:
  /// Throws InputError and UsageError.
  Sample make(const PairAsked& pair);

 private:
  PairAsked known_;  // what is in whole_
  Sample whole_;
};

struct Asked {
  PairAsked pair;
  DistanceOptions method;
  int runs = 1;
  bool align = false;  ///< the alignment, not only the distance
};

/// "auto", "strips align", "fused WG=128": a name for what was asked for.
std::string way_of(const Asked& asked);

Json json_of(const Asked& asked);
/// Throws UsageError, or an exception of Json, if `object` is not what json_of() made.
Asked asked_of(const Json& object);

}  // namespace rhomb::cli
