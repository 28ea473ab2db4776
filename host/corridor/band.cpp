// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/band.h"

#include <algorithm>
#include <array>
#include <bit>

namespace rhomb::corridor {
namespace {

std::int64_t sum_of(std::uint32_t plus, std::uint32_t minus) {
  return std::popcount(plus) - std::popcount(minus);
}

/// The least sum of the first 0 to 8 differences, by plus + 256 minus.
std::array<std::int8_t, 65536> make_dips() {
  std::array<std::int8_t, 65536> dips{};
  for (unsigned both = 0; both < dips.size(); ++both) {
    int at = 0, least = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      at += static_cast<int>(both >> bit & 1) - static_cast<int>(both >> (8 + bit) & 1);
      least = std::min(least, at);
    }
    dips[both] = static_cast<std::int8_t>(least);
  }
  return dips;
}

/// The least sum of the first 0 to 32 differences of a word.
std::int64_t dip(std::uint32_t plus, std::uint32_t minus) {
  static const std::array<std::int8_t, 65536> dips = make_dips();
  std::int64_t at = 0, least = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const std::uint32_t p = plus >> (8 * byte) & 255, m = minus >> (8 * byte) & 255;
    least = std::min<std::int64_t>(least, at + dips[p | m << 8]);
    at += sum_of(p, m);
  }
  return least;
}

}  // namespace

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
  for (std::int64_t w = 0; w + 2 < words; ++w) {
    const std::uint32_t plus = computed.state[static_cast<std::size_t>(2 * w)];
    const std::uint32_t minus = computed.state[static_cast<std::size_t>(2 * w + 1)];
    if (w > 0) {
      const std::int64_t back = kChunk * std::min(w, words - 2 - w);
      found.cost.push_back(static_cast<std::int32_t>(std::min(at + dip(plus, minus), back)));
    }
    at += sum_of(plus, minus);
  }
  return found;
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

}  // namespace rhomb::corridor
