// SPDX-License-Identifier: Apache-2.0
// certify: the method. Windows and segments come from a device; what they mean is decided here.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/corridor/segments.h"
#include "host/seq/unset.h"
#include "host/trace/trace.h"

namespace rhomb::corridor {

struct CertifyOptions {
  int margin = 4;     ///< chunks of windows and bands beside the probable path
  int piece = 256;    ///< wide windows are cut in pieces of so many chunks
  int segments = 64;  ///< at once, about
  /// Once every so many times 32 rows a row of the last run is kept, or less often so that rows
  /// have no more bytes than this; 0: none is.
  int every = 0;
  double most_kept = 0;
  LookForWords seeds = {};        ///< empty: there are none
  std::int64_t expected = 0;      ///< what the distance probably is
  std::size_t threads = 0;        ///< of the host that compute, at most; 0: as many as cores
  std::int64_t near = 16;         ///< chunks beside the probable path that have bounds of their own
  trace::Trace* trace = nullptr;  ///< records what takes long
  std::int64_t most = 0;          ///< distances above this are of no interest
  double most_cells = 0;  ///< windows or segments of more than so many are not begun; 0: no limit
  /// For tests: the threshold of the first corridor instead of a path's cost.
  std::optional<std::int64_t> threshold = std::nullopt;
  std::function<void(int segment, Words& words)> disturb = {};  ///< SegmentOptions::disturb
  /// Asked now and then, with a lower bound of the distance, the best path so far (or 0), and the
  /// part that is done. True ends the run.
  std::function<bool(std::int64_t lower, std::int64_t best, double part)> give_up = {};
};

/// The answer and what proves it.
struct Certificate {
  std::optional<std::int64_t> distance;  ///< nothing: more than CertifyOptions::most, or given up
  bool given_up = false;
  std::string why;             ///< it was given up
  std::int64_t lower = 0;      ///< no path costs less, by the windows
  std::int64_t threshold = 0;  ///< all paths that cost no more are in the corridor
  std::int64_t best = 0;       ///< cost of a path near the probable one
  double mean_width = 0;       ///< diagonals of the corridor's blocks
  std::int64_t widest = 0;
  double window_cells = 0, segment_cells = 0;
  int rounds = 0;    ///< of windows
  int segments = 0;  ///< of the last run
  int repeated = 0;  ///< segments computed again, in all runs
  int runs = 0;      ///< of the segments
  /// Rows that segments of the last of these began with or kept. All paths that cost no more than
  /// the threshold cross them; where one does that is as cheap as the distance they are exact, and
  /// nowhere too small.
  UnsetVector<KeptRow> rows;
  RowMemory memory;
};

/// Where words are looked for that paths of a cost may have: chunks of diagonals, and how many of
/// these windows see beside the probable path.
struct WordsAt {
  Range seen;
  std::int64_t radius = 0;
};
WordsAt words_at(const Grid& grid, const CertifyOptions& options, std::int64_t threshold);

/// The cost for which they are looked for first.
std::int64_t first_cost_of_words(const Grid& grid, const CertifyOptions& options);

/// `path`: by block where a good path probably runs (path.h). Ranges side by side overlap.
Certificate certify(const Grid& grid, const std::vector<Range>& path, const Compute& compute,
                    const CertifyOptions& options);

}  // namespace rhomb::corridor
