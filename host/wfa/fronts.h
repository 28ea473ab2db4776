// SPDX-License-Identifier: Apache-2.0
// Fronts: rows of two wavefronts that met, on the device, to be read when they are asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cl/wfa/guide.h"
#include "host/ocl/device.h"
#include "host/seq/unset.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Costs from a row that is kept to the next, at most.
inline constexpr int kKeptSteps = WFA_KEPT_STEPS;

/// Places of a row beside a guide, at least. Where there are few rows, twice as many take no time,
/// and guides begin again less often.
inline constexpr std::int64_t kGuideWidth = 4 * kKeptSteps;
inline constexpr std::size_t kFewRows = 1200;

/// What a run kept of a pair. A buffer has the rows of the forward wavefront in its first half, and
/// those of the backward one at the same places of the other half.
struct Kept {
  struct Place {
    std::size_t buffer = 0;
    std::uint32_t at = 0;
  };
  /// Rows of one cost, on the diagonals from `lo` to `hi` of either wavefront.
  struct Level {
    std::int64_t cost = 0, lo = 0, hi = 0;
    Place place;
  };
  std::shared_ptr<const std::vector<ocl::Buffer<std::int32_t>>> buffers;
  std::int64_t rows = 0, columns = 0;  ///< symbols of the texts
  std::vector<Level> levels;           ///< costs ascending, the first 0
};

/// A cell (row, column) of a text's matrix: the columns to its left, and its diagonal, column -
/// row.
struct Cell {
  std::int64_t diagonal = 0, column = 0;
  bool operator==(const Cell&) const = default;
};

/// Some places of a row of a wavefront: how many columns its paths have come along, by diagonal.
struct Reached {
  static constexpr std::int32_t kNone = -(1 << 30);  ///< nowhere

  std::int64_t first = 0;  ///< diagonal
  std::vector<std::int32_t> columns;

  std::int64_t end() const { return first + static_cast<std::int64_t>(columns.size()); }
};

/// Cells of a diagonal, from the one with so many columns to its left to the last.
struct Stay {
  std::int64_t diagonal = 0, first = 0, last = 0;
};

/// Where a path probably crosses the rows of some levels, and some places of these.
class Guide {
 public:
  Cell cell(std::size_t level) const;
  /// What a row has on a diagonal, if it has that.
  std::optional<std::int32_t> place(std::size_t level, std::int64_t diagonal) const;
  /// A row's diagonals from `first` to `last`, if it has them.
  std::optional<Reached> row(std::size_t level, std::int64_t first, std::int64_t last) const;

 private:
  friend class Fronts;
  using Records = UnsetVector<std::int32_t>;  // as wfa/guide.cl has them
  const std::int32_t* record(std::size_t level) const;
  /// Where it has these diagonals of a row, or null.
  const std::int32_t* places(std::size_t level, std::int64_t first, std::int64_t last) const;

  std::size_t first_ = 0, end_ = 0;  // levels
  std::size_t at_ = 0;               // the number of the first one's record
  std::int64_t width_ = 0;           // places of each
  std::shared_ptr<const Records> records_;
};

/// What walks through the rows of a pair begin with, by direction.
struct Begun {
  std::array<std::size_t, 2> ends{};  ///< the levels that have all to pay from the start, or end
  /// The leftmost and the rightmost diagonal on which cheapest paths cross both of these, and
  /// where.
  std::array<std::array<Stay, 2>, 2> middle{};
  /// From these on: the guide of the leftmost path, and of the rightmost.
  std::array<std::array<Guide, 2>, 2> guides{};
};

/// Of one pair, or of several whose rows are in the same buffers. Direction 0: of both texts;
/// direction 1: of both reversed.
class Fronts {
 public:
  Fronts(ocl::Device& device, Kept kept) : device_(&device) { pairs_.push_back(std::move(kept)); }
  Fronts(ocl::Device& device, std::vector<Kept> pairs)
      : device_(&device), pairs_(std::move(pairs)) {}

  /// The last of them is one edit beyond the one before; there the wavefronts have met.
  std::span<const Kept::Level> levels(std::size_t pair = 0) const { return pairs_[pair].levels; }

  struct Wanted {
    std::size_t direction = 0, level = 0;
    std::int64_t first = 0, end = 0;  ///< diagonals
    std::size_t pair = 0;
  };
  /// The rows are read at the same time; beyond their ends they are Reached::kNone.
  std::vector<Reached> read(std::span<const Wanted> wanted);

  /// A cell on a cheapest path, which costs what level `level` does, whence the leftmost or the
  /// rightmost path is to be followed through so many levels of less cost, or all of them.
  struct Start {
    std::size_t direction = 0;
    bool right = false;
    Cell cell;
    std::size_t level = 0, levels = 0;
    std::size_t pair = 0;
  };
  /// Compiles, by another thread, what guide() runs.
  static std::future<void> make_ready(ocl::Device& device, std::size_t threads);
  /// Where the paths probably cross the rows, and some of these around there. A bad guess is no
  /// error. `width`, a power of two: kGuideWidth at least; 0: what suits so many rows. Throws
  /// CheckError where the device copies wrongly.
  std::vector<Guide> guide(std::span<const Start> starts, std::int64_t width = 0,
                           std::size_t threads = 1);

  /// Of all pairs at once, by their distances, which are 1 at least. Throws CheckError where rows
  /// contradict each other.
  std::vector<Begun> begin(std::span<const std::int64_t> distances, std::size_t threads);
  /// Bytes of the host that this takes of a pair, about.
  static double bytes_to_begin(std::int64_t distance);

 private:
  const ocl::Buffer<std::int32_t>& rows_in(std::size_t buffer) const {
    return (*pairs_.front().buffers)[buffer];
  }

  ocl::Device* device_;
  std::vector<Kept> pairs_;
  ocl::Buffer<std::int32_t> levels_;  ///< as wfa/guide.h has them, once it is asked for
  ocl::Buffer<std::int32_t> ranges_, paths_, records_;  ///< of guide()
  ocl::Pinned<std::int32_t> there_;                     ///< where rows are read to
};

/// What two wavefronts found, and their rows if that is a distance.
struct Met {
  Answer answer;
  std::optional<Fronts> fronts;
};

/// Runs a plan of the variant fused, and keeps the rows that a launch begins with: bytes of the
/// device at most. The problem has a common prefix of so many symbols (gaps may belong into it, so
/// paths must see it), no common suffix, and something between them in both texts. Throws
/// MemoryError where the bytes are not enough.
Met meet_keeping(ocl::Device& device, const Plan& plan, const Problem& problem, std::int64_t prefix,
                 std::uint64_t most_bytes);

/// Bytes that it keeps for a distance, about.
double bytes_kept(const Plan& plan, std::int64_t distance);

/// Bytes of the device that it takes for that in all; with room that is not used.
std::uint64_t bytes_keeping(const Plan& plan, std::int64_t distance);

}  // namespace rhomb::wfa
