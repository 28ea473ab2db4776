// SPDX-License-Identifier: Apache-2.0
#include "host/align/region.h"

#include <algorithm>
#include <cstdlib>

namespace rhomb::align {

std::optional<Region> region_below(const KeptRow& top, std::int64_t rows, std::int64_t exit,
                                   std::int64_t cost) {
  // A path that touches a diagonal pays at least what the place at its upper end costs and the way
  // from there to the exit's diagonal: it cannot come to that diagonal for less, since costs along
  // the row change by at most one a place. That sum never falls away from the exit's diagonal.
  const std::int64_t target = exit - rows;
  const auto too_much = [&](std::int64_t place, std::int64_t place_cost) {
    return place_cost + std::abs(place - target) > cost;
  };
  const std::int64_t middle = std::clamp<std::int64_t>(target, 0, exit);
  std::int64_t low = middle, high = middle;
  std::int64_t at_low = top.at(middle), at_high = at_low;
  if (too_much(middle, at_low)) return std::nullopt;
  for (; low > 0; --low) {
    const std::int64_t next = at_low - top.step(low - 1);
    if (too_much(low - 1, next)) break;
    at_low = next;
  }
  for (; high < exit; ++high) {
    const std::int64_t next = at_high + top.step(high);
    if (too_much(high + 1, next)) break;
    at_high = next;
  }
  Region region;
  region.row = top.row;
  region.rows = rows;
  region.column = low;
  region.first_exit = region.last_exit = exit;
  region.inside = true;
  region.top.reserve(static_cast<std::size_t>(high - low + 1));
  std::int64_t least = at_low;
  for (std::int64_t place = low, value = at_low; place <= high; ++place) {
    region.top.push_back(static_cast<std::int32_t>(value));
    least = std::min(least, value);
    value += top.step(place);
  }
  region.threshold = cost - least;
  return region;
}

}  // namespace rhomb::align
