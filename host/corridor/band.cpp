// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/band.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

/// Of some differences, in order.
struct Differences {
  std::int8_t sum = 0;
  std::int8_t dip = 0;  ///< the least sum of the first none to all
};

/// Of 8 differences, by plus + 256 minus.
std::array<Differences, 65536> of_bytes() {
  std::array<Differences, 65536> made{};
  for (unsigned both = 0; both < made.size(); ++both)
    for (unsigned bit = 0; bit < 8; ++bit) {
      const int next = made[both].sum + static_cast<int>(both >> bit & 1) -
                       static_cast<int>(both >> (8 + bit) & 1);
      made[both] = {static_cast<std::int8_t>(next),
                    std::min(made[both].dip, static_cast<std::int8_t>(next))};
    }
  return made;
}

/// Of the 32 of a word.
Differences of_word(std::uint32_t plus, std::uint32_t minus) {
  static const std::array<Differences, 65536> table = of_bytes();
  int sum = 0, dip = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const Differences& eight = table[(plus >> (8 * byte) & 255) | (minus >> (8 * byte) & 255) << 8];
    dip = std::min(dip, sum + eight.dip);
    sum += eight.sum;
  }
  return {static_cast<std::int8_t>(sum), static_cast<std::int8_t>(dip)};
}

/// Not every processor that this is compiled for counts bits in one instruction.
std::int64_t sum_of(std::uint32_t plus, std::uint32_t minus) {
  std::uint64_t x = plus | std::uint64_t{~minus} << 32;  // both counts in one, 32 too many
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<std::int64_t>(x * 0x0101010101010101u >> 56) - 32;
}

}  // namespace

std::vector<Band*> longest_first(std::span<Band> bands) {
  std::vector<std::pair<std::uint64_t, Band*>> keys;
  keys.reserve(bands.size());
  for (Band& band : bands)
    keys.emplace_back(
        std::uint64_t{band.left.size()} << 32 | static_cast<std::uint32_t>(band.words), &band);
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<Band*> order;
  order.reserve(keys.size());
  for (const auto& [key, band] : keys) order.push_back(band);
  return order;
}

Band window(int block, const Range& chunks, int margin) {
  Band band;
  band.block = block;
  band.left = {static_cast<std::int32_t>(chunks.first - margin)};
  // A window of w words is w - 1 chunks wide in all rows of a step.
  band.words = static_cast<int>(chunks.size()) + 2 * margin + 1;
  return band;
}

WindowCosts costs_of(const Band& computed) {
  WindowCosts found;
  const auto words = static_cast<std::int64_t>(computed.words);
  found.first = computed.left.back() + 1;
  std::int64_t at = computed.score;
  found.cost.reserve(static_cast<std::size_t>(words));
  for (std::int64_t w = 0; w + 2 < words; ++w) {
    const std::uint32_t plus = computed.state[static_cast<std::size_t>(2 * w)];
    const std::uint32_t minus = computed.state[static_cast<std::size_t>(2 * w + 1)];
    const Differences own = of_word(plus, minus);
    if (w > 0) {
      const std::int64_t back = kChunk * std::min(w, words - 2 - w);
      found.cost.push_back(static_cast<std::int32_t>(std::min(at + own.dip, back)));
    }
    at += own.sum;
  }
  return found;
}

std::vector<std::int32_t> least_far(std::span<const FarWindow> windows, std::int64_t near,
                                    const Compute& compute, std::size_t threads) {
  std::vector<Band> bands(windows.size());
  batch::each(windows.size(), 64, threads, [&](std::size_t i) {
    const std::int64_t middle = windows[i].middle;
    Band& band = bands[i] = window(windows[i].block, windows[i].chunks, kFarMargin);
    const std::int64_t left = kChunk * band.left.front(), right = left + kChunk * band.words;
    if (middle + near < left || middle - near > right) return;  // it costs nothing to begin there
    // A path that was far takes so many edits to come near.
    std::vector<std::int64_t> costs;
    for (std::int64_t d = left; d <= right; ++d)
      costs.push_back(std::max<std::int64_t>(0, near + 1 - std::abs(d - middle)));
    band.score = begin_with(band, costs);
  });
  std::vector<std::int64_t> begins;
  for (const Band& band : bands) begins.push_back(band.score);
  compute(bands);
  std::vector<std::int32_t> least(windows.size());
  batch::each(windows.size(), 64, threads, [&](std::size_t i) {
    bands[i].score += begins[i];
    const WindowCosts costs = costs_of(bands[i]);
    const auto first = costs.cost.begin() + (windows[i].chunks.first - costs.first);
    least[i] = *std::min_element(first, first + windows[i].chunks.size());
  });
  return least;
}

double cells_of(const Grid& grid, std::span<const FarWindow> windows) {
  double chunks = 0;
  for (const FarWindow& one : windows)
    chunks += static_cast<double>(one.chunks.size() + 2 * kFarMargin + 1);
  return chunks * kChunk * grid.rows;
}

std::vector<std::int64_t> costs_along(const Band& computed, std::int64_t begin) {
  std::vector<std::int64_t> costs{begin + computed.score};
  for (std::size_t w = 0; w < computed.state.size(); w += 2)
    for (unsigned bit = 0; bit < kChunk; ++bit)
      costs.push_back(costs.back() + static_cast<int>(computed.state[w] >> bit & 1) -
                      static_cast<int>(computed.state[w + 1] >> bit & 1));
  return costs;
}

std::int64_t Edge::at(std::int64_t diagonal) const {
  std::int64_t sum = value;
  std::int64_t left = diagonal - kChunk * range.first;
  for (std::size_t i = 0; left > 0; i += 2, left -= kChunk) {
    const std::uint32_t mask = left >= kChunk ? ~0u : (1u << left) - 1;
    sum += sum_of(words[i] & mask, words[i + 1] & mask);
  }
  return sum;
}

Edge edge_of(const Band& computed, const Range& range, std::int64_t begin) {
  Edge edge{range, begin + computed.score, {}};
  const auto from = static_cast<std::size_t>(2 * (range.first - computed.left.back()));
  for (std::size_t i = 0; i < from; i += 2)
    edge.value += sum_of(computed.state[i], computed.state[i + 1]);
  const auto first = computed.state.begin() + static_cast<std::ptrdiff_t>(from);
  edge.words.assign(first, first + static_cast<std::ptrdiff_t>(2 * range.size()));
  return edge;
}

std::int64_t begin_with(Band& band, const Edge& edge) {
  const std::int64_t before = edge.range.first - band.left.front();
  band.state.clear();
  band.state.reserve(static_cast<std::size_t>(2 * band.words));
  for (std::int64_t w = 0; w < before; ++w) {
    band.state.push_back(0);
    band.state.push_back(~0u);
  }
  band.state.insert(band.state.end(), edge.words.begin(), edge.words.end());
  while (band.state.size() < static_cast<std::size_t>(2 * band.words)) {
    band.state.push_back(~0u);
    band.state.push_back(0);
  }
  return edge.value + kChunk * before;
}

std::int64_t begin_at(Band& band, std::int64_t diagonal, std::int64_t reach) {
  const std::int64_t first = kChunk * band.left.front();
  // Bits of the word that begins on diagonal `at` for the diagonals below `end`.
  const auto below = [](std::int64_t at, std::int64_t end) {
    const std::int64_t count = std::clamp<std::int64_t>(end - at, 0, kChunk);
    return count == kChunk ? ~0u : (1u << count) - 1;
  };
  band.state.clear();
  for (std::int64_t w = 0, at = first; w < band.words; ++w, at += kChunk) {
    const std::uint32_t falls =
        below(at, diagonal - reach) | (below(at, diagonal + reach) & ~below(at, diagonal));
    band.state.push_back(~falls);
    band.state.push_back(falls);
  }
  return diagonal - first - 2 * reach;
}

std::int64_t begin_with(Band& band, std::span<const std::int64_t> costs) {
  band.state.assign(static_cast<std::size_t>(2 * band.words), 0);
  for (std::size_t d = 0; d + 1 < costs.size(); ++d) {
    const std::size_t plus = d / kChunk * 2;
    const std::uint32_t bit = 1u << d % kChunk;
    if (costs[d + 1] > costs[d]) band.state[plus] |= bit;
    if (costs[d + 1] < costs[d]) band.state[plus + 1] |= bit;
  }
  return costs.front();
}

}  // namespace rhomb::corridor
