// SPDX-License-Identifier: Apache-2.0
// rhomb bench grid: pairs against methods, each with each; and its special cases: strips and
// wavefront, the variants of an engine, and scaling, time against length.
#include <algorithm>
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

/// One of these benchmarks.
struct GridKind {
  std::string name;
  std::string about;  ///< the first sentences of --help
  std::string examples;
  MethodAxes methods;
  PairAxes pairs = {.prefixes = true, .structural = "0"};
  bool to_first = false;  ///< ratio compares with the first record of a pair
  bool exponents = false;
};

constexpr const char* kPair = R"( on the pair in the files A and B, or on
random pairs of each --length and --divergence: a text of random bases, and a copy with an edit at
each position with that probability (a third each substitutions, insertions and deletions); or, for
unrelated, a second random text. With one file and --divergence the pairs are its sequence and such
copies of it. --prefix takes only the beginnings of files' sequences, of one or more lengths.
)";

GridKind grid_kind() {
  return {
      "grid",
      text_of(
          "Runs each engine or variant, with each --config,", kPair,
          R"(An engine runs its best variant if --variant names none of its own; auto is what rhomb chooses.
)"),
      R"(  rhomb bench grid --format table
  rhomb bench grid --engine auto,strips,wavefront --length 10k,30k,100k
  rhomb bench grid A.fa B.fa --variant strips,fused,diamond --format table
  rhomb bench grid --length 1M --divergence unrelated --variant strips --config K=4/8/16
  rhomb bench grid A.fa B.fa --prefix 10k,100k,1M --variant strips,batched --limit 5
  rhomb bench grid A.fa --divergence 0.001,0.01,0.1 --format json
  rhomb bench grid --align A.fa B.fa --format table                what the alignment costs more
  rhomb bench grid -d 0,1 --length 16M --divergence unrelated     what two devices need
  rhomb bench grid --format json -o today.json; rhomb bench regress today.json
)",
      {}};
}

GridKind engine_kind(const std::string& engine, const std::string& title,
                     const std::string& examples) {
  return {engine, text_of("Runs the variants of ", title, kPair), examples, {{engine}, true, true}};
}

GridKind scaling_kind() {
  GridKind kind{
      "scaling",
      text_of(
          "Time against length: runs the engine that rhomb chooses, and each engine alone,", kPair,
          R"(ratio is seconds / seconds of the automatic choice: below 1 the choice was wrong, and standard error
says so where it took more than 1.15 times as long as the fastest engine (and 5 ms longer). exponent is the x of
seconds ~ length^x, fitted to the lengths of a series from a hundredth of the longest on.
)"),
      R"(  rhomb bench scaling --format table
  rhomb bench scaling --format json | rhomb-plot bench -o scaling.svg
  rhomb bench scaling --engine auto,corridor --divergence 0.01 --structural 0,50 -o engines.tsv
  rhomb bench scaling --length 10k,30k,100k --divergence unrelated,0.05 --device cpu --limit 10
)",
      {}};
  kind.methods.engines = {"auto", "strips", "corridor", "wavefront"};
  kind.pairs.lengths = "100k,1M,10M,100M,250M";
  kind.pairs.divergences = "0.001,0.01,0.05,0.1,0.2,unrelated";
  kind.pairs.structural = "0,20";
  kind.to_first = kind.exponents = true;
  return kind;
}

Help help(const GridKind& kind) {
  return {text_of("rhomb bench ", kind.name, " [options] [A [B]]"),
          text_of(kind.about, R"(
Each runs once to warm up, then --runs times. seconds is the median of the whole time for the pair,
ratio is seconds / seconds of the )",
                  kind.to_first ? "first" : "fastest",
                  R"( record of the pair. What does not fit the device,
takes longer than --limit, or would by what shorter pairs took (the square of the length from one,
as they grew from two), is left out;
standard error says why. Exit code 6 if distances differ. Where -d names several devices, all of them
are open, and share a pair if that makes it faster. Added columns:
  series            what pairs of several lengths have in common: the divergence, or the files
  choice            the engine or variant as asked for: auto, strips, fused
  align             true: of the alignment (--align)
  compute           median seconds on the device
  passes            how many times the matrix was computed, with wider and wider bands
  cells             how many were computed
  cells_per_second  cells / compute
  runs              how many were measured: fewer than --runs where --limit leaves no time
  spread            slowest / fastest run
JSON also has the key asked, from which rhomb bench regress repeats the record, and with --timeline the
key timeline: a list of [cost reached, seconds since the start] of the last run.
rhomb-plot bench draws the records in JSON.
)"),
          kind.examples};
}

Group pair_group(const PairAxes& axes) { return {"Random pairs", flags_of(axes)}; }

Group run_group(const GridKind& kind) {
  Group group{"Run", flags_of(kind.methods)};
  for (const Flag& flag : std::initializer_list<Flag>{
           {"max-distance", "D", "stop once the distance is known to exceed D"},
           {"align", "", "the alignment as well, a record of its own after the distance's"},
           {"runs", "N", "measured runs for each record (default: 5)"},
           {"limit", "TIME", "the time that all runs of a record may take (default: 60)",
            FileUse::kNone, "budget"},
           {"timeline", "N",
            "in JSON, up to N points of how far the last run was, and when (default: 0)"}})
    group.flags.push_back(flag);
  return group;
}

int run(const GridKind& kind, int argc, const char* const* argv) {
  CommandLine line(help(kind), {pair_group(kind.pairs), run_group(kind), input_group(),
                                device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto pairs = parse_pairs(line, kind.pairs);
  const int runs = line.count("runs", 5, 1);
  const double limit = parse_duration(line.text("limit", "60"), "--limit");
  const auto timeline = static_cast<std::size_t>(line.count("timeline", 0, 0));
  Bench bench(line);
  const auto methods = parse_methods(line, kind.methods, bench.progress);
  Session& session =
      bench.open(std::ranges::any_of(methods, needs_device), Session::Count::kSeveral);

  GridRules rules;
  rules.named = line.has("variant") && line.text("variant") != "all";
  rules.to_first = kind.to_first;
  rules.exponents = kind.exponents;
  const Runner runner{session, bench.progress, runs, limit, limit, timeline};
  bench.write(Grid(runner, rules).measure(product(pairs, methods, runs, line.has("align"))));
  return 0;
}

}  // namespace

int bench_grid(int argc, const char* const* argv) { return run(grid_kind(), argc, argv); }

int bench_scaling(int argc, const char* const* argv) { return run(scaling_kind(), argc, argv); }

int bench_strips(int argc, const char* const* argv) {
  return run(engine_kind("strips", "the strips", R"(  rhomb bench strips A.fa B.fa --format table
  rhomb bench strips A.fa B.fa --variant strips --config K=8
  rhomb bench strips --length 100k,1M --divergence 0.1 --format table
)"),
             argc, argv);
}

int bench_wavefront(int argc, const char* const* argv) {
  return run(engine_kind("wavefront", "the wavefront engine",
                         R"(  rhomb bench wavefront A.fa B.fa --format table
  rhomb bench wavefront A.fa B.fa --variant fused,batched --runs 9
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=64/128
  rhomb bench wavefront A.fa B.fa --variant all --limit 5     the reference as well
)"),
             argc, argv);
}

}  // namespace rhomb::cli
