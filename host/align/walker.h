// SPDX-License-Identifier: Apache-2.0
// Walker: cheapest paths through slabs, by what is cheapest for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "host/align/codes.h"
#include "host/align/region.h"
#include "host/align/trace.h"
#include "host/align/waves.h"

namespace rhomb::align {

/// The left path of one and the right one of another.
Crossed both(const Crossed& left, const Crossed& right);

/// Walks through slabs, one after the other. Close ones are done by wavefronts (waves.h), others by
/// bit vectors (slab.h), and where there is no choice nothing is computed.
class Walker {
 public:
  /// `memory`: bytes for what is kept of a slab. So many threads compute one. `rate`: edits a row,
  /// about.
  Walker(const Codes& codes, std::size_t memory, std::size_t threads = 1, double rate = 0.25)
      : codes_(codes),
        memory_(memory),
        threads_(threads),
        waves_(codes),
        gap_waves_(codes),
        rate_(rate),
        rate_of_last_(rate) {}

  /// Through `rows` rows below `top` to `exits`; if these are one place and `cost` is what it
  /// costs, or nothing is known of that but that it is no more than `limit`. `canonical`: by the
  /// canonical paths from both exits, else by the leftmost from the first and the rightmost from
  /// the last. Nothing where no path is as cheap as that, or where `top` goes on where it matters.
  std::optional<Crossed> through(const KeptRow& top, std::int64_t rows, const Places& exits,
                                 std::optional<std::int64_t> cost, bool canonical,
                                 std::span<const Stretch> stretches = {},
                                 std::int64_t limit = std::numeric_limits<std::int64_t>::max());

  /// From a point to another, if the path pays for the one gap between their diagonals and for
  /// nothing else, and is the only one.
  std::optional<Cigar> straight(const Point& from, const Point& to);

  /// From a point to another, if the path costs so much, and that is a long gap and not much more.
  std::optional<Cigar> across(const Point& from, const Point& to, std::int64_t cost);

  /// What through() did not know: places of its row that go on.
  const std::optional<Places>& needs() const { return needs_; }
  double cells() const { return cells_ + waves_.cells() + gap_waves_.cells(); }

 private:
  std::optional<Crossed> computed(const KeptRow& top, std::int64_t rows, const Places& exits,
                                  std::optional<std::int64_t> cost, bool canonical,
                                  std::span<const Stretch> stretches, std::int64_t limit);
  Crossed crossed(Path path, std::int64_t row, std::int64_t exit) const;
  /// All of a path that comes from the point, along its row at first; nothing where it does not.
  std::optional<Cigar> from_point(std::optional<Path> path, const Point& from) const;
  std::optional<Path> forced(const KeptRow& top, std::int64_t rows, std::int64_t exit,
                             bool canonical);
  std::optional<Crossed> furthest_left(const KeptRow& top, std::int64_t rows, std::int64_t exit);
  void learn(const KeptRow& top, std::int64_t rows, std::int64_t exit, std::int64_t cost);
  bool goes_on(const KeptRow& top, const Places& places, std::int64_t exit);
  bool few(const Region& region);

  const Codes& codes_;
  std::size_t memory_, threads_;
  Waves waves_;
  GapWaves gap_waves_;
  double cells_ = 0;
  // What a slab cost more than its row did, each row; where exits have not much in common, to the
  // first one, and to the last.
  double rate_, rate_of_last_;
  std::optional<Places> needs_;
};

}  // namespace rhomb::align
