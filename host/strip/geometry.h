// SPDX-License-Identifier: Apache-2.0
// Geometry: which lanes there are, and which groups of them run in which launch. Pure numbers.
#pragma once

#include <cstdint>

namespace rhomb::strip {

/// What one work-item, group and launch do.
struct Shape {
  int group = 128;  ///< work-items a group that runs on its own
  int block = 128;  ///< work-items an OpenCL group: several groups where they flow
  int lanes = 1;    ///< lanes a work-item: a vector register on a CPU
  int k = 4;        ///< rows a strip
  int slab = 64;    ///< words of 32 columns a launch
  /// Groups take in words in the launch in which they are put out (strip/flow.cl), and run `slack`
  /// words further behind than they must; otherwise in the launch after (strip/pair.cl).
  bool flow = false;
  int slack = 2;

  std::int64_t rows() const { return 32 * std::int64_t{k}; }  ///< of a lane
  std::int64_t group_lanes() const { return std::int64_t{group} * lanes; }
  /// Words of columns that a group runs behind the one above it: two a lane, and as many as must
  /// have been put out before a launch begins.
  std::int64_t delay() const { return 2 * group_lanes() - 1 + (flow ? slack : slab); }
};

/// The matrix, its rows filled up to whole lanes. Appending the same symbols to both texts does not
/// change their distance, so both are longer by `padding`.
struct Size {
  std::int64_t m = 0;        ///< rows, a multiple of Shape::rows()
  std::int64_t n = 0;        ///< columns
  std::int64_t padding = 0;  ///< symbols appended to both texts
  std::int64_t upper = 0;    ///< lanes of the upper half, computed forward
  std::int64_t lower = 0;    ///< lanes of the lower half, computed backward; upper or upper - 1

  std::int64_t words() const { return (n + 31) / 32; }  ///< of columns
};

/// The size of a matrix of m rows and n columns, m <= n, m > 0.
Size size_of(std::int64_t m, std::int64_t n, const Shape& shape);

/// The diagonals -below <= j - i <= above (i rows, j columns).
struct Band {
  std::int64_t below = 0;
  std::int64_t above = 0;
};

/// The diagonals that a path of cost `threshold` can touch; threshold >= n - m.
Band band_of(const Size& size, std::int64_t threshold);

/// The launches of a pass over a band.
class Schedule {
 public:
  Schedule(const Size& size, const Shape& shape, const Band& band);

  /// Groups that have something to do in a launch, of the half that has more.
  struct Active {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  std::int64_t launches() const { return launches_; }
  std::int64_t groups() const { return groups_; }  ///< of the upper half
  /// When a group begins and ends, in words of columns on the clock of the whole pass.
  std::int64_t starts(std::int64_t group) const;
  std::int64_t ends(std::int64_t group) const;
  /// Launch numbers must not decrease from call to call.
  Active active(std::int64_t launch);
  /// Cells of the band as the lanes round it, both halves.
  double cells() const;
  /// The same with those that lanes run through while others of their group have something to do.
  double work() const;

 private:
  Size size_;
  Shape shape_;
  Band band_;
  std::int64_t groups_ = 0;
  std::int64_t launches_ = 0;
  std::int64_t first_ = 0;
  std::int64_t stop_ = 0;
};

}  // namespace rhomb::strip
