// SPDX-License-Identifier: Apache-2.0
#include "host/align/fronts.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "host/align/pieces.h"

namespace rhomb::align {
namespace {

using wfa::Cell;
using wfa::Reached;

/// Diagonals that are read of a row on either side, where those beside the guide are not enough,
/// and rows that are read ahead then.
constexpr std::int64_t kDiagonalsAgain = 2048;
constexpr std::size_t kLevelsAhead = 31;
/// Paths that were guessed run where they should after so many slabs, mostly.
constexpr std::size_t kLevelsEarly = 4;

/// Which cheapest path.
enum class Order { kCanonical, kLeftmost, kRightmost };

/// The places where two cheapest paths come to a row: the left one and the right one.
struct Both {
  Cell left, right;
  bool operator==(const Both&) const = default;
};

/// Wavefronts of some costs above a row, on few diagonals: what one thread does.
class Cone {
 public:
  explicit Cone(const Codes& codes) : codes_(codes) {}

  /// From `row` on, up to one edit less than `edits`, on the diagonals from which a path of what is
  /// left of `edits` gets to one of [first, last].
  void grow(const Reached& row, std::int64_t edits, std::int64_t first, std::int64_t last) {
    const auto rows = static_cast<std::int64_t>(codes_.rows.size());
    const auto columns = static_cast<std::int64_t>(codes_.columns.size());
    first_ = first - edits - 1;
    width_ = last - first + 2 * edits + 3;
    reached_.assign(static_cast<std::size_t>(width_ * edits), Reached::kNone);
    for (std::int64_t k = first - edits; k <= last + edits; ++k)
      if (k >= row.first && k < row.end())
        at(0, k) = row.columns[static_cast<std::size_t>(k - row.first)];
    cells_ += static_cast<double>((last - first + edits) * edits);
    for (std::int64_t s = 1; s < edits; ++s) {
      const std::int64_t low = first - edits + s, high = last + edits - s;
      const std::int32_t* const before = &at(s - 1, low);
      std::int32_t* const now = &at(s, low);
      for (std::int64_t i = 0; i <= high - low; ++i)
        now[i] = std::max(std::max(before[i - 1], before[i]) + 1, before[i + 1]);
      for (std::int64_t i = 0; i <= high - low; ++i) {
        const std::int64_t column = now[i], line = column - (low + i);
        if (column < 0 || line < 0 || column >= columns || line >= rows) continue;
        now[i] += static_cast<std::int32_t>(
            codes_.matches(line, column, std::min(rows - line, columns - column)));
      }
    }
  }

  /// The path back from a cell that costs `edits` more than the row, to the first cell that costs
  /// no more. False where there is none.
  bool back(std::int64_t edits, Order order, Cell& cell, Cigar& backwards) const {
    const Edit by_row = codes_.turned ? Edit::kDelete : Edit::kInsert;
    const Edit by_column = codes_.turned ? Edit::kInsert : Edit::kDelete;
    std::int64_t &k = cell.diagonal, &x = cell.column;
    if (x < 0 || x < k || x > static_cast<std::int64_t>(codes_.columns.size()) ||
        x - k > static_cast<std::int64_t>(codes_.rows.size()))
      return false;
    for (std::int64_t s = edits; s-- > 0;) {
      const std::int64_t same = codes_.matches_before(x - k, x, std::min(x - k, x));
      // Along the match, the first place where a gap of the kind that is preferred may be.
      const std::int64_t left_at = std::max<std::int64_t>(0, x - 1 - reach(s, k - 1));
      const std::int64_t up_at = std::max<std::int64_t>(0, x - reach(s, k + 1));
      std::int64_t slid = same;
      if (order == Order::kLeftmost && x - left_at > 0) slid = std::min(slid, left_at);
      if (order == Order::kRightmost && x - k - up_at > 0) slid = std::min(slid, up_at);
      backwards.add(Edit::kMatch, slid);
      x -= slid;
      const bool left = x > 0 && left_at <= slid, up = x > k && up_at <= slid;
      const bool diagonal = slid == same && x > 0 && x > k && reach(s, k) >= x - 1;
      const bool left_first =
          order == Order::kLeftmost || (order == Order::kCanonical && codes_.turned);
      const bool gap_first = order != Order::kCanonical;
      const bool gap = order == Order::kLeftmost ? left : up;
      if (diagonal && !(gap_first && gap)) {
        backwards.add(Edit::kMismatch, 1);
        --x;
      } else if (left && (left_first || !up)) {
        backwards.add(by_column, 1);
        --x;
        --k;
      } else if (up) {
        backwards.add(by_row, 1);
        ++k;
      } else {
        return false;
      }
    }
    return true;
  }

  double cells() const { return cells_; }

 private:
  std::int32_t& at(std::int64_t s, std::int64_t k) {
    return reached_[static_cast<std::size_t>(s * width_ + k - first_)];
  }
  std::int64_t reach(std::int64_t s, std::int64_t k) const {
    const std::int64_t place = k - first_;
    return place < 0 || place >= width_ ? Reached::kNone
                                        : reached_[static_cast<std::size_t>(s * width_ + place)];
  }

  const Codes& codes_;
  std::int64_t first_ = 0, width_ = 0;
  std::vector<std::int32_t> reached_;  // by cost, width_ each
  double cells_ = 0;
};

/// Slabs between rows of one direction, for pieces.h.
class FrontSlabs {
 public:
  using Place = Both;
  struct Step {
    Both at;
    Cigar left, right;  // `right` is empty where both paths are one and canonical
  };
  using Worker = Cone;

  /// Up to the row of level `end`, and beyond to `exits`, which cost `cost`.
  FrontSlabs(wfa::Fronts& fronts, std::size_t direction, std::size_t end, const Both& exits,
             std::int64_t cost, bool canonical, const Codes& codes, wfa::Fronts::Guide& guide,
             std::mutex& reading)
      : fronts_(fronts),
        direction_(direction),
        end_(end),
        exits_(exits),
        cost_(cost),
        canonical_(canonical),
        codes_(codes),
        guide_(guide),
        again_(end),
        reading_(reading) {}

  std::size_t slabs() const { return end_; }
  const Both& exits() const { return exits_; }
  Cone worker() const { return Cone(codes_); }

  Both probable(std::size_t s) const {
    if (s + 1 == end_) return exits_;
    const Cell& cell = guide_.cells[s + 1];
    return {cell, cell};
  }

  std::optional<Step> through(Cone& cone, std::size_t s, const Both& exits) {
    const std::int64_t above = s + 1 == end_ ? cost_ : fronts_.levels()[s + 1].cost;
    const std::int64_t edits = above - fronts_.levels()[s].cost;
    Step step{exits, {}, {}};
    const auto [first, last] = std::minmax(exits.left.diagonal, exits.right.diagonal);
    const bool apart = last - first > 2 * edits;
    cone.grow(row(s, first - edits, (apart ? first : last) + edits), edits, first,
              apart ? first : last);
    const bool left_first = exits.left.diagonal == first;
    const auto walk = [&](bool left) {
      const Order order = canonical_ ? Order::kCanonical
                          : left     ? Order::kLeftmost
                                     : Order::kRightmost;
      return cone.back(edits, order, left ? step.at.left : step.at.right,
                       left ? step.left : step.right);
    };
    if (!walk(left_first)) return std::nullopt;
    if (canonical_) {
      step.at.right = step.at.left;
      return step;
    }
    if (apart) cone.grow(row(s, last - edits, last + edits), edits, last, last);
    if (!walk(!left_first)) return std::nullopt;
    return step;
  }

 private:
  /// Some diagonals of a row, at least.
  Reached row(std::size_t s, std::int64_t first, std::int64_t last) {
    const auto part_of = [&](const Reached& row) {
      Reached part{first, {}};
      part.columns.assign(row.columns.begin() + (first - row.first),
                          row.columns.begin() + (last + 1 - row.first));
      return part;
    };
    const auto has = [&](const Reached& row) { return row.first <= first && row.end() > last; };
    if (has(guide_.rows[s])) return part_of(guide_.rows[s]);
    const std::lock_guard lock(reading_);
    if (!has(again_[s])) {
      // Those above it are most likely needed, too.
      const std::int64_t beside = std::max(kDiagonalsAgain, last - first);
      std::vector<wfa::Fronts::Wanted> some;
      const std::size_t top = s > kLevelsAhead ? s - kLevelsAhead : 0;
      for (std::size_t x = top; x <= s; ++x) some.push_back({x, first - beside, last + beside});
      std::vector<Reached> rows = fronts_.read(direction_, some);
      std::ranges::move(rows, again_.begin() + static_cast<std::ptrdiff_t>(top));
    }
    return part_of(again_[s]);
  }

  wfa::Fronts& fronts_;
  std::size_t direction_, end_;
  Both exits_;
  std::int64_t cost_;
  bool canonical_;
  const Codes& codes_;
  wfa::Fronts::Guide& guide_;
  std::vector<Reached> again_;
  std::mutex& reading_;
};

Codes turned_round(const Codes& codes) {
  Codes made;
  made.planes = codes.planes;
  made.sets = codes.sets;
  made.turned = codes.turned;
  made.rows.assign(codes.rows.rbegin(), codes.rows.rend());
  made.columns.assign(codes.columns.rbegin(), codes.columns.rend());
  return made;
}

/// Cells where cheapest paths are half of the way: between these two, and none is left of or right
/// of the paths from there on.
struct Middle {
  Cell left, right;
};

/// Of level `upper` from the start and of the last level to the end. `m` and `n` as the wavefronts
/// have them.
std::optional<Middle> middle_of(wfa::Fronts& fronts, std::size_t upper, std::int64_t m,
                                std::int64_t n) {
  const auto levels = fronts.levels();
  const std::size_t last = levels.size() - 1;
  const auto whole = [&](std::size_t direction, std::size_t level) {
    const wfa::Fronts::Wanted all{level, levels[level].lo - 1, levels[level].hi + 2};
    return fronts.read(direction, {&all, 1}).front();
  };
  const Reached forward = whole(0, upper), backward = whole(1, last), before = whole(1, last - 1);
  // The first column of a diagonal from which so much is left to pay; n + 1 where there is none.
  const auto begins = [&](const Reached& row, std::int64_t k) {
    const std::int64_t turned = n - m - k;
    if (turned < row.first || turned >= row.end()) return n + 1;
    const std::int32_t columns = row.columns[static_cast<std::size_t>(turned - row.first)];
    return columns == Reached::kNone ? n + 1 : std::max<std::int64_t>({n - columns, k, 0});
  };
  const auto ends = [&](std::int64_t k) {
    if (k < forward.first || k >= forward.end()) return std::int64_t{-1};
    const std::int32_t columns = forward.columns[static_cast<std::size_t>(k - forward.first)];
    return columns == Reached::kNone ? std::int64_t{-1}
                                     : std::min<std::int64_t>({columns, n, m + k});
  };
  std::optional<Middle> middle;
  std::int64_t first = 0, end = 0;
  for (std::int64_t k = forward.first; k < forward.end(); ++k) {
    if (begins(backward, k) > ends(k)) continue;
    if (!middle) first = k;
    end = k;
    middle.emplace();
  }
  if (!middle) return middle;
  // Of the cells of the outermost diagonals on cheapest paths, the first from which one goes on
  // outwards; where there is none, the last.
  const std::int64_t left = std::max(begins(backward, first), begins(before, first - 1));
  const std::int64_t right = std::max(begins(backward, end), begins(before, end + 1) - 1);
  middle->left = {first, std::min(left, ends(first))};
  middle->right = {end, std::min(right, ends(end))};
  return middle;
}

/// A path forward, run by run.
class Follower {
 public:
  Follower(const Cell& begin, const std::vector<Cigar>& parts, bool turned)
      : cell_(begin), turned_(turned) {
    std::size_t runs = 0;
    for (const Cigar& part : parts) runs += part.size();
    runs_.reserve(runs);
    for (const Cigar& part : parts) runs_.insert(runs_.end(), part.begin(), part.end());
  }
  const Cell& cell() const { return cell_; }
  std::int64_t row() const { return cell_.column - cell_.diagonal; }
  std::int64_t along() const { return cell_.column + row(); }
  bool ended() const { return next_ == runs_.size(); }
  std::int64_t cost() const { return cost_; }
  const Cigar::Run& run() const { return runs_[next_]; }

  /// So many symbols of the run at hand.
  void go(std::int64_t length) {
    Cigar::Run& run = runs_[next_];
    const bool gap = run.edit == Edit::kInsert || run.edit == Edit::kDelete;
    const bool by_row = gap && (run.edit == Edit::kInsert) != turned_;
    if (!by_row) cell_.column += length;
    if (gap) cell_.diagonal += by_row ? -length : length;
    if (run.edit != Edit::kMatch) cost_ += length;
    run.length -= static_cast<std::uint32_t>(length);
    if (run.length == 0) ++next_;
  }
  /// No further than to where so many symbols of both texts are behind it, and one step at least.
  void catch_up(std::int64_t along_there) {
    const bool both = run().edit == Edit::kMatch || run().edit == Edit::kMismatch;
    const std::int64_t symbols = along_there - along();
    go(std::clamp<std::int64_t>(both ? symbols / 2 : symbols, 1, run().length));
  }

 private:
  Cell cell_;
  bool turned_;
  std::vector<Cigar::Run> runs_;
  std::size_t next_ = 0;
  std::int64_t cost_ = 0;
};

}  // namespace

std::optional<Traced> trace_fronts(wfa::Fronts& fronts, std::int64_t distance, const Codes& codes,
                                   const TraceOptions& options) {
  const auto m = static_cast<std::int64_t>(codes.rows.size());
  const auto n = static_cast<std::int64_t>(codes.columns.size());
  const std::size_t last = fronts.levels().size() - 1;
  if (last == 0) return std::nullopt;
  const std::int64_t lower_cost = fronts.levels()[last].cost, upper_cost = distance - lower_cost;
  const std::size_t upper = fronts.levels()[last].cost == upper_cost ? last : last - 1;
  if (fronts.levels()[upper].cost != upper_cost) contradiction();
  const auto middle = middle_of(fronts, upper, m, n);
  if (!middle) contradiction();
  const auto turn = [&](const Cell& cell) { return Cell{n - m - cell.diagonal, n - cell.column}; };
  auto guides = fronts.guide({middle->left, turn(middle->left)}, {upper, last});
  std::mutex reading;
  TraceOptions own = options;
  own.early = kLevelsEarly;
  Traced made;
  const auto walk = [&](FrontSlabs& slabs) {
    std::vector<FrontSlabs::Step> steps;
    made.cells += walk_all(
        slabs, own, [&](std::size_t, FrontSlabs::Step step) { steps.push_back(std::move(step)); });
    made.parts += static_cast<int>(steps.size());
    return steps;
  };

  // From the middle to the end: the rightmost in the reversed texts is the leftmost in these.
  std::vector<Cigar> left, right;
  {
    const Codes turned = turned_round(codes);
    FrontSlabs lower(fronts, 1, last, {turn(middle->right), turn(middle->left)}, lower_cost, false,
                     turned, guides[1], reading);
    Both at = lower.exits();
    for (FrontSlabs::Step& step : walk(lower)) {
      at = step.at;
      right.push_back(std::move(step.left));
      left.push_back(std::move(step.right));
    }
    // What costs nothing is left.
    if (at.left.diagonal != 0 || at.right.diagonal != 0) contradiction();
    right.emplace_back().add(Edit::kMatch, at.left.column);
    left.emplace_back().add(Edit::kMatch, at.right.column);
  }
  // Where both are the same, so are all; but not before all have an edit behind them.
  Follower a(middle->left, left, codes.turned), b(middle->right, right, codes.turned);
  std::vector<Point> points;
  std::vector<Part> parts;
  std::vector<Stretch> stretches;
  std::int64_t met_cost = 0, cost = 0;  // what is left where they meet first; of this bubble
  Places diagonals;
  const auto touch = [&] {
    diagonals = hull(diagonals, {std::min(a.cell().diagonal, b.cell().diagonal),
                                 std::max(a.cell().diagonal, b.cell().diagonal)});
  };
  while (true) {
    if (a.cell() == b.cell() && a.cost() > 0 && b.cost() > 0) {
      const Point here{a.row(), a.cell().column};
      if (points.empty()) {
        met_cost = lower_cost - a.cost();
      } else {
        parts.push_back({std::nullopt, a.cost() - cost});
        stretches.push_back({points.back().row, here.row, diagonals});
      }
      points.push_back(here);
      Cigar common;
      while (!a.ended() && !b.ended() && a.run().edit == b.run().edit) {
        const std::int64_t length = std::min(a.run().length, b.run().length);
        common.add(a.run().edit, length);
        a.go(length);
        b.go(length);
      }
      if (!common.empty()) {
        common.reverse();
        points.push_back({a.row(), a.cell().column});
        parts.push_back({std::move(common), std::nullopt});
      }
      if (a.ended() && b.ended()) break;
      cost = a.cost();
      diagonals = {a.cell().diagonal, a.cell().diagonal};
    }
    Follower& behind = a.along() <= b.along() ? a : b;
    Follower& ahead = a.along() <= b.along() ? b : a;
    if (behind.ended()) contradiction();
    behind.catch_up(ahead.along());
    touch();
  }

  // From there back to the start.
  const Point first = points.front();
  const std::int64_t edits = distance - met_cost - upper_cost;
  if (static_cast<double>(edits) * static_cast<double>(3 * edits) * sizeof(std::int32_t) >
      static_cast<double>(options.memory) * static_cast<double>(batch::threads_of(options.threads)))
    return std::nullopt;
  const Cell exit{first.place - first.row, first.place};
  // The rows up to the middle, whose own row is read as it is needed.
  guides[0].cells.push_back(middle->left);
  guides[0].rows.emplace_back();
  FrontSlabs above(fronts, 0, upper + 1, {exit, exit}, distance - met_cost, true, codes, guides[0],
                   reading);
  std::vector<Cigar> backwards;
  Both at = above.exits();
  for (FrontSlabs::Step& step : walk(above)) {
    at = step.at;
    backwards.push_back(std::move(step.left));
  }
  if (at.left.diagonal != 0) contradiction();
  backwards.emplace_back().add(Edit::kMatch, at.left.column);

  if (points.size() > 1) {
    Traced below = trace_between(codes, points, stretches, met_cost, options, parts);
    made.cells += below.cells;
    made.backwards = std::move(below.backwards);
  }
  std::ranges::move(backwards, std::back_inserter(made.backwards));
  made.entry = 0;
  return made;
}

}  // namespace rhomb::align
