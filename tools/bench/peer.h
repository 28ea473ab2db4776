// SPDX-License-Identifier: Apache-2.0
// Peers: other libraries for the edit distance and the alignment, as far as they were found when
// rhomb was built.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::cli {

struct Peer {
  std::string name;     ///< "edlib"
  std::string variant;  ///< "ultralow"
  /// The distance only, on one CPU core. Throws Error when the library fails.
  std::int64_t (*distance)(std::string_view a, std::string_view b);
  /// With the alignment, whose cost is returned; null for those of search.
  std::int64_t (*align)(std::string_view a, std::string_view b) = nullptr;
};

/// For the distance of two texts.
std::vector<Peer> built_in_peers();
/// For the fewest differences with which the first text occurs in the second.
std::vector<Peer> built_in_search_peers();

/// The libraries that were not found, with the packages that have them: "edlib (libedlib-dev)".
std::vector<std::string> missing_peers();

}  // namespace rhomb::cli
