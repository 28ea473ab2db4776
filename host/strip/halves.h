// SPDX-License-Identifier: Apache-2.0
// Halves: a pass that keeps rows of both halves of the matrix on the device, to be read when they
// are asked for. Two devices can have a half each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/engine/kept.h"
#include "host/ocl/device.h"
#include "host/strip/strip.h"

struct StripKept;  // cl/strip/launch.h

namespace rhomb::strip {

class Halves {
 public:
  /// Packs the texts and copies them to the device. The last row of every `apart`th lane is kept;
  /// lanes_apart() says what there is room for; then `a` is not longer than `b`. Problem::guess is
  /// given. All of them must outlive this. `helper` computes the lower half, by the plan that
  /// helper_for() has for both (helper.h).
  Halves(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint32_t apart,
         ocl::Device* helper = nullptr);
  Halves(Halves&&) noexcept;
  ~Halves();

  /// Meanwhile compiles what guide() needs to follow ways, for each device.
  std::vector<std::future<void>> make_ready() const;

  /// Passes over wider bands until all cheapest paths are inside.
  Crossed solve();

  /// The matrix of a half: the upper one that of both texts, the lower one that of the reversed
  /// texts. Both have symbols appended to the texts' ends (that match each other, and perhaps
  /// others), which the reversed texts begin with.
  struct Half {
    std::int64_t end = 0;            ///< rows above the row where the halves meet
    std::vector<std::int64_t> rows;  ///< above each row that is kept, ascending
  };
  Half half(std::size_t direction) const;

  /// How a cheapest path goes through the slab above one of Half::rows, or above the half's end.
  struct Way {
    std::int64_t exit = 0;    ///< the place where it leaves the slab
    std::int64_t entry = -1;  ///< where it enters it; -1: not known, and nothing of what follows
    std::int64_t low = 0, high = 0;  ///< the diagonals that it touches
    std::size_t steps = 0;           ///< that it takes
  };
  /// What guide() says of each of Half::rows.
  struct Guide {
    std::vector<std::int64_t> places;        ///< where a cheapest path probably crosses it
    std::vector<KeptRow> rows;               ///< some words around there, as read() has them
    std::shared_ptr<std::uint32_t[]> words;  ///< which these are
    /// By slab, of which the first is above the first of Half::rows: from the first of the exits
    /// and from the last. Of the upper half the canonical ways, of the lower one the leftmost and
    /// the rightmost; there nothing of the first slab. Where a way is not known it goes on from a
    /// guess. Empty where the device was not asked.
    std::vector<std::array<Way, 2>> ways;
    /// Of each slab so many words: steps of the canonical way from the first exit, from there on,
    /// two bits each, the lowest first: 1 a pair of symbols, 2 one of the rows, 0 one of the
    /// columns.
    std::vector<std::uint32_t> paths;
    std::size_t path_words = 0;
  };
  /// Where paths leave the last row of a direction.
  struct Exits {
    std::int64_t first = 0, last = 0;
  };
  /// By direction. A bad guess is no error. `follow`: ask the device for ways, too. `turned`: on
  /// canonical paths symbols of the columns alone come before those of the rows. `rows_each`: of so
  /// many kept rows each the guide is begun at the same time, which changes nothing of what it
  /// says; 0: what suits the device.
  std::array<Guide, 2> guide(const std::array<Exits, 2>& exits, std::int64_t distance, bool follow,
                             bool turned, std::size_t rows_each = 0);

  /// Places of a kept row.
  struct Wanted {
    std::size_t direction = 0, number = 0;  ///< of Half::rows
    std::int64_t first = 0, last = 0;
  };
  /// The rows are read at the same time. What the band has of those places, rounded to words, and
  /// of others if it has none of them. KeptRow::cost is 0: what places cost is known up to a
  /// constant.
  std::vector<KeptRow> read(std::span<const Wanted> wanted);

 private:
  struct Run;
  struct Followed;

  /// Of one device: what guide() says of the directions that it has, and read() of its rows.
  void guide_of(Run& run, const std::array<Exits, 2>& exits, std::int64_t distance, bool follow,
                bool turned, std::size_t rows_each, std::array<Guide, 2>& guides);
  void read_of(Run& run, std::span<const Wanted> wanted, std::span<KeptRow> made) const;
  /// The words [first, end) of a kept row, as far as the band has them; `words` has room for all.
  KeptRow row_of(std::int64_t above, std::int64_t first, std::int64_t end,
                 std::uint32_t* words) const;

  /// Words of rows between two kept rows, and whether the device can follow ways through them.
  std::size_t slab_words() const;
  bool can_follow() const;

  std::optional<Followed> follow(Run& run, const ocl::Buffer<std::int32_t>& places,
                                 const StripKept& told) const;
  void take(Followed& followed, const StripKept& told, std::array<Guide, 2>& guides) const;
  Run& run_of(std::size_t direction) const { return *runs_[std::min(direction, runs_.size() - 1)]; }

  const Plan& plan_;
  const Problem& problem_;
  std::uint32_t apart_;
  Band band_;                               // of the last pass
  std::vector<std::unique_ptr<Run>> runs_;  // of each device
};

/// As many lanes from one kept row to the next, but a power of two, as have `rows` rows together,
/// or more where the device has no room. 0: none can be kept.
std::uint32_t lanes_apart(const Plan& plan, const ocl::Limits& limits, std::int64_t rows);

/// Rows from one that is kept to the next, if nobody wants others.
std::int64_t usual_rows_apart(const ocl::Limits& limits);

/// Device memory of a run that keeps such rows of the plan's first band.
std::uint64_t bytes_keeping(const Plan& plan, const ocl::Limits& limits);

}  // namespace rhomb::strip
