// SPDX-License-Identifier: Apache-2.0
#include "host/strip/closure.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>

#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/seq/packed.h"

namespace rhomb::strip {
namespace {

std::int64_t ones(std::span<const std::uint32_t> words) {
  std::int64_t count = 0;
  for (const std::uint32_t word : words) count += std::popcount(word);
  return count;
}

std::int64_t sum(std::span<const std::uint32_t> counts) {
  std::int64_t all = 0;
  for (const std::uint32_t count : counts) all += static_cast<std::int32_t>(count);
  return all;
}

}  // namespace

std::int64_t ClosureLanes::first_word(std::int64_t lane) const {
  return band_first(lane, shape.rows(), band.below);
}
std::int64_t ClosureLanes::end_word(std::int64_t lane) const {
  return band_end(lane, shape.rows(), band.above, columns);
}
/// Lanes of a group all stop when its last one has put out its last word.
std::int64_t ClosureLanes::last_word(std::int64_t lane) const {
  const std::int64_t group = shape.group_lanes(), item = lane % group;
  const std::int64_t last = std::min(lane - item + group, end) - 1;
  return end_word(last) + 2 * (group - 1) - 2 * item;
}

// With each word that a lane takes in and puts out, from its first column on,
//
//   put out + on the way - taken in = dv now - dv before,
//
// where 32 dh are on the way from row to row. Added up over all lanes, what one puts out and the
// next one takes in is on both sides. What is left: the dh that a lane puts out before the next one
// begins (score) and behind its own end (beyond), +1 for each column that the next one goes through
// there; at its start a lane has dv = +1, and dh = -1 on the way, which it puts out first.
std::int64_t closure_gap(const ClosureLanes& lanes, const Words& state, std::int64_t taken,
                         std::int64_t left) {
  const auto k = static_cast<std::size_t>(lanes.shape.k);
  const auto value = [&](std::size_t number) {
    const std::size_t at = number * static_cast<std::size_t>(lanes.stride);
    return std::span(state).subspan(at + static_cast<std::size_t>(lanes.first),
                                    static_cast<std::size_t>(lanes.end - lanes.first));
  };
  std::int64_t dv = 0;
  for (std::size_t r = 0; r < k; ++r) dv += ones(value(r)) - ones(value(k + r));
  const std::int64_t on_the_way = ones(value(2 * k)) - ones(value(2 * k + 1));
  const std::span<const std::uint32_t> scores = value(STRIP_SCORE(k));
  std::int64_t gap = left - taken + sum(scores.first(scores.size() - 1)) +
                     sum(value(STRIP_BEYOND(k))) + on_the_way - dv +
                     (lanes.end - lanes.first) * lanes.shape.rows();
  for (std::int64_t lane = lanes.first; lane < lanes.end; ++lane)
    gap -= 32 * (lanes.last_word(lane) + 1 - lanes.end_word(lane - 1));
  return gap;
}

std::int64_t symbols_gap(const ClosureLanes& lanes, const Words& state, const Words& pattern) {
  const auto planes = static_cast<std::size_t>(lanes.planes);
  const std::int64_t rows = lanes.shape.rows();
  std::int64_t gap = 0;
  for (std::size_t p = 0; p < planes; ++p) {
    std::int64_t there = 0, wanted = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(lanes.shape.k); ++r) {
      const std::size_t value =
          STRIP_SYMBOLS(static_cast<std::size_t>(lanes.shape.k)) + r * planes + p;
      there += ones(std::span(state).subspan(
          value * static_cast<std::size_t>(lanes.stride) + static_cast<std::size_t>(lanes.first),
          static_cast<std::size_t>(lanes.end - lanes.first)));
    }
    for (std::int64_t w = lanes.first * rows / 32; w < lanes.end * rows / 32; ++w)
      wanted += std::popcount(
          pattern[(seq::Planes::kFrontWords + static_cast<std::size_t>(w)) * planes + p]);
    gap += std::abs(there - wanted);
  }
  return gap;
}

}  // namespace rhomb::strip
