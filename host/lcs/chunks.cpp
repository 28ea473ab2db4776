// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/chunks.h"

#include <algorithm>

namespace rhomb::lcs {
namespace {

/// Tiles of more units are not given targets of less than half the length of their first one: all
/// lanes of a tile take the memory of the longest.
constexpr std::uint32_t kLongTile = 128;

std::uint32_t units_of(std::string_view target) {
  return static_cast<std::uint32_t>((target.size() + 31) / 32);
}

/// Numbers of the targets that are not empty, longest first.
std::vector<std::uint32_t> by_length(std::span<const std::string_view> targets) {
  std::vector<std::uint32_t> order;
  order.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!targets[i].empty()) order.push_back(static_cast<std::uint32_t>(i));
  const auto longer = [&](std::uint32_t a, std::uint32_t b) {
    return targets[a].size() > targets[b].size();
  };
  if (!std::is_sorted(order.begin(), order.end(), longer))
    std::stable_sort(order.begin(), order.end(), longer);
  return order;
}

}  // namespace

std::vector<Chunk> chunks_of(std::span<const std::string_view> targets, const Cut& cut) {
  const std::vector<std::uint32_t> order = by_length(targets);
  const auto lane_targets = static_cast<std::size_t>(cut.targets);
  const auto together = static_cast<std::size_t>(cut.lanes);
  const std::size_t tile_lanes = together * static_cast<std::size_t>(cut.group);
  std::vector<Chunk> chunks;
  for (std::size_t first = 0; first < order.size();) {
    const std::uint32_t units = units_of(targets[order[first]]);
    const auto fits = [&](std::size_t i) {
      return i < order.size() && (units <= kLongTile || 2 * units_of(targets[order[i]]) >= units);
    };
    std::size_t end = first;
    while (end - first < tile_lanes * lane_targets && fits(end)) ++end;
    const std::size_t filled = (end - first + lane_targets - 1) / lane_targets;
    const std::size_t width = (filled + together - 1) / together * together;

    if (chunks.empty() || chunks.back().targets.size() / lane_targets + width > cut.most_lanes ||
        chunks.back().units + std::uint64_t{units} * width > cut.most_units) {
      chunks.emplace_back();
      chunks.back().longest = static_cast<std::uint32_t>(targets[order[first]].size());
    }
    Chunk& chunk = chunks.back();
    const std::size_t slots = chunk.targets.size();
    chunk.tiles.push_back({static_cast<std::uint32_t>(chunk.units),
                           static_cast<std::uint32_t>(slots / lane_targets),
                           static_cast<std::uint32_t>(width), units});
    chunk.targets.insert(chunk.targets.end(), order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
    chunk.targets.resize(slots + width * lane_targets, Chunk::kNobody);
    chunk.units += std::uint64_t{units} * width;
    for (; first < end; ++first) chunk.symbols += targets[order[first]].size();
  }
  return chunks;
}

}  // namespace rhomb::lcs
