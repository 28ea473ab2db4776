// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: a measurement, and the table of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/measure.h"
#include "tools/bench/samples.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"

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
  /// What measures the same again, the last key in JSON; null: nothing does. See json_of(Asked).
  Json asked = {};
};

/// Prints the rows: columns program, engine, variant, config, device, length, divergence, distance,
/// seconds, gcups, ratio, and what the benchmark adds.
std::string table(const std::vector<Measurement>& rows, Format format);

/// What rhomb answered, as a row. `seconds` is Timing::total.
Measurement measurement_of(const DistanceAnswer& answer, const Sample& pair);
/// What some runs came to, as a row; `seconds` is their median.
Measurement measurement_of(const Measured& measured, const Sample& pair);

/// A number that the benchmark added to a row as a column; 0 if there is none.
double added(const Measurement& row, std::string_view name);

/// How slow the row is beside another: seconds / seconds.
double ratio_of(const Measurement& row, const Measurement& other);

/// Throws CheckError unless all rows have one distance.
void check_agreement(const std::vector<Measurement>& rows);

int bench_grid(int argc, const char* const* argv);
int bench_strips(int argc, const char* const* argv);
int bench_wavefront(int argc, const char* const* argv);
int bench_scaling(int argc, const char* const* argv);
int bench_peers(int argc, const char* const* argv);
int bench_regress(int argc, const char* const* argv);
int bench_startup(int argc, const char* const* argv);
int bench_rate(int argc, const char* const* argv);
int bench_paper_wavefront(int argc, const char* const* argv);
int bench_paper_table(int argc, const char* const* argv);
int bench_paper_search(int argc, const char* const* argv);
int bench_paper_lcs(int argc, const char* const* argv);

}  // namespace rhomb::cli
