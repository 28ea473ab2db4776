// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/reference_path.h"

#include <algorithm>
#include <numeric>

#include "host/batch/threads.h"

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
                             std::span<const Anchor> words, std::size_t threads)
    : grid_(grid),
      threads_(threads),
      diagonals_(index(grid.blocks + 1)),
      clean_(index(grid.blocks + 1)) {
  // The cell of boundary s that goes on from column `least`.
  const auto look = [&](int s, std::int64_t least) {
    const std::int64_t i = row(s);
    const auto next = std::ranges::upper_bound(words, i, {}, &Anchor::i);
    const Anchor before = next != words.begin() ? *(next - 1) : Anchor{0, 0};
    const Anchor behind = next != words.end() ? *next : Anchor{grid.m, grid.n};
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
  };
  for_blocks([&](int s) {
    if (s > 0) look(s, 0);
  });
  // It must not go back. (What is looked at again is less than another cell was.)
  for (int s = 2; s < grid.blocks; ++s)
    if (column(s) < column(s - 1)) look(s, column(s - 1));
  diagonals_.back() = grid.end();
}

/// Calls work(block) for each, in several threads.
template <class Work>
void ReferencePath::for_blocks(const Work& work) const {
  batch::each(index(grid_.blocks), 256, threads_,
              [&](std::size_t s) { work(static_cast<int>(s)); });
}

Range ReferencePath::chunks(int block) const {
  return hull({chunk(block), chunk(block) + 1}, {chunk(block + 1), chunk(block + 1) + 1});
}

std::vector<Band> ReferencePath::bands(int margin) const {
  std::vector<Band> made(index(grid_.blocks));
  for_blocks([&](int s) {
    made[index(s)] = window(s, chunks(s), margin);
    begin_at(made[index(s)], diagonal(s));
  });
  return made;
}

void ReferencePath::set_costs(std::span<const Band> computed) {
  sums_.assign(index(grid_.blocks + 1), 0);
  for_blocks([&](int s) {
    const Band& band = computed[index(s)];
    const std::int64_t begin = diagonal(s) - kChunk * band.left.front();  // as bands() made it
    const Range end{chunk(s + 1), chunk(s + 1) + 1};
    sums_[index(s + 1)] = edge_of(band, end, begin).at(diagonal(s + 1));
  });
  std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
}

}  // namespace rhomb::corridor
