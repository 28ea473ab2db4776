// SPDX-License-Identifier: Apache-2.0
#include "host/align/walker.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "host/align/slab.h"

namespace rhomb::align {
namespace {

/// What a slab may cost, of what the one before makes probable.
constexpr double kSpare = 1.125;

/// Seconds for a number of a wavefront, for a column of a strip, and for the walk back through
/// that.
constexpr double kNumber = 6e-9, kColumn = 5e-9, kStrip = 5e-7, kStripRows = 64;

/// A gap is long that has so many symbols, and what is paid besides little if it is no more than
/// this part of them.
constexpr std::int64_t kLongGap = 256, kGapOfCost = 8;

/// The diagonals that a path touches which ends on `diagonal`.
Places touched(const Cigar& backwards, bool turned, std::int64_t diagonal) {
  Places all{diagonal, diagonal};
  for (const auto& [edit, length] : backwards) {
    if (edit == Edit::kMatch || edit == Edit::kMismatch) continue;
    const std::int64_t rows = length;
    diagonal += (edit == Edit::kInsert) == turned ? -rows : rows;
    all = hull(all, {diagonal, diagonal});
  }
  return all;
}

std::int64_t path_top(std::int64_t exit, std::int64_t rows) {
  return std::clamp<std::int64_t>(exit - rows, 0, exit);
}

/// The region of both exits.
std::optional<Region> region_between(const KeptRow& top, std::int64_t rows, const Places& exits,
                                     std::int64_t most_first, std::int64_t most_last) {
  auto last = region_below(top, rows, exits.last, most_last);
  if (exits.first == exits.last || !last) return last;
  const auto first = region_below(top, rows, exits.first, most_first);
  if (!first) return std::nullopt;
  const auto end = [](const Region& region) {
    return region.column + static_cast<std::int64_t>(region.top.size());
  };
  Region both = *last;
  both.column = std::min(first->column, last->column);
  both.first_exit = exits.first;
  both.threshold = std::max(first->threshold, last->threshold);
  both.top.clear();
  std::int64_t cost = top.at(both.column), least = cost;
  for (std::int64_t place = both.column; place < std::max(end(*first), end(*last)); ++place) {
    both.top.push_back(static_cast<std::int32_t>(cost));
    least = std::min(least, cost);
    cost += top.step(place);
  }
  both.threshold = std::max(most_first, most_last) - least;
  return both;
}

}  // namespace

Crossed both(const Crossed& left, const Crossed& right) {
  return {{left.at.first, right.at.last}, hull(left.diagonals, right.diagonals), {}};
}

std::optional<Crossed> Walker::through(const KeptRow& top, std::int64_t rows, const Places& exits,
                                       std::optional<std::int64_t> cost, bool canonical,
                                       std::span<const Stretch> stretches, std::int64_t limit) {
  needs_ = {};
  const bool one = canonical && exits.first == exits.last;
  const std::int64_t end = top.row + rows;
  if (auto right = forced(top, rows, exits.last, canonical)) {
    if (right->backwards.cost() > 0) rate_ = 0;
    if (one) return crossed(std::move(*right), end, exits.last);
    std::optional<Crossed> left;
    if (!canonical) {
      left = furthest_left(top, rows, exits.first);
    } else if (auto path = forced(top, rows, exits.first, true)) {
      left = crossed(std::move(*path), end, exits.first);
    }
    if (left) return both(*left, crossed(std::move(*right), end, exits.last));
  }
  if (needs_) return std::nullopt;
  if (exits.last - exits.first > rows) {  // they have not much in common
    const auto left = through(top, rows, {exits.first, exits.first}, cost, canonical);
    if (!left) return std::nullopt;
    std::swap(rate_, rate_of_last_);
    const auto right = through(top, rows, {exits.last, exits.last}, cost, canonical);
    std::swap(rate_, rate_of_last_);
    if (!right) return std::nullopt;
    return both(*left, *right);
  }
  // A canonical path goes back along symbols that match, whatever is above them.
  const std::int64_t same =
      one ? codes_.matches_before(end, exits.last, std::min(rows, exits.last)) : 0;
  auto rest = computed(top, rows - same, {exits.first - same, exits.last - same}, cost, canonical,
                       stretches, limit);
  if (rest && same > 0) {
    Cigar backwards;
    backwards.add(Edit::kMatch, same);
    backwards.append(rest->backwards);
    rest->backwards = std::move(backwards);
  }
  return rest;
}

std::optional<Cigar> Walker::straight(const Point& from, const Point& to) {
  return from_point(forced({from.row, from.place, 0, {}}, to.row - from.row, to.place, true), from);
}

std::optional<Cigar> Walker::across(const Point& from, const Point& to, std::int64_t cost) {
  const std::int64_t gap = std::abs(to.place - to.row - (from.place - from.row));
  const double numbers = GapWaves::numbers(gap, cost);
  if (gap < kLongGap || cost - gap > gap / kGapOfCost ||
      numbers * sizeof(std::int32_t) > static_cast<double>(memory_))
    return std::nullopt;
  Region region;
  region.row = from.row;
  region.rows = to.row - from.row;
  region.column = from.place;
  region.last_exit = to.place;
  region.threshold = cost;
  return from_point(gap_waves_.walk(region), from);
}

std::optional<Cigar> Walker::from_point(std::optional<Path> path, const Point& from) const {
  if (!path || path->entry < from.place) return std::nullopt;
  path->backwards.add(codes_.by_column(), path->entry - from.place);
  return std::move(path->backwards);
}

/// through(), by wavefronts or strips.
std::optional<Crossed> Walker::computed(const KeptRow& top, std::int64_t rows, const Places& exits,
                                        std::optional<std::int64_t> cost, bool canonical,
                                        std::span<const Stretch> stretches, std::int64_t limit) {
  const bool one = canonical && exits.first == exits.last;
  std::int64_t most_first = 0, most_last = 0;
  if (cost) {
    most_first = most_last = *cost;
  } else {
    if (goes_on(top, {exits.first - rows, exits.last - rows}, exits.last)) return std::nullopt;
    const auto about = static_cast<std::int64_t>(kSpare * rate_ * static_cast<double>(rows)) + 16;
    const auto guess = [&](std::int64_t exit) {
      return std::min(
          limit, top.at(path_top(exit, rows)) + about + std::max<std::int64_t>(0, rows - exit));
    };
    most_first = guess(exits.first);
    most_last = guess(exits.last);
  }
  for (;;) {
    auto region = region_between(top, rows, exits, most_first, most_last);
    if (!region) return std::nullopt;
    const std::int64_t end = region->column + static_cast<std::int64_t>(region->top.size()) - 1;
    if (goes_on(top, {region->column, end}, exits.last)) return std::nullopt;
    std::int64_t found_first = 0, found_last = 0;
    region->stretches = stretches;
    if (one && few(*region)) {
      if (auto path = waves_.walk()) {
        learn(top, rows, exits.last, path->backwards.cost() + top.at(path->entry));
        return crossed(std::move(*path), top.row + rows, exits.last);
      }
      if (cost) return std::nullopt;
      found_first = found_last = most_last + most_last - top.at(path_top(exits.last, rows));
    } else {
      const Slab slab(codes_, std::move(*region), memory_, threads_);
      cells_ += slab.cells();
      found_last = slab.cost(exits.last);
      found_first = exits.first == exits.last ? found_last : slab.cost(exits.first);
      if (found_first <= most_first && found_last <= most_last) {
        learn(top, rows, exits.last, found_last);
        using Order = Slab::Order;
        const auto walk = [&](std::int64_t exit, Order order) {
          return crossed(slab.walk(exit, canonical ? Order::kCanonical : order), top.row + rows,
                         exit);
        };
        Crossed left = walk(exits.first, Order::kLeftmost);
        return one ? left : both(left, walk(exits.last, Order::kRightmost));
      }
      if (cost) return std::nullopt;
    }
    if (most_last >= limit) return std::nullopt;
    // What was found is the cost of a path, so no more than that can be needed.
    most_first = std::min(limit, std::max(most_first, found_first));
    most_last = std::min(limit, std::max(most_last, found_last));
  }
}

Crossed Walker::crossed(Path path, std::int64_t row, std::int64_t exit) const {
  const Places diagonals = touched(path.backwards, codes_.turned, exit - row);
  return {{path.entry, path.entry}, diagonals, std::move(path.backwards)};
}

/// The path to `exit` that pays for coming from another diagonal and for nothing else, where that
/// leaves no choice: the canonical one, or the rightmost. No cell costs less than the place at
/// the upper end of its diagonal, since costs along the row change by at most one a place. So
/// while the path's cells cost no more, a mismatch is on no cheapest path, and a gap is only
/// where the row falls by one towards it; and that they do cost no more, is known when it is at
/// the top. Long gaps in repeats and between unlike symbols are of that kind, and their slabs
/// wide.
std::optional<Path> Walker::forced(const KeptRow& top, std::int64_t rows, std::int64_t exit,
                                   bool canonical) {
  Path path;
  std::int64_t row = rows, place = exit;
  for (;;) {
    const std::int64_t diagonal = place - row;
    if (diagonal < 0) return std::nullopt;
    // A canonical path goes back along symbols that match, whatever is above them.
    const std::int64_t same = codes_.matches_before(top.row + row, place, row);
    path.backwards.add(Edit::kMatch, same);
    row -= same;
    place -= same;
    if (row == 0 && canonical) break;
    if (goes_on(top, {diagonal - 1, diagonal + 1}, exit)) return std::nullopt;
    const bool by_column = diagonal > 0 && top.step(diagonal - 1) > 0;
    const bool by_row = top.step(diagonal) < 0;
    if (same > 0 && by_row && !canonical) return std::nullopt;
    if (row == 0) break;
    if (by_column == by_row) return std::nullopt;
    path.backwards.add(by_row ? codes_.by_row() : codes_.by_column(), 1);
    --(by_row ? row : place);
  }
  path.entry = place;
  return path;
}

/// The leftmost of such paths: each row takes the first column that it matches.
std::optional<Crossed> Walker::furthest_left(const KeptRow& top, std::int64_t rows,
                                             std::int64_t exit) {
  if (exit < rows) return std::nullopt;
  std::int64_t first = std::max<std::int64_t>(0, top.rises_from(exit - rows));
  if (goes_on(top, {first - 1, exit - rows}, exit)) return std::nullopt;
  std::int64_t place = first;
  for (std::int64_t row = 0; row < rows; ++row, ++place) {
    while (place < exit && !codes_.match(top.row + row, place)) ++place;
    if (place == exit) return std::nullopt;
    if (row == 0) first = place;
  }
  return Crossed{{first, first}, {first - top.row, exit - top.row - rows}, {}};
}

/// The next slab will cost about as much.
void Walker::learn(const KeptRow& top, std::int64_t rows, std::int64_t exit, std::int64_t cost) {
  const std::int64_t more = std::max<std::int64_t>(0, cost - top.at(path_top(exit, rows)));
  rate_ = static_cast<double>(more) / static_cast<double>(std::max<std::int64_t>(1, rows));
}

bool Walker::goes_on(const KeptRow& top, const Places& places, std::int64_t exit) {
  const std::int64_t first = std::clamp<std::int64_t>(places.first, 0, exit);
  const std::int64_t last = std::clamp<std::int64_t>(places.last, 0, exit);
  // Costs are not known beyond the row's ends, so what ends there may go on.
  if ((first <= top.first && top.more_before) || (last >= top.last() && top.more_behind))
    needs_ = Places{first - 1, last + 1};
  return needs_.has_value();
}

/// Whether wavefronts are faster.
bool Walker::few(const Region& region) {
  const double numbers = waves_.begin(region);
  const double waves = numbers * kNumber;
  const double strips = static_cast<double>(region.rows) / kStripRows * kStrip;
  return numbers * sizeof(std::int32_t) < static_cast<double>(memory_) &&
         (waves < strips || waves < Slab::columns(region) * kColumn + strips);
}

}  // namespace rhomb::align
