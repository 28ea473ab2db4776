// SPDX-License-Identifier: Apache-2.0
// rhomb bench grid: pairs against methods, each with each; and its special cases rhomb bench strips
// and rhomb bench wavefront, the rows of an engine's table.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/axes.h"
#include "tools/bench/bench.h"
#include "tools/bench/methods.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

/// One of these benchmarks.
struct Kind {
  std::string name;
  std::string about;  ///< the first sentences of --help
  std::string examples;
  MethodAxes methods;
};

constexpr const char* kPair = R"( on the pair in the files A and B, or on
random pairs of each --length and --divergence: a text of random bases, and a copy of it with an edit
at each position with that probability, a third each substitutions, insertions and deletions; or, for
unrelated, a second random text.
)";

Kind grid_kind() {
  return {
      "grid",
      text_of(
          "Runs each engine or variant, with each --config,", kPair,
          R"(An engine of whose variants none is named runs its best one; auto is what rhomb chooses.
)"),
      R"(  rhomb bench grid --format table
  rhomb bench grid --length 10k,1M --divergence 0.001,0.01,0.2,unrelated --plot grid.svg
  rhomb bench grid --engine auto,strips,wavefront --length 10k,30k,100k --plot engines.svg
  rhomb bench grid A.fa B.fa --variant strips,fused,diamond --format table
  rhomb bench grid --length 1M --divergence unrelated --variant strips --config K=4/8/16
  rhomb bench grid --format json -o today.json; rhomb bench regress today.json
)",
      {}};
}

Kind engine_kind(const std::string& engine, const std::string& title, const std::string& examples) {
  return {engine, text_of("Runs the variants of ", title, kPair), examples, {{engine}, true, true}};
}

Help help(const Kind& kind) {
  const std::string of = kind.methods.fixed ? kind.name : "auto";
  return {text_of("rhomb bench ", kind.name, " [options] [A B]"), text_of(kind.about, R"(
Each runs once to warm up, then --runs times. seconds is the median of the whole time for the pair,
ratio compares it with that of the fastest row of the pair. What does not fit the device or the pair, or
takes longer than --limit, as the cost model and shorter pairs foretell or a run shows, is left out;
standard error says why. Exit code 6 if distances differ. Added columns:
  compute           median seconds on the device
  passes            how often the matrix was gone through
  cells             that were computed
  cells_per_second  cells / compute
  runs              that were measured: fewer than --runs where --limit has no room
  spread            slowest / fastest run
JSON has the key asked as well, from which rhomb bench regress repeats the row.

--plot writes an SVG: --plot-value against length on logarithmic axes, a colour for each divergence, a
kind of line for each engine, variant and configuration, a mark for the engine that gave the answer.
)"),
          text_of(kind.examples, "\n", variant_help(of))};
}

Group pair_group(const PairAxes& axes) { return {"Random pairs", flags_of(axes)}; }

Group run_group(const Kind& kind) {
  Group group{"Run", flags_of(kind.methods)};
  for (const Flag& flag : std::initializer_list<Flag>{
           {"max-distance", "D", "give up once the distance is known to exceed D; 10k, 3M, 2G"},
           {"runs", "N", "measured runs of each row (default: 5)"},
           {"limit", "SECONDS", "the time each row may take in all (default: 60)"},
           {"plot", "FILE", "an SVG of the rows on random pairs, which appears when complete"},
           {"plot-value", "WHAT", "time, gcups, or cells: cells_per_second (default: time)"}})
    group.flags.push_back(flag);
  return group;
}

int bench(const Kind& kind, int argc, const char* const* argv) {
  const PairAxes axes;
  CommandLine line(help(kind), {pair_group(axes), run_group(kind), input_group(), device_group(),
                                output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto pairs = parse_pairs(line, axes);
  const int runs = line.count("runs", 5, 1);
  const double limit = parse_number(line.text("limit", "60"), "--limit");
  const auto value = static_cast<PlotValue>(line.choice("plot-value", {"time", "gcups", "cells"}));
  if (line.has("plot") && !pairs.front().random())
    throw UsageError("--plot shows random pairs of several lengths" + line.pointer());
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  const auto methods = parse_methods(line, kind.methods, progress);
  Session session(parse_device(line), std::ranges::any_of(methods, needs_device));
  Output out(output.file);
  std::optional<Output> picture;
  if (line.has("plot")) picture.emplace(line.text("plot"));

  GridRules rules;
  rules.named = line.has("variant") && line.text("variant") != "all";
  const Runner runner{session, progress, runs, limit, limit};
  const auto points = Grid(runner, rules).measure(product(pairs, methods, runs));
  if (picture) picture->write(svg(plot_of(points, value)));
  out.write(table(rows_of(points), output.format));
  out.commit();
  if (picture) picture->commit();
  return 0;
}

}  // namespace

int bench_grid(int argc, const char* const* argv) { return bench(grid_kind(), argc, argv); }

int bench_strips(int argc, const char* const* argv) {
  return bench(engine_kind("strips", "the strips", R"(  rhomb bench strips A.fa B.fa --format table
  rhomb bench strips A.fa B.fa --variant strips --config K=8
  rhomb bench strips --length 100k,1M --divergence 0.1 --format table
)"),
               argc, argv);
}

int bench_wavefront(int argc, const char* const* argv) {
  return bench(engine_kind("wavefront", "the wavefront engine",
                           R"(  rhomb bench wavefront A.fa B.fa --format table
  rhomb bench wavefront A.fa B.fa --variant fused,batched --runs 9
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=64/128
  rhomb bench wavefront A.fa B.fa --variant all --limit 5     the reference as well
)"),
               argc, argv);
}

}  // namespace rhomb::cli
