// SPDX-License-Identifier: Apache-2.0
// segments: the exact run inside a corridor, its blocks shared by many segments at once.
//
// A segment begins early, with a row of equal costs, by about as many rows as the corridor has
// diagonals there. Few paths survive these, so what it has then is mostly what the segment before
// will end with, up to a constant; where it is, all that follows is as if computed in sequence, and
// where it is not, the segment is computed again from what the one before ended with.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "host/corridor/band.h"
#include "host/corridor/bounds.h"
#include "host/engine/kept.h"
#include "host/seq/unset.h"

namespace rhomb::corridor {

struct SegmentOptions {
  int segments = 64;        ///< about so many
  std::size_t threads = 0;  ///< of the host, at most; 0: as many as cores
  int every = 0;            ///< Band::every of segments, or more for `most_kept`
  double most_kept = 0;     ///< bytes of the rows that they keep, at most
  double most_cells = 0;    ///< it is given up once there were so many; 0: no limit
  /// Asked between rounds with the part that is done; true ends the run.
  std::function<bool(double part)> give_up = {};
  /// For tests: may change what a segment begins with, so that it disagrees with the one before.
  std::function<void(int segment, Words& words)> disturb = {};
};

struct SegmentRun {
  std::optional<std::int64_t> cost;  ///< of the cheapest path inside; nothing: given up
  /// What segments begin with and what they keep, in order, if there is a cost: as if everything
  /// above had been computed in sequence. All paths inside the corridor cross them.
  UnsetVector<KeptRow> rows;
  RowMemory memory;
  int segments = 0;
  int repeated = 0;  ///< computations of segments that had begun with a wrong row
  double cells = 0;
};

/// The cost of the cheapest path inside the corridor or, where its bands are wider than it, of a
/// cheaper one. The distance, if that is not more than the corridor's threshold.
SegmentRun run_segments(const Grid& grid, const Corridor& corridor, const Compute& compute,
                        const SegmentOptions& options = {});

}  // namespace rhomb::corridor
