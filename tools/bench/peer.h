// SPDX-License-Identifier: Apache-2.0
// Peers: other libraries for the edit distance, as far as they were found when rhomb was built.
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
  std::int64_t (*distance)(const std::string& a, const std::string& b);
};

std::vector<Peer> built_in_peers();

/// A library that finds where a query occurs in a text with the fewest differences.
struct SearchPeer {
  std::string name;  ///< "edlib HW"
  /// The fewest differences, on one CPU core. Throws Error when the library fails.
  std::int64_t (*distance)(std::string_view query, std::string_view text);
};

std::vector<SearchPeer> built_in_search_peers();

/// The libraries that were not found, with the packages that have them: "edlib (libedlib-dev)".
std::vector<std::string> missing_peers();

}  // namespace rhomb::cli
