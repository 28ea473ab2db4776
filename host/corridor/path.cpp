// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/path.h"

#include <algorithm>
#include <cmath>

namespace rhomb::corridor {
std::vector<Range> probable_path(const Grid& grid, std::span<const Anchor> words) {
  std::vector<Anchor> chain{{0, 0}};
  chain.insert(chain.end(), words.begin(), words.end());
  chain.push_back({grid.m, grid.n});

  std::vector<Range> path;
  std::size_t before = 0;  // the last anchor above the block's first row
  for (std::int64_t row = 0; row < grid.m; row += grid.rows) {
    while (before + 1 < chain.size() && chain[before + 1].i < row) ++before;
    std::int64_t low = chain[before].j - chain[before].i, high = low;
    std::int64_t apart = 0;  // rows between anchors, at most
    for (std::size_t x = before + 1; x < chain.size(); ++x) {
      const std::int64_t diagonal = chain[x].j - chain[x].i;
      low = std::min(low, diagonal);
      high = std::max(high, diagonal);
      apart = std::max(apart, chain[x].i - chain[x - 1].i);
      if (chain[x].i >= row + grid.rows) break;
    }
    // Insertions and deletions in between make a path stray about as a random walk does.
    const auto stray = static_cast<std::int64_t>(std::sqrt(static_cast<double>(apart)) / 2);
    path.push_back({chunk_of(low - stray), chunk_of(high + stray) + 1});
  }
  return path;
}

}  // namespace rhomb::corridor
