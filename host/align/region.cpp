// SPDX-License-Identifier: Apache-2.0
#include "host/align/region.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

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
  std::int64_t value = top.at(middle);
  if (too_much(middle, value)) return std::nullopt;
  std::int64_t low = middle, high = middle, least = value;
  std::vector<std::int32_t> values{static_cast<std::int32_t>(value)};
  for (; low > 0; --low) {
    value -= top.step(low - 1);
    if (too_much(low - 1, value)) break;
    values.push_back(static_cast<std::int32_t>(value));
    least = std::min(least, value);
  }
  std::ranges::reverse(values);
  value = values.back();
  for (; high < exit; ++high) {
    value += top.step(high);
    if (too_much(high + 1, value)) break;
    values.push_back(static_cast<std::int32_t>(value));
    least = std::min(least, value);
  }
  Region region;
  region.row = top.row;
  region.rows = rows;
  region.column = low;
  region.top = std::move(values);
  region.first_exit = region.last_exit = exit;
  region.inside = true;
  region.threshold = cost - least;
  return region;
}

}  // namespace rhomb::align
