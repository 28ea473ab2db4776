// SPDX-License-Identifier: Apache-2.0
// rhomb bench scaling: how the time of `distance` grows with the length, at some divergences, as a
// table and as a plot.
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

const PairAxes kAxes{"10k,100k,1M,4M,16M", "0.5,0.1,0.01", "lengths", "divergences"};

Help help() {
  return {
      "rhomb bench scaling [options]",
      R"(Measures `distance`, the engine chosen as for any pair, on random pairs of growing length: a text
of random bases, and a copy with an edit at each position with a probability of --divergences, a third
each substitutions, insertions and deletions. 0.5 means two random texts that have nothing in common:
their distance is about 0.51 of the length, and no edits lead to more (those of a copy with an edit at
each second position partly undo each other). seconds is the median of --runs after one to warm up.

A pair that would probably take longer than --budget, foreseen by the cost model and by what shorter
pairs took, is left out with all longer ones of its divergence; standard error says so. With --engines
each engine is measured alone as well, and ratio is seconds / seconds of the automatic choice: below 1
the choice was wrong. Exit code 6 if distances differ. Added columns:
  series   as given with --divergences; the column divergence is distance / length
  choice   auto, or alone for an engine of --engines
and those of rhomb bench grid, of which this is a special case.

--plot writes an SVG: time against length on logarithmic axes, a colour for each divergence, a filled
circle where strips gave the answer and a hollow square where wavefronts did; with --engines, dashed
and dotted lines for each engine alone.
)",
      R"(  rhomb bench scaling --format table --plot scaling.svg
  rhomb bench scaling --engines --plot engines.svg -o engines.tsv
  rhomb bench scaling --lengths 10k,30k,100k --divergences unrelated,0.05 --device cpu --budget 10
)"};
}

Group run_group() {
  Group group{"Run", flags_of(kAxes)};
  for (const Flag& flag : std::initializer_list<Flag>{
           {"engines", "", "also each engine alone"},
           {"runs", "N", "measured runs of each pair (default: 3)"},
           {"budget", "SECONDS", "the time that all runs of a pair may take (default: 60)"},
           {"plot", "FILE", "an SVG of the rows, which appears when complete"}})
    group.flags.push_back(flag);
  return group;
}

std::vector<PairAsked> parse_series(const CommandLine& line) {
  auto pairs = parse_random_pairs(line, kAxes);
  for (PairAsked& pair : pairs) {
    if (!pair.divergence) continue;
    if (*pair.divergence > 0.5)
      throw UsageError(text_of("--divergences: '", divergence_name(pair.divergence),
                               "' is above 0.5, which stands for texts that have nothing in common",
                               line.pointer()));
    if (*pair.divergence == 0.5) pair.divergence.reset();
  }
  return pairs;
}

}  // namespace

int bench_scaling(int argc, const char* const* argv) {
  CommandLine line(help(), {run_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto pairs = parse_series(line);
  const int runs = line.count("runs", 3, 1);
  const double budget = parse_number(line.text("budget", "60"), "--budget");
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  Session session(parse_device(line), true);
  Output out(output.file);
  std::optional<Output> picture;
  if (line.has("plot")) picture.emplace(line.text("plot"));

  std::vector<DistanceOptions> methods(line.has("engines") ? 3 : 1);
  if (line.has("engines")) {
    methods[1].engine = "strips";
    methods[2].engine = "wavefront";
  }
  GridRules rules;
  rules.limit = "budget";
  rules.to_first = true;
  rules.columns = [](const Asked& asked, const Sample&, const Measured&, Measurement& row) {
    row.more = {{"series", divergence_name(asked.pair.divergence)},
                {"choice", asked.method.engine == "auto" ? "auto" : "alone"}};
  };
  const Runner runner{session, progress, runs, budget, budget};
  const auto points = Grid(runner, rules).measure(product(pairs, methods, runs));
  if (picture) picture->write(svg(plot_of(points, PlotValue::kTime)));
  out.write(table(rows_of(points), output.format));
  out.commit();
  if (picture) picture->commit();
  return 0;
}

}  // namespace rhomb::cli
