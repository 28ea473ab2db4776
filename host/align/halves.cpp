// SPDX-License-Identifier: Apache-2.0
#include "host/align/halves.h"

#include <algorithm>
#include <future>
#include <mutex>

#include "host/batch/threads.h"

namespace rhomb::align {
namespace {

/// Places that are read of a row on either side, where those beside the guide are not enough.
constexpr std::int64_t kReadAgain = 4096;
/// Rows that are read ahead where the path is elsewhere.
constexpr std::size_t kAhead = 31;
/// Paths that were guessed run where they should after so many slabs, mostly.
constexpr std::size_t kEarly = 8;

/// Reversed, behind what was appended.
std::vector<std::uint8_t> reversed(const std::vector<std::uint8_t>& codes, std::int64_t padding,
                                   std::uint8_t fill) {
  std::vector<std::uint8_t> made(static_cast<std::size_t>(padding), fill);
  made.reserve(made.size() + codes.size());
  made.insert(made.end(), codes.rbegin(), codes.rend());
  return made;
}

}  // namespace

Traced trace_halves(strip::Halves& halves, const strip::Plan& plan, const strip::Crossing& middle,
                    std::int64_t distance, const Problem& problem, const Codes& codes,
                    const TraceOptions& options) {
  const strip::Size& size = plan.size;
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  Codes turned = codes;
  const auto fill = static_cast<std::uint8_t>(codes.sets ? (1 << codes.planes) - 1 : 0);
  turned.rows = reversed(codes.rows, size.padding, fill);
  turned.columns = reversed(codes.columns, size.padding, fill);

  const Places exits[2] = {{middle.first, middle.last},
                           {size.n - middle.last, size.n - middle.first}};
  const auto guides = halves.guide({exits[0].first, exits[1].first}, distance);
  // From the middle outwards: points that all cheapest paths run through, and where they are
  // besides.
  std::vector<Point> points[2];
  std::vector<Stretch> stretches[2];
  std::mutex reading;
  const auto walk = [&](std::size_t direction, std::size_t threads) {
    const strip::Halves::Half half = halves.half(direction);
    if (half.rows.empty()) return;
    const auto read = [&](std::span<const strip::Halves::Wanted> some) {
      const std::lock_guard lock(reading);
      return halves.read(direction, some);
    };
    TraceOptions own = options;
    own.threads = threads;
    own.early = kEarly;
    own.probable = [&](std::size_t k) { return guides[direction].places[k]; };
    // Where a row must be read again, those above it are most likely, too: some along the diagonal.
    std::vector<KeptRow> again(half.rows.size());
    own.read = [&](std::size_t k, const Places& places) {
      const auto has = [&](const KeptRow& row) {
        return !row.words.empty() && (row.first <= places.first || !row.more_before) &&
               (row.last() >= places.last || !row.more_behind);
      };
      if (!has(again[k])) {
        const std::int64_t beside = std::max(kReadAgain, places.last - places.first);
        std::vector<strip::Halves::Wanted> some;
        for (std::size_t x = k + 1; x-- > (k > kAhead ? k - kAhead : 0);) {
          const std::int64_t up = half.rows[k] - half.rows[x];
          some.push_back({x, places.first - up - beside, places.last - up + beside});
        }
        for (KeptRow& row : read(some)) {
          const auto x = static_cast<std::size_t>(std::ranges::lower_bound(half.rows, row.row) -
                                                  half.rows.begin());
          again[x] = std::move(row);
        }
      }
      return again[k];
    };
    const auto found = crossings(direction == 0 ? codes : turned, guides[direction].rows, half.end,
                                 exits[direction], own);
    for (std::size_t k = found.size(); k-- > 0;) {
      const bool last = k + 1 == found.size();
      stretches[direction].push_back(
          {half.rows[k], last ? half.end : half.rows[k + 1], found[k].diagonals});
      if (found[k].at.first == found[k].at.last)
        points[direction].push_back({half.rows[k], found[k].at.first});
    }
  };
  const std::size_t half = batch::half_of(options.threads);
  auto upper = std::async(batch::beside(options.threads), walk, 0, half);
  walk(1, half);
  upper.get();

  // From the first symbols to the last.
  std::vector<Point> all{{0, 0}};
  all.insert(all.end(), points[0].rbegin(), points[0].rend());
  if (middle.first == middle.last && middle.row < m) all.push_back({middle.row, middle.first});
  for (const Point& point : points[1])
    if (point.row > size.m - m) all.push_back({size.m - point.row, size.n - point.place});
  all.push_back({m, n});
  std::vector<Stretch> known(stretches[0].rbegin(), stretches[0].rend());
  const std::int64_t end = size.n - size.m;  // what diagonal 0 is in the reversed texts
  for (const Stretch& one : stretches[1])
    known.push_back({size.m - one.end,
                     size.m - one.row,
                     {end - one.diagonals.last, end - one.diagonals.first}});
  return trace_between(codes, all, known, distance, options);
}

}  // namespace rhomb::align
