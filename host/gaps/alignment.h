// SPDX-License-Identifier: Apache-2.0
// Alignment: a query and a part of a target, symbol for symbol, with gaps; and its proof.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/gaps/scoring.h"
#include "host/seq/cigar.h"

namespace rhomb::gaps {

/// Which ends of the texts an alignment must reach. It always has the whole query.
enum class Ends {
  kPrefix,  ///< any prefix of the target: the start is fixed, the end free (Carroll et al.)
  kGlobal,  ///< all of the target
  kInfix,   ///< any part of the target: start and end free
};

/// What an alignment is looked for by.
struct Rules {
  int gaps = 0;  ///< at most so many, 0 to kMostGaps
  Ends ends = Ends::kPrefix;
  /// Between two gaps, and behind the last, there is a pair of symbols (definition 1 of Carroll et
  /// al.); the recurrence, which is the rule without this, lets gaps stand next to each other.
  bool strict = false;
  /// Only cells with |i - j| <= band, i symbols of the target and j of the query; not with kInfix.
  std::optional<std::uint32_t> band = std::nullopt;
};

inline constexpr int kMostGaps = 32;

/// What stands one above the other.
enum class Op : std::uint8_t {
  kPair,    ///< a symbol of each
  kInsert,  ///< symbols of the query alone (I in SAM): a gap in the target
  kDelete,  ///< symbols of the target alone (D in SAM): a gap in the query
};

struct OpRun {
  Op op = Op::kPair;
  std::uint32_t length = 0;
  bool operator==(const OpRun&) const = default;
};

/// The best score, and where it is reached.
struct Best {
  static constexpr std::int32_t kNone = INT32_MIN;  ///< no alignment obeys the rules

  std::int32_t score = kNone;  ///< scaled, see Scoring
  std::uint32_t end = 0;       ///< symbols of the target before the alignment's end; the first such
                               ///< end with the fewest gaps
  std::uint32_t gaps = 0;      ///< the fewest that reach the score
  bool found() const { return score != kNone; }
  bool operator==(const Best&) const = default;
};

struct Alignment {
  std::uint32_t start = 0;  ///< symbols of the target before it
  std::vector<OpRun> runs;  ///< from the start on; no two neighbours with the same Op
  bool operator==(const Alignment&) const = default;
};

/// What an alignment comes to when it is gone through symbol by symbol.
struct Replayed {
  std::int64_t score = 0;
  std::uint32_t end = 0;  ///< symbols of the target before its end
  std::uint32_t gaps = 0, gap_symbols = 0, matches = 0, mismatches = 0;
  Cigar cigar;  ///< if asked for
};

/// Goes through `alignment`. Throws CheckError unless it has all of the query, stays within the
/// target and the band, and has ends and gaps that `rules` allow.
Replayed replay(const Alignment& alignment, std::string_view query, std::string_view target,
                const Scoring& scoring, const Rules& rules, bool cigar = false);

/// The same, and it must be what `best` says: score, end and number of gaps.
Replayed prove(const Alignment& alignment, const Best& best, std::string_view query,
               std::string_view target, const Scoring& scoring, const Rules& rules,
               bool cigar = false);

}  // namespace rhomb::gaps
