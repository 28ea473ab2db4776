// SPDX-License-Identifier: Apache-2.0
#include "host/align/trace.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "host/align/pieces.h"
#include "host/align/walker.h"

namespace rhomb::align {
namespace {

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
  /// Where paths are known nothing is computed.
  std::size_t effort(std::size_t first, std::size_t end) const {
    if (!options_.sure) return 0;
    std::size_t unsure = 0;
    for (std::size_t s = first; s < end; ++s) unsure += options_.sure(s) ? 0u : 1u;
    return unsure;
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
  // One thread goes through a part, but several go through one that the others would have to wait
  // for. Those that would take long even so are the device's again.
  std::vector<std::optional<Cigar>> pairs(parts);
  std::vector<double> wide(parts);  // cells where cheapest paths may be
  double all_wide = 0;
  for (std::size_t i = 0; i < parts; ++i) {
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
    if (part.cost && *part.cost > gap(i))
      if (auto backwards = walker.across(from, to, *part.cost)) return *std::move(backwards);
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
  const double rate =
      static_cast<double>(std::max<std::int64_t>(0, spare)) /
      static_cast<double>(std::max<std::int64_t>(1, points.back().row - points.front().row));
  const auto together = [&](std::size_t i) {
    return threads > 1 && wide[i] > std::max(kWide, all_wide / static_cast<double>(threads));
  };
  struct Piece {
    std::size_t first = 0, end = 0;  // parts
    double wide = 0;
    Cigar backwards = {};
    double cells = 0;
  };
  const std::size_t most = std::min(parts, kPiecesAThread * threads);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts; ++i) {
    if (i == 0 || i * most / parts > (i - 1) * most / parts || together(i) || together(i - 1))
      pieces.push_back({i});
    pieces.back().end = i + 1;
    pieces.back().wide += wide[i];
  }
  // What takes longest is begun first.
  std::vector<Piece*> order;
  for (Piece& piece : pieces) order.push_back(&piece);
  std::ranges::stable_sort(order, std::greater(), &Piece::wide);
  batch::dealt(order.size(), threads, [&](std::size_t number) {
    Piece& mine = *order[number];
    Walker walker(codes, options.memory, together(mine.first) ? threads : 1, rate);
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
  for (Piece& piece : std::views::reverse(pieces)) {
    made.backwards.push_back(std::move(piece.backwards));
    made.cells += piece.cells;
  }
  made.entry = points.front().place;
  return made;
}

}  // namespace rhomb::align
