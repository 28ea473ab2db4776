// SPDX-License-Identifier: Apache-2.0
// trace: cheapest paths back through rows of the matrix that an engine has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "host/align/codes.h"
#include "host/align/region.h"

namespace rhomb::align {

/// A cell that all cheapest paths run through, or at least the canonical one.
struct Point {
  std::int64_t row = 0, place = 0;
};

/// Two cheapest paths where they come to a row from below, and down to the next row.
struct Crossed {
  Places at;             ///< of the left one and of the right one
  Places diagonals;      ///< that they touch, unless `told`
  Cigar backwards;       ///< from the next row up, if they are canonical and one
  std::size_t told = 0;  ///< or TraceOptions::steps has these, so many runs at most
};

struct TraceOptions {
  std::size_t threads = 0;  ///< of the host, at most; 0: as many as cores
  /// Bytes for what one thread keeps of a slab.
  std::size_t memory = std::size_t{1} << 26;
  /// For tests: slabs that are walked through one after the other; 0: as many as suits the threads.
  std::size_t piece = 0;
  /// Slabs that a piece begins early.
  std::size_t early = 1;
  /// Where paths probably cross a row; empty: where it is cheapest.
  std::function<Places(std::size_t row)> probable = {};
  /// Whether that is as good as sure of the row above a slab, so that pieces end there; empty:
  /// always.
  std::function<bool(std::size_t slab)> sure = {};
  /// What is known already of a path through a slab to this place of its last row.
  enum class Path { kOnly, kFirst, kLast };  ///< the one that there is; that of either exit
  std::function<std::optional<Crossed>(std::size_t slab, std::int64_t exit, Path)> known = {};
  /// Adds the steps of a path that is known to what comes before it, for Crossed::told.
  std::function<void(std::size_t slab, Cigar& backwards)> steps = {};
  /// Of halves of strips: the device is asked for the paths through their slabs.
  bool follow = false;
  /// More of a row, asked for by several threads: at least these places of it as far as it has
  /// them. For rows that go on.
  std::function<KeptRow(std::size_t row, const Places& places)> read = {};
  /// Aligns what lies between two points as a pair of its own, which costs `about` as much; nothing
  /// where it cannot. Asked of what has so many cells.
  std::function<std::optional<Cigar>(const Point& from, const Point& to, std::int64_t about)>
      as_pair = {};
  double pair_cells = 2e9;
};

struct Traced {
  std::vector<Cigar> backwards;  ///< the path, from its end back
  std::int64_t entry = 0;        ///< the place on the first row
  int parts = 0;                 ///< slabs
  double cells = 0;              ///< computed
};

/// The canonical path (host/align/reference.h) from place `exit` of row `end`, which is on a
/// cheapest path, back to the first of the rows, which are ascending. `cost` of the exit: counted
/// as rows do.
///
/// Slabs lie between the rows. Pieces of some slabs are walked through at the same time. Where a
/// piece's path ends is only known from the piece below, so each begins early, at a place that is
/// probably crossed: paths from there soon run where the others do. If it then begins at another
/// place than the piece below arrives at, its slabs are walked through again until both are at the
/// same place of a row.
///
/// Throws CheckError where rows contradict each other.
Traced trace(const Codes& codes, std::span<const KeptRow> rows, std::int64_t end, std::int64_t exit,
             std::int64_t cost, const TraceOptions& options = {});

/// By row, where cheapest paths from any of the places `exits` of row `end` are: between the
/// leftmost one and the rightmost one; or, if `canonical`, where the canonical ones are: between
/// those from the first exit and from the last, which do not cross. `exits` are on cheapest paths,
/// the first and the last that are. Costs of different rows need not have to do with each other.
std::vector<Crossed> crossings(const Codes& codes, std::span<const KeptRow> rows, std::int64_t end,
                               const Places& exits, bool canonical,
                               const TraceOptions& options = {});

/// What is known of the path between two points.
struct Part {
  std::optional<Cigar> backwards;    ///< all of it
  std::optional<std::int64_t> cost;  ///< or this
};

/// The canonical path from the last of some points, whose rows ascend, to the first one: `cost` in
/// all. Where `stretches` say so, cheapest paths are known to be within these, or at least the
/// canonical one; they ascend.
///
/// To know where that one is, is enough: what a cell before it is said to cost is the cost of a
/// real path, so it is taken for a part of a cheapest path only if it is, and those on it are.
///
/// `known`: of what lies between a point and the next, or empty.
Traced trace_between(const Codes& codes, std::span<const Point> points,
                     std::span<const Stretch> stretches, std::int64_t cost,
                     const TraceOptions& options = {}, std::span<const Part> known = {});

}  // namespace rhomb::align
