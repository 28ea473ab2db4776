// SPDX-License-Identifier: Apache-2.0
// rhomb bench strips, rhomb bench wavefront: the rows of an engine's table on one pair.
#include <algorithm>
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

/// What is different about the benchmark of an engine.
struct Engine {
  std::string name;   ///< as after --engine
  std::string title;  ///< in a sentence
  std::string examples;
};

const Engine kStrips{"strips", "the strips",
                     R"(  rhomb bench strips A.fa B.fa --format table
  rhomb bench strips A.fa B.fa --variant strips --config K=8
)"};

const Engine kWavefront{"wavefront", "the wavefront engine",
                        R"(  rhomb bench wavefront A.fa B.fa --format table
  rhomb bench wavefront A.fa B.fa --variant fused,batched --runs 9
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=128
  rhomb bench wavefront A.fa B.fa --variant all --limit 5     the reference as well
)"};

Help help(const Engine& engine) {
  return {text_of("rhomb bench ", engine.name, " [options] A B"),
          text_of("Runs the variants of ", engine.title,
                  R"( on the pair in the files A and B: once to warm up, then
--runs times. seconds is the median of the whole time for the pair, ratio compares it with that of
the fastest row. Added columns: compute (median seconds on the device), passes, cells,
cells_per_second (cells / compute), runs. A variant that does not fit the device or the pair, or takes
longer than --limit, is left out; standard error says why. Exit code 6 if distances differ.
)"),
          text_of(engine.examples, "\n", variant_help(engine.name))};
}

Group run_group() {
  return {
      "Run",
      {{"variant", "NAMES", "which, in the order wanted, or all (default: all but a reference)"},
       {"runs", "N", "measured runs of each variant (default: 5)"},
       {"limit", "SECONDS", "the time each variant may take in all (default: 60)"}}};
}

/// The variants asked for: those named, all, or all but the reference.
std::vector<std::string> chosen_variants(const CommandLine& line, const Engine& engine) {
  const std::string given = line.text("variant");
  auto names = variant_names(engine.name);
  if (given == "all") return names;
  if (given.empty()) {
    std::erase(names, "reference");
    return names;
  }
  auto wanted = split(given, ',');
  for (const auto& name : wanted)
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(text_of("--variant: there is no '", name, "'", did_you_mean(name, names),
                               "; choose from ", joined(names)));
  return wanted;
}

Measurement row_of(const Measured& measured, const Sample& pair) {
  Measurement row = measurement_of(measured, pair);
  row.more = {{"compute", measured.compute},
              {"passes", measured.answer.passes},
              {"cells", json_count(measured.answer.cells)},
              {"cells_per_second", measured.cells_per_second()},
              {"runs", measured.runs}};
  return row;
}

int bench_engine(const Engine& engine, int argc, const char* const* argv) {
  CommandLine line(help(engine), {run_group(), without(method_group(), {"engine", "variant"}),
                                  input_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(2);
  const auto names = chosen_variants(line, engine);
  const bool named = line.has("variant") && line.text("variant") != "all";
  DistanceOptions method;
  method.engine = engine.name;
  method.config = tune::Config::parse(line.text("config"));
  method.max_distance = line.size("max-distance");
  method.ambiguous = parse_ambiguous(line);
  const int runs = line.count("runs", 5, 1);
  const double limit = parse_number(line.text("limit", "60"), "--limit");
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  const bool needed = std::ranges::any_of(names, [&](const auto& name) {
    DistanceOptions one = method;
    one.variant = name;
    return needs_device(one);
  });
  Session session(parse_device(line), needed);
  Output out(output.file);
  const Sample pair = read_sample(line);

  const Runner runner{session, progress, runs, limit, limit};
  std::vector<Measurement> rows;
  for (const auto& name : names) {
    method.variant = name;
    try {
      rows.push_back(row_of(runner.measure(pair, method, name), pair));
    } catch (const Error& error) {
      // It does not know a tunable, does not fit, or needs more memory than there is; or a device
      // that is not OpenCL's, and nobody asked for it by name.
      const bool absent = error.exit() == Exit::kDevice && !needs_device(method) && !named;
      if (error.exit() != Exit::kUsage && error.exit() != Exit::kMemory && !absent) throw;
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

}  // namespace

int bench_strips(int argc, const char* const* argv) { return bench_engine(kStrips, argc, argv); }
int bench_wavefront(int argc, const char* const* argv) {
  return bench_engine(kWavefront, argc, argv);
}

}  // namespace rhomb::cli
