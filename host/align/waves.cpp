// SPDX-License-Identifier: Apache-2.0
#include "host/align/waves.h"

#include <algorithm>

#include "host/error.h"

namespace rhomb::align {

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
  fronts_.clear();
  reached_.clear();

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
  numbers_ = 0;
  for (std::int64_t s = 0; s <= most_; ++s)
    numbers_ += static_cast<double>(front(s).high - front(s).low + 1);
  return numbers_;
}

Waves::Front Waves::front(std::int64_t s) const {
  const std::int64_t target = exit_ - rows_, left = most_ - s;
  Front front;
  front.low = std::max(lowest_[static_cast<std::size_t>(s)], target - left);
  front.high = std::min({highest_[static_cast<std::size_t>(s)], target + left, exit_});
  front.high = std::max(front.high, front.low - 1);
  front.at = reached_.size();
  return front;
}

void Waves::advance(std::int64_t s) {
  const Front front = this->front(s);
  const auto width = static_cast<std::size_t>(front.high - front.low + 1);
  fronts_.push_back(front);
  reached_.resize(front.at + width);
  // Those of the cost before, from one diagonal below to one above.
  before_.assign(width + 2, kNone);
  if (s > 0) {
    const Front& last = fronts_[static_cast<std::size_t>(s) - 1];
    const std::int64_t low = std::max(last.low, front.low - 1);
    const std::int64_t high = std::min(last.high, front.high + 1);
    if (low <= high)
      std::copy_n(reached_.begin() + static_cast<std::ptrdiff_t>(last.at) + (low - last.low),
                  high - low + 1, before_.begin() + (low - front.low + 1));
  }
  std::int32_t* const reached = reached_.data() + front.at;
  const std::int32_t* const before = before_.data();
  for (std::size_t x = 0; x < width; ++x)
    reached[x] = std::max({before[x], before[x + 1] + 1, before[x + 2] + 1});
  const auto top_end = first_ + static_cast<std::int64_t>(top_.size());
  const std::int64_t exit = exit_, rows = rows_, first_row = row_;
  for (std::size_t x = 0; x < width; ++x) {
    const std::int64_t k = front.low + static_cast<std::int64_t>(x);
    std::int64_t row = reached[x];
    if (row < 0) {
      const bool begins =
          k >= first_ && k < top_end && top_[static_cast<std::size_t>(k - first_)] <= s;
      reached[x] = kNone;
      if (!begins) continue;
      row = 0;
    }
    const std::int64_t end = std::min(rows, exit - k);  // rows of the diagonal
    row = std::min(row, end);
    reached[x] =
        static_cast<std::int32_t>(row + codes_.matches(first_row + row, row + k, end - row));
  }
}

Path Waves::back(std::int64_t s) const {
  Path path;
  std::int64_t i = rows_, k = exit_ - rows_;
  const Edit by_row = codes_.by_row();
  const Edit by_column = codes_.by_column();
  for (;;) {
    const std::int64_t same = codes_.matches_before(row_ + i, i + k, std::min(i, i + k));
    path.backwards.add(Edit::kMatch, same);
    i -= same;
    if (i == 0) break;
    --s;
    const bool row_before = reach(s, k + 1) >= i - 1,
               column_before = i + k > 0 && reach(s, k - 1) >= i;
    if (i + k > 0 && reach(s, k) >= i - 1) {
      path.backwards.add(Edit::kMismatch, 1);
      --i;
    } else if (row_before && !(codes_.turned && column_before)) {
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

std::optional<Path> Waves::walk() {
  std::optional<Path> path;
  reached_.reserve(static_cast<std::size_t>(numbers_));
  for (std::int64_t s = 0; s <= most_ && !path; ++s) {
    advance(s);
    if (reach(s, exit_ - rows_) == rows_) path = back(s);
  }
  cells_ += static_cast<double>(reached_.size());
  return path;
}

}  // namespace rhomb::align
