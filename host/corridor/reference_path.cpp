// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/reference_path.h"

#include <algorithm>

namespace rhomb::corridor {
namespace {

/// A cell is looked for around which so many symbols match on either side, no further from the
/// diagonal of the nearest common word than this.
constexpr std::int64_t kAround = 24, kStray = 16;

/// Symbols around a cell that match, of 2 kAround.
int matching(std::string_view a, std::string_view b, std::int64_t i, std::int64_t j) {
  int same = 0;
  for (std::int64_t x = -kAround; x < kAround; ++x)
    same += i + x >= 0 && j + x >= 0 && i + x < std::ssize(a) && j + x < std::ssize(b) &&
            a[static_cast<std::size_t>(i + x)] == b[static_cast<std::size_t>(j + x)];
  return same;
}

}  // namespace

ReferencePath::ReferencePath(const Grid& grid, std::string_view a, std::string_view b,
                             std::span<const Anchor> words)
    : grid_(grid), diagonals_(index(grid.blocks + 1)), clean_(index(grid.blocks + 1)) {
  std::size_t next = 0;  // the first word behind the boundary
  std::int64_t least = 0;
  for (int s = 1; s < grid.blocks; ++s) {
    const std::int64_t i = row(s);
    while (next < words.size() && words[next].i <= i) ++next;
    const Anchor before = next > 0 ? words[next - 1] : Anchor{0, 0};
    const Anchor behind = next < words.size() ? words[next] : Anchor{grid.m, grid.n};
    const Anchor& nearest = i - before.i <= behind.i - i ? before : behind;
    const std::int64_t most = std::min(behind.j, grid.n);
    const std::int64_t middle = i + nearest.j - nearest.i;
    const auto fit = [&](std::int64_t j) { return std::min(std::max(j, least), most); };
    std::int64_t best = fit(middle);
    int same = matching(a, b, i, best);
    for (std::int64_t x = 1; x <= kStray && same < 2 * kAround; ++x)
      for (const std::int64_t j : {fit(middle - x), fit(middle + x)})
        if (const int found = matching(a, b, i, j); found > same) {
          best = j;
          same = found;
        }
    diagonals_[index(s)] = best - i;
    clean_[index(s)] = same == 2 * kAround;
    least = best;
  }
  diagonals_.back() = grid.end();
}

Range ReferencePath::chunks(int block) const {
  return hull({chunk(block), chunk(block) + 1}, {chunk(block + 1), chunk(block + 1) + 1});
}

std::vector<Band> ReferencePath::bands(int margin) const {
  std::vector<Band> made;
  for (int s = 0; s < grid_.blocks; ++s) {
    made.push_back(window(s, chunks(s), margin));
    begin_at(made.back(), diagonal(s));
  }
  return made;
}

void ReferencePath::set_costs(std::span<const Band> computed) {
  sums_.assign(1, 0);
  for (int s = 0; s < grid_.blocks; ++s) {
    const Band& band = computed[index(s)];
    const std::int64_t begin = diagonal(s) - kChunk * band.left.front();  // as bands() made it
    const Range end{chunk(s + 1), chunk(s + 1) + 1};
    sums_.push_back(sums_.back() + edge_of(band, end, begin).at(diagonal(s + 1)));
  }
}

}  // namespace rhomb::corridor
