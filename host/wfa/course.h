// SPDX-License-Identifier: Apache-2.0
// Course: how the two wavefronts of a pair go on until they meet, which launches that takes and
// what these have told. It knows no device, so pairs can be taken along by whoever has one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "cl/wfa/launch.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// A row of both directions: its cost, its diagonals, and which of the places holds it: one of
/// three, or the next one where rows are kept.
struct Front {
  std::int64_t cost = 0;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  std::uint32_t place = 0;
  std::int64_t size() const { return hi - lo + 1; }
};

/// Rows of cost c of both sides that do not overlap, and rows of c + 1 that do, tell the distance.
/// First launches take many steps; then, between the last rows that did not overlap and the first
/// that did, eight and then one; then a single launch looks whether the distance is odd. Each of
/// these stretches has a status of its own.
class Course {
 public:
  static constexpr std::size_t kStretches = 4;

  /// What the device knows after some launches: the first two words of cl/wfa/launch.h.
  using Status = std::array<std::int32_t, 2>;

  /// For texts of so many symbols, whose distance is of interest if it is no more than `most`. A
  /// status is asked for behind `batch` launches at most. It is `about` so much, if that is not 0.
  Course(std::int64_t m, std::int64_t n, std::int64_t most, int batch, std::int64_t about = 0)
      : m_(m),
        n_(n),
        most_(most),
        most_batch_(batch),
        half_((about + 1) / 2),
        bound_(most),
        expected_(about > 0 ? half_ : most) {}

  /// Goes on from rows that an earlier run has come to, or begins with the first ones.
  void begin(const Front& rows, std::int64_t bound, double cells);

  bool done() const { return done_; }
  std::optional<std::int64_t> distance() const { return distance_; }  ///< none within the limit
  /// Which stretch it is at, counted from 0; what was enqueued for an earlier one is of no
  /// interest.
  std::size_t stretch() const { return stretch_; }
  std::int64_t bound() const { return bound_; }  ///< the distance is no more, or of no interest
  Matches matches() const { return matches_; }   ///< very long ones until a status tells
  double cells() const { return cells_; }        ///< of what is enqueued
  const Front& newest() const { return fronts_.back(); }
  /// The newest row that a launch has read; and that of which the last status has told.
  const Front& newest_read() const { return fronts_[fronts_.size() - 2]; }
  const Front& known() const { return known_; }
  bool last() const { return last_; }  ///< nothing more is enqueued before a status is known
  /// How many launches of so many steps are proposed next, at most.
  int launches(std::int64_t steps) const;
  /// Diagonals of all rows that will probably be written before they meet, so many steps apart.
  double diagonals_left(std::int64_t steps) const;
  /// Of a stretch that has ended: its rows before the first overlap, and the first that does.
  std::span<const Front> passed() const { return passed_; }
  const Front& after() const { return after_; }

  /// Calls enqueue(stage, from, facing, to, steps, number) for the next launches, of the stage that
  /// stage_for(from) gives. It may put the row `to` into another place, and returns it. One status
  /// is to be read behind them, unless there were none: false.
  template <class StageFor, class Enqueue>
  bool propose(const StageFor& stage_for, const Enqueue& enqueue);

  /// The row so many costs on, without a place.
  Front next(const Front& from, std::int64_t steps) const;

  /// What the launches of the oldest call of propose() told that none was told of in this stretch.
  void take(const Status& status);

 private:
  void start(const Front& front, std::int64_t finest);
  void met(std::size_t at);
  static double cells_between(const Front& from, const Front& to) {
    return 2.0 * static_cast<double>(to.cost - from.cost) * static_cast<double>(to.size());
  }

  std::int64_t m_, n_, most_;
  int most_batch_;
  std::int64_t half_;  // of what the distance is about, or 0
  std::int64_t bound_;
  std::int64_t expected_;  // cost of the rows that will probably meet
  double cells_ = 0;
  Matches matches_{.dense = false, .very_long = true};
  bool done_ = false;
  std::optional<std::int64_t> distance_;

  // Of the stretch.
  std::size_t stretch_ = 0;
  std::int64_t finest_ = 0;    // steps a launch; 0: as many as the stage has
  bool meeting_ = false;       // it is the last one
  std::vector<Front> fronts_;  // each row is the input of a launch, but the newest
  std::deque<Front> checked_;  // the last row that each status knows of
  int batch_ = 0;              // launches until the next status, at most
  bool last_ = false;
  Front known_;

  std::vector<Front> passed_;
  Front after_, before_;
};

/// What wfa/fused.cl is told of a launch; offset(front, direction) is where a row begins, the
/// backward one of a pair `row` words behind the forward one.
template <class Offset>
WfaLaunch launch_of(const Front& from, const Front& facing, const Front& to, std::int64_t steps,
                    int number, std::uint32_t row, const Offset& offset) {
  const auto diagonal = [](std::int64_t k) { return static_cast<std::int32_t>(k); };
  return {offset(from, 0),
          diagonal(from.lo),
          diagonal(from.hi),
          offset(facing, 1),
          diagonal(facing.lo),
          diagonal(facing.hi),
          offset(to, 0),
          diagonal(to.lo),
          diagonal(to.hi),
          row,
          diagonal(from.cost),
          diagonal(steps),
          number,
          0,
          0,
          0,
          0,
          0,
          0,
          0};
}

/// Groups of `stage` that it takes in either direction.
inline std::uint32_t groups_of(const Stage& stage, const Front& to, std::int64_t steps) {
  const std::int64_t width = stage.tile() - 2 * steps;
  return static_cast<std::uint32_t>((to.size() + width - 1) / width);
}

template <class StageFor, class Enqueue>
bool Course::propose(const StageFor& stage_for, const Enqueue& enqueue) {
  if (last_) return false;
  if (meeting_) {
    last_ = true;
    Front to = after_;
    for (to.place = 0; to.place == after_.place || to.place == before_.place;) ++to.place;
    enqueue(stage_for(after_), after_, before_, to, std::int64_t{0}, 0);
    return true;
  }
  const int launches = this->launches(stage_for(fronts_.back()).steps);
  for (int i = 0; i < launches && !last_; ++i) {
    const Front from = fronts_.back();
    const Stage& stage = stage_for(from);
    last_ = 2 * from.cost >= bound_;
    // No step where nothing is left to find: the launch only looks for the overlap.
    const std::int64_t wanted = finest_ > 0 ? finest_ : stage.steps;
    const std::int64_t steps = last_ ? 0 : std::min(wanted, (bound_ + 1) / 2 - from.cost);
    Front to = last_ ? from : next(from, steps);
    to.place = (from.place + 1) % 3;
    to = enqueue(stage, from, from, to, steps, static_cast<int>(fronts_.size()) - 1);
    cells_ += cells_between(from, to);
    fronts_.push_back(to);
  }
  checked_.push_back(fronts_[fronts_.size() - 2]);  // read by the last launch before
  return true;
}

}  // namespace rhomb::wfa
