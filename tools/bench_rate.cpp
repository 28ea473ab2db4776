// SPDX-License-Identifier: Apache-2.0
// rhomb bench rate: how fast wavefronts of growing width are computed.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench.h"
#include "tools/command_line.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb bench rate [options]",
      R"(Computes the wavefronts of a random pair, --length bases each, up to larger and larger distances,
--runs times after one to warm up. Added columns: max_distance (where the run ended), width (mean
number of diagonals a wavefront), cells, compute (median seconds on the device) and
cells_per_second. A run to distance D takes time of the order of D * D; the next one is left out
when it would probably take longer than --limit.
)",
      R"(  rhomb bench rate --format table
  rhomb bench rate --length 2M --limit 5 --variant batched
)"};
}

Group run_group() {
  return {"Run",
          {{"length", "L", "length of both texts, as 100k or 1M (default: 1M)"},
           {"divergence", "X",
            "edits a position, or `random`: texts that have nothing in common (default: random)"},
           {"seed", "N", "of the random texts (default: 1)"},
           {"runs", "N", "measured runs at each distance (default: 3)"},
           {"limit", "SECONDS", "the longest a run may take (default: 10)"}}};
}

Sample chosen_pair(const CommandLine& line) {
  const std::int64_t length = line.size("length").value_or(1'000'000);
  const auto seed = static_cast<std::uint64_t>(line.size("seed").value_or(1));
  if (length < 1000 || length > seq::kMaxLength / 2)
    throw UsageError("--length: '" + line.text("length") + "' is out of range; at least 1000");
  const std::string divergence = line.text("divergence", "random");
  if (divergence == "random") return unrelated_pair(length, seed);
  const double rate = parse_number(divergence, "--divergence");
  if (rate > 1) throw UsageError("--divergence: at most 1, that is an edit at each position");
  return random_pair(length, rate, seed);
}

}  // namespace

int bench_rate(int argc, const char* const* argv) {
  CommandLine line(help(), {run_group(), method_group(), device_group(), output_group(true)});
  line.parse(argc, argv);
  if (line.wants_help()) {
    Output("-").write(line.help_text());
    return 0;
  }
  line.files(0);
  DistanceOptions method = parse_method(line);
  const int runs = line.count("runs", 3, 1);
  const double limit = parse_number(line.text("limit", "10"), "--limit");
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  Session session(parse_device(line), needs_device(method));
  Output out(output.file);
  const Sample pair = chosen_pair(line);
  const auto length = static_cast<std::int64_t>(pair.query.symbols.size());
  const std::int64_t most = method.max_distance.value_or(length);

  method.progress = [&progress](const wfa::Progress& now) { progress.update(now); };
  std::vector<Measurement> rows;
  for (std::int64_t bound = std::min<std::int64_t>(1000, most); bound <= most; bound *= 2) {
    method.max_distance = bound;
    std::vector<double> totals;
    std::vector<double> computes;
    DistanceAnswer answer;
    for (int run = 0; run <= runs; ++run) {
      progress.start(text_of("distance up to ", with_commas(bound), ", run ", std::to_string(run),
                             " of ", std::to_string(runs)));
      answer = distance(session.open(), pair.query.symbols, pair.target.symbols, method);
      progress.finish();
      if (run == 0) continue;
      totals.push_back(answer.timing.total);
      computes.push_back(answer.timing.compute);
    }
    Measurement row = measurement_of(answer, pair.query, pair.target);
    row.seconds = median(totals);
    const double compute = median(computes);
    const std::int64_t costs = std::max<std::int64_t>(answer.distance.value_or(bound), 1);
    row.more = {{"max_distance", bound},
                {"width", json_count(answer.cells / static_cast<double>(costs))},
                {"cells", json_count(answer.cells)},
                {"compute", compute},
                {"cells_per_second", compute > 0 ? answer.cells / compute : 0.0}};
    rows.push_back(row);
    if (answer.distance || 4 * row.seconds > limit) break;
  }
  const auto best = std::ranges::max_element(
      rows, {}, [](const Measurement& row) { return row.more.back().second.get<double>(); });
  const double rate = best->more.back().second.get<double>();
  for (auto& row : rows) row.ratio = rate / std::max(row.more.back().second.get<double>(), 1e-9);
  out.write(table(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
