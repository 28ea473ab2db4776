// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of `distance` share: a measurement, and its record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/measure.h"
#include "tools/bench/rows.h"
#include "tools/bench/samples.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// One record of a benchmark.
struct Measurement {
  std::string program = "rhomb";  ///< rhomb, edlib, wfa2
  std::string engine;
  std::string variant;
  tune::Config config;
  std::string device;
  std::int64_t query_length = 0;
  std::int64_t target_length = 0;
  std::optional<std::int64_t> distance;  ///< nothing: above the largest that was looked for
  double seconds = 0;
  double ratio = 1;
  /// Further columns, the same for all records of a benchmark.
  std::vector<std::pair<std::string, Json>> more = {};
  /// What measures the same again, the last key in JSON; null: nothing does. See json_of(Asked).
  Json asked = {};
};

/// Prints the records: columns program, engine, variant, config, device, length, divergence,
/// distance, seconds, gcups, ratio, and what the benchmark adds.
std::string table(const std::vector<Measurement>& rows, Format format);

/// What rhomb answered, as a record. `seconds` is Timing::total.
Measurement measurement_of(const DistanceAnswer& answer, const Sample& pair);
/// What some runs came to, as a record; `seconds` is their median.
Measurement measurement_of(const Measured& measured, const Sample& pair);

/// How slow the record is beside another: seconds / seconds.
double ratio_of(const Measurement& row, const Measurement& other);

/// Throws CheckError unless all records have one distance.
void check_agreement(const std::vector<Measurement>& rows);

int bench_grid(int argc, const char* const* argv);
int bench_strips(int argc, const char* const* argv);
int bench_wavefront(int argc, const char* const* argv);
int bench_scaling(int argc, const char* const* argv);
int bench_peers(int argc, const char* const* argv);
int bench_regress(int argc, const char* const* argv);
int bench_rate(int argc, const char* const* argv);
int bench_search(int argc, const char* const* argv);
int bench_lcs(int argc, const char* const* argv);

}  // namespace rhomb::cli
