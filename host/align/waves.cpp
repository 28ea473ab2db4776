// SPDX-License-Identifier: Apache-2.0
#include "host/align/waves.h"

#include <algorithm>
#include <cstdlib>

#include "host/align/eights.h"
#include "host/error.h"

namespace rhomb::align {
namespace {

/// The canonical path from place `exit` so many rows below row `top`, which costs `s`. reach(s, k):
/// how many rows paths of this cost come down at most.
template <class Reach>
Path back(const Codes& codes, std::int64_t top, std::int64_t rows, std::int64_t exit,
          std::int64_t s, const Reach& reach) {
  Path path;
  std::int64_t i = rows, k = exit - rows;
  const Edit by_row = codes.by_row();
  const Edit by_column = codes.by_column();
  for (;;) {
    const std::int64_t same = codes.matches_before(top + i, i + k, std::min(i, i + k));
    path.backwards.add(Edit::kMatch, same);
    i -= same;
    if (i == 0) break;
    --s;
    const bool row_before = reach(s, k + 1) >= i - 1,
               column_before = i + k > 0 && reach(s, k - 1) >= i;
    if (i + k > 0 && reach(s, k) >= i - 1) {
      path.backwards.add(Edit::kMismatch, 1);
      --i;
    } else if (row_before && !(codes.turned && column_before)) {
      path.backwards.add(by_row, 1);
      --i, ++k;
    } else if (column_before) {
      path.backwards.add(by_column, 1);
      --k;
    } else {
      throw CheckError("an alignment's wavefronts end nowhere; please report this");
    }
  }
  path.entry = k;
  return path;
}

}  // namespace

double Waves::numbers(std::int64_t rows, std::int64_t columns, std::int64_t cost) {
  // At cost s the diagonals that are s from the first one and cost - s from the last one.
  const double most = static_cast<double>(cost), apart = static_cast<double>(columns - rows);
  return (most * most - apart * apart) / 2 + 2 * most;
}

double Waves::begin(const Region& region) {
  row_ = region.row;
  rows_ = region.rows;
  exit_ = region.last_exit;
  most_ = region.threshold;
  first_ = region.column;
  top_ = region.top;
  const std::int32_t least = *std::ranges::min_element(top_);
  for (std::int32_t& one : top_) one -= least;

  // A diagonal is reached at cost s exactly where a place at its upper end costs no more, which
  // left of place 0 means: one more than the diagonal to the right.
  const std::int64_t low = first_, high = low + static_cast<std::int64_t>(top_.size()) - 1;
  const auto costs = static_cast<std::size_t>(most_) + 1;
  lowest_.assign(costs, high + 1);
  highest_.assign(costs, low - 1);
  const auto take = [&](std::int64_t k, std::int64_t s) {
    if (s > most_) return;
    lowest_[static_cast<std::size_t>(s)] = std::min(lowest_[static_cast<std::size_t>(s)], k);
    highest_[static_cast<std::size_t>(s)] = std::max(highest_[static_cast<std::size_t>(s)], k);
  };
  for (std::size_t i = 0; i < top_.size(); ++i) take(low + static_cast<std::int64_t>(i), top_[i]);
  if (low == 0)
    for (std::int64_t k = -1; top_.front() - k <= most_ && -k <= rows_; --k)
      take(k, top_.front() - k);
  for (std::size_t s = 1; s < costs; ++s) {
    lowest_[s] = std::min(lowest_[s], lowest_[s - 1]);
    highest_[s] = std::max(highest_[s], highest_[s - 1]);
  }
  fronts_.clear();
  std::size_t numbers = 0, places = kBeside;
  for (std::int64_t s = 0; s <= most_; ++s) {
    const Front& made = fronts_.emplace_back(front(s, places));
    const auto width = static_cast<std::size_t>(made.high - made.low + 1);
    numbers += width;
    places += width + 2 * kBeside;
  }
  places_ = places;
  return static_cast<double>(numbers);
}

Waves::Front Waves::front(std::int64_t s, std::size_t at) const {
  const std::int64_t target = exit_ - rows_, left = most_ - s;
  Front front;
  front.low = std::max(lowest_[static_cast<std::size_t>(s)], target - left);
  front.high = std::min({highest_[static_cast<std::size_t>(s)], target + left, exit_});
  front.high = std::max(front.high, front.low - 1);
  front.at = at;
  return front;
}

void Waves::advance(std::int64_t s) {
  const Front& front = fronts_[static_cast<std::size_t>(s)];
  std::int32_t* const reached = reached_.data() + front.at;  // of diagonal `low`
  const std::int64_t low = front.low, high = front.high;
  for (int beside = 1; beside <= kBeside; ++beside)
    reached[-beside] = reached[high - low + beside] = kNone;

  const std::int64_t rows = rows_, exit = exit_, first_row = row_;
  const auto go_on = [&](std::int64_t k, std::int64_t row) {
    const std::int64_t end = std::min(rows, exit - k);  // rows of the diagonal
    row = std::min(row, end);
    reached[k - low] =
        static_cast<std::int32_t>(row + codes_.matches(first_row + row, row + k, end - row));
  };
  // On diagonals that no path of a lower cost came to.
  const auto top_end = first_ + static_cast<std::int64_t>(top_.size());
  const auto begin = [&](std::int64_t k) {
    if (k >= first_ && k < top_end && top_[static_cast<std::size_t>(k - first_)] <= s)
      go_on(k, 0);
    else
      reached[k - low] = kNone;
  };
  std::int64_t k = low;
  if (s > 0) {
    const Front& last = fronts_[static_cast<std::size_t>(s) - 1];
    for (const std::int64_t end = std::min(high, last.low - 2); k <= end; ++k) begin(k);
    // Mostly some of the next few symbols do not match. go_on() alone, with all else that it looks
    // at, takes the walk an eighth longer.
    const std::uint8_t* const x = codes_.rows.data() + first_row;
    const std::uint8_t* const y = codes_.columns.data();
    const auto few = static_cast<std::int32_t>(codes_.sets ? rows + 1 : 8);
    const std::int32_t* before = reached_.data() + last.at + (k - last.low);
    const auto one = [&](std::int64_t at) {
      const std::int32_t row = std::max({before[at - 1], before[at] + 1, before[at + 1] + 1});
      if (row < 0) return begin(k + at);
      if (row + few <= std::min(rows, exit - k - at)) {
        const std::int32_t same = same_of_eight(x + row, y + (row + k + at));
        if (same < 8) {
          reached[k + at - low] = row + same;
          return;
        }
      }
      go_on(k + at, row);
    };
    const std::int64_t count = std::min(high, last.high + 1) - k + 1;
    advance_all<Counted::kRows>(x, y, rows, exit, !codes_.sets, before, reached + (k - low), k,
                                count, one,
                                [&](std::int64_t at, std::int32_t row) { go_on(k + at, row); });
    k += std::max<std::int64_t>(count, 0);
  }
  for (; k <= high; ++k) begin(k);
}

std::optional<Path> Waves::walk() {
  std::optional<Path> path;
  if (reached_.size() < places_) reached_.resize(places_);
  for (std::int64_t s = 0; s <= most_ && !path; ++s) {
    advance(s);
    const Front& front = fronts_[static_cast<std::size_t>(s)];
    cells_ += static_cast<double>(front.high - front.low + 1);
    if (reach(s, exit_ - rows_) == rows_)
      path = back(codes_, row_, rows_, exit_, s,
                  [this](std::int64_t at, std::int64_t k) { return reach(at, k); });
  }
  return path;
}

double GapWaves::numbers(std::int64_t gap, std::int64_t cost) {
  const auto most = static_cast<double>(std::abs(gap)), besides = static_cast<double>(cost) - most;
  return (besides + 1) * (most + besides + 3);
}

std::int64_t GapWaves::reach(std::int64_t s, std::int64_t k) const {
  const std::int64_t besides = s - (std::abs(last_ - first_) - std::abs(last_ - k));
  const std::int64_t place = k - low_;
  return besides < 0 || besides >= levels_ || place < 0 || place >= width_
             ? kNone
             : reached_[static_cast<std::size_t>(besides * width_ + place)];
}

/// A step towards the last diagonal is paid for, one away from it costs two besides.
void GapWaves::advance(std::int64_t besides) {
  const std::int64_t towards = last_ >= first_ ? 1 : -1;
  const std::int32_t row_towards = towards > 0 ? 0 : 1, row_away = 1 - row_towards;
  const auto level = [&](std::int64_t number) {
    return reached_.data() + (number < 0 ? levels_ : number) * width_;
  };
  std::int32_t* const now = level(besides);
  const std::int32_t* const one = level(besides - 1);
  const std::int32_t* const two = level(besides - 2);
  const std::int64_t rows = rows_, exit = exit_, low = low_;
  const std::uint8_t* const x = codes_.rows.data() + row_;
  const std::uint8_t* const y = codes_.columns.data();
  constexpr std::int32_t few = 8;  // as in Waves: matches() alone takes a tenth longer
  const auto set = [&](std::int64_t k, std::int32_t row) {
    if (row < 0) {
      now[k - low] = kNone;
      return;
    }
    const auto end = static_cast<std::int32_t>(std::min(rows, exit - k));  // rows of the diagonal
    if (!codes_.sets && row + few <= end) [[likely]] {
      const std::int32_t same = same_of_eight(x + row, y + (row + k));
      if (same < few) [[likely]] {
        now[k - low] = row + same;
        return;
      }
    }
    row = std::min(row, end);
    now[k - low] = row + static_cast<std::int32_t>(codes_.matches(row_ + row, row + k, end - row));
  };
  const std::int64_t beyond = besides / 2;
  for (std::int64_t d = (levels_ - 1) / 2; d > 0; --d) {
    const std::int64_t k = last_ + towards * d;
    if (d > beyond)
      now[k - low] = kNone;
    else
      set(k, std::max({two[k - towards - low] + row_towards, one[k - low] + 1,
                       now[k + towards - low] + row_away}));
  }
  for (std::int64_t k = first_ - towards * ((levels_ - 1) / 2); k != last_; k += towards) {
    const std::int32_t row = std::max({now[k - towards - low] + row_towards, one[k - low] + 1,
                                       two[k + towards - low] + row_away});
    set(k, k == first_ ? std::max(row, 0) : row);
  }
  const std::int64_t k = last_;
  const std::int32_t row = std::max(
      {now[k - towards - low] + row_towards, one[k - low] + 1, now[k + towards - low] + row_away});
  set(k, k == first_ ? std::max(row, 0) : row);
}

std::optional<Path> GapWaves::walk(const Region& region) {
  row_ = region.row;
  rows_ = region.rows;
  exit_ = region.last_exit;
  first_ = region.column;
  last_ = exit_ - rows_;
  const std::int64_t gap = std::abs(last_ - first_);
  levels_ = region.threshold - gap + 1;
  if (levels_ < 1) return std::nullopt;
  low_ = std::min(first_, last_) - (levels_ - 1) / 2 - 1;
  width_ = gap + 2 * ((levels_ - 1) / 2) + 3;
  // Behind them, one where nothing is reached.
  reached_.resize(static_cast<std::size_t>((levels_ + 1) * width_));
  std::fill_n(reached_.end() - width_, width_, kNone);
  for (std::int64_t besides = 0; besides < levels_; ++besides) {
    std::int32_t* const level = reached_.data() + besides * width_;
    level[0] = level[width_ - 1] = kNone;
    advance(besides);
    cells_ += static_cast<double>(width_);
    if (reach(gap + besides, last_) == rows_)
      return back(codes_, row_, rows_, exit_, gap + besides,
                  [this](std::int64_t s, std::int64_t k) { return reach(s, k); });
  }
  return std::nullopt;
}

}  // namespace rhomb::align
