// SPDX-License-Identifier: Apache-2.0
// rhomb bench wavefront: the rows of the wavefront engine's table on one pair.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "host/wfa/wfa.h"
#include "tools/bench.h"
#include "tools/command_line.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

/// A run took longer than --limit; thrown from inside it.
struct TooSlow {};

Help help() {
  return {
      "rhomb bench wavefront [options] A B",
      R"(Runs the variants of the wavefront engine on the pair in the files A and B: once to warm up, then
--runs times. seconds is the median of the whole time for the pair, ratio compares it with that of
the fastest row. Added columns: compute (median seconds on the device), passes, cells,
cells_per_second (cells / compute), runs. A variant that does not fit the device or the pair, or takes
longer than --limit, is left out; standard error says why. Exit code 6 if distances differ.
)",
      R"(  rhomb bench wavefront A.fa B.fa --format table
  rhomb bench wavefront A.fa B.fa --variant fused,batched --runs 9
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=128
  rhomb bench wavefront A.fa B.fa --variant all --limit 5     the reference as well

)" + variant_help()};
}

Group run_group() {
  return {"Run",
          {{"runs", "N", "measured runs of each variant (default: 5)"},
           {"limit", "SECONDS", "the time each variant may take in all (default: 60)"}}};
}

/// The variants asked for: those named, all, or all but the reference.
std::vector<std::string> chosen_variants(const CommandLine& line) {
  const std::string given = line.text("variant");
  auto names = variant_names();
  if (given == "all") return names;
  if (given.empty()) {
    std::erase(names, "reference");
    return names;
  }
  const auto wanted = split(given, ',');
  for (const auto& name : wanted) find_variant(wfa::variants(), name);
  return wanted;
}

struct Bench {
  Session& session;
  const Sample& pair;
  Progress& progress;
  int runs;
  double limit;

  double run(DistanceOptions method, DistanceAnswer& answer) const {
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [begin] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    method.progress = [&](const wfa::Progress& now) {
      progress.update(now);
      if (elapsed() > limit) throw TooSlow{};
    };
    const bool host = !needs_device(method);
    answer =
        distance(host ? nullptr : session.open(), pair.query.symbols, pair.target.symbols, method);
    return elapsed();
  }

  Measurement measure(const DistanceOptions& method) const {
    DistanceAnswer answer;
    progress.start(method.variant + ", warming up");
    const double first = run(method, answer);
    const int most = std::clamp(static_cast<int>(limit / std::max(first, 1e-6)) - 1, 1, runs);
    std::vector<double> totals;
    std::vector<double> computes;
    for (int i = 0; i < most; ++i) {
      progress.start(
          text_of(method.variant, ", run ", std::to_string(i + 1), " of ", std::to_string(most)));
      run(method, answer);
      progress.finish();
      totals.push_back(answer.timing.total);
      computes.push_back(answer.timing.compute);
    }
    Measurement row = measurement_of(answer, pair.query, pair.target);
    row.seconds = median(totals);
    const double compute = median(computes);
    row.more = {{"compute", compute},
                {"passes", answer.passes},
                {"cells", json_count(answer.cells)},
                {"cells_per_second", compute > 0 ? answer.cells / compute : 0.0},
                {"runs", most}};
    return row;
  }
};

}  // namespace

int bench_wavefront(int argc, const char* const* argv) {
  CommandLine line(
      help(), {run_group(), method_group(), input_group(), device_group(), output_group(true)});
  line.parse(argc, argv);
  if (line.wants_help()) {
    Output("-").write(line.help_text());
    return 0;
  }
  line.files(2);
  const auto names = chosen_variants(line);
  DistanceOptions method;
  method.config = tune::Config::parse(line.text("config"));
  method.max_distance = line.size("max-distance");
  method.ambiguous = parse_ambiguous(line);
  const int runs = line.count("runs", 5, 1);
  const double limit = parse_number(line.text("limit", "60"), "--limit");
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  const bool needed =
      std::ranges::any_of(names, [](const auto& name) { return name != "reference"; });
  Session session(parse_device(line), needed);
  Output out(output.file);
  const Sample pair = read_pair(line);

  const Bench bench{session, pair, progress, runs, limit};
  std::vector<Measurement> rows;
  for (const auto& name : names) {
    method.variant = name;
    try {
      rows.push_back(bench.measure(method));
    } catch (const Error& error) {
      // It does not know a tunable, does not fit, or needs more memory than there is.
      if (error.exit() != Exit::kUsage && error.exit() != Exit::kMemory) throw;
      progress.note("rhomb: " + name + " is left out: " + error.what());
    } catch (const TooSlow&) {
      progress.note("rhomb: " + name + " is left out: a run takes longer than --limit, " +
                    human_seconds(limit));
    }
  }
  if (rows.empty()) throw tune::Unfit("none of the variants could be measured");
  double best = rows.front().seconds;
  for (const auto& row : rows) best = std::min(best, row.seconds);
  for (auto& row : rows) row.ratio = row.seconds / std::max(best, 1e-9);
  check_agreement(rows);
  out.write(table(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
