// SPDX-License-Identifier: Apache-2.0
#include "host/primer/node.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace rhomb::primer {
namespace {

/// A region is cut into so many parts, as long as it is larger than it should be.
constexpr std::uint32_t kPartsOfRegion = 16;
/// Regions side by side become one of so many columns at the most.
constexpr std::uint32_t kJoined = 1024;
/// Piece::region where the piece is not a whole region.
constexpr std::uint32_t kNoRegion = ~0u;

std::uint32_t up32(std::uint32_t value) { return (value + 31) / 32 * 32; }

/// Columns of a part of a region, of which so many before it are looked at, too: marks say where in
/// it the ends are.
std::uint32_t finest(std::uint32_t before) { return std::max(256u, 2 * before); }

}  // namespace

std::uint32_t Asked::before(const Node& node) const {
  return up32(node.row - (node.last - 1) + problem.k - 1);
}

/// Columns of the parts that the region is cut into.
std::uint32_t Asked::part_size(const Node& node, const Region& region) const {
  return std::max(finest(before(node)), up32((region.to - region.from) / kPartsOfRegion));
}

Waiting Asked::waiting(std::unique_ptr<Node> owned) const {
  const Node& node = *owned;
  const std::size_t probes = node.probes.size();
  std::size_t pieces = node.regions.size();
  if (!node.fine)
    for (const Region& region : node.regions)
      pieces += (region.to - region.from) / part_size(node, region);
  return {std::move(owned), node.first, node.last,
          static_cast<std::uint32_t>(node.all ? probes : 0),
          static_cast<std::uint32_t>(node.all ? 0 : probes * pieces)};
}

void Asked::pieces(const Node& node, std::uint32_t number, std::uint32_t size,
                   std::vector<Piece>& made) const {
  for (std::uint32_t probe = 0; probe < node.probes.size(); ++probe) {
    if (!node.all) {
      pieces_of_regions(node, number, probe, made);
      continue;
    }
    for_pieces(problem, node.last - 1, node.probes[probe].end, problem.k, size, [&](Piece piece) {
      piece.tag = number;
      piece.probe = probe;
      piece.region = kNoRegion;
      made.push_back(piece);
    });
  }
}

void Asked::pieces_of_regions(const Node& node, std::uint32_t number, std::uint32_t probe,
                              std::vector<Piece>& made) const {
  const std::uint32_t begin = node.last - 1, end = node.probes[probe].end;
  const std::uint32_t ahead = before(node);
  if (end > node.row) {
    const std::uint32_t after = end - node.row + problem.k - 1;
    for (std::uint32_t i = 0; i < node.regions.size(); ++i) {
      const Region& region = node.regions[i];
      const auto n = static_cast<std::uint32_t>(problem.texts[region.text].size());
      made.push_back({begin, end, region.text, region.from - std::min(region.from, ahead),
                      region.to + std::min(n - region.to, after), 0, number, probe, i});
    }
    return;
  }
  for (const Region& region : node.regions) {
    const std::uint32_t size = part_size(node, region);
    std::uint32_t at = region.from;
    do {
      const std::uint32_t from = at - std::min(at, ahead);
      const std::uint32_t to = at + std::min(size, region.to - at);
      made.push_back(
          {begin, end, region.text, from, to, (at - from) / 32 * 32, number, probe, kNoRegion});
      at = to;
    } while (at < region.to);
  }
}

void Asked::take(Node& node, const Piece& piece, std::uint32_t distance, Marks marks) const {
  Probe& probe = node.probes[piece.probe];
  probe.distance = std::min(probe.distance, distance);
  if (distance >= problem.k || !narrow) return;
  if (piece.region != kNoRegion) {
    std::uint32_t& near = node.regions[piece.region].near;
    near = std::max(near, piece.probe + 1);
    return;
  }
  const std::uint32_t skip = piece.from + piece.skip, shift = mark_shift(piece);
  if (marks == 0) node.marked.push_back({piece.text, skip, piece.to});
  // Marks side by side are one region.
  for (std::uint32_t bit = 0; marks != 0;) {
    const auto none = static_cast<std::uint32_t>(std::countr_zero(marks));
    const auto some = static_cast<std::uint32_t>(std::countr_one(marks >> none));
    bit += none;
    const std::uint32_t from = std::max(skip, piece.from + (bit << shift));
    bit += some;
    const std::uint32_t columns = std::min(piece.to - piece.from, bit << shift);
    node.marked.push_back({piece.text, from, piece.from + columns});
    marks = none + some < 32 ? marks >> (none + some) : 0;
  }
}

void Asked::narrow_to(Node& node, std::size_t number) const {
  if (!narrow) return;
  const auto join = [](Region& last, const Region& region) {
    const bool one =
        last.text == region.text && last.to >= region.from && region.to - last.from <= kJoined;
    if (one) last.to = std::max(last.to, region.to);
    return one;
  };
  std::vector<Region>& regions = node.regions;
  // Regions of which one ends where the next begins are one, unless that becomes too large.
  if (!node.all && node.probes[number].end > node.row) {
    auto kept = regions.begin();
    for (Region region : regions) {
      if (region.near != number + 1) continue;
      region.near = 0;
      if (kept == regions.begin() || !join(kept[-1], region)) *kept++ = region;
    }
    regions.erase(kept, regions.end());
    return;
  }
  double left = 0;
  for (const Region& region : node.marked) left += region.to - region.from + 1.0;
  if (node.all && left > columns / 2) return;
  std::ranges::sort(node.marked, {},
                    [](const Region& region) { return std::pair(region.text, region.from); });
  // Of parts of a region marks leave what is as small as it should be.
  node.fine = node.fine || !node.all;
  node.all = false;
  node.row = node.probes[number].end;
  // Larger ones, which repeats leave, are cut.
  const std::uint32_t most = std::max(kJoined, 8 * before(node));
  regions.clear();
  for (Region region : node.marked) {
    if (!regions.empty() && join(regions.back(), region)) continue;
    for (; region.to - region.from > most; region.from += most)
      regions.push_back({region.text, region.from, region.from + most});
    regions.push_back(region);
  }
}

}  // namespace rhomb::primer
