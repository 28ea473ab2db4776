// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/bounds.h"

#include <bit>
#include <limits>
#include <utility>

namespace rhomb::corridor {
namespace {

using Cost = std::int32_t;
constexpr Cost kNone = std::numeric_limits<Cost>::max() / 2;

/// Chunks to either side that hold diagonals at most `cost` away.
std::int64_t reach(Cost cost) { return cost / kChunk + 1; }

/// Bounds at one boundary, which move to the next one block by block.
class Field {
 public:
  /// Costs of a gap from or to `diagonal`.
  Field(const Range& range, std::int64_t diagonal) : range_(range) {
    for (std::int64_t c = range.first; c < range.end; ++c)
      values_.push_back(static_cast<Cost>(gap(c, diagonal)));
  }

  Cost operator[](std::int64_t chunk) const {
    return values_[static_cast<std::size_t>(chunk - range_.first)];
  }
  const std::vector<Cost>& values() const { return values_; }

  /// Tells of each change: chunk, old value.
  template <class Changed>
  void set(std::int64_t chunk, Cost value, const Changed& changed) {
    Cost& mine = values_[static_cast<std::size_t>(chunk - range_.first)];
    if (mine == value) return;
    const Cost old = std::exchange(mine, value);
    changed(chunk, old);
  }

  /// Across a block in which a path that ends in chunk c of a run pays runs[..].cost at least.
  template <class Changed>
  void cross(const std::vector<Costs::Run>& runs, const Changed& changed) {
    next_.clear();
    for (const Costs::Run& run : runs) {
      const std::int64_t first = std::max(run.first, range_.first);
      const std::int64_t end = std::min(run.range().end, range_.end);
      if (first >= end) continue;
      const std::int64_t widest = reach(*std::max_element(run.cost.begin(), run.cost.end()));
      prepare({std::max(range_.first, first - widest), std::min(range_.end, end + widest)},
              static_cast<std::size_t>(2 * widest + 1));
      for (std::int64_t c = first; c < end; ++c) {
        const Cost cost = run.cost[static_cast<std::size_t>(c - run.first)];
        const Cost least = least_in(
            {std::max(range_.first, c - reach(cost)), std::min(range_.end, c + reach(cost) + 1)});
        next_.emplace_back(c, std::max((*this)[c], least + cost));
      }
    }
    for (const auto& [chunk, value] : next_) set(chunk, value, changed);
    for (const Costs::Run& run : runs) raise(run.range(), changed);
  }

 private:
  /// The least of 1, 2, 4, .. chunks from each of `part` on, for least_in() of `most` at most.
  void prepare(const Range& part, std::size_t most) {
    prepared_ = part;
    const auto size = static_cast<std::size_t>(part.size());
    most = std::min(most, size);
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(part.first - range_.first);
    if (levels_.empty()) levels_.emplace_back();
    levels_[0].assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    for (std::size_t k = 1; (std::size_t{1} << k) <= most; ++k) {
      if (levels_.size() == k) levels_.emplace_back();
      const std::size_t half = std::size_t{1} << (k - 1), count = size - 2 * half + 1;
      levels_[k].resize(count);
      const Cost* const from = levels_[k - 1].data();
      Cost* const to = levels_[k].data();
      for (std::size_t i = 0; i < count; ++i) to[i] = std::min(from[i], from[i + half]);
    }
  }
  Cost least_in(const Range& part) const {
    const auto size = static_cast<std::size_t>(part.size());
    const auto k = static_cast<std::size_t>(std::bit_width(size)) - 1;
    const auto from = static_cast<std::size_t>(part.first - prepared_.first);
    return std::min(levels_[k][from], levels_[k][from + size - (std::size_t{1} << k)]);
  }

  /// D changes by at most 32 from one end of a chunk to the other, so bounds that are lower than
  /// those of their neighbours allow are raised.
  template <class Changed>
  void raise(const Range& run, const Changed& changed) {
    const auto step = static_cast<Cost>(kChunk);
    const std::int64_t first = std::max(run.first, range_.first);
    const std::int64_t end = std::min(run.end, range_.end);
    for (std::int64_t c = first + 1; c < range_.end; ++c) {
      const Cost least = (*this)[c - 1] - step;
      if ((*this)[c] < least)
        set(c, least, changed);
      else if (c >= end)
        break;
    }
    for (std::int64_t c = end - 2; c >= range_.first; --c) {
      const Cost least = (*this)[c + 1] - step;
      if ((*this)[c] < least)
        set(c, least, changed);
      else if (c < first)
        break;
    }
  }

  Range range_;
  std::vector<Cost> values_;
  std::vector<std::pair<std::int64_t, Cost>> next_;
  Range prepared_;
  std::vector<std::vector<Cost>> levels_;
};

/// What a path pays at least that enters a block in a chunk, from what it pays that leaves it
/// there.
std::vector<Costs::Run> by_entry(const std::vector<Costs::Run>& by_exit) {
  std::vector<Costs::Run> runs = by_exit;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& exit = by_exit[r].cost;
    const auto size = static_cast<std::int64_t>(exit.size());
    const auto at = [&](std::int64_t c) {
      return c < 0 || c >= size ? Cost{0} : exit[static_cast<std::size_t>(c)];
    };
    for (std::int64_t c = 0; c < size; ++c) {
      Cost least = at(c);
      for (std::int64_t away = 1; kChunk * (away - 1) < least; ++away) {
        const auto gap = static_cast<Cost>(kChunk * (away - 1));
        least = std::min(least, std::max(gap, std::min(at(c - away), at(c + away))));
      }
      runs[r].cost[static_cast<std::size_t>(c)] = least;
    }
  }
  return runs;
}

/// The chunks where the sum of both fields does not exceed the threshold.
class Alive {
 public:
  Alive(const Range& range, Cost threshold)
      : range_(range),
        threshold_(threshold),
        words_(static_cast<std::size_t>(range.size() + 63) / 64) {}

  void update(std::int64_t chunk, Cost sum) {
    const auto place = static_cast<std::size_t>(chunk - range_.first);
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    words_[place / 64] = sum <= threshold_ ? words_[place / 64] | bit : words_[place / 64] & ~bit;
  }
  Range range() const {
    std::size_t low = 0, high = words_.size();
    while (low < high && words_[low] == 0) ++low;
    while (high > low && words_[high - 1] == 0) --high;
    if (low == high) return {};
    return {
        range_.first + static_cast<std::int64_t>(64 * low) + std::countr_zero(words_[low]),
        range_.first + static_cast<std::int64_t>(64 * high) - std::countl_zero(words_[high - 1])};
  }

 private:
  Range range_;
  Cost threshold_;
  std::vector<std::uint64_t> words_;
};

Cost least_of(const Field& field, const Range& range) {
  Cost least = kNone;
  for (std::int64_t c = range.first; c < range.end; ++c) least = std::min(least, field[c]);
  return least;
}

}  // namespace

void Costs::add(int block, std::int64_t first, const std::vector<std::int32_t>& cost) {
  if (cost.empty()) return;
  Run made{first, cost};
  std::vector<Run>& runs = runs_[static_cast<std::size_t>(block)];
  std::vector<Run> kept;
  for (Run& run : runs) {
    const Range all = hull(run.range(), made.range());
    if (all.size() > run.range().size() + made.range().size()) {  // apart
      kept.push_back(std::move(run));
      continue;
    }
    Run both{all.first, std::vector<Cost>(static_cast<std::size_t>(all.size()))};
    for (const Run* part : {&run, &made})
      for (std::size_t i = 0; i < part->cost.size(); ++i) {
        Cost& mine = both.cost[i + static_cast<std::size_t>(part->first - all.first)];
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

std::int64_t Corridor::chunks() const {
  std::int64_t sum = 0;
  for (const Range& range : block) sum += range.size();
  return sum;
}

std::int64_t Corridor::widest() const {
  std::int64_t most = 0;
  for (const Range& range : block) most = std::max(most, range.size());
  return most;
}

Corridor corridor_of(const Grid& grid, const Costs& costs, std::int64_t threshold) {
  const auto blocks = static_cast<std::size_t>(grid.blocks);
  Corridor corridor;
  corridor.threshold = threshold;
  corridor.at.resize(blocks + 1);
  corridor.block.resize(blocks);
  const Range range = reachable(grid, threshold);
  corridor.lower = std::abs(grid.end());  // more than the threshold if that reaches nothing
  if (range.empty()) return corridor;

  // Forward, and what each block changed, to go back again.
  Field forward(range, 0);
  std::vector<std::pair<std::int64_t, Cost>> changes;
  std::vector<std::size_t> begins;
  for (int s = 0; s < grid.blocks; ++s) {
    begins.push_back(changes.size());
    forward.cross(costs.of(s),
                  [&](std::int64_t chunk, Cost old) { changes.emplace_back(chunk, old); });
  }

  Field backward(range, grid.end());
  Alive alive(range, static_cast<Cost>(threshold));
  const auto refresh = [&](std::int64_t chunk, Cost) {
    alive.update(chunk, forward[chunk] + backward[chunk]);
  };
  Cost lower = kNone;
  for (std::int64_t c = range.first; c < range.end; ++c) {
    refresh(c, 0);
    lower = std::min(lower, forward[c] + backward[c]);
  }
  corridor.lower = std::max<std::int64_t>(corridor.lower, lower);
  corridor.at[blocks] = alive.range();
  Cost to_end = least_of(backward, corridor.at[blocks]);
  for (std::size_t s = blocks; s-- > 0;) {
    for (std::size_t i = changes.size(); i-- > begins[s];) {
      forward.set(changes[i].first, changes[i].second, [](std::int64_t, Cost) {});
      refresh(changes[i].first, 0);
    }
    changes.resize(begins[s]);
    backward.cross(by_entry(costs.of(static_cast<int>(s))), refresh);
    corridor.at[s] = alive.range();
    const Range both = hull(corridor.at[s], corridor.at[s + 1]);
    // Between both boundaries a path may go w diagonals further, for 2 w in gaps: what remains of
    // the threshold.
    const Cost from_start = least_of(forward, corridor.at[s]);
    const std::int64_t spare = std::max<std::int64_t>(threshold - from_start - to_end, 0);
    const std::int64_t wider = (spare / 2 + kChunk - 1) / kChunk;
    corridor.block[s] = {std::max(range.first, both.first - wider),
                         std::min(range.end, both.end + wider)};
    to_end = least_of(backward, corridor.at[s]);
  }
  if (std::any_of(corridor.at.begin(), corridor.at.end(),
                  [](const Range& at) { return at.empty(); })) {
    corridor.at.assign(blocks + 1, {});
    corridor.block.assign(blocks, {});
    corridor.lower = std::max(corridor.lower, threshold + 1);
  }
  return corridor;
}

std::vector<std::vector<std::int32_t>> lower_bounds(const Grid& grid, const Costs& costs,
                                                    const Range& range, bool forward) {
  const auto blocks = static_cast<std::size_t>(grid.blocks);
  std::vector<std::vector<Cost>> fields(blocks + 1);
  Field field(range, forward ? 0 : grid.end());
  const auto ignore = [](std::int64_t, Cost) {};
  fields[forward ? 0 : blocks] = field.values();
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t s = forward ? i : blocks - 1 - i;
    const auto& runs = costs.of(static_cast<int>(s));
    field.cross(forward ? runs : by_entry(runs), ignore);
    fields[forward ? s + 1 : s] = field.values();
  }
  return fields;
}

}  // namespace rhomb::corridor
