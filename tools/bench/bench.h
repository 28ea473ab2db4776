// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of `distance` share: a measurement, and its record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "tools/bench/measure.h"
#include "tools/bench/samples.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/records.h"
#include "tools/cli/session.h"

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

/// The records: columns program, engine, variant, config, device, length, divergence, distance,
/// seconds, gcups, ratio, and what the benchmark adds.
std::vector<Json> records_of(const std::vector<Measurement>& rows);

/// What every benchmark does around its measuring: says how far it is, opens the device, and writes
/// the records at the end.
class Bench {
 public:
  /// Reads --format, --output and --progress. Throws UsageError.
  explicit Bench(const CommandLine& line)
      : progress(parse_progress(line)), line_(line), output_(parse_output(line, kTableFormats)) {}

  /// The device of --device, if one is `needed`; makes the output file.
  Session& open(bool needed) {
    session_.emplace(parse_device(line_), needed);
    out_.emplace(output_.file);
    return *session_;
  }
  void write(const std::vector<Json>& records) {
    out_->write(printed(records, output_.format));
    out_->commit();
  }

  Progress progress;

 private:
  const CommandLine& line_;
  OutputOptions output_;
  std::optional<Session> session_;
  std::optional<Output> out_;
};

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
int bench_gaps(int argc, const char* const* argv);
int bench_primer(int argc, const char* const* argv);

}  // namespace rhomb::cli
