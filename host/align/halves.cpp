// SPDX-License-Identifier: Apache-2.0
#include "host/align/halves.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>
#include <mutex>

#include "host/batch/threads.h"
#include "host/engine/sketch.h"

namespace rhomb::align {
namespace {

/// Words of a sample for each so many symbols: some where texts are hardly alike.
constexpr double kSample = 64, kFewestWords = 16384;
/// Places that are read of each row on either side of where paths probably cross it.
constexpr std::int64_t kRead = 1536;
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

Places hull(const Places& a, const Places& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// Where a path probably is, by words that both texts have.
class Probable {
 public:
  Probable(const Problem& problem, const strip::Crossing& middle, std::int64_t distance)
      : rows_(static_cast<std::int64_t>(problem.a.size())) {
    const double sample = std::max(
        kFewestWords, static_cast<double>(std::max(problem.a.size(), problem.b.size())) / kSample);
    chain_ = {{0, 0}};
    for (const Anchor& anchor : common_chain(problem.a, problem.b, sample, problem.threads))
      if (anchor.i > chain_.back().i) chain_.push_back(anchor);
    const auto columns = static_cast<std::int64_t>(problem.b.size());
    if (chain_.back().i < rows_) chain_.push_back({rows_, columns});
    // No cheapest path has such gaps: words of another order, say.
    std::int64_t gaps = 0;
    for (std::size_t i = 1; i < chain_.size(); ++i)
      gaps += std::abs((chain_[i].j - chain_[i].i) - (chain_[i - 1].j - chain_[i - 1].i));
    if (gaps > distance) chain_ = {{0, 0}, {middle.row, middle.first}, {rows_, columns}};
  }

  std::int64_t place(std::int64_t row) const {
    row = std::clamp<std::int64_t>(row, 0, rows_);
    auto behind = std::ranges::lower_bound(chain_, row, {}, &Anchor::i);
    if (behind->i == row) return behind->j;
    const auto before = behind - 1;
    const double part =
        static_cast<double>(row - before->i) / static_cast<double>(behind->i - before->i);
    return before->j + std::llround(part * static_cast<double>(behind->j - before->j));
  }

 private:
  std::int64_t rows_;
  std::vector<Anchor> chain_;
};

}  // namespace

Traced trace_halves(strip::Halves& halves, const strip::Plan& plan, const strip::Crossing& middle,
                    std::int64_t distance, const Problem& problem, const Codes& codes,
                    const TraceOptions& options) {
  const strip::Size& size = plan.size;
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  const Probable probable(problem, middle, distance);
  Codes turned = codes;
  const auto fill = static_cast<std::uint8_t>(codes.sets ? (1 << codes.planes) - 1 : 0);
  turned.rows = reversed(codes.rows, size.padding, fill);
  turned.columns = reversed(codes.columns, size.padding, fill);

  // From the middle outwards, with the diagonals of what is between each and the one before.
  std::vector<Point> points[2];
  std::mutex reading;
  const auto walk = [&](std::size_t direction, std::size_t threads) {
    const strip::Halves::Half half = halves.half(direction);
    if (half.rows.empty()) return;
    const auto guess = [&](std::int64_t row) {
      return direction == 0 ? probable.place(row) : size.n - probable.place(size.m - row);
    };
    std::vector<strip::Halves::Wanted> wanted;
    for (std::size_t k = 0; k < half.rows.size(); ++k) {
      const std::int64_t place = guess(half.rows[k]);
      wanted.push_back({k, place - kRead, place + kRead});
    }
    const auto read = [&](std::span<const strip::Halves::Wanted> some) {
      const std::lock_guard lock(reading);
      return halves.read(direction, some);
    };
    const std::vector<KeptRow> rows = read(wanted);
    TraceOptions own = options;
    own.threads = threads;
    own.early = kEarly;
    own.probable = [&](std::size_t k) { return guess(half.rows[k]); };
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
    const Places exits = direction == 0 ? Places{middle.first, middle.last}
                                        : Places{size.n - middle.last, size.n - middle.first};
    const auto found = crossings(direction == 0 ? codes : turned, rows, half.end, exits, own);
    Places touched = found.back().diagonals;
    for (std::size_t k = found.size(); k-- > 0;) {
      touched = hull(touched, found[k].diagonals);
      if (found[k].at.first != found[k].at.last) continue;
      points[direction].push_back({half.rows[k], found[k].at.first, touched});
      if (k > 0) touched = found[k - 1].diagonals;
    }
  };
  const std::size_t half = batch::half_of(options.threads);
  auto upper = std::async(batch::beside(options.threads), walk, 0, half);
  walk(1, half);
  upper.get();

  // From the first symbols to the last, each with the diagonals of what comes before it. Nothing is
  // known of those beyond the outermost rows.
  std::vector<Point> all{{0, 0}};
  std::optional<Places> touched;
  for (auto point = points[0].rbegin(); point != points[0].rend(); ++point) {
    all.push_back({point->row, point->place, touched});
    touched = point->diagonals;
  }
  const bool one = middle.first == middle.last && middle.row < m;
  if (one) all.push_back({middle.row, middle.first, touched});
  for (const Point& point : points[1]) {
    const std::int64_t last = size.n - size.m;  // what diagonal 0 is in the reversed texts
    const Places own{last - point.diagonals->last, last - point.diagonals->first};
    if (point.row <= size.m - m) break;
    const bool first = &point == &points[1].front() && !one;
    std::optional<Places> before = own;
    if (first) before = touched ? std::optional(hull(*touched, own)) : std::nullopt;
    all.push_back({size.m - point.row, size.n - point.place, before});
  }
  all.push_back({m, n});
  return trace_between(codes, all, distance, options);
}

}  // namespace rhomb::align
