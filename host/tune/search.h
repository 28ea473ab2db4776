// SPDX-License-Identifier: Apache-2.0
// Search: which configuration to try next. Knows nothing of devices: it is told what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "host/tune/config.h"

namespace rhomb::tune {

enum class Strategy {
  kFull,    ///< every choice of values, in order
  kRandom,  ///< choices at random, none twice
  kHill,    ///< the best so far with one value changed; from a random choice where none is better
};

/// Walks a space. A choice is never proposed twice.
class Search {
 public:
  Search(Space space, Strategy strategy, std::uint64_t seed);

  /// The number of choices there are, and of those that were neither proposed nor told of.
  double size() const;
  double left() const { return size() - static_cast<double>(walked_); }

  /// The next one to try; nothing when the whole space was walked.
  std::optional<Config> next();

  /// How `config` went: its seconds, or nothing if it cannot be used. Also of choices that were not
  /// proposed: what an earlier sweep found, or the plan's own choice, where hill climbing begins.
  void told(const Config& config, std::optional<double> seconds);

 private:
  std::optional<Config> next_full();
  std::optional<Config> next_random();
  std::optional<Config> next_hill();
  Config random_config();
  void mark(const Config& config);

  Space space_;
  Strategy strategy_;
  std::mt19937_64 random_;
  std::set<std::string> tried_;
  std::size_t walked_ = 0;  // those of tried_ that are choices of the space
  double position_ = 0;     // of the full walk
  // Hill climbing: where it stands, and the changes of one value that are left to try from there.
  std::optional<Config> here_;
  double here_seconds_ = 0;
  std::vector<Config> steps_;
  bool climbing_ = false;  // here_'s neighbours are in steps_
};

}  // namespace rhomb::tune
