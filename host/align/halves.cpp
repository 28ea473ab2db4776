// SPDX-License-Identifier: Apache-2.0
#include "host/align/halves.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <future>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "host/align/pieces.h"
#include "host/batch/threads.h"

namespace rhomb::align {
namespace {

/// Places that are read of a row on either side, where those beside the guide are not enough.
constexpr std::int64_t kReadAgain = 4096;
/// Rows that are read ahead where the path is elsewhere.
constexpr std::size_t kAhead = 31;
/// The device's ways are the paths, mostly, where it has them through so many slabs on end.
constexpr std::size_t kSure = 48;
/// Paths that were guessed run where they should after so many slabs, mostly.
constexpr std::size_t kEarly = 8;

/// What the device has found of a path through a slab to `exit`, a place of row `end`; nothing
/// where it has looked for another one.
std::optional<Crossed> found_by_device(const strip::Halves::Guide& guide, std::size_t slab,
                                       std::int64_t exit, TraceOptions::Path path,
                                       const Codes& codes, std::int64_t end) {
  using Path = TraceOptions::Path;
  const strip::Halves::Way& way = guide.ways[slab][path == Path::kLast ? 1 : 0];
  if (way.exit != exit || way.entry < 0) return std::nullopt;
  Crossed made{{way.entry, way.entry}, {way.low, way.high}, {}};
  if (path != Path::kOnly) return made;
  made.backwards.reserve(way.steps / 2);
  const std::uint32_t* const steps = guide.paths.data() + slab * guide.path_words;
  std::int64_t row = end, place = exit;
  for (std::size_t i = 0; i < way.steps; ++i) {
    switch (steps[i / 16] >> 2 * (i % 16) & 3) {
      case 1:
        if (--row < 0 || --place < 0) contradiction();
        made.backwards.add(codes.match(row, place) ? Edit::kMatch : Edit::kMismatch, 1);
        break;
      case 2:
        --row;
        made.backwards.add(codes.by_row(), 1);
        break;
      default:
        --place;
        made.backwards.add(codes.by_column(), 1);
    }
  }
  return made;
}

/// Rows of which more is read than what is beside the guide, by several threads: what they ask for
/// while one of them reads is read by the next one, all of it.
class RowsAgain {
 public:
  explicit RowsAgain(strip::Halves& halves) : halves_(halves) {
    for (const std::size_t direction : {0u, 1u}) {
      above_[direction] = halves.half(direction).rows;
      rows_[direction].resize(above_[direction].size());
    }
  }

  KeptRow read(std::size_t direction, std::size_t number, const Places& places) {
    Asked mine{direction, number, places, {}, {}, false};
    std::unique_lock lock(mutex_);
    if (auto row = there(mine)) return *std::move(row);
    asked_.push_back(&mine);
    changed_.wait(lock, [&] { return mine.done || !reading_; });
    if (!mine.done) {
      const std::vector<Asked*> all = std::exchange(asked_, {});
      reading_ = true;
      lock.unlock();
      std::vector<KeptRow> read;
      std::exception_ptr failed;
      std::vector<strip::Halves::Wanted> wanted;
      try {
        for (const Asked* one : all) add(*one, wanted);
        read = halves_.read(wanted);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      reading_ = false;
      for (std::size_t i = 0; i < read.size(); ++i)
        rows_[wanted[i].direction][wanted[i].number] = read[i];
      auto row = read.begin();
      for (Asked* one : all) {
        one->failed = failed;
        one->done = true;
        if (failed) continue;
        one->row = *row;
        row += static_cast<std::ptrdiff_t>(rows_of(*one));
      }
      changed_.notify_all();
    }
    if (mine.failed) std::rethrow_exception(mine.failed);
    return std::move(mine.row);
  }

 private:
  struct Asked {
    std::size_t direction = 0, number = 0;
    Places places;
    KeptRow row;
    std::exception_ptr failed;
    bool done = false;
  };

  std::optional<KeptRow> there(const Asked& asked) const {
    const KeptRow& row = rows_[asked.direction][asked.number];
    if (!row.words.empty() && (row.first <= asked.places.first || !row.more_before) &&
        (row.last() >= asked.places.last || !row.more_behind))
      return row;
    return std::nullopt;
  }

  /// Where a row must be read again, those above it are most likely, too: some along the diagonal.
  static std::size_t rows_of(const Asked& asked) { return std::min(asked.number, kAhead) + 1; }
  void add(const Asked& asked, std::vector<strip::Halves::Wanted>& wanted) const {
    const std::vector<std::int64_t>& above = above_[asked.direction];
    const Places& places = asked.places;
    const std::int64_t beside = std::max(kReadAgain, places.last - places.first);
    for (std::size_t i = 0; i < rows_of(asked); ++i) {
      const std::size_t x = asked.number - i;
      const std::int64_t up = above[asked.number] - above[x];
      wanted.push_back({asked.direction, x, places.first - up - beside, places.last - up + beside});
    }
  }

  strip::Halves& halves_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reading_ = false;
  std::vector<Asked*> asked_;
  std::array<std::vector<std::int64_t>, 2> above_;  // rows above each that is kept
  std::array<std::vector<KeptRow>, 2> rows_;
};

}  // namespace

Traced trace_halves(strip::Halves& halves, const strip::Plan& plan, const strip::Crossing& middle,
                    std::int64_t distance, const Problem& problem, const Codes& codes, Codes turned,
                    const TraceOptions& options) {
  const strip::Size& size = plan.size;
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());

  const Places exits[2] = {{middle.first, middle.last},
                           {size.n - middle.last, size.n - middle.first}};
  auto guides = halves.guide({{{exits[0].first, exits[0].last}, {exits[1].first, exits[1].last}}},
                             distance, options.follow, codes.turned);
  RowsAgain again(halves);
  // By kept row, from the middle outwards; `canonical` as crossings() has it.
  const auto walk = [&](std::size_t direction, bool canonical, std::size_t threads) {
    const strip::Halves::Half half = halves.half(direction);
    std::vector<Crossed> found;
    if (half.rows.empty()) return found;
    TraceOptions own = options;
    own.threads = threads;
    own.early = kEarly;
    // The path goes up to the first row, of which the leftmost and the rightmost say nothing.
    const std::size_t behind = canonical ? 1 : 0;
    std::vector<KeptRow> rows(behind);
    rows.reserve(behind + guides[direction].rows.size());
    std::ranges::move(guides[direction].rows, std::back_inserter(rows));
    const strip::Halves::Guide& guide = guides[direction];
    own.probable = [&](std::size_t k) {
      const std::int64_t place = guide.places[k - behind];
      if (guide.ways.empty()) return Places{place, place};
      // Ways that begin where the guide says may cross.
      const auto& [first, last] = guide.ways[k - behind];
      return first.exit <= last.exit ? Places{first.exit, last.exit} : Places{place, place};
    };
    std::vector<bool> sure(rows.size());
    if (!guide.ways.empty()) {
      own.known = [&](std::size_t slab, std::int64_t exit, TraceOptions::Path path) {
        const std::int64_t end = slab + 1 < rows.size() ? rows[slab + 1].row : half.end;
        return found_by_device(guide, slab + 1 - behind, exit, path,
                               direction == 0 ? codes : turned, end);
      };
      // Where the device has no way its guesses are elsewhere for some slabs.
      for (std::size_t slab = rows.size(), count = kSure; slab-- > 0;) {
        const auto& [first, last] = guide.ways[slab + 1 - behind];
        count = first.entry >= 0 && last.entry >= 0 ? count + 1 : 0;
        sure[slab] = count > kSure;
      }
      own.sure = [&](std::size_t slab) { return sure[slab]; };
    }
    own.read = [&](std::size_t slab, const Places& places) {
      return again.read(direction, slab - behind, places);
    };
    return crossings(direction == 0 ? codes : turned, rows, half.end, exits[direction], canonical,
                     own);
  };
  const std::size_t half = batch::half_of(options.threads);
  auto above = std::async(batch::beside(options.threads), walk, 0, true, half);
  const std::vector<Crossed> lower = walk(1, false, half);
  std::vector<Crossed> upper = above.get();

  // The canonical path from the first symbols to where it is the same whichever way it came to the
  // middle.
  std::vector<Cigar> first;
  std::int64_t cost = 0;
  Point last{0, 0};
  std::int64_t entry = 0;
  std::vector<Stretch> known;
  if (!upper.empty()) {
    std::vector<std::int64_t> rows = halves.half(0).rows;
    rows.insert(rows.begin(), 0);
    rows.push_back(middle.row);
    std::size_t k = upper.size();
    Places at = exits[0];
    while (k > 0 && at.first != at.last) {
      --k;
      known.push_back({rows[k], rows[k + 1], upper[k].diagonals});
      at = upper[k].at;
    }
    std::ranges::reverse(known);
    if (at.first == at.last) last = {rows[k], entry = at.first};
    constexpr std::size_t kSlabsOfThread = 128;
    std::vector<std::int64_t> costs(k);
    batch::each(k, kSlabsOfThread, options.threads,
                [&](std::size_t slab) { costs[slab] = upper[slab].backwards.cost(); });
    cost = std::reduce(costs.begin(), costs.end());
    if (k > 0) entry = upper.front().at.first;
    while (k-- > 0) first.push_back(std::move(upper[k].backwards));
  }
  // From there to the last symbols.
  std::vector<Point> all{last};
  const std::int64_t end = size.n - size.m;  // what diagonal 0 is in the reversed texts
  const std::vector<std::int64_t> rows = halves.half(1).rows;
  if (middle.first == middle.last && last.row < middle.row)
    all.push_back({middle.row, middle.first});
  for (std::size_t k = lower.size(); k-- > 0;) {
    const std::int64_t row = rows[k],
                       behind = k + 1 < rows.size() ? rows[k + 1] : halves.half(1).end;
    const Places &at = lower[k].at, &touched = lower[k].diagonals;
    known.push_back({size.m - behind, size.m - row, {end - touched.last, end - touched.first}});
    if (at.first == at.last && row > size.m - m) all.push_back({size.m - row, size.n - at.first});
  }
  all.push_back({m, n});
  turned = {};
  Traced made = trace_between(codes, all, known, distance - cost, options);
  std::ranges::move(first, std::back_inserter(made.backwards));
  made.entry = entry;
  made.parts += static_cast<int>(upper.size());
  return made;
}

}  // namespace rhomb::align
