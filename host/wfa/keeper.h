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

/// The plan with launches of so many costs at most, kKeptSteps of them from a row that is kept to
/// the next: to walk through n edits takes n^2 cells.
Plan keeping_plan(Plan plan, int steps = kKeptSteps);

/// Diagonals of the rows that a run of a keeping plan probably keeps of a pair of such a distance.
double diagonals_kept(const Plan& plan, std::int64_t distance);

/// Diagonals that there is room for, of 4 bytes in both directions.
struct KeptRoom {
  std::int64_t all = 0;                 ///< of all buffers
  std::int64_t capacity = 0, used = 0;  ///< of the last one, and used there
  double left = 1e18;                   ///< that will be used beyond these, probably

  bool fits(std::int64_t diagonals) const { return used + diagonals <= capacity; }
  /// Of the next buffer, which so many shall fit into: what is probably left, but no more than
  /// there is already, and no less than a sixteenth of that.
  std::int64_t next(std::int64_t diagonals) const;
  void begin(std::int64_t diagonals);  ///< another buffer of so many
  std::uint64_t bytes() const { return 8 * static_cast<std::uint64_t>(all); }
};

/// All rows that a launch reads and writes are in one buffer: the one that was begun last. Where it
/// is full another begins, and what is read again is copied there.
class Keeper {
 public:
  /// With room for so many diagonals from the beginning: what all rows will take about, or 0 where
  /// that is not known. Throws MemoryError, as all that adds rows does, where more bytes would be
  /// needed.
  Keeper(ocl::Device& device, std::uint64_t most_bytes, double diagonals);

  /// Bytes of the buffers for the rows of one pair up to a cost, so many costs apart, if there is
  /// room for so many diagonals from the beginning.
  static std::uint64_t bytes_for(std::int64_t cost, std::int64_t steps, double diagonals);

  /// How many diagonals all rows probably take that are to come.
  void expect(double diagonals) { room_.left = diagonals; }
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
  std::uint32_t row() const { return static_cast<std::uint32_t>(room_.capacity); }
  ocl::Buffer<std::int32_t>& buffer() { return buffers_->back(); }
  std::size_t buffers() const { return buffers_->size(); }

  /// Adds rows that count to those of a pair, unless it has one of that cost.
  void keep(const Front& front, Kept& kept) const;

 private:
  void begin_buffer(std::int64_t diagonals, std::int64_t wanted);
  std::uint32_t add(std::int64_t diagonals);
  bool is_here(const Front& front) const;  ///< in the buffer that was begun last
  void bring(const Front& front);

  ocl::Device& device_;
  const std::uint64_t most_bytes_;
  std::shared_ptr<std::vector<ocl::Buffer<std::int32_t>>> buffers_;
  std::vector<Kept::Place> places_;  ///< of all rows
  KeptRoom room_;
};

}  // namespace rhomb::wfa
