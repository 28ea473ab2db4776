// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: a measurement, the table of them, and random pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/rhomb.h"
#include "host/seq/sequence.h"
#include "tools/command_line.h"
#include "tools/json.h"
#include "tools/options.h"

namespace rhomb::cli {

/// One row of a benchmark.
struct Measurement {
  std::string program = "rhomb";  ///< rhomb, edlib, wfa2
  std::string engine;
  std::string variant;
  tune::Config config;
  std::string device;
  std::int64_t query_length = 0;
  std::int64_t target_length = 0;
  std::optional<std::int64_t> distance;  ///< nothing: above the largest that was looked for
  std::optional<double> divergence;      ///< distance / longer length, unless it was set otherwise
  double seconds = 0;
  double ratio = 1;
  /// Further columns, the same for all rows of a benchmark.
  std::vector<std::pair<std::string, Json>> more;
};

/// Prints the rows: columns program, engine, variant, config, device, length, divergence, distance,
/// seconds, gcups, ratio, and what the benchmark adds.
std::string table(const std::vector<Measurement>& rows, Format format);

/// What rhomb answered, as a row. `seconds` is Timing::total.
Measurement measurement_of(const DistanceAnswer& answer, const seq::Sequence& query,
                           const seq::Sequence& target);

/// Throws CheckError unless all rows have one distance.
void check_agreement(const std::vector<Measurement>& rows);

/// A pair of sequences and how they came about.
struct Sample {
  seq::Sequence query;
  seq::Sequence target;
};

/// A random text over ACGT and a copy with edits: at each position with probability `divergence`, a
/// third each substitutions (by another base), insertions and deletions.
Sample random_pair(std::int64_t length, double divergence, std::uint64_t seed);
/// Two random texts that have nothing to do with each other.
Sample unrelated_pair(std::int64_t length, std::uint64_t seed);

/// The one pair in two files. Throws UsageError if there are several.
Sample read_pair(const CommandLine& line);

int bench_wavefront(int argc, const char* const* argv);
int bench_peers(int argc, const char* const* argv);
int bench_startup(int argc, const char* const* argv);
int bench_rate(int argc, const char* const* argv);

}  // namespace rhomb::cli
