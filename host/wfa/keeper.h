// SPDX-License-Identifier: Apache-2.0
// Keeper: rows of wavefronts that stay on the device, of one pair or of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/ocl/device.h"
#include "host/wfa/course.h"
#include "host/wfa/fronts.h"

namespace rhomb::wfa {

/// The plan with launches of kKeptSteps costs at most: to walk through n edits takes n^2 cells.
Plan keeping_plan(Plan plan);

/// All rows that a launch reads and writes are in one buffer: the one that was begun last. Where it
/// is full another begins, and what is read again is copied there.
class Keeper {
 public:
  /// Throws MemoryError, as all that adds rows does, where more bytes would be needed.
  Keeper(ocl::Device& device, std::uint64_t most_bytes);

  /// Bytes of the buffers that so many bytes of rows are kept in.
  static std::uint64_t room_for(double bytes);

  /// Begins another buffer unless this one has room for so many diagonals.
  void make_room(std::int64_t diagonals);
  /// A pair of texts of so many symbols, of which no rows count yet, and a place for its first one,
  /// which there is room for.
  Kept begin(std::int64_t m, std::int64_t n, Front& first);
  /// Finds a place for the row behind `from`, and has those that are read where it is.
  void place(Front& to, const Front& from, const Front& facing);
  /// What was added behind a row is not needed.
  void end_behind(const Front& front);

  /// Where a row of a direction begins in buffer().
  std::uint32_t offset(std::uint32_t place, std::uint32_t direction) const {
    return places_[place].at + direction * row();
  }
  /// From a row of the forward wavefront to the backward one's.
  std::uint32_t row() const { return static_cast<std::uint32_t>(capacity_); }
  ocl::Buffer<std::int32_t>& buffer() { return buffers_->back(); }
  std::size_t buffers() const { return buffers_->size(); }

  /// Adds rows that count to those of a pair, unless it has one of that cost.
  void keep(const Front& front, Kept& kept) const;

 private:
  std::uint32_t add(std::int64_t diagonals);
  void bring(const Front& front);

  ocl::Device& device_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::shared_ptr<std::vector<ocl::Buffer<std::int32_t>>> buffers_;
  std::vector<Kept::Place> places_;  ///< of all rows
  std::int64_t capacity_ = 0;        ///< diagonals that the last buffer has room for
  std::uint32_t used_ = 0;           ///< of these
};

}  // namespace rhomb::wfa
