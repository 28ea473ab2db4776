// SPDX-License-Identifier: Apache-2.0
// Pair: the problem all engines of `distance` solve, and its answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "host/engine/facts.h"
#include "host/engine/sketch.h"
#include "host/progress.h"
#include "host/seq/alphabet.h"
#include "host/trace/trace.h"
#include "host/tune/config.h"

namespace rhomb {

namespace dist {
class Checkpoint;
}

/// Two texts, how their symbols compare, and the largest distance that is of interest.
struct Problem {
  std::string_view a;  ///< pattern: rows, length m
  std::string_view b;  ///< text: columns, length n
  const seq::Code* code = nullptr;
  std::optional<std::int64_t> max_distance;
  /// What the distance probably is, from a sketch or a run that was given up; any value is right.
  std::optional<std::int64_t> guess = std::nullopt;
  std::span<const Anchor> chain = {};  ///< words that both have, from a sketch, or none
  std::function<void(const Progress&)> progress = {};  ///< may be empty
  /// Asked now and then; true ends the run, which then answers Answer::given_up. May be empty.
  std::function<bool(const Progress&)> give_up = {};
  std::size_t threads = 0;        ///< of the host that compute, at most; 0: as many as cores
  trace::Trace* trace = nullptr;  ///< records the phases of a run, unless it is null
  /// Where the run goes on, and saves what it reaches; null: nowhere. Only variants that save
  /// (Variant::saves) are given one.
  dist::Checkpoint* checkpoint = nullptr;
};

struct Answer {
  std::optional<std::int64_t> distance;  ///< nothing: larger than max_distance
  bool given_up = false;                 ///< Problem::give_up said so; there is no distance then
  double cells = 0;                      ///< cells computed: of wavefronts, or of the matrix
  double compute = 0;                    ///< seconds on the device, launches and reads included
  double build = 0;                      ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing the texts and copying them to the device
  int passes = 1;       ///< how often the matrix, or a band of it, was gone through
  tune::Config config;  ///< every tunable with the value that was used
  /// With given_up: nobody asked for that, but another engine will be faster; and the cost of the
  /// best path so far.
  bool passed_on = false;
  std::optional<std::int64_t> at_most = std::nullopt;
  Facts certificate;  ///< what proves the distance, where an engine says it
};

/// Adds the cells and seconds of a run that was needed too.
void spend(Answer& on, const Answer& more);

/// Symbols that a text may have: kernels number them, and distances, with 32 bits and a sign.
inline constexpr std::size_t kMostSymbols = 0x7fffffff;

/// Throws UsageError if Problem::max_distance is negative or a text has more than kMostSymbols.
void check_problem(const Problem& problem);

/// Tells Problem::progress how far a run is, and asks Problem::give_up whether it is to end: then
/// true.
bool report(const Problem& problem, const Progress& progress);

/// A problem without its common prefix and suffix. The distance is the same.
Problem trimmed(const Problem& problem);
/// Without the common suffix alone.
Problem without_suffix(const Problem& problem);

/// The largest distance that is of interest: the one asked for, but no more than max(m, n), which
/// is always enough.
std::int64_t distance_limit(const Problem& problem);

/// The answer to a trimmed problem that needs no computing, if this is one: an empty text, lengths
/// further apart than the limit.
std::optional<Answer> easy_answer(const Problem& trimmed);

/// Seconds since the first call.
inline double now() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace rhomb
