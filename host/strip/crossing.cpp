// SPDX-License-Identifier: Apache-2.0
// Where cheapest paths cross the row in the middle of a matrix.
#include <algorithm>

#include "host/error.h"
#include "host/strip/internal.h"

namespace rhomb::strip {

Crossing crossing_of(const Plan& plan, const Problem& problem, const Edges& edges,
                     std::int64_t least) {
  const std::int64_t columns = plan.size.n;
  const auto [from, to] = common_places(edges.upper, edges.lower, columns);
  const std::int64_t end = std::min(to, static_cast<std::int64_t>(problem.b.size()));
  const auto before = costs_along(edges.upper, from, end);
  const auto after = costs_along(edges.lower, columns - end, columns - from);
  Crossing crossing{plan.size.upper * plan.shape.rows(), -1, -1};
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::int64_t{before[i]} + after[before.size() - 1 - i] != least) continue;
    crossing.last = from + static_cast<std::int64_t>(i);
    if (crossing.first < 0) crossing.first = crossing.last;
  }
  if (crossing.first < 0)
    throw CheckError("no path has the cost that was found; please report this");
  return crossing;
}

}  // namespace rhomb::strip
