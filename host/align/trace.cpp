// SPDX-License-Identifier: Apache-2.0
#include "host/align/trace.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

#include "host/align/pieces.h"
#include "host/align/slab.h"
#include "host/align/waves.h"

namespace rhomb::align {
namespace {

/// Seconds for a number of a wavefront, for a column of a strip, and for the walk back through
/// that.
constexpr double kNumber = 6e-9, kColumn = 5e-9, kStrip = 5e-7, kStripRows = 64;

/// Cells of a part that are worth starting threads for.
constexpr double kWide = 1.6e7;

/// So many slabs further on a piece may end.
constexpr std::size_t kMostUnsure = 512;

/// Of so many slabs that others know the paths of, one is walked through to see whether it is so.
constexpr std::size_t kProbed = 256;

/// The cheapest place of a row.
std::int64_t cheapest(const KeptRow& row) {
  std::int64_t best = row.first, at = 0, least = 0;
  for (std::int64_t place = row.first; place < row.last(); ++place) {
    at += row.step(place);
    if (at < least) least = at, best = place + 1;
  }
  return best;
}

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

/// The left path of one and the right one of another.
Crossed both(const Crossed& left, const Crossed& right) {
  return {{left.at.first, right.at.last}, hull(left.diagonals, right.diagonals), {}};
}

/// Walks through slabs, one after the other.
class Walker {
 public:
  /// `threads` compute a slab.
  Walker(const Codes& codes, std::size_t memory, std::size_t threads = 1)
      : codes_(codes), memory_(memory), threads_(threads), waves_(codes) {}

  /// Through `rows` rows below `top` to `exits`; if these are one place and `cost` is what it
  /// costs, or nothing is known of that but that it is no more than `limit`. `canonical`: by the
  /// canonical paths from both exits, else by the leftmost from the first and the rightmost from
  /// the last. Nothing where no path is as cheap as that, or where `top` goes on where it matters.
  std::optional<Crossed> through(const KeptRow& top, std::int64_t rows, const Places& exits,
                                 std::optional<std::int64_t> cost, bool canonical,
                                 std::span<const Stretch> stretches = {},
                                 std::int64_t limit = std::numeric_limits<std::int64_t>::max()) {
    needs_ = {};
    const bool one = canonical && exits.first == exits.last;
    const std::int64_t end = top.row + rows;
    if (auto right = forced(top, rows, exits.last, canonical)) {
      if (right->backwards.cost() > 0) expected_ = 1;
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
      const auto right = through(top, rows, {exits.last, exits.last}, cost, canonical);
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

  /// From a point to another, if the path pays for the one gap between their diagonals and for
  /// nothing else, and is the only one.
  std::optional<Cigar> straight(const Point& from, const Point& to) {
    auto path = forced({from.row, from.place, 0, {}}, to.row - from.row, to.place, true);
    if (!path || path->entry < from.place) return std::nullopt;
    path->backwards.add(codes_.by_column(), path->entry - from.place);
    return std::move(path->backwards);
  }

  /// What through() did not know: places of its row that go on.
  const std::optional<Places>& needs() const { return needs_; }
  double cells() const { return cells_ + waves_.cells(); }

 private:
  /// through(), by wavefronts or strips.
  std::optional<Crossed> computed(const KeptRow& top, std::int64_t rows, const Places& exits,
                                  std::optional<std::int64_t> cost, bool canonical,
                                  std::span<const Stretch> stretches, std::int64_t limit) {
    const bool one = canonical && exits.first == exits.last;
    std::int64_t most_first = 0, most_last = 0;
    if (cost) {
      most_first = most_last = *cost;
    } else {
      if (goes_on(top, {exits.first - rows, exits.last - rows}, exits.last)) return std::nullopt;
      if (expected_ == 0) expected_ = rows / 4;
      const auto guess = [&](std::int64_t exit) {
        return std::min(limit, top.at(path_top(exit, rows)) + expected_ + expected_ / 4 + 16 +
                                   std::max<std::int64_t>(0, rows - exit));
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
  Crossed crossed(Path path, std::int64_t row, std::int64_t exit) const {
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
  std::optional<Path> forced(const KeptRow& top, std::int64_t rows, std::int64_t exit,
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
  std::optional<Crossed> furthest_left(const KeptRow& top, std::int64_t rows, std::int64_t exit) {
    std::int64_t first = exit - rows;
    if (first < 0) return std::nullopt;
    for (;; --first) {
      if (goes_on(top, {first - 1, first}, exit)) return std::nullopt;
      if (first == 0 || top.step(first - 1) <= 0) break;
    }
    std::int64_t place = first;
    for (std::int64_t row = 0; row < rows; ++row, ++place) {
      while (place < exit && !codes_.match(top.row + row, place)) ++place;
      if (place == exit) return std::nullopt;
      if (row == 0) first = place;
    }
    return Crossed{{first, first}, {first - top.row, exit - top.row - rows}, {}};
  }
  static std::int64_t path_top(std::int64_t exit, std::int64_t rows) {
    return std::clamp<std::int64_t>(exit - rows, 0, exit);
  }
  /// The next slab will cost about as much.
  void learn(const KeptRow& top, std::int64_t rows, std::int64_t exit, std::int64_t cost) {
    expected_ = std::max<std::int64_t>(1, cost - top.at(path_top(exit, rows)));
  }
  bool goes_on(const KeptRow& top, const Places& places, std::int64_t exit) {
    const std::int64_t first = std::clamp<std::int64_t>(places.first, 0, exit);
    const std::int64_t last = std::clamp<std::int64_t>(places.last, 0, exit);
    // Costs are not known beyond the row's ends, so what ends there may go on.
    if ((first <= top.first && top.more_before) || (last >= top.last() && top.more_behind))
      needs_ = Places{first - 1, last + 1};
    return needs_.has_value();
  }
  /// The region of both exits.
  static std::optional<Region> region_between(const KeptRow& top, std::int64_t rows,
                                              const Places& exits, std::int64_t most_first,
                                              std::int64_t most_last) {
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
  /// Whether wavefronts are faster.
  bool few(const Region& region) {
    const double strips = static_cast<double>(region.rows) / kStripRows;
    const double numbers = waves_.begin(region);
    return numbers * kNumber < Slab::columns(region) * kColumn + strips * kStrip &&
           numbers * sizeof(std::int32_t) < static_cast<double>(memory_);
  }

  const Codes& codes_;
  std::size_t memory_, threads_;
  Waves waves_;
  double cells_ = 0;
  std::int64_t expected_ = 0;  // what a slab costs more than its row does
  std::optional<Places> needs_;
};

/// Rows, and what is read of them besides.
class Rows {
 public:
  using Place = Places;
  using Step = Crossed;

  Rows(const Codes& codes, std::span<const KeptRow> rows, std::int64_t end, const Places& exits,
       std::optional<std::int64_t> cost, bool canonical, const TraceOptions& options)
      : codes_(codes),
        rows_(rows),
        end_(end),
        exits_(exits),
        cost_(cost),
        canonical_(canonical),
        options_(options) {}

  std::size_t slabs() const { return rows_.size(); }
  const Places& exits() const { return exits_; }
  Walker worker() const { return Walker(codes_, options_.memory); }
  /// Behind slabs whose paths are not known pieces would begin elsewhere, unless these are many.
  std::size_t end_near(std::size_t slab) const {
    if (!options_.sure) return slab;
    for (std::size_t s = slab; s <= slab + kMostUnsure; ++s)
      if (s >= rows_.size() || options_.sure(s)) return std::min(s, rows_.size());
    return slab;
  }

  std::optional<Crossed> through(Walker& walker, std::size_t s, const Places& exits) {
    using Path = TraceOptions::Path;
    if (exits.first < 0) return std::nullopt;
    if (!options_.known) return walked(walker, s, exits);
    if (canonical_ && exits.first == exits.last) {
      auto step = options_.known(s, exits.first, Path::kOnly);
      if (!step) return walked(walker, s, exits);
      if (s % kProbed == 0) check(s, *step, walked(walker, s, exits));
      return step;
    }
    auto left = options_.known(s, exits.first, Path::kFirst);
    auto right = options_.known(s, exits.last, Path::kLast);
    if (!left && !right) return walked(walker, s, exits);
    if (left && right) {
      const Crossed step = both(*left, *right);
      if (s % kProbed == 0) check(s, step, walked(walker, s, exits));
      return step;
    }
    // Of the exit whose path is not known both are found, which do no harm.
    const std::int64_t other = left ? exits.last : exits.first;
    auto step = walked(walker, s, {other, other});
    if (!step) return std::nullopt;
    return left ? both(*left, *step) : both(*step, *right);
  }

  /// Where a path probably crosses the last row of slab `s`.
  Places probable(std::size_t s) const {
    if (s + 1 == rows_.size()) return exits_;
    Places places;
    if (options_.probable) {
      places = options_.probable(s + 1);
    } else {
      places.first = places.last = cheapest(rows_[s + 1]);
    }
    // Rows may go on behind the text.
    return {std::min(places.first, exits_.last), std::min(places.last, exits_.last)};
  }

 private:
  void check(std::size_t s, const Crossed& told, const std::optional<Crossed>& walked) const {
    Cigar steps = told.backwards;
    if (told.told > 0) options_.steps(s, steps);
    if (!walked || told.at != walked->at || steps != walked->backwards)
      throw CheckError(
          "a path through some rows is not the one that the device has found: this device or "
          "its driver computes wrongly");
  }

  std::optional<Crossed> walked(Walker& walker, std::size_t s, const Places& exits) {
    const bool last = s + 1 == rows_.size();
    const std::int64_t rows = (last ? end_ : rows_[s + 1].row) - rows_[s].row;
    std::optional<std::int64_t> cost;
    if (cost_) cost = last ? *cost_ : rows_[s + 1].at(exits.last);
    KeptRow wider;
    const KeptRow* top = &rows_[s];
    std::optional<Places> needs;
    for (;;) {
      auto step = walker.through(*top, rows, exits, cost, canonical_);
      if (step || !walker.needs()) return step;
      needs = needs ? hull(*needs, *walker.needs()) : *walker.needs();
      wider = options_.read(s, *needs);
      top = &wider;
    }
  }

  const Codes& codes_;
  std::span<const KeptRow> rows_;
  std::int64_t end_;
  Places exits_;
  std::optional<std::int64_t> cost_;
  bool canonical_;
  const TraceOptions& options_;
};

/// What some pieces have come by, put together; their steps are given up.
Cigar steps_of(std::span<Piece<Rows>> pieces, const TraceOptions& options) {
  std::size_t runs = 0;
  for (const Piece<Rows>& piece : pieces)
    for (const Crossed& step : piece.steps) runs += step.told + step.backwards.size();
  Cigar backwards;
  backwards.reserve(runs);
  for (Piece<Rows>& piece : pieces) {
    std::size_t s = piece.end;
    for (Crossed& step : piece.steps) {
      --s;
      if (step.told > 0)
        options.steps(s, backwards);
      else
        backwards.append(std::exchange(step.backwards, {}));
    }
  }
  return backwards;
}

}  // namespace

Traced trace(const Codes& codes, std::span<const KeptRow> rows, std::int64_t end, std::int64_t exit,
             std::int64_t cost, const TraceOptions& options) {
  Traced made;
  made.parts = static_cast<int>(rows.size());
  Rows all(codes, rows, end, {exit, exit}, cost, true, options);
  made.entry = exit;
  std::vector<Piece<Rows>> pieces = walk_all(all, options);
  // A thread puts some together: the memory of few is in large pages.
  made.backwards.resize(std::min(pieces.size(), batch::threads_of(options.threads)));
  batch::in_parts(pieces.size(), made.backwards.size(),
                  [&](std::size_t part, std::size_t p, std::size_t end) {
                    made.backwards[part] = steps_of(std::span(pieces).subspan(p, end - p), options);
                  });
  for (const Piece<Rows>& piece : pieces) {
    made.cells += piece.cells;
    if (!piece.steps.empty()) made.entry = piece.entry().first;
  }
  return made;
}

std::vector<Crossed> crossings(const Codes& codes, std::span<const KeptRow> rows, std::int64_t end,
                               const Places& exits, bool canonical, const TraceOptions& options) {
  std::vector<Crossed> found(rows.size());
  Rows all(codes, rows, end, exits, std::nullopt, canonical, options);
  for (Piece<Rows>& piece : walk_all(all, options))
    std::ranges::move(std::views::reverse(piece.steps),
                      found.begin() + static_cast<std::ptrdiff_t>(piece.first));
  return found;
}

Traced trace_between(const Codes& codes, std::span<const Point> points,
                     std::span<const Stretch> stretches, std::int64_t cost,
                     const TraceOptions& options, std::span<const Part> known) {
  static const Part kNothing;
  const std::size_t parts = points.size() - 1, threads = batch::threads_of(options.threads);
  const std::size_t pieces = std::min(parts, kPiecesAThread * threads);
  // A part costs a gap at least, and no more than all does less the gaps of the others.
  const auto gap = [&](std::size_t i) {
    return std::abs((points[i + 1].row - points[i].row) - (points[i + 1].place - points[i].place));
  };
  std::int64_t spare = cost;
  for (std::size_t i = 0; i < parts; ++i) spare -= gap(i);
  const auto stretches_from = [&](const Point& from) {
    return stretches.subspan(static_cast<std::size_t>(
        std::ranges::lower_bound(stretches, from.row, {}, &Stretch::end) - stretches.begin()));
  };
  // One thread goes through a part, but all of them go through one that the others would have to
  // wait for. Those that would take long even so are the device's again.
  std::vector<std::optional<Cigar>> pairs(parts);
  std::vector<double> wide(parts);  // cells where cheapest paths may be
  double all_wide = 0;
  struct Walked {
    std::size_t first = 0, end = 0;  // parts
    double wide = 0;                 // cells where cheapest paths may be
    Cigar backwards = {};
    double cells = 0;
  };
  std::vector<Walked> walked(pieces);
  for (std::size_t p = 0; p < pieces; ++p) {
    walked[p].first = parts * p / pieces;
    walked[p].end = parts * (p + 1) / pieces;
  }
  std::size_t piece = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    while (i == walked[piece].end) ++piece;
    if (!known.empty() && known[i].backwards) continue;
    const Point &from = points[i], &to = points[i + 1];
    double cells = 0;
    Places all{from.place - from.row, from.place - from.row};
    for (const Stretch& one : stretches_from(from)) {
      const std::int64_t rows = std::min(one.end, to.row) - std::max(one.row, from.row);
      if (one.row >= to.row) break;
      if (rows <= 0) continue;  // it ends where the part begins
      cells +=
          static_cast<double>(rows) * static_cast<double>(one.diagonals.last - one.diagonals.first);
      all = hull(all, one.diagonals);
    }
    if (cells < options.pair_cells || !options.as_pair) {
      walked[piece].wide += cells;
      all_wide += wide[i] = cells;
      continue;
    }
    pairs[i] = Walker(codes, options.memory).straight(from, to);
    if (pairs[i]) continue;
    // A cheapest path goes to each of the outermost diagonals, mostly, and back.
    const std::int64_t begin = from.place - from.row, end = to.place - to.row;
    const std::int64_t least = std::max(all.last - begin + std::abs(all.last - end),
                                        begin - all.first + std::abs(end - all.first));
    const std::int64_t about = std::min(least, spare + gap(i));
    pairs[i] = options.as_pair(from, to, known.empty() ? about : known[i].cost.value_or(about));
  }
  const auto walk = [&](Walker& walker, std::size_t i) {
    const Point &from = points[i], &to = points[i + 1];
    const Part& part = known.empty() ? kNothing : known[i];
    const KeptRow top{from.row, from.place, 0, {}};
    auto step = walker.through(top, to.row - from.row, {to.place, to.place}, part.cost, true,
                               stretches_from(from), spare + gap(i));
    if (!step || step->at.first < from.place) contradiction();
    // It has come to the row behind the point: all cheapest paths go along the row then.
    step->backwards.add(codes.by_column(), step->at.first - from.place);
    return std::move(step->backwards);
  };
  Traced made;
  made.parts = static_cast<int>(parts);
  Walker together(codes, options.memory, threads);
  for (std::size_t i = 0; i < parts; ++i)
    if (threads > 1 && wide[i] > std::max(kWide, all_wide / static_cast<double>(threads)))
      pairs[i] = walk(together, i);
  made.cells += together.cells();
  // What takes longest is begun first.
  std::vector<std::size_t> order(pieces);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t p) { return walked[p].wide; });
  batch::dealt(pieces, threads, [&](std::size_t number) {
    Walked& mine = walked[order[number]];
    Walker walker(codes, options.memory);
    for (std::size_t i = mine.end; i-- > mine.first;) {
      const Part& part = known.empty() ? kNothing : known[i];
      if (part.backwards || pairs[i]) {
        mine.backwards.append(part.backwards ? *part.backwards : *pairs[i]);
        continue;
      }
      mine.backwards.append(walk(walker, i));
    }
    mine.cells = walker.cells();
  });
  for (std::size_t p = pieces; p-- > 0;) {
    made.backwards.push_back(std::move(walked[p].backwards));
    made.cells += walked[p].cells;
  }
  made.entry = points.front().place;
  return made;
}

}  // namespace rhomb::align
