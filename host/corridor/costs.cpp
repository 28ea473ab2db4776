// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/costs.h"

#include <limits>
#include <utility>

namespace rhomb::corridor {

void Costs::add(int block, std::int64_t first, std::vector<std::int32_t> cost) {
  if (cost.empty()) return;
  Run made{first, std::move(cost)};
  std::vector<Run>& runs = runs_[static_cast<std::size_t>(block)];
  if (runs.empty()) {
    runs.push_back(std::move(made));
    return;
  }
  std::vector<Run> kept;
  for (Run& run : runs) {
    const Range all = hull(run.range(), made.range());
    if (all.size() > run.range().size() + made.range().size()) {  // apart
      kept.push_back(std::move(run));
      continue;
    }
    Run both{all.first, std::vector<std::int32_t>(static_cast<std::size_t>(all.size()))};
    for (const Run* part : {&run, &made})
      for (std::size_t i = 0; i < part->cost.size(); ++i) {
        std::int32_t& mine = both.cost[i + static_cast<std::size_t>(part->first - all.first)];
        mine = std::max(mine, part->cost[i]);
      }
    made = std::move(both);
  }
  kept.push_back(std::move(made));
  std::sort(kept.begin(), kept.end(), [](const Run& x, const Run& y) { return x.first < y.first; });
  runs = std::move(kept);
}

std::vector<Range> Costs::unknown(int block, const Range& range) const {
  std::vector<Range> found;
  std::int64_t from = range.first;
  for (const Run& run : of(block)) {
    const Range known = run.range();
    if (known.end <= from) continue;
    if (known.first >= range.end) break;
    if (known.first > from) found.push_back({from, known.first});
    from = known.end;
  }
  if (from < range.end) found.push_back({from, range.end});
  return found;
}

std::vector<std::int32_t> Costs::in(int block, const Range& range) const {
  std::vector<std::int32_t> costs(static_cast<std::size_t>(range.size()));
  seeds_.raise(block, range, costs);
  for (const Run& run : of(block)) {
    const std::int64_t end = std::min(run.range().end, range.end);
    for (std::int64_t c = std::max(run.first, range.first); c < end; ++c) {
      std::int32_t& mine = costs[static_cast<std::size_t>(c - range.first)];
      mine = std::max(mine, run.cost[static_cast<std::size_t>(c - run.first)]);
    }
  }
  return costs;
}

std::int32_t Costs::least(int block, const Range& range) const {
  std::int32_t least = std::numeric_limits<std::int32_t>::max() / 2;
  for (const Range& part : unknown(block, range))
    least = std::min(least, seeds_.least(block, part));
  for (const Run& run : of(block)) {
    const Range both{std::max(run.first, range.first), std::min(run.range().end, range.end)};
    if (both.empty()) continue;
    const std::vector<std::int32_t> costs = in(block, both);
    least = std::min(least, *std::min_element(costs.begin(), costs.end()));
  }
  return least;
}

}  // namespace rhomb::corridor
