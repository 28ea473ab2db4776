// SPDX-License-Identifier: Apache-2.0
// Keeper: what the passes of a pair in blocks have reached, saved and gone on from. That is a row
// of each direction, and its border: nothing of it depends on devices, on how many there are, or on
// tunables.
#pragma once

#include <array>
#include <optional>

#include "host/dist/checkpoint.h"
#include "host/strip/blocks.h"

namespace rhomb::strip {

/// May be used by several threads, but by one at a time.
class Keeper {
 public:
  /// `frame`: where the halves meet is moved if an earlier run has got past it. Throws InputError
  /// if what that run has saved does not fit the matrix.
  Keeper(dist::Checkpoint& checkpoint, Frame& frame);

  /// Of the band that an earlier run was at.
  static std::optional<std::int64_t> threshold_of(const dist::Checkpoint& checkpoint);
  /// The pass that an earlier run was at.
  const std::optional<PassPlace>& place() const { return start_; }
  /// The part of that pass that is done.
  double part() const { return part_; }
  /// A pass begins, and where.
  const std::array<Reached, 2>& begins(const PassPlace& place);
  /// What has been reached, which is whole.
  const std::array<Reached, 2>& now() const { return reached_; }
  /// A direction has come further.
  void reached(int direction, Reached to);
  /// Saves if it is time.
  void poll() {
    if (checkpoint_.due()) save();
  }
  /// Saves what has not been saved, and waits until it is written.
  void finish();

 private:
  void save();

  dist::Checkpoint& checkpoint_;
  Frame frame_;
  std::optional<PassPlace> start_;
  double part_ = 0;
  bool fresh_ = true;  // start_'s pass has not begun
  PassPlace place_;
  std::array<Reached, 2> reached_;
  bool changed_ = false;  // since it was saved
};

}  // namespace rhomb::strip
