// SPDX-License-Identifier: Apache-2.0
// rhomb bench scaling: how the time of `distance` grows with the length, at some divergences, as a
// table and as a plot.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/choose.h"
#include "host/rhomb.h"
#include "tools/bench.h"
#include "tools/command_line.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/plot.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

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
the choice was wrong. Strips alone fill the whole matrix, since nobody estimates the distance for
them. Exit code 6 if distances differ. Added columns:
  series   as given with --divergences; the column divergence is distance / length
  choice   auto, or alone for an engine of --engines
  compute  median seconds on the device
  passes   how often the matrix was gone through
  runs

--plot writes an SVG: time against length on logarithmic axes, a colour for each divergence, a filled
circle where strips gave the answer and a hollow square where wavefronts did; with --engines, dashed
lines for each engine alone.
)",
      R"(  rhomb bench scaling --format table --plot scaling.svg
  rhomb bench scaling --engines --plot engines.svg -o engines.tsv
  rhomb bench scaling --lengths 10k,30k,100k --divergences unrelated,0.05 --device cpu --budget 10
)"};
}

Group run_group() {
  return {"Run",
          {{"lengths", "L,...", "of both texts (default: 10k,100k,1M,4M,16M)"},
           {"divergences", "X,...",
            "edits a position; 0.5 or unrelated: texts that have nothing in common (default: "
            "0.5,0.1,0.01)"},
           {"engines", "", "also each engine alone"},
           {"seed", "N", "of the random texts (default: 1)"},
           {"runs", "N", "measured runs of each pair (default: 3)"},
           {"budget", "SECONDS", "the time that all runs of a pair may take (default: 60)"},
           {"plot", "FILE", "an SVG of the rows, which appears when complete"}}};
}

struct Series {
  std::string name;       ///< in the table
  std::string title;      ///< in the legend
  Divergence divergence;  ///< nothing: unrelated texts
};

std::vector<Series> parse_series(const CommandLine& line) {
  std::vector<Series> series;
  for (const auto& text : split(line.text("divergences", "0.5,0.1,0.01"), ',')) {
    const Divergence divergence = parse_divergence(text, "--divergences");
    if (!divergence || *divergence == 0.5) {
      series.push_back({"unrelated", "50% (unrelated)", std::nullopt});
      continue;
    }
    if (*divergence > 0.5)
      throw UsageError("--divergences: '" + text +
                       "' is above 0.5, which stands for texts that have nothing in common" +
                       line.pointer());
    std::string percent = fixed(*divergence * 100, 6);
    percent.erase(percent.find_last_not_of('0') + 1);
    if (percent.ends_with('.')) percent.pop_back();
    series.push_back({text, percent + "%", divergence});
  }
  if (series.empty()) throw UsageError("--divergences: none is given" + line.pointer());
  return series;
}

std::vector<std::int64_t> parse_lengths(const CommandLine& line) {
  std::vector<std::int64_t> lengths;
  for (const auto& text : split(line.text("lengths", "10k,100k,1M,4M,16M"), ','))
    lengths.push_back(parse_length(text, "--lengths", 1));
  if (lengths.empty()) throw UsageError("--lengths: none is given" + line.pointer());
  std::ranges::sort(lengths);
  return lengths;
}

/// A way to compute: the automatic choice or an engine alone, and how it went with the shorter
/// pairs of a series.
struct Way {
  std::string engine;    ///< as after --engine
  double model = 0;      ///< seconds foreseen for the last pair
  double measured = 0;   ///< and what it took
  bool stopped = false;  ///< longer pairs are left out

  bool alone() const { return engine != "auto"; }
  std::string name() const { return alone() ? engine + " alone" : "distance"; }

  /// The cost model's word, as far as it was true of the last pair. A short one says nothing: there
  /// it is about what the model does not know.
  double foreseen(double now) const {
    return measured > 0.1 && model > 0 ? now * measured / model : now;
  }
};

/// Seconds that the cost model foresees for a pair.
double model_seconds(const std::string& engine, const ocl::DeviceInfo& device, const Sample& pair) {
  const seq::Code code = seq::make_code(pair.query.symbols, pair.target.symbols);
  Problem problem;
  problem.a = pair.query.symbols;
  problem.b = pair.target.symbols;
  problem.code = &code;
  problem = trimmed(problem);
  if (easy_answer(problem)) return 0;
  const Choice choice = choose(problem, device.limits, known_rates(device));
  if (engine == "wavefront") return choice.wave;
  if (engine == "strips") return choice.strips;
  switch (choice.start) {
    case Choice::Start::kWave:
      return choice.wave;
    case Choice::Start::kProbe:
      return choice.patience + choice.strips;
    default:
      return choice.strips;
  }
}

/// A row of the table and what the plot needs of it.
struct Point {
  std::size_t series;
  std::int64_t length;  ///< asked for; that of a copy differs a little
  std::string way;
  Measurement row;
};

struct Bench {
  const Runner& runner;
  std::uint64_t seed;
  std::vector<std::string> engines;  ///< the automatic choice first

  /// One way to compute one pair; nothing when it is left out.
  std::optional<Measurement> measure(const Series& series, std::int64_t length, const Sample& pair,
                                     Way& way) const {
    const std::string label = text_of(way.name(), ", ", series.title, ", ", with_commas(length));
    const auto leave_out = [&](const std::string& why) {
      way.stopped = true;
      runner.progress.note(text_of("rhomb: ", way.name(), ", divergence ", series.title,
                                   ": lengths from ", with_commas(length), " on are left out, ",
                                   why));
      return std::nullopt;
    };
    const double model = model_seconds(way.engine, *runner.session.info(), pair);
    const double foreseen = way.foreseen(model);
    if (2 * foreseen > runner.limit)  // one run to warm up and one that counts
      return leave_out(text_of("two runs would take about ", human_seconds(2 * foreseen),
                               ", --budget is ", human_seconds(runner.limit)));
    try {
      DistanceOptions method;
      method.engine = way.engine;
      const Measured measured = runner.measure(pair, method, label);
      way.model = model;
      way.measured = measured.seconds;
      Measurement row = measurement_of(measured, pair);
      row.more = {{"series", series.name},
                  {"choice", way.alone() ? "alone" : "auto"},
                  {"compute", measured.compute},
                  {"passes", measured.answer.passes},
                  {"runs", measured.runs}};
      return row;
    } catch (const TooSlow&) {
      return leave_out("a run takes longer than --budget, " + human_seconds(runner.limit));
    } catch (const MemoryError& error) {
      return leave_out(error.what());
    }
  }

  std::vector<Point> measure(const std::vector<Series>& all,
                             const std::vector<std::int64_t>& lengths) const {
    std::vector<Point> points;
    for (std::size_t s = 0; s < all.size(); ++s) {
      std::vector<Way> ways;
      for (const auto& engine : engines) ways.push_back({engine});
      for (const std::int64_t length : lengths) {
        if (std::ranges::all_of(ways, &Way::stopped)) break;
        const Sample pair = random_sample(length, all[s].divergence, seed);
        std::vector<Measurement> rows;
        for (Way& way : ways) {
          if (way.stopped) continue;
          auto row = measure(all[s], length, pair, way);
          if (!row) continue;
          row->ratio = rows.empty() ? 1 : row->seconds / std::max(rows.front().seconds, 1e-9);
          rows.push_back(*row);
          points.push_back({s, length, way.engine, *row});
        }
        check_agreement(rows);
      }
    }
    return points;
  }
};

std::string length_tick(double value) {
  constexpr std::array<std::string_view, 4> kUnits = {"", "k", "M", "G"};
  std::size_t unit = 0;
  for (; value > 999 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fixed(value, 0) + std::string(kUnits[unit]);
}

std::string time_tick(double value) {
  if (value < 0.9e-3) return fixed(value * 1e6, 0) + " \u00b5s";
  if (value < 0.9) return fixed(value * 1e3, 0) + " ms";
  return fixed(value, 0) + " s";
}

std::string device_of(const std::vector<Point>& points) {
  return points.empty() ? "" : points.front().row.device;
}

Plot plot_of(const std::vector<Series>& all, const std::vector<Point>& points,
             const std::vector<std::string>& engines) {
  Plot plot;
  plot.title = "rhomb distance on " + device_of(points);
  plot.x = {"length of both sequences (bases)", length_tick};
  plot.y = {"time of a pair, median of the runs", time_tick};
  plot.colours = "Divergence";
  plot.marks = "Answered by";
  plot.disc = "strips";
  plot.square = "wavefronts";
  plot.lines = "Engine";
  plot.solid = "chosen by rhomb";
  plot.dashed = "forced";
  for (std::size_t s = 0; s < all.size(); ++s)
    for (const auto& engine : engines) {
      PlotSeries series{all[s].title, s, engine != "auto", {}};
      for (const Point& point : points) {
        if (point.series != s || point.way != engine) continue;
        const Measurement& row = point.row;
        series.points.push_back(
            {static_cast<double>(point.length), std::max(row.seconds, 1e-9),
             row.engine == "strips" ? Mark::kDisc : Mark::kSquare,
             text_of(all[s].title, ", ", with_commas(point.length), ": ", significant(row.seconds),
                     " s, ", row.engine, " ", row.variant, " ", row.config.text())});
      }
      if (!series.points.empty() || !series.dashed) plot.series.push_back(series);
    }
  return plot;
}

}  // namespace

int bench_scaling(int argc, const char* const* argv) {
  CommandLine line(help(), {run_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto series = parse_series(line);
  const auto lengths = parse_lengths(line);
  const int runs = line.count("runs", 3, 1);
  const double budget = parse_number(line.text("budget", "60"), "--budget");
  const auto seed = static_cast<std::uint64_t>(line.size("seed").value_or(1));
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  Session session(parse_device(line), true);
  Output out(output.file);
  std::optional<Output> picture;
  if (line.has("plot")) picture.emplace(line.text("plot"));

  std::vector<std::string> engines = {"auto"};
  if (line.has("engines")) engines.insert(engines.end(), {"strips", "wavefront"});
  const Runner runner{session, progress, runs, budget, budget};
  const auto points = Bench{runner, seed, engines}.measure(series, lengths);
  if (points.empty()) throw tune::Unfit("nothing could be measured within --budget");
  std::vector<Measurement> rows;
  for (const Point& point : points) rows.push_back(point.row);
  if (picture) picture->write(svg(plot_of(series, points, engines)));
  out.write(table(rows, output.format));
  out.commit();
  if (picture) picture->commit();
  return 0;
}

}  // namespace rhomb::cli
