// SPDX-License-Identifier: Apache-2.0
// Chunks: which targets are on the device at a time, and which of them a group has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cl/lcs/lanes.h"

namespace rhomb::lcs {

/// Targets that are copied and computed together, sorted by length.
struct Chunk {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  /// Target of each slot of each lane, kNobody where there is none.
  std::vector<std::uint32_t> targets;
  std::vector<LcsTile> tiles;  ///< one for each group
  std::uint64_t units = 0;     ///< of all lanes of all tiles, see cl/lcs/lanes.h
  std::uint64_t symbols = 0;   ///< of all targets
  std::uint32_t longest = 0;   ///< target, in symbols
};

/// How targets are to be cut into chunks.
struct Cut {
  int lanes = 1;                   ///< of a work-item: the lanes of a tile are a multiple
  int group = 1;                   ///< work-items a tile at most
  int targets = 1;                 ///< of a lane
  std::uint64_t most_lanes = 1;    ///< of a chunk, where a tile has no more
  std::uint64_t most_units = ~0u;  ///< of a chunk, where a tile has no more
};

/// Chunks of all targets that are not empty, the longest first.
std::vector<Chunk> chunks_of(std::span<const std::string_view> targets, const Cut& cut);

}  // namespace rhomb::lcs
