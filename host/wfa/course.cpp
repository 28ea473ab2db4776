// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/course.h"

#include <algorithm>

#include "cl/wfa/front.h"
#include "host/engine/fault.h"

namespace rhomb::wfa {
namespace {

/// Launches before the first status, and before any at least: fewer take less time than it takes
/// the host to be told.
constexpr int kFirst = 4, kFewest = 8;
/// And at most: the larger of so many and of such a part of all that there were.
constexpr std::int64_t kMost = 32, kPartOfAll = 64;

}  // namespace

void Course::begin(const Front& rows, std::int64_t bound, double cells) {
  bound_ = std::min(bound_, bound);
  cells_ = cells;
  start(rows, 0);
}

void Course::start(const Front& front, std::int64_t finest) {
  finest_ = finest;
  fronts_.assign(1, front);
  checked_.clear();
  // What a status tells is known later: two batches are under way, so that the device never waits
  // for the host.
  batch_ = std::min(most_batch_, finest > 0 ? 8 : kFirst);
  last_ = false;
}

/// Half of those that are probably left, but no more than a small part of those that were: rows
/// behind the meeting are for nothing, and where they are kept, they take memory.
int Course::launches(std::int64_t steps) const {
  if (finest_ > 0) return batch_;
  steps = std::max<std::int64_t>(steps, 1);
  const std::int64_t cost = fronts_.back().cost;
  const std::int64_t most = std::max(kMost, cost / steps / kPartOfAll);
  return static_cast<int>(std::min<std::int64_t>(
      batch_, std::clamp<std::int64_t>((expected_ - cost) / steps / 2, kFewest, most)));
}

double Course::diagonals_left(std::int64_t steps) const {
  const auto from = static_cast<double>(fronts_.back().cost);
  const auto to = static_cast<double>(expected_);
  return std::max(0.0, to * to - from * from) / static_cast<double>(steps);
}

/// The row `steps` costs on, with the diagonals that matter.
///
/// A path of cost d <= bound_ has, for each f from 0 to d, a cell that it reaches with f edits; f
/// is at least its distance from diagonal 0, and d - f at least its distance from the last
/// diagonal. Rows of cost c on both sides overlap in such a cell with f and d - f at most c.
/// Cells with f = c matter until the middle, those with f <= c beyond it; hence the larger of
/// bound_ - c and c, and one more. But no row is shorter by more than `steps` diagonals on a side
/// than the one before: the kernel reads so many more than it writes, so all of that one, for its
/// overlap and its sum.
Front Course::next(const Front& from, std::int64_t steps) const {
  const std::int64_t cost = from.cost + steps;
  const std::int64_t left = std::max(bound_ - cost, cost) + 1;
  const std::int64_t end = n_ - m_;
  const std::int64_t lo = std::min(std::max({-cost, end - left, -m_}), from.lo + steps);
  const std::int64_t hi = std::max(std::min({cost, end + left, n_}), from.hi - steps);
  return {cost, lo, hi, 0};
}

void Course::take(const Status& status) {
  if (meeting_) {
    distance_ = 2 * (before_.cost + 1) - (status[0] != WFA_OPEN ? 1 : 0);
    if (*distance_ > most_) distance_.reset();
    done_ = true;
    return;
  }
  bound_ = std::min<std::int64_t>(bound_, status[1]);
  known_ = checked_.front();
  checked_.pop_front();
  // Symbols that both directions together have come along for each edit.
  const std::int64_t along = std::max(m_, n_) - (bound_ - 2 * known_.cost);
  matches_ = {along > Matches::kDense * 2 * known_.cost,
              along > Matches::kVeryLong * 2 * known_.cost};
  expected_ = static_cast<std::int64_t>(static_cast<double>(known_.cost) *
                                        static_cast<double>(std::max(m_, n_)) /
                                        static_cast<double>(std::max<std::int64_t>(along, 1)));
  if (half_ > known_.cost) expected_ = half_;
  if (status[0] != WFA_OPEN) return met(static_cast<std::size_t>(status[0]));
  if (last_ && checked_.empty()) {
    if (stretch_ > 0) throw FaultError("two wavefronts met and then did not; please report this");
    // Where a path within the limit was seen, the wavefronts must have met.
    if (bound_ < most_) throw FaultError("two wavefronts passed each other; please report this");
    done_ = true;
  }
  batch_ = std::min(2 * batch_, most_batch_);
}

/// Row `at` is the first that overlaps; later launches did nothing. (The row before it is some
/// steps earlier, or the same where a launch without steps has repeated it.)
void Course::met(std::size_t at) {
  if (at == 0 || at >= fronts_.size())
    throw FaultError("rows overlap that did not before; please report this");
  for (std::size_t i = at + 1; i < fronts_.size(); ++i)
    cells_ -= cells_between(fronts_[i - 1], fronts_[i]);
  after_ = fronts_[at];
  before_ = fronts_[at - 1];
  passed_.assign(fronts_.begin(), fronts_.begin() + static_cast<std::ptrdiff_t>(at));
  const std::int64_t steps = after_.cost - before_.cost;
  ++stretch_;
  last_ = false;
  checked_.clear();
  meeting_ = steps <= 1;
  if (!meeting_) start(before_, steps > 8 ? 8 : 1);
}

}  // namespace rhomb::wfa
