// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/cuts.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <limits>
#include <numeric>
#include <optional>

#include "host/batch/threads.h"
#include "host/corridor/reference_path.h"

namespace rhomb::corridor {
namespace {

/// Where paths cross a boundary is looked at more closely in so many rows before and behind it:
/// unrelated texts cost more there than what is taken off for the distance from the reference.
constexpr int kSpanRows = 4096;
/// Diagonals beside the reference that paths may have after that, more than what ways there save.
constexpr std::int64_t kSpare = 16;
/// Cuts that are tried on either side of a gap, at most, and the share of all cells for that.
constexpr int kTries = 4;
constexpr double kForTries = 0.125;
/// Chunks beside a diagonal where words say nothing, beyond those that they count occurrences in.
constexpr std::int64_t kBeside = 6;
/// How often what paths pay is looked at again, in what is left of the places where they can be.
constexpr int kLooks = 4;
/// What a row of unrelated texts costs at least, nearly always, and what one of the reference costs
/// at most where windows are to tell that.
constexpr double kFarPays = 0.4, kClean = 0.125;
/// The reference path probably costs no more than so many times what is expected.
constexpr double kMoreThanExpected = 1.15;
/// How often more blocks are looked at so, those that are further from gaps.
constexpr int kFarRounds = 2;

class Cutter {
 public:
  Cutter(const Grid& grid, std::string_view a, std::string_view b, std::span<const Anchor> words,
         const Compute& compute, const CutOptions& options)
      : grid_(grid),
        reference_(grid, a, b, words, options.threads, options.code),
        compute_(compute),
        options_(options),
        beside_(options.radius + kBeside),
        near_(kChunk * (beside_ + 1)),
        span_((kSpanRows + grid.rows - 1) / grid.rows),
        far_both_(index(grid.blocks)) {}

  Cuts result() && {
    begin_words(reachable(grid_, static_cast<std::int64_t>(
                                     kMoreThanExpected * static_cast<double>(options_.expected))));
    if (!pay() || !look_for_words()) return std::move(found_);
    found_.at_most = reference_.paid();
    bool more = cost_far();
    bound();
    const auto look_again = [&] {
      for (int look = 1; more && look < kLooks && go_on(); ++look) {
        more = cost_far();
        if (more) bound();
      }
    };
    look_again();
    for (int round = 1;
         options_.worth_windows && round <= kFarRounds && go_on() && look_far(kFarPays / round);
         ++round) {
      bound();
      more = true;
      look_again();
    }
    if (go_on()) cut();
    return std::move(found_);
  }

 private:
  bool go_on() {
    found_.given_up = found_.given_up || (options_.give_up && options_.give_up());
    return !found_.given_up;
  }
  std::int64_t row(int s) const { return reference_.row(s); }
  std::int64_t column(int s) const { return reference_.column(s); }
  std::int64_t diagonal(int s) const { return reference_.diagonal(s); }
  std::int64_t chunk(int s) const { return reference_.chunk(s); }
  std::int64_t paid(int first, int end) const { return reference_.paid(first, end); }

  /// What the reference path costs, unless that takes too many cells.
  bool pay() {
    std::vector<Band> bands = reference_.bands(options_.margin);
    double cells = 0;
    for (const Band& band : bands) cells += band.cells(grid_);
    if (options_.most_cells > 0 && cells > options_.most_cells) return false;
    reference_.pay(bands, [this](std::span<Band> some) { compute(some); });
    return go_on();
  }

  /// Begins to look for words on diagonals that paths can reach.
  void begin_words(Range seen) {
    if (!options_.seeds || seen.empty()) return;
    looked_at_ = seen;
    seen.first -= options_.radius + 1;
    seen.end += options_.radius + 1;
    std::vector<Range> hidden;
    for (int s = 0; s < grid_.blocks; ++s) {
      const Range own = reference_.chunks(s);
      hidden.push_back({own.first - 2, own.end + 2});
    }
    words_ = std::async(batch::beside(options_.threads), options_.seeds, seen, std::move(hidden),
                        options_.radius);
  }

  /// What paths pay far from the reference, by words.
  bool look_for_words() {
    all_ = reachable(grid_, reference_.paid());
    if (!all_.empty() && hull(looked_at_, all_) != looked_at_) begin_words(all_);
    if (words_.valid()) seeds_ = words_.get();
    return go_on();
  }

  /// What no path pays less for a block that leaves it where it is not near the reference. Whether
  /// that is more than was known.
  bool cost_far() {
    const trace::Scope scope(options_.trace, trace::Work::kBounds);
    far_.resize(index(grid_.blocks));
    std::atomic<bool> more = false;
    in_parts(grid_.blocks, [&](int s) {
      const Range at = open_.empty() ? all_ : open_[index(s + 1)];
      const std::int64_t middle = chunk(s + 1);
      const auto least = [&](const Range& range) {
        return range.empty() ? std::int64_t{grid_.rows} : seeds_.least(s, range);
      };
      const std::int64_t cost = std::min(least({at.first, std::min(at.end, middle - beside_)}),
                                         least({std::max(at.first, middle + beside_ + 1), at.end}));
      if (cost <= far_[index(s)]) return;
      far_[index(s)] = cost;
      more.store(true, std::memory_order_relaxed);
    });
    return more;
  }

  /// By windows what paths pay that are far from the reference before a block and behind it, which
  /// is nearly five times what words tell. Whether anything was looked at.
  bool look_far(double pays) {
    std::vector<FarWindow> windows;
    for (const int s : beside_gaps(pays * static_cast<double>(grid_.rows))) {
      const Range& at = open_[index(s + 1)];
      const std::int64_t middle = chunk(s + 1);
      for (const Range& side : {Range{at.first, std::min(at.end, middle - beside_)},
                                Range{std::max(at.first, middle + beside_ + 1), at.end}})
        for (std::int64_t first = side.first; first < side.end; first += options_.piece)
          windows.push_back({s, {first, std::min(side.end, first + options_.piece)}, diagonal(s)});
    }
    const double cells = cells_of(grid_, windows);
    if (windows.empty() || (!found_.looked_far && !worth(cells))) return false;
    found_.looked_far = true;
    found_.computed += cells;
    const std::vector<std::int32_t> least =
        options_.least_far ? options_.least_far(windows, near_)
                           : least_far(windows, near_, compute_, options_.threads);
    for (const FarWindow& window : windows) far_both_[index(window.block)] = grid_.rows;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      std::int64_t& of_block = far_both_[index(windows[i].block)];
      of_block = std::min<std::int64_t>(of_block, least[i]);
    }
    return true;
  }

  bool clean(int s) const {
    return static_cast<double>(paid(s, s + 1)) <= kClean * static_cast<double>(grid_.rows);
  }

  /// What windows gain: open parts as they are, and as they would be if rows paid that much.
  bool worth(double cells) const {
    const auto open_parts = [&](const auto& is_open) {
      std::vector<PieceCosts> parts;
      bool before = false;
      for (int s = 0; s < grid_.blocks; ++s) {
        const bool open = is_open(s);
        if (open && !before) parts.emplace_back();
        if (open) {
          PieceCosts& part = parts.back();
          part.rows += grid_.rows;
          part.distance += paid(s, s + 1);
          if (!clean(s)) part.gaps += paid(s, s + 1);
        }
        before = open;
      }
      return parts;
    };
    const std::vector<std::uint8_t> beside = unpaid(kFarPays * static_cast<double>(grid_.rows));
    return options_.worth_windows(cells, open_parts([&](int s) { return !cuttable(s); }),
                                  open_parts([&](int s) { return beside[index(s)] != 0; }));
  }

  /// By block, whether gaps before or behind it cost more than what is between, if each block
  /// costs `pays`.
  std::vector<std::uint8_t> unpaid(double pays) const {
    std::vector<std::uint8_t> found(index(grid_.blocks));
    double left = 0;
    const auto visit = [&](int s) {
      left = std::max(0.0, left + static_cast<double>(paid(s, s + 1)) - pays);
      if (left > 0) found[index(s)] = 1;
    };
    for (int s = 0; s < grid_.blocks; ++s) visit(s);
    left = 0;
    for (int s = grid_.blocks - 1; s >= 0; --s) visit(s);
    return found;
  }

  /// Clean blocks beside long gaps that nobody has looked at yet: as many as cost what the gaps do,
  /// if each costs `pays`.
  std::vector<int> beside_gaps(double pays) const {
    const std::vector<std::uint8_t> beside = unpaid(pays);
    std::vector<int> found;
    for (int s = 0; s < grid_.blocks; ++s)
      if (beside[index(s)] != 0 && clean(s) && far_both_[index(s)] == 0 &&
          !open_[index(s)].empty() && !open_[index(s + 1)].empty())
        found.push_back(s);
    return found;
  }

  /// Calls work(i) for each i below `count`, in several threads that have `least` of them.
  template <class Work>
  void in_parts(int count, const Work& work, std::size_t least = 64) const {
    batch::each(index(count), least, options_.threads,
                [&](std::size_t i) { work(static_cast<int>(i)); });
  }
  /// The same where each is a band's.
  template <class Work>
  void for_bands(int count, const Work& work) const {
    in_parts(count, work, 4);
  }

  /// A cheapest path may be near the reference at boundaries `first` and `end`, but not in between.
  struct Way {
    int first, end;
  };

  /// By boundary the largest value of all ways that are under way there; `none` where none is.
  template <class Value>
  std::vector<std::int64_t> most(const std::vector<Way>& ways, std::int64_t none,
                                 const Value& value) const {
    std::vector<std::pair<std::int64_t, const Way*>> order;
    for (const Way& way : ways) order.emplace_back(value(way), &way);
    std::sort(order.begin(), order.end(), std::greater<>());
    std::vector<std::int64_t> found(index(grid_.blocks + 1), none);
    std::vector<int> next(
        index(grid_.blocks + 2));  // the first boundary from here on without a value
    std::iota(next.begin(), next.end(), 0);
    const auto free = [&](int s) {
      while (next[index(s)] != s) s = next[index(s)] = next[index(next[index(s)])];
      return s;
    };
    for (const auto& [of_way, way] : order)
      for (int s = free(way->first + 1); s < way->end; s = free(s)) {
        found[index(s)] = of_way;
        next[index(s)] = s + 1;
      }
    return found;
  }

  /// Where paths cross boundaries: reach_ is how many diagonals from the reference a cheapest path
  /// may be there, at most, and open_ where one may be that is not near it.
  ///
  /// A path that is near the reference (near_ diagonals at most) at boundaries a and b, but not in
  /// between, pays for each block but the last what it costs far from the reference. It could go to
  /// the reference and back instead, for what that costs and twice near_; so if that is less the
  /// path is not a cheapest one. It is not either if its way there and back is longer than that.
  void bound() {
    const trace::Scope scope(options_.trace, trace::Work::kBounds);
    const int blocks = grid_.blocks;
    // By boundary b: the least that is paid far from the reference up to the block before, less the
    // reference's cost up to b; here or at any boundary behind it.
    // Its first block may be cheaper than those that it is far from the reference before, too.
    std::vector<std::int64_t> pays(index(blocks + 1)), least(index(blocks + 1));
    const auto inside = [&](int s) { return std::max(far_[index(s)], far_both_[index(s)]); };
    for (int s = 0; s < blocks; ++s) pays[index(s + 1)] = pays[index(s)] + inside(s);
    for (int b = blocks; b > 0; --b) {
      least[index(b)] = pays[index(b - 1)] - paid(0, b);
      if (b < blocks) least[index(b)] = std::min(least[index(b)], least[index(b + 1)]);
    }
    std::vector<Way> ways;
    for (int a = 0; a < blocks; ++a) {
      const std::int64_t limit =
          pays[index(a)] + inside(a) - far_[index(a)] - paid(0, a) + 2 * near_;
      const auto last = std::upper_bound(least.begin() + a + 1, least.end(), limit) - 1;
      const int b = static_cast<int>(last - least.begin());
      if (b > a + 1) ways.push_back({a, b});
    }
    auto reached = std::async(batch::beside(options_.threads), [&] {
      reach_ =
          most(ways, near_, [&](const Way& way) { return 2 * near_ + paid(way.first, way.end); });
      reach_.front() = reach_.back() = 0;
    });
    // On diagonal y the way there and back is |y - a| + |y - b|, less what near_ allows at its
    // ends.
    const auto spare = [&](const Way& way) {
      const std::int64_t gap = std::abs(diagonal(way.end) - diagonal(way.first));
      return (paid(way.first, way.end) + 4 * near_ - gap) / 2 + 1;
    };
    const std::int64_t never = std::numeric_limits<std::int64_t>::min();
    auto above = std::async(batch::beside(options_.threads), [&] {
      return most(ways, never, [&](const Way& way) {
        return std::max(diagonal(way.first), diagonal(way.end)) + spare(way);
      });
    });
    const std::vector<std::int64_t> low = most(ways, never, [&](const Way& way) {
      return spare(way) - std::min(diagonal(way.first), diagonal(way.end));
    });
    const std::vector<std::int64_t> high = above.get();
    reached.get();
    open_.assign(index(blocks + 1), {});
    for (int s = 0; s <= blocks; ++s)
      if (high[index(s)] != never)
        open_[index(s)] = {std::max(all_.first, chunk_of(-low[index(s)])),
                           std::min(all_.end, chunk_of(high[index(s)]) + 1)};
  }

  /// Unrelated texts must cost more in so many rows than paths so far away save.
  bool cuttable(int s) const { return 4 * reach_[index(s)] <= row(span_); }

  /// Boundaries [first, end) in a row that can be cut.
  std::vector<std::pair<int, int>> near_parts() const {
    std::vector<std::pair<int, int>> parts;
    for (int s = 1; s < grid_.blocks; ++s) {
      if (!cuttable(s)) continue;
      if (parts.empty() || parts.back().second < s) parts.push_back({s, s});
      parts.back().second = s + 1;
    }
    return parts;
  }

  /// A band of some blocks that no path leaves which crosses the boundaries around them no further
  /// from the reference than reach_: else it would pay more than its way to the reference and back.
  Band band_around(int first, int end) const {
    Range range;
    std::int64_t reach = 0, most = 0;
    for (int x = first; x <= end; ++x) {
      range = hull(range, {chunk(x), chunk(x) + 1});
      reach = std::max(reach, reach_[index(x)]);
      if (x < end) most = std::max(most, paid(x, x + 1));
    }
    Band band = window(first, range, static_cast<int>((2 * reach + most / 2) / kChunk) + 2);
    band.left.resize(index(end - first), band.left.front());
    return band;
  }

  /// The least cost of ways to boundary s on a diagonal, less its distance from the reference,
  /// which is no more than `reach` says.
  std::int64_t least_to(int s, std::int64_t reach, const Band& computed, std::int64_t begin) const {
    const std::int64_t middle = diagonal(s);
    const std::vector<std::int64_t> costs = costs_along(computed, begin);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t d = middle - reach; d <= middle + reach; ++d)
      least = std::min(least, costs[static_cast<std::size_t>(d - kChunk * computed.left.back())] -
                                  std::abs(d - middle));
    return least;
  }

  /// Lowers reach_ of boundaries, to nothing if `asked` is 1, else to what is likely. A cheapest
  /// path that crosses the one in the middle no nearer than that, and those `span` blocks before
  /// and behind it as near as is known, would cost more than its way along the reference, even if
  /// each diagonal beside that saved one before and behind.
  void look_closer(const std::vector<int>& boundaries, int span,
                   std::optional<std::int64_t> asked = {}) {
    const int count = static_cast<int>(boundaries.size());
    std::vector<Band> before(boundaries.size());
    std::vector<std::int64_t> begins(boundaries.size());
    for_bands(count, [&](int i) {
      const int s = boundaries[index(i)];
      Band& band = before[index(i)] = band_around(s - span, s + span);
      band.left.resize(index(span));
      begins[index(i)] = begin_at(band, diagonal(s - span), reach_[index(s - span)]);
    });
    compute(before);
    struct Closer {
      int boundary = 0;
      std::int64_t away = 0, begin = 0;
      Band band;  // it goes on where the one before ends
    };
    std::vector<Closer> all(boundaries.size());
    for_bands(count, [&](int i) {
      const int s = boundaries[index(i)];
      Band& band = before[index(i)];
      std::vector<std::int64_t> costs = costs_along(band, begins[index(i)]);
      const std::int64_t middle = diagonal(s) - kChunk * band.left.back();
      const auto at = [&](std::int64_t x) -> std::int64_t& {
        return costs[static_cast<std::size_t>(middle + x)];
      };
      const std::int64_t away = asked.value_or(2 * (paid(s - span, s) - at(0)) + kSpare);
      if (away > reach_[index(s)]) return;
      // Only by way of what is that far from the reference.
      for (std::int64_t x = -away + 1; x < away; ++x)
        at(x) = std::min(at(-away) + away + x, at(away) + away - x);
      band.block = s;
      all[index(i)] = {s, away, begin_with(band, costs), std::move(band)};
    });
    std::erase_if(all, [](const Closer& closer) { return closer.band.left.empty(); });
    std::vector<Band> behind;
    for (Closer& closer : all) behind.push_back(std::move(closer.band));
    compute(behind);
    const std::vector<std::int64_t> reached = reach_;  // what the bands were made for
    for_bands(static_cast<int>(all.size()), [&](int i) {
      const auto& [s, away, begin, band] = all[index(i)];
      if (least_to(s + span, reached[index(s + span)], behind[index(i)], begin) >
          paid(s - span, s + span))
        reach_[index(s)] = away - 1;
    });
  }

  /// Whether paths can go to the reference, along it and away again between the boundaries beside
  /// s.
  bool roomy(int s) const {
    const std::int64_t reach = std::max(reach_[index(s - 1)], reach_[index(s + 1)]);
    return column(s) - column(s - 1) > reach && column(s + 1) - column(s) > reach;
  }

  /// Boundaries of `some` where all cheapest paths go through the reference's cell.
  std::vector<int> proven_of_all(std::vector<int> some) {
    std::erase_if(some, [&](int s) { return !roomy(s); });
    look_closer(some, 1, 1);
    std::erase_if(some, [&](int s) { return reach_[index(s)] > 0; });
    return some;
  }

  /// Boundaries of `some` where a cheapest path goes through the reference's cell: where that costs
  /// no more than any way between the boundaries beside it, even if each diagonal beside the
  /// reference saved one before and behind.
  std::vector<int> proven(const std::vector<int>& some) {
    const int count = static_cast<int>(some.size());
    std::vector<Band> bands(some.size());
    std::vector<std::int64_t> begins(some.size());
    for_bands(count, [&](int i) {
      const int s = some[index(i)];
      bands[index(i)] = band_around(s - 1, s + 1);
      begins[index(i)] = begin_at(bands[index(i)], diagonal(s - 1), reach_[index(s - 1)]);
    });
    compute(bands);
    std::vector<std::uint8_t> sure(some.size());
    for_bands(count, [&](int i) {
      const int s = some[index(i)];
      sure[index(i)] = roomy(s) && least_to(s + 1, reach_[index(s + 1)], bands[index(i)],
                                            begins[index(i)]) >= paid(s - 1, s + 1);
    });
    std::vector<int> found;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (sure[i] != 0) found.push_back(some[i]);
    return found;
  }

  void compute(std::span<Band> bands) {
    for (const Band& band : bands) found_.computed += band.cells(grid_);
    compute_(bands);
  }

  bool worth_trying(int s) const {
    if (s <= span_ + 1 || s + span_ + 1 >= grid_.blocks) return false;
    for (int x = s - span_ - 1; x <= s + span_ + 1; ++x)
      if (!cuttable(x)) return false;
    return reference_.clean(s - 1) && reference_.clean(s) && reference_.clean(s + 1);
  }

  /// Cuts at the ends of each part where all paths are near the reference.
  void cut() {
    const std::vector<std::pair<int, int>> parts = near_parts();
    std::vector<int> tries;
    double cells = 0;
    const auto affordable = [&](int s) {  // three boundaries are looked at for it
      cells += 3 * band_around(s - span_, s + span_).cells(grid_);
      return options_.most_cells == 0 || cells <= kForTries * options_.most_cells;
    };
    for (const auto& [first, end] : parts) found_.near += end - first;
    // By turns, so that each part has some where not all can be afforded.
    std::vector<std::pair<int, int>> left = parts;
    for (int count = 0; count < kTries; ++count)
      for (auto& [first, end] : left) {
        while (first < end && !worth_trying(first)) ++first;
        if (first < end && affordable(first)) tries.push_back(first++);
        while (first < end && !worth_trying(end - 1)) --end;
        if (first < end && affordable(end - 1)) tries.push_back(--end);
      }
    std::vector<int> closely;
    for (const int s : tries) closely.insert(closely.end(), {s - 1, s, s + 1});
    std::sort(closely.begin(), closely.end());
    closely.erase(std::unique(closely.begin(), closely.end()), closely.end());
    std::sort(tries.begin(), tries.end());
    look_closer(closely, span_);
    if (!go_on()) return;
    const std::vector<int> sure = options_.all ? proven_of_all(tries) : proven(tries);

    int before = 0;
    auto next = sure.begin();
    for (const auto& [first, end] : parts) {
      next = std::lower_bound(next, sure.end(), first);
      const auto behind = std::lower_bound(next, sure.end(), end);
      if (next == behind) continue;
      for (const int s : {*next, *(behind - 1)}) {
        // Two proofs do not share a block.
        if (row(s) - row(before) < options_.apart || s - before < 2) continue;
        found_.cells.push_back({row(s), column(s), paid(before, s)});
        before = s;
      }
    }
    found_.cells.push_back({grid_.m, grid_.n, paid(before, grid_.blocks)});
  }

  const Grid& grid_;
  ReferencePath reference_;
  const Compute& compute_;
  const CutOptions& options_;
  Range looked_at_;  // where words_ are looked for
  std::future<Seeds> words_;
  Seeds seeds_;
  const std::int64_t beside_;      // chunks beside the reference where paths are near it,
  const std::int64_t near_;        // and no more than so many diagonals away
  const int span_;                 // blocks
  Range all_;                      // what the cheapest paths can reach
  std::vector<std::int64_t> far_;  // by block: what is paid by who leaves it far from the reference
  std::vector<std::int64_t> far_both_;  // the same, if he was far before it; or 0
  std::vector<Range> open_;  // by boundary: where a cheapest path may be that is not near it
  std::vector<std::int64_t> reach_;  // by boundary
  Cuts found_;
};

}  // namespace

Cuts find_cuts(const Grid& grid, std::string_view a, std::string_view b,
               std::span<const Anchor> words, const Compute& compute, const CutOptions& options) {
  return Cutter(grid, a, b, words, compute, options).result();
}

}  // namespace rhomb::corridor
