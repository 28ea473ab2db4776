// SPDX-License-Identifier: Apache-2.0
// Room: memory of the host for an alignment, and what it is enough for. Only for host/align.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "host/align/align.h"
#include "host/align/trace.h"
#include "host/align/waves.h"
#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::align {

/// Bytes of the host without the rows that slabs keep: texts, their codes, the codes reversed where
/// what leads to the end is walked through, too, and the texts reversed where gaps are on the
/// right; and two runs an edit, backwards in pieces, which grow by doubling, and in one piece.
inline double fixed_bytes(double symbols, std::int64_t distance, bool both_ways, bool gaps_right) {
  return symbols * (2 + (both_ways ? 1 : 0) + (gaps_right ? 1 : 0)) +
         6 * sizeof(Cigar::Run) * static_cast<double>(distance);
}

/// Whether the host walks through a whole pair by wavefronts that begin at its first symbols.
inline bool walked_at_once(const AlignTuning& tuning, std::int64_t rows, std::int64_t columns,
                           std::int64_t distance) {
  return std::max(Waves::numbers(rows, columns, distance), 0.0) < tuning.most_numbers;
}

class Room {
 public:
  Room(const AlignTuning& tuning, const AlignOptions& options, const OtherDevices& others,
       std::size_t symbols)
      : tuning_(tuning),
        options_(options),
        others_(others),
        symbols_(static_cast<double>(symbols)) {}

  const AlignTuning& tuning() const { return tuning_; }
  /// That may help the device.
  const OtherDevices& others() const { return others_; }

  /// Bytes for rows and wavefronts. Throws MemoryError.
  std::size_t memory(std::int64_t distance) const {
    // Codes that are reversed besides are no reason to refuse what fits without them.
    const double fixed = fixed_bytes(symbols_, distance, false, options_.gaps_right);
    std::size_t memory = tuning_.memory;
    if (options_.memory > 0) {
      if (fixed > static_cast<double>(options_.memory))
        throw MemoryError("the alignment needs about " +
                          std::to_string(static_cast<std::int64_t>(fixed)) +
                          " bytes of the host's memory, more than the limit of " +
                          std::to_string(options_.memory));
      memory = std::min(memory, options_.memory - static_cast<std::size_t>(fixed));
    }
    return memory;
  }

  /// For paths that so many threads look for; 0: all. Throws MemoryError.
  TraceOptions options(std::int64_t distance, std::size_t threads = 0) const {
    TraceOptions made;
    made.threads = options_.threads;
    made.memory = memory(distance) / (threads > 0 ? threads : batch::threads_of(options_.threads));
    made.piece = tuning_.piece;
    made.pair_cells = tuning_.pair_cells;
    return made;
  }

 private:
  const AlignTuning& tuning_;
  const AlignOptions& options_;
  const OtherDevices& others_;
  const double symbols_;  // of both texts
};

}  // namespace rhomb::align
