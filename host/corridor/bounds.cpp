// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/bounds.h"

#include <algorithm>
#include <bit>
#include <future>
#include <limits>
#include <span>

#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

using Cost = std::int32_t;
/// A thread is worth its while for the costs of so many blocks.
constexpr std::size_t kBlocks = 128;
constexpr Cost kNone = std::numeric_limits<Cost>::max() / 2;

/// Chunks to either side that hold diagonals at most `cost` away.
std::int64_t reach(Cost cost) { return cost / kChunk + 1; }

/// A number for each chunk of `near`, and one for all below and one for all above it, kNone if
/// there are none.
struct Field {
  Range near;
  Cost below = kNone, above = kNone;
  std::vector<Cost> values;

  Cost of(std::int64_t chunk) const {
    return chunk < near.first  ? below
           : chunk >= near.end ? above
                               : values[static_cast<std::size_t>(chunk - near.first)];
  }
  bool operator==(const Field&) const = default;
  /// The least one of a range, which may be empty.
  Cost least(const Range& range) const {
    if (range.empty()) return kNone;
    Cost least = kNone;
    if (range.first < near.first) least = std::min(least, below);
    if (range.end > near.end) least = std::min(least, above);
    for (std::int64_t c = std::max(range.first, near.first); c < std::min(range.end, near.end); ++c)
      least = std::min(least, values[static_cast<std::size_t>(c - near.first)]);
    return least;
  }
};

/// The numbers of `field` from chunk `first` on, in all of `line`; kNone beyond `all`.
void lay_out(const Field& field, const Range& all, std::int64_t first, std::span<Cost> line) {
  std::size_t done = 0;
  const auto until = [&](std::int64_t chunk) {
    return std::max(done, static_cast<std::size_t>(std::clamp<std::int64_t>(
                              chunk - first, 0, static_cast<std::int64_t>(line.size()))));
  };
  const auto fill = [&](std::int64_t end, Cost value) {
    const std::size_t stop = until(end);
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(done),
              line.begin() + static_cast<std::ptrdiff_t>(stop), value);
    done = stop;
  };
  fill(all.first, kNone);
  fill(field.near.first, field.below);
  if (const std::size_t stop = until(field.near.end); stop > done) {
    const std::int64_t from = first + static_cast<std::int64_t>(done) - field.near.first;
    std::copy_n(field.values.begin() + from, stop - done,
                line.begin() + static_cast<std::ptrdiff_t>(done));
    done = stop;
  }
  fill(all.end, field.above);
  fill(std::numeric_limits<std::int64_t>::max() / 2, kNone);
}

/// The greatest of `values`, 0 of none.
Cost dearest_of(const std::vector<Cost>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// What paths pay for blocks. They stay in the chunks of `all`.
class Tolls {
 public:
  Tolls(const Costs& costs, const Range& all, const Near& near)
      : costs_(costs), all_(all), near_(near) {}

  /// Costs of a gap from or to `diagonal`.
  Field gaps(std::size_t boundary, std::int64_t diagonal) const {
    Field field = empty(boundary);
    for (std::int64_t c = field.near.first; c < field.near.end; ++c)
      field.values.push_back(static_cast<Cost>(gap(c, diagonal)));
    const auto to = [&](std::int64_t first, std::int64_t last) {
      const std::int64_t nearest = std::clamp(chunk_of(diagonal), first, last);
      return static_cast<Cost>(gap(nearest, diagonal));
    };
    if (has_below(field)) field.below = to(all_.first, field.near.first - 1);
    if (has_above(field)) field.above = to(field.near.end, all_.end - 1);
    return field;
  }

  bool has_below(const Field& field) const { return field.near.first > all_.first; }
  bool has_above(const Field& field) const { return field.near.end < all_.end; }
  const Range& all() const { return all_; }

  /// What a path pays for block s, by where it leaves it.
  Field by_exit(std::size_t s) const {
    const auto block = static_cast<int>(s);
    Field costs = empty(s + 1);
    costs.values = costs_.in(block, costs.near);
    if (has_below(costs)) costs.below = costs_.least(block, {all_.first, costs.near.first});
    if (has_above(costs)) costs.above = costs_.least(block, {costs.near.end, all_.end});
    return costs;
  }

  /// By where it enters.
  Field by_entry(std::size_t s, const Field& exit) const {
    Field costs = empty(s);
    // From a chunk, or several, to all others, as far as that may cost less. `beside`: what is paid
    // so many chunks away.
    const auto cheapest = [&](Cost least, const auto& beside) {
      for (std::int64_t away = 1; away < all_.size() && kChunk * (away - 1) < least; ++away)
        least = std::min(least, std::max(static_cast<Cost>(kChunk * (away - 1)), beside(away)));
      return least;
    };
    // The exits of this boundary's chunks, and of those that may be cheaper from there.
    Cost dearest = dearest_of(exit.values);
    if (costs.near.first < exit.near.first) dearest = std::max(dearest, exit.below);
    if (costs.near.end > exit.near.end) dearest = std::max(dearest, exit.above);
    const auto size = static_cast<std::size_t>(costs.near.size());
    const auto far = static_cast<std::size_t>(std::min(reach(dearest), all_.size()));
    std::vector<Cost> line(size + 2 * far);
    lay_out(exit, all_, costs.near.first - static_cast<std::int64_t>(far), line);
    costs.values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Cost* const here = &line[i + far];
      costs.values[i] =
          cheapest(*here, [&](std::int64_t away) { return std::min(here[-away], here[away]); });
    }
    const Range below{all_.first, costs.near.first}, above{costs.near.end, all_.end};
    if (has_below(costs))
      costs.below = cheapest(exit.least(below),
                             [&](std::int64_t away) { return exit.of(below.end - 1 + away); });
    if (has_above(costs))
      costs.above = cheapest(exit.least(above),
                             [&](std::int64_t away) { return exit.of(above.first - away); });
    return costs;
  }

 private:
  Field empty(std::size_t boundary) const {
    const Range& near = near_[boundary];
    Field field;
    field.near = {std::clamp(near.first, all_.first, all_.end), 0};
    field.near.end = std::clamp(near.end, field.near.first, all_.end);
    return field;
  }
  const Costs& costs_;
  Range all_;
  const Near& near_;
};

/// Moves bounds from boundary to boundary, forwards or backwards.
class Sweep {
 public:
  explicit Sweep(const Tolls& tolls) : tolls_(tolls), all_(tolls.all()) {}

  /// Across a block for which a path pays `costs` at least, by the chunk of the other side.
  Field cross(const Field& from, const Field& costs) {
    Field to;
    to.near = costs.near;
    const std::size_t size = costs.values.size();
    const auto far = static_cast<std::size_t>(reach(dearest_of(costs.values)));
    prepare(from, to.near.first - static_cast<std::int64_t>(far), size + 2 * far, far);
    to.values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Cost cost = costs.values[i];
      const auto near = static_cast<std::size_t>(reach(cost));
      to.values[i] = std::max(levels_[0][i + far], least_in(i + far, near) + cost);
    }
    if (tolls_.has_below(to)) to.below = together(from, costs.below, {all_.first, to.near.first});
    if (tolls_.has_above(to)) to.above = together(from, costs.above, {to.near.end, all_.end});
    raise(to);
    return to;
  }

 private:
  /// Of all chunks of `range`.
  Cost together(const Field& from, Cost cost, const Range& range) const {
    const Range entries{std::max(all_.first, range.first - reach(cost)),
                        std::min(all_.end, range.end + reach(cost))};
    return std::max(from.least(range), from.least(entries) + cost);
  }

  /// The least of 1, 2, 4, .. of `size` chunks from each of `first` on, for least_in() as far as
  /// `most`.
  void prepare(const Field& from, std::int64_t first, std::size_t size, std::size_t most) {
    if (levels_.empty()) levels_.emplace_back();
    levels_[0].resize(size);
    lay_out(from, all_, first, levels_[0]);
    for (std::size_t k = 1; (std::size_t{1} << k) <= 2 * most + 1; ++k) {
      if (levels_.size() == k) levels_.emplace_back();
      const std::size_t half = std::size_t{1} << (k - 1), count = size - 2 * half + 1;
      levels_[k].resize(count);
      const Cost* const lower = levels_[k - 1].data();
      Cost* const upper = levels_[k].data();
      for (std::size_t i = 0; i < count; ++i) upper[i] = std::min(lower[i], lower[i + half]);
    }
  }
  /// The least of `away` > 0 chunks on either side of the one at `place`, and of that.
  Cost least_in(std::size_t place, std::size_t away) const {
    const auto k = static_cast<std::size_t>(std::bit_width(away));  // 2^k of 2 away + 1 at least
    const Cost* const from = levels_[k].data() + (place - away);
    return std::min(from[0], from[2 * away + 1 - (std::size_t{1} << k)]);
  }

  /// D changes by at most 32 from one end of a chunk to the other, so bounds that are lower than
  /// those of their neighbours allow are raised.
  static void raise(Field& field) {
    const auto step = static_cast<Cost>(kChunk);
    std::vector<Cost>& values = field.values;
    for (std::size_t i = 1; i < values.size(); ++i)
      values[i] = std::max(values[i], values[i - 1] - step);
    for (std::size_t i = values.size(); i-- > 1;)
      values[i - 1] = std::max(values[i - 1], values[i] - step);
  }

  const Tolls& tolls_;
  Range all_;
  std::vector<std::vector<Cost>> levels_;
};

/// Bounds by boundary, and across every block what paths pay.
class Fields {
 public:
  std::vector<Field> forward, backward;

  /// Those of `near`; of what they were before only what is not so any more is computed.
  void update(const Grid& grid, const Costs& costs, const Range& all, const Near& near,
              std::size_t threads) {
    const auto blocks = index(grid.blocks);
    const bool begun = !near_.empty();
    const auto changed = [&](std::size_t s) { return !begun || near[s] != near_[s]; };
    // Boundaries [first, end) have changed, some of them at least.
    std::size_t first = 0, end = blocks + 1;
    while (first < end && !changed(first)) ++first;
    while (end > first && !changed(end - 1)) --end;
    if (first == end) return;
    exits_.resize(blocks);
    entries_.resize(blocks);
    forward.resize(blocks + 1);
    backward.resize(blocks + 1);
    const Tolls tolls(costs, all, near);
    const std::size_t from = first > 0 ? first - 1 : 0, to = std::min(end, blocks);  // blocks
    batch::in_parts(to - from, std::min(batch::threads_of(threads), (to - from) / kBlocks + 1),
                    [&](std::size_t, std::size_t begin, std::size_t behind) {
                      for (std::size_t s = from + begin; s < from + behind; ++s) {
                        if (!changed(s) && !changed(s + 1)) continue;
                        exits_[s] = tolls.by_exit(s);
                        entries_[s] = tolls.by_entry(s, exits_[s]);
                      }
                    });
    auto forwards = std::async(batch::beside(threads), [&] {
      Sweep sweep(tolls);
      if (first == 0) forward[0] = tolls.gaps(0, 0);
      for (std::size_t s = from; s < blocks; ++s) {
        Field next = sweep.cross(forward[s], exits_[s]);
        if (s + 1 >= end && next == forward[s + 1]) break;
        forward[s + 1] = std::move(next);
      }
    });
    Sweep sweep(tolls);
    if (end > blocks) backward[blocks] = tolls.gaps(blocks, grid.end());
    for (std::size_t s = to; s-- > 0;) {
      Field next = sweep.cross(backward[s + 1], entries_[s]);
      if (s < first && next == backward[s]) break;
      backward[s] = std::move(next);
    }
    forwards.get();
    near_ = near;
  }

 private:
  std::vector<Field> exits_, entries_;
  Near near_;
};

/// The chunks of `all` where the sum of both fields does not exceed the threshold.
Range open(const Field& forward, const Field& backward, const Range& all, Cost threshold) {
  const Range& near = forward.near;
  const auto closed = [&](std::int64_t c) { return forward.of(c) + backward.of(c) > threshold; };
  Range range = all;
  if (forward.below + backward.below > threshold)
    for (range.first = near.first; range.first < near.end && closed(range.first);) ++range.first;
  if (forward.above + backward.above > threshold)
    for (range.end = near.end; range.end > near.first && closed(range.end - 1);) --range.end;
  return range.empty() ? Range{} : range;
}

}  // namespace

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

Near everywhere(const Grid& grid, const Range& range) {
  return Near(index(grid.blocks) + 1, range);
}

struct Bounds::State {
  const Grid& grid;
  const Costs& costs;
  std::int64_t threshold;
  std::size_t threads;
  Fields fields = {};
};

Bounds::Bounds(const Grid& grid, const Costs& costs, std::int64_t threshold, std::size_t threads)
    : state_(new State{grid, costs, threshold, threads}) {}
Bounds::~Bounds() = default;

Corridor Bounds::corridor(const Near& near) {
  const Grid& grid = state_->grid;
  const std::int64_t threshold = state_->threshold;
  const auto blocks = index(grid.blocks);
  Corridor corridor;
  corridor.threshold = threshold;
  corridor.at.resize(blocks + 1);
  corridor.block.resize(blocks);
  const Range all = reachable(grid, threshold);
  corridor.lower = std::abs(grid.end());  // more than the threshold if that reaches nothing
  if (all.empty()) return corridor;

  state_->fields.update(grid, state_->costs, all, near, state_->threads);
  const std::vector<Field>&forward = state_->fields.forward, &backward = state_->fields.backward;
  Cost lower = kNone;
  const Field& last = backward[blocks];
  for (std::int64_t c = last.near.first - 1; c <= last.near.end; ++c)
    lower = std::min(lower, forward[blocks].of(c) + last.of(c));
  // Paths that leave `all` cost more than the threshold.
  corridor.lower = std::max(corridor.lower, std::min<std::int64_t>(lower, threshold + 1));
  const auto each = [&](std::size_t count, const auto& work) {
    batch::each(count, kBlocks, state_->threads, work);
  };
  each(blocks + 1, [&](std::size_t s) {
    corridor.at[s] = open(forward[s], backward[s], all, static_cast<Cost>(threshold));
  });
  each(blocks, [&](std::size_t s) {
    const Range both = hull(corridor.at[s], corridor.at[s + 1]);
    // Between both boundaries a path may go w diagonals further, for 2 w in gaps: what remains of
    // the threshold.
    const Cost from_start = forward[s].least(corridor.at[s]);
    const Cost to_end = backward[s + 1].least(corridor.at[s + 1]);
    const std::int64_t spare = std::max<std::int64_t>(threshold - from_start - to_end, 0);
    const std::int64_t wider = (spare / 2 + kChunk - 1) / kChunk;
    corridor.block[s] = {std::max(all.first, both.first - wider),
                         std::min(all.end, both.end + wider)};
  });
  // All paths begin on diagonal 0 and end on the last one.
  if (!corridor.at[0].has(0) || !corridor.at[blocks].has(chunk_of(grid.end())) ||
      std::any_of(corridor.at.begin(), corridor.at.end(),
                  [](const Range& at) { return at.empty(); })) {
    corridor.at.assign(blocks + 1, {});
    corridor.block.assign(blocks, {});
    corridor.lower = std::max(corridor.lower, threshold + 1);
  }
  return corridor;
}

std::vector<std::vector<std::int32_t>> lower_bounds(const Grid& grid, const Costs& costs,
                                                    const Range& range, const Near& near,
                                                    bool forward) {
  Fields fields;
  fields.update(grid, costs, range, near, 1);
  std::vector<std::vector<Cost>> bounds;
  for (const Field& field : forward ? fields.forward : fields.backward) {
    bounds.emplace_back();
    for (std::int64_t c = range.first; c < range.end; ++c) bounds.back().push_back(field.of(c));
  }
  return bounds;
}

}  // namespace rhomb::corridor
