// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: around their measuring, and the records of those of `distance`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/distance/distance.h"
#include "tools/bench/samples.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/records.h"
#include "tools/cli/session.h"

namespace rhomb::cli {

/// A record of a benchmark of `distance`: the columns program, engine, variant, config, device,
/// length, divergence, distance, seconds, gcups, ratio. `seconds`: what the runs came to.
Json record_of(const DistanceAnswer& answer, const Sample& pair, double seconds);

/// Fills in how slow it is beside another: seconds / seconds.
void set_ratio(Json& record, const Json& other);

/// Throws CheckError unless all records have one distance.
void check_agreement(std::span<const Json> records);

/// What every benchmark does around its measuring: says how far it is, opens the device, and writes
/// the records at the end.
class Bench {
 public:
  /// Reads --format, --output and --progress. Throws UsageError.
  explicit Bench(const CommandLine& line)
      : progress(parse_progress(line)), line_(line), output_(parse_output(line, kTableFormats)) {}

  /// The device of --device, or several, if one is `needed`; makes the output file.
  Session& open(bool needed, Session::Count count = Session::Count::kOne) {
    session_.emplace(parse_device(line_), needed, count);
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

int bench_grid(int argc, const char* const* argv);
int bench_strips(int argc, const char* const* argv);
int bench_wavefront(int argc, const char* const* argv);
int bench_scaling(int argc, const char* const* argv);
int bench_peers(int argc, const char* const* argv);
int bench_pairs(int argc, const char* const* argv);
int bench_regress(int argc, const char* const* argv);
int bench_rate(int argc, const char* const* argv);
int bench_search(int argc, const char* const* argv);
int bench_lcs(int argc, const char* const* argv);
int bench_gaps(int argc, const char* const* argv);
int bench_primer(int argc, const char* const* argv);

}  // namespace rhomb::cli
