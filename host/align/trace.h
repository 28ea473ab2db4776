// SPDX-License-Identifier: Apache-2.0
// trace: the canonical path back through rows of the matrix that an engine has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/align/codes.h"
#include "host/align/region.h"

namespace rhomb::align {

/// A path that ends on place `exit` of row `row` (places and rows are numbered by what is above and
/// to the left), where it has cost `cost`.
struct Exit {
  std::int64_t row = 0, place = 0, cost = 0;
};

struct TraceOptions {
  std::size_t threads = 0;  ///< of the host, at most; 0: as many as cores
  /// Bytes for what one thread keeps of a slab.
  std::size_t memory = std::size_t{1} << 26;
  /// For tests: slabs that are walked through one after the other; 0: as many as suits the threads.
  std::size_t piece = 0;
};

struct Traced {
  Path path;
  int parts = 0;     ///< slabs
  double cells = 0;  ///< computed
};

/// The canonical path (host/align/reference.h) from `exit`, which is on a cheapest path, back to
/// the first of the rows, which are ascending.
///
/// Slabs lie between the rows. Pieces of some slabs are walked through at the same time. Where a
/// piece's path ends is only known from the piece below, so each begins a slab early, at the place
/// that is cheapest there: paths from there soon run where the others do. If it then begins at
/// another place than the piece below arrives at, its slabs are walked through again until both are
/// at the same place of a row.
///
/// Throws CheckError where rows contradict each other.
Traced trace(const Codes& codes, std::span<const KeptRow> rows, const Exit& exit,
             const TraceOptions& options = {});

}  // namespace rhomb::align
