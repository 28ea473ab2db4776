// SPDX-License-Identifier: Apache-2.0
// rhomb bench rate: how fast the matrix is filled by strips, and wavefronts of growing width are
// computed.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "host/distance/distance.h"
#include "tools/bench/axes.h"
#include "tools/bench/bench.h"
#include "tools/bench/grid.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

Help rate_bench_help() {
  return {
      "rhomb bench rate [options]",
      R"(Computes a random pair, --length bases each, --runs times after one run to warm up. ratio is the
highest rate (cells per second) of all records / that of the record. Added columns: those of rhomb bench
grid, and before them:

With --engine wavefront (the default) the pair is computed up to larger and larger distances:
max_distance (where the run ended), width (mean number of diagonals of a wavefront). A run to distance D
takes time in proportion to D * D; larger distances are left out when one would probably take longer
than --limit.

With --engine strips the whole matrix is filled, of each pair in turn, by the variant strips-full
unless --variant says otherwise:
  tcups        cells_per_second / 1e12
  limit_tcups  what the logic units of the device could do: compute units * 64 operations per clock
               (on a CPU: two vectors) * clock / operations per cell, which are (7 K + 6) / (32 K) for
               DNA; NA where the clock or the width of the vectors is not known
  of_limit     tcups / limit_tcups
)",
      R"(  rhomb bench rate --format table
  rhomb bench rate --length 2M --limit 5 --variant batched
  rhomb bench rate --engine strips
  rhomb bench rate --engine strips --length 1M,4M,16M --config K=16
)"};
}

Group rate_bench_group() {
  return {
      "Run",
      {one_of("engine", "NAME", "wavefront or strips (default: wavefront)",
              {"wavefront", "strips"}),
       {"length", "L,...",
        "length of both texts, as 100k or 1M, several for strips (default: 1M; for strips 16M on "
        "a GPU, 200k on a CPU)"},
       {"divergence", "X,...",
        "edits per position, or unrelated, several for strips (default: unrelated)"},
       {"seed", "N", "of the random texts (default: 1)"},
       {"runs", "N", "measured runs for each record (default: 3)"},
       {"limit", "TIME", "the longest a run may take (default: 10)"}}};
}

/// Cells a second that strips could fill if the logic units did nothing else and never waited;
/// nothing when the device does not say enough.
std::optional<double> most_cells(const ocl::Limits& limits, int planes, int k) {
  if (limits.clock_mhz == 0 || (!limits.gpu && limits.vector_ints < 4)) return std::nullopt;
  // Words of 32 bits a clock and unit. CPUs with vectors of 512 bits have two ports for logic.
  const double words = limits.gpu ? 64 : 2.0 * limits.vector_ints;
  // Five three-input operations a cell and one more a plane; four and one a column of K cells.
  const double operations = ((5.0 + planes) * k + 4 + planes) / (32.0 * k);
  return limits.compute_units * words * limits.clock_mhz * 1e6 / operations;
}

PairAxes axes_of(bool strips, bool gpu) {
  return {strips ? gpu ? "16M" : "200k" : "1M", "unrelated", 1000};
}

/// The whole matrix of each pair.
std::vector<Json> strip_records(const CommandLine& line, const Runner& runner,
                                const DistanceOptions& method) {
  // A variant that needs no OpenCL runs on a GPU of which nothing is known here.
  const ocl::DeviceInfo* const info = runner.session.info();
  const ocl::Limits limits = info != nullptr ? info->limits : ocl::Limits{.gpu = true};
  GridRules rules;
  rules.named = true;
  rules.columns = [&](const Sample& pair, const Measured& measured) {
    const int planes = seq::make_code(pair.query.symbols, pair.target.symbols).planes;
    const auto limit = most_cells(limits, planes, measured.answer.config.get("K", 1));
    const double rate = measured.cells_per_second();
    return Json{{"tcups", rate / 1e12},
                {"limit_tcups", limit ? Json(*limit / 1e12) : Json()},
                {"of_limit", limit ? Json(rate / *limit) : Json()}};
  };
  const auto pairs = parse_random_pairs(line, axes_of(true, limits.gpu));
  return Grid(runner, rules).measure(product(pairs, {method}, runner.runs));
}

/// One pair up to larger and larger distances.
std::vector<Json> wavefront_records(const CommandLine& line, const Runner& runner,
                                    DistanceOptions method) {
  const auto pairs = parse_random_pairs(line, axes_of(false, false));
  if (pairs.size() > 1)
    throw UsageError("wavefronts are measured on one length and divergence" + line.pointer());
  const Sample pair = PairSource().make(pairs.front());
  const std::int64_t most = method.max_distance.value_or(pairs.front().length);
  std::vector<Json> records;
  for (std::int64_t bound = std::min<std::int64_t>(1000, most); bound <= most; bound *= 2) {
    method.max_distance = bound;
    const std::string label = "distance up to " + with_commas(bound);
    try {
      const Measured measured = runner.measure(pair, method, label);
      const auto& answer = measured.answer;
      const std::int64_t costs = std::max<std::int64_t>(answer.distance.value_or(bound), 1);
      Json record = record_of(answer, pair, measured.seconds);
      record["max_distance"] = bound;
      record["width"] = json_count(answer.cells / static_cast<double>(costs));
      add_columns(measured, record);
      record["asked"] = json_of(Asked{pairs.front(), method, runner.runs});
      records.push_back(record);
      if (answer.distance || 4 * measured.seconds > runner.run_limit) break;
    } catch (const TooSlow&) {
      runner.progress.note(text_of("rhomb: ", label, " is left out: it takes longer than --limit, ",
                                   human_seconds(runner.run_limit)));
      break;
    }
  }
  if (records.empty()) throw tune::Unfit("nothing could be measured within --limit");
  return records;
}

}  // namespace

int bench_rate(int argc, const char* const* argv) {
  CommandLine line(rate_bench_help(), {rate_bench_group(), without(method_group(), {"engine"}),
                                       device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  DistanceOptions method = parse_method(line, "wavefront");
  const auto full = variant_names("strips");
  const bool strips =
      method.engine == "strips" || std::ranges::find(full, method.variant) != full.end();
  if (strips && method.variant.empty()) method.variant = "strips-full";
  const int runs = line.count("runs", 3, 1);
  const double limit = parse_duration(line.text("limit", "10"), "--limit");
  Bench bench(line);
  const Runner runner{bench.open(needs_device(method)), bench.progress, runs, limit};
  auto records =
      strips ? strip_records(line, runner, method) : wavefront_records(line, runner, method);
  const auto rate = [](const Json& record) { return record.at("cells_per_second").get<double>(); };
  const double best = std::ranges::max(records | std::views::transform(rate));
  for (Json& record : records)
    record["ratio"] = rounded(fixed(best / std::max(rate(record), 1e-9), 3));
  bench.write(records);
  return 0;
}

}  // namespace rhomb::cli
