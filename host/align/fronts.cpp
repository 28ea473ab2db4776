// SPDX-License-Identifier: Apache-2.0
#include "host/align/fronts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>
#include <iterator>
#include <mutex>
#include <ranges>
#include <utility>

#include "host/align/eights.h"
#include "host/align/pieces.h"

namespace rhomb::align {
namespace {

using wfa::Cell;
using wfa::Reached;

/// Levels of a guide that begins where the first one is left, at first and at most, and places of
/// each.
constexpr std::size_t kLevelsAgain = 128, kMostAgain = 1024;
constexpr std::int64_t kWidthAgain = 512;
/// Paths that were guessed run where they should after so many slabs, mostly.
constexpr std::size_t kLevelsEarly = 4;

/// Which cheapest path: the one that no other is left of, or right of.
enum class Order { kLeftmost, kRightmost };

/// The places where these come to a row.
struct Both {
  Cell left, right;
  bool operator==(const Both&) const = default;
};

/// Wavefronts of some costs above a row, on few diagonals: what one thread does.
class Cone {
 public:
  explicit Cone(const Codes& codes)
      : codes_(codes),
        last_line_(static_cast<std::int64_t>(codes.rows.size()) - kFew),
        last_column_(static_cast<std::int64_t>(codes.columns.size()) - kFew),
        plain_(!codes.sets && last_line_ >= 0 && last_column_ >= 0) {}

  /// From `row` on, up to one edit less than `edits`, on the diagonals from which a path of what is
  /// left of `edits` gets to one of [first, last].
  void grow(const Reached& row, std::int64_t edits, std::int64_t first, std::int64_t last) {
    first_ = first - edits - 1;
    width_ = last - first + 2 * edits + 3;
    reached_.assign(static_cast<std::size_t>(width_ * edits), Reached::kNone);
    for (std::int64_t k = first - edits; k <= last + edits; ++k)
      if (k >= row.first && k < row.end())
        at(0, k) = row.columns[static_cast<std::size_t>(k - row.first)];
    cells_ += static_cast<double>((last - first + edits) * edits);
    for (std::int64_t s = 1; s < edits; ++s) advance(s, first - edits + s, last + edits - s);
  }

  /// The path back from a cell that costs `edits` more than the row, to the first cell that costs
  /// no more. False where there is none.
  bool back(std::int64_t edits, Order order, Cell& cell, Cigar& backwards) const {
    const Edit by_row = codes_.by_row();
    const Edit by_column = codes_.by_column();
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
      if (order == Order::kLeftmost ? left : left && !diagonal && !up) {
        backwards.add(by_column, 1);
        --x;
        --k;
      } else if (order == Order::kRightmost ? up : up && !diagonal) {
        backwards.add(by_row, 1);
        ++k;
      } else if (diagonal) {
        backwards.add(Edit::kMismatch, 1);
        --x;
      } else {
        return false;
      }
    }
    return true;
  }

  /// The columns on a diagonal with so many edits, for those that grow() was asked for.
  std::int64_t reach(std::int64_t s, std::int64_t k) const {
    const std::int64_t place = k - first_;
    return place < 0 || place >= width_ ? Reached::kNone
                                        : reached_[static_cast<std::size_t>(s * width_ + place)];
  }

  double cells() const { return cells_; }

 private:
  /// The cells of cost `s` on the diagonals from `low` to `high`.
  void advance(std::int64_t s, std::int64_t low, std::int64_t high) {
    const std::int32_t* const before = &at(s - 1, low);
    std::int32_t* const now = &at(s, low);
    advance_all<Counted::kColumns>(
        codes_.rows.data(), codes_.columns.data(), static_cast<std::int64_t>(codes_.rows.size()),
        static_cast<std::int64_t>(codes_.columns.size()), plain_, before, now, low, high - low + 1,
        [&](std::int64_t i) { now[i] = furthest(before + i, low + i); },
        [&](std::int64_t i, std::int32_t column) { now[i] = along(column, low + i); });
  }

  /// The column on diagonal `k` by one edit more than `before`, which is there.
  std::int32_t furthest(const std::int32_t* before, std::int64_t k) const {
    const std::int32_t column = std::max(std::max(before[-1], before[0]) + 1, before[1]);
    const std::int64_t line = column - k;
    if (plain_ && column >= 0 && line >= 0 && column <= last_column_ && line <= last_line_)
        [[likely]] {
      const std::int32_t same =
          same_of_eight(codes_.rows.data() + line, codes_.columns.data() + column);
      if (same < kFew) [[likely]]
        return column + same;
    }
    return along(column, k);
  }
  /// To where no more symbols match.
  std::int32_t along(std::int32_t column, std::int64_t k) const {
    const auto rows = static_cast<std::int64_t>(codes_.rows.size());
    const auto columns = static_cast<std::int64_t>(codes_.columns.size());
    const std::int64_t line = column - k;
    if (column < 0 || line < 0 || column >= columns || line >= rows) return column;
    return column + static_cast<std::int32_t>(
                        codes_.matches(line, column, std::min(rows - line, columns - column)));
  }

  std::int32_t& at(std::int64_t s, std::int64_t k) {
    return reached_[static_cast<std::size_t>(s * width_ + k - first_)];
  }

  static constexpr std::int32_t kFew = 8;  // of so many symbols some do not match, mostly

  const Codes& codes_;
  std::int64_t last_line_, last_column_;  // behind which both texts have so few
  bool plain_;                            // symbols match which are the same
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
    Cigar left, right;
  };

  /// Up to the row of level `end`, where `exits` are. `guides`: to the left of them, to the right.
  FrontSlabs(wfa::Fronts& fronts, std::size_t direction, std::size_t end, const Both& exits,
             const Codes& codes, std::span<const wfa::Guide, 2> guides, std::mutex& reading)
      : fronts_(fronts),
        direction_(direction),
        end_(end),
        exits_(exits),
        codes_(codes),
        guides_(guides),
        reading_(reading) {}

  std::size_t slabs() const { return end_; }
  const Both& exits() const { return exits_; }
  Cone worker() const { return Cone(codes_); }

  /// Not in a gap: there a path that was guessed stays beside the one that is looked for.
  std::size_t end_near(std::size_t slab) const {
    const auto levels = fronts_.levels();
    const auto in_gap = [&](const wfa::Guide& guide) {
      const std::int64_t moved = guide.cell(slab).diagonal - guide.cell(slab - 1).diagonal;
      return 2 * std::abs(moved) >= levels[slab].cost - levels[slab - 1].cost;
    };
    while (slab < end_ && std::ranges::any_of(guides_, in_gap)) ++slab;
    return slab;
  }
  std::size_t effort(std::size_t first, std::size_t end) const { return end - first; }

  Both probable(std::size_t s) const {
    if (s + 1 == end_) return exits_;
    return {guides_[0].cell(s + 1), guides_[1].cell(s + 1)};
  }

  std::optional<Step> through(Cone& cone, std::size_t s, const Both& exits) {
    const std::int64_t edits = fronts_.levels()[s + 1].cost - fronts_.levels()[s].cost;
    Step step{exits, {}, {}};
    const std::int64_t left = exits.left.diagonal, right = exits.right.diagonal;
    // In a gap the outer one goes straight on.
    const bool leftwards =
        exits.left.column >= edits &&
        place(s, Order::kLeftmost, exits.left, left - edits) >= exits.left.column - edits;
    const bool upwards =
        exits.right.column - right >= edits &&
        place(s, Order::kRightmost, exits.right, right + edits) >= exits.right.column;
    if (leftwards) {
      step.left.add(codes_.by_column(), edits);
      step.at.left = {left - edits, exits.left.column - edits};
    }
    if (upwards) {
      step.right.add(codes_.by_row(), edits);
      step.at.right.diagonal += edits;
    }
    const bool together = !leftwards && !upwards && std::abs(right - left) <= edits / 2;
    if (!leftwards) {
      const std::int64_t first = together ? std::min(left, right) : left;
      const std::int64_t last = together ? std::max(left, right) : left;
      cone.grow(row(s, Order::kLeftmost, exits.left, first - edits, last + edits), edits, first,
                last);
      if (!cone.back(edits, Order::kLeftmost, step.at.left, step.left)) return std::nullopt;
    }
    if (!upwards) {
      if (!together)
        cone.grow(row(s, Order::kRightmost, exits.right, right - edits, right + edits), edits,
                  right, right);
      if (!cone.back(edits, Order::kRightmost, step.at.right, step.right)) return std::nullopt;
    }
    return step;
  }

 private:
  /// What row() has on one diagonal.
  std::int64_t place(std::size_t s, Order order, const Cell& exit, std::int64_t diagonal) {
    for (const wfa::Guide& guide : guides_)
      if (const auto place = guide.place(s, diagonal)) return *place;
    return row(s, order, exit, diagonal, diagonal).columns[0];
  }

  /// Some diagonals of a row, around the exit of the slab below it from which that path comes.
  Reached row(std::size_t s, Order order, const Cell& exit, std::int64_t first, std::int64_t last) {
    for (const wfa::Guide& guide : guides_)
      if (auto row = guide.row(s, first, last)) return *std::move(row);
    const std::lock_guard lock(reading_);
    for (const wfa::Guide& guide : std::views::reverse(again_))
      if (auto row = guide.row(s, first, last)) return *std::move(row);
    const std::size_t levels =
        std::min(kLevelsAgain << std::min<std::size_t>(again_.size(), 8), kMostAgain);
    const wfa::Fronts::Start here{direction_, order == Order::kRightmost, exit, s + 1, levels};
    again_.push_back(std::move(fronts_.guide({&here, 1}, kWidthAgain).front()));
    return again_.back().row(s, first, last).value();
  }

  wfa::Fronts& fronts_;
  std::size_t direction_, end_;
  Both exits_;
  const Codes& codes_;
  std::span<const wfa::Guide, 2> guides_;  // to the left, to the right
  std::vector<wfa::Guide> again_;
  std::mutex& reading_;
};

/// Cells of the outermost diagonals in the middle, which bound all cheapest paths above if the
/// leftmost and the rightmost path go on from there: the last from which a path comes from further
/// out, or the first of all where there is none.
Both exits_of(const wfa::Fronts& fronts, const wfa::Begun& begun, std::size_t direction,
              const Codes& codes) {
  const std::size_t end = begun.ends[direction];
  if (end == 0) return {};
  const std::int64_t edits = fronts.levels()[end].cost - fronts.levels()[end - 1].cost;
  const auto exit = [&](std::size_t right) {
    const wfa::Stay& stay = begun.middle[direction][right];
    const std::int64_t k = right != 0 ? stay.diagonal + 1 : stay.diagonal - 1;
    const auto row = begun.guides[direction][right].row(end - 1, k - edits, k + edits);
    if (!row) contradiction();
    Cone cone(codes);
    cone.grow(*row, edits, k, k);
    const std::int64_t far = cone.reach(edits - 1, k) + (right != 0 ? 0 : 1);
    return Cell{stay.diagonal, std::max(stay.first, std::min(stay.last, far))};
  };
  return {exit(0), exit(1)};
}

/// A path from the middle on, run by run.
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
  Point point() const { return {cell_.column - cell_.diagonal, cell_.column}; }
  std::int64_t along() const { return 2 * cell_.column - cell_.diagonal; }
  bool ended() const { return next_ == runs_.size(); }
  std::int64_t cost() const { return cost_; }
  const Cigar::Run& run() const { return runs_[next_]; }
  bool diagonal_step() const { return run().edit == Edit::kMatch || run().edit == Edit::kMismatch; }

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
    const std::int64_t symbols = along_there - along();
    go(std::clamp<std::int64_t>(diagonal_step() ? symbols / 2 : symbols, 1, run().length));
  }

 private:
  Cell cell_;
  bool turned_;
  std::vector<Cigar::Run> runs_;
  std::size_t next_ = 0;
  std::int64_t cost_ = 0;
};

/// What lies on one side of the middle, from there outwards.
struct Course {
  std::vector<Point> points;       ///< that all cheapest paths run through
  std::vector<Part> parts;         ///< from each point to the next; paths outwards
  std::vector<Stretch> stretches;  ///< where paths are between points, if they are not known
  std::int64_t cost = 0;           ///< from the middle to the first point
  Places diagonals;                ///< and where paths are there
  double cells = 0;                ///< computed
};

/// Where the leftmost and the rightmost path are the same, so are all; but not before both have an
/// edit behind them: from the cells that they begin at not all paths come.
Course follow(Follower a, Follower b) {
  Course course;
  std::int64_t cost = 0;
  Places diagonals{a.cell().diagonal, a.cell().diagonal};
  for (;;) {
    diagonals = hull(diagonals, {std::min(a.cell().diagonal, b.cell().diagonal),
                                 std::max(a.cell().diagonal, b.cell().diagonal)});
    if (a.cell() == b.cell() && ((a.cost() > 0 && b.cost() > 0) || (a.ended() && b.ended()))) {
      const Point here = a.point();
      if (course.points.empty()) {
        course.cost = a.cost();
        course.diagonals = diagonals;
      } else {
        course.parts.push_back({std::nullopt, a.cost() - cost});
        course.stretches.push_back({course.points.back().row, here.row, diagonals});
      }
      course.points.push_back(here);
      Cigar common;
      while (!a.ended() && !b.ended() && a.run().edit == b.run().edit) {
        const std::int64_t length = std::min(a.run().length, b.run().length);
        common.add(a.run().edit, length);
        a.go(length);
        b.go(length);
      }
      if (!common.empty()) {
        course.points.push_back(a.point());
        course.parts.push_back({std::move(common), std::nullopt});
      }
      if (a.ended() && b.ended()) return course;
      cost = a.cost();
      diagonals = {a.cell().diagonal, a.cell().diagonal};
    }
    if (!a.ended() && !b.ended() && a.diagonal_step() && b.diagonal_step() &&
        a.cell().diagonal != b.cell().diagonal) {  // they do not meet in these
      const std::int64_t length = std::min(a.run().length, b.run().length);
      a.go(length);
      b.go(length);
      continue;
    }
    Follower& behind = a.along() <= b.along() ? a : b;
    if (behind.ended()) contradiction();
    behind.catch_up(std::max(a.along(), b.along()));
  }
}

}  // namespace

Traced trace_fronts(wfa::Fronts& fronts, const wfa::Begun& begun, std::int64_t distance,
                    const Codes& codes, const Codes& reversed, const TraceOptions& options) {
  const auto m = static_cast<std::int64_t>(codes.rows.size());
  const auto n = static_cast<std::int64_t>(codes.columns.size());
  const std::array<const Codes*, 2> both{&codes, &reversed};
  std::mutex reading;
  const auto walk = [&](std::size_t direction, std::size_t threads) {
    TraceOptions own = options;
    own.threads = threads;
    own.early = kLevelsEarly;
    const Both exits = exits_of(fronts, begun, direction, *both[direction]);
    Both at = exits;
    std::vector<Cigar> left, right;
    double cells = 0;
    if (begun.ends[direction] > 0) {
      FrontSlabs slabs(fronts, direction, begun.ends[direction], at, *both[direction],
                       begun.guides[direction], reading);
      for (Piece<FrontSlabs>& piece : walk_all(slabs, own)) {
        cells += piece.cells;
        for (FrontSlabs::Step& step : piece.steps) {
          at = step.at;
          left.push_back(std::move(step.left));
          right.push_back(std::move(step.right));
        }
      }
    }
    // What costs nothing is left.
    if (at.left.diagonal != 0 || at.right.diagonal != 0) contradiction();
    left.emplace_back().add(Edit::kMatch, at.left.column);
    right.emplace_back().add(Edit::kMatch, at.right.column);
    // Outwards from the middle is forward in the texts the other way round.
    const auto turn = [&](const Cell& cell) {
      return Cell{n - m - cell.diagonal, n - cell.column};
    };
    Course course = follow(Follower(turn(exits.left), left, codes.turned),
                           Follower(turn(exits.right), right, codes.turned));
    course.cells = cells;
    return course;
  };
  const std::size_t half = batch::half_of(options.threads);
  auto upwards = std::async(batch::beside(options.threads), walk, 0, half);
  Course below = walk(1, half);
  Course above = upwards.get();

  // All of it, from the first symbols on.
  std::vector<Point> points;
  std::vector<Part> parts;
  std::vector<Stretch> stretches;
  const auto turned = [&](const Places& diagonals) {
    return Places{n - m - diagonals.last, n - m - diagonals.first};
  };
  for (const Point& point : std::views::reverse(above.points))
    points.push_back({m - point.row, n - point.place});
  std::ranges::move(std::views::reverse(above.parts), std::back_inserter(parts));
  for (const Stretch& one : std::views::reverse(above.stretches))
    stretches.push_back({m - one.end, m - one.row, turned(one.diagonals)});
  parts.push_back({std::nullopt, above.cost + below.cost});
  stretches.push_back({points.back().row, below.points.front().row,
                       hull(turned(above.diagonals), below.diagonals)});
  points.insert(points.end(), below.points.begin(), below.points.end());
  for (Part& part : below.parts) {
    if (part.backwards) part.backwards->reverse();
    parts.push_back(std::move(part));
  }
  stretches.insert(stretches.end(), below.stretches.begin(), below.stretches.end());
  Traced between = trace_between(codes, points, stretches, distance, options, parts);
  between.cells += above.cells + below.cells;
  between.parts = static_cast<int>(begun.ends[0] + begun.ends[1]);
  return between;
}

}  // namespace rhomb::align
