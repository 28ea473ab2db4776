// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/reference_path.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <numeric>

#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

/// A cell is looked for around which so many symbols match on either side, no further from the
/// diagonal of the nearest common word than this.
constexpr std::int64_t kAround = 24, kStray = 16;
/// Blocks whose ends are so many diagonals apart, to the right, are wide: one such band would take
/// longer than all others. (To the left a block cannot go far.)
constexpr std::int64_t kAcross = 1024;

/// Symbols around a cell that match, of 2 kAround.
int matching(std::string_view a, std::string_view b, std::int64_t i, std::int64_t j) {
  int same = 0;
  for (std::int64_t x = -kAround; x < kAround; ++x)
    same += i + x >= 0 && j + x >= 0 && i + x < std::ssize(a) && j + x < std::ssize(b) &&
            a[static_cast<std::size_t>(i + x)] == b[static_cast<std::size_t>(j + x)];
  return same;
}

/// What it costs to go down from a cell, no more than kStray diagonals from its own: by row the
/// least of all cells there, less their way to the right. `match(r, c)`: whether the symbols behind
/// r rows and c columns do.
template <class Match>
std::vector<std::int64_t> costs_down(int rows, const Match& match) {
  constexpr std::int64_t kNever = 1 << 28;
  std::vector<std::int64_t> found{0}, costs(2 * kStray + 2, kNever);  // by diagonal, and one more
  const auto at = [&](std::int64_t d) -> std::int64_t& {
    return costs[static_cast<std::size_t>(d + kStray)];
  };
  for (std::int64_t d = 0; d <= kStray; ++d) at(d) = d;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t least = kNever, left = kNever;
    for (std::int64_t d = std::max(-kStray, -r - 1); d <= kStray; ++d) {
      const std::int64_t straight = r + d >= 0 ? at(d) + !match(r, r + d) : kNever;
      at(d) = left = std::min({straight, at(d + 1) + 1, left + 1});
      least = std::min(least, left - d);
    }
    found.push_back(least);
  }
  return found;
}

}  // namespace

ReferencePath::ReferencePath(const Grid& grid, std::string_view a, std::string_view b,
                             std::span<const Anchor> words, std::size_t threads,
                             const seq::Code* code)
    : grid_(grid),
      a_(a),
      b_(b),
      code_(code),
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
  batch::each(index(grid.blocks), 256, threads, [&](std::size_t s) {
    if (s > 0) look(static_cast<int>(s), 0);
  });
  // It must not go back. (What is looked at again is less than another cell was.)
  for (int s = 2; s < grid.blocks; ++s)
    if (column(s) < column(s - 1)) look(s, column(s - 1));
  diagonals_.back() = grid.end();
}

Range ReferencePath::chunks(int block) const {
  return hull({chunk(block), chunk(block) + 1}, {chunk(block + 1), chunk(block + 1) + 1});
}

bool ReferencePath::goes_across(int block) const {
  return code_ != nullptr && diagonal(block + 1) - diagonal(block) >= kAcross;
}

/// Down from the cell before the block and up from the one behind it, and to the right where that
/// costs least.
std::int64_t ReferencePath::cost_across(int block) const {
  // What the grid appends matches itself.
  const auto match = [&](std::int64_t i, std::int64_t j) {
    const bool i_in = i < std::ssize(a_), j_in = j < std::ssize(b_);
    return i_in && j_in
               ? code_->match(a_[static_cast<std::size_t>(i)], b_[static_cast<std::size_t>(j)])
               : i_in == j_in;
  };
  const std::int64_t i = row(block), last_i = row(block + 1) - 1;
  const std::int64_t j = column(block), last_j = column(block + 1) - 1;
  const std::vector<std::int64_t> down =
      costs_down(grid_.rows, [&](auto r, auto c) { return match(i + r, j + c); });
  const std::vector<std::int64_t> up =
      costs_down(grid_.rows, [&](auto r, auto c) { return match(last_i - r, last_j - c); });
  std::int64_t least = down.front() + up.back();
  for (std::size_t x = 1; x < down.size(); ++x)
    least = std::min(least, down[x] + up[down.size() - 1 - x]);
  return least + diagonal(block + 1) - diagonal(block);
}

std::vector<Band> ReferencePath::bands(int margin) const {
  std::vector<Band> made;
  for (int s = 0; s < grid_.blocks; ++s)
    if (!goes_across(s)) made.push_back(window(s, chunks(s), margin));
  batch::each(made.size(), 256, threads_,
              [&](std::size_t i) { begin_at(made[i], diagonal(made[i].block)); });
  return made;
}

void ReferencePath::pay(std::span<Band> made, const Compute& compute) {
  std::vector<std::int64_t> costs(index(grid_.blocks));
  auto across = std::async(batch::beside(threads_), [&] {
    std::vector<int> blocks;
    for (int s = 0; s < grid_.blocks; ++s)
      if (goes_across(s)) blocks.push_back(s);
    batch::each(blocks.size(), 1, threads_,
                [&](std::size_t i) { costs[index(blocks[i])] = cost_across(blocks[i]); });
  });
  compute(made);
  batch::each(made.size(), 256, threads_, [&](std::size_t i) {
    const int s = made[i].block;
    const std::int64_t begin = diagonal(s) - kChunk * made[i].left.front();  // as bands() made it
    const Range end{chunk(s + 1), chunk(s + 1) + 1};
    costs[index(s)] = edge_of(made[i], end, begin).at(diagonal(s + 1));
  });
  across.get();
  sums_.assign(1, 0);
  std::partial_sum(costs.begin(), costs.end(), std::back_inserter(sums_));
}

}  // namespace rhomb::corridor
