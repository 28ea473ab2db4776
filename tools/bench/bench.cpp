// SPDX-License-Identifier: Apache-2.0
// rhomb bench: which benchmark, and what they share.
#include "tools/bench/bench.h"

#include <algorithm>
#include <string_view>

#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

constexpr Verb kBenchmarks[] = {
    {"grid", "[A [B]]", "lengths, divergences, engines and variants, each with each", bench_grid},
    {"regress", "BASELINE", "the records of a file in JSON once more: what became slower?",
     bench_regress},
    {"strips", "[A [B]]", "the variants of the strips, side by side", bench_strips},
    {"wavefront", "[A [B]]", "the variants of the wavefront engine, side by side", bench_wavefront},
    {"scaling", "", "time against length, from 1% divergence to unrelated", bench_scaling},
    {"peers", "[A B]", "rhomb beside edlib and WFA2-lib, on files or random pairs", bench_peers},
    {"pairs", "", "many pairs at a time, edlib, WFA2-lib and WFA-GPU beside", bench_pairs},
    {"rate", "", "cells a second: of strips, and as the wavefront grows wider", bench_rate},
    {"search", "[[READS] TEXT]", "the variants of rhomb search on many pairs, edlib beside",
     bench_search},
    {"lcs", "", "the variants of rhomb lcs on many targets, a plain loop beside", bench_lcs},
    {"gaps", "", "the variants of rhomb gaps, the plain recurrence and parasail beside",
     bench_gaps},
    {"primer", "[ALPHA BETA]", "the variants of rhomb primer, confirmed by edlib", bench_primer},
};

Help help() {
  return {"rhomb bench [WHAT] [options] [files]",
          "Measures, and prints one record a measurement. WHAT is grid where an option stands in "
          "its\nplace, or one of\n" +
              table_of(kBenchmarks) + R"(
rhomb bench WHAT --help tells the options of each. rhomb-plot bench draws pictures of the records in
JSON, and rhomb-papers repeats the experiments of five papers with these benchmarks.

Records have these columns (JSON: keys), and each benchmark adds its own; those of pairs, search, lcs and
primer are told by their --help:
  program     rhomb, edlib, wfa2
  engine, variant, config, device
  length      of the longer sequence
  divergence  distance / length
  distance
  seconds     median over the runs, without reading files
  gcups       product of the lengths / seconds / 1e9
  ratio       seconds / seconds of the record that the others are compared with
JSON ends with the key asked where a record can be measured again by rhomb bench regress.
)",
          R"(  rhomb bench --length 10k,1M --divergence 0.01,unrelated --format table
  rhomb bench grid --format json -o before.json
  rhomb bench regress before.json --format table
  rhomb bench strips A.fa B.fa --runs 5
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=128 --format json
  rhomb bench scaling --format json | rhomb-plot bench -o scaling.svg
  rhomb bench peers --length 1M --divergence 0.01 --format table
  rhomb bench pairs --pairs 50000x1k:0.05 --format table
  rhomb bench rate --engine strips
  rhomb bench search reads.fa.gz genome.fa.gz --length 100,200 --format table
  rhomb bench lcs --alphabet 4,20 --format table
)"};
}

/// Pictures are drawn, and the papers' experiments done, by other programs.
void refuse_moved(const std::string& what, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    if (given == "--plot" || given.starts_with("--plot=") || given.starts_with("--plot-value"))
      throw UsageError(text_of(
          "--plot: pictures are drawn by rhomb-plot now, as in: rhomb bench ", what,
          " --format json | rhomb-plot bench -o picture.svg (--plot-value is its --value)"));
  }
  if (what.starts_with("paper-"))
    throw UsageError(text_of("the papers' experiments are done by rhomb-papers now, as in: ",
                             "rhomb-papers ", what.substr(6), " (rhomb-papers --help tells more)"));
}

}  // namespace

Json record_of(const DistanceAnswer& answer, const Sample& pair, double seconds) {
  const double m = static_cast<double>(pair.query.symbols.size());
  const double n = static_cast<double>(pair.target.symbols.size());
  const double length = std::max({m, n, 1.0});
  Json record;
  record["program"] = "rhomb";
  record["engine"] = answer.engine;
  record["variant"] = answer.variant;
  record["config"] = json_of(answer.config);
  record["device"] = answer.device;
  record["length"] = json_count(length);
  record["divergence"] = nullptr;
  record["distance"] = nullptr;
  if (answer.distance) {
    record["divergence"] = rounded(fixed(static_cast<double>(*answer.distance) / length, 6));
    record["distance"] = *answer.distance;
  }
  record["seconds"] = seconds;
  record["gcups"] = m * n / std::max(seconds, 1e-9) / 1e9;
  record["ratio"] = 1.0;
  return record;
}

void set_ratio(Json& record, const Json& other) {
  const double ratio =
      record["seconds"].get<double>() / std::max(other.at("seconds").get<double>(), 1e-9);
  record["ratio"] = rounded(fixed(ratio, 3));
}

void check_agreement(std::span<const Json> records) {
  const auto said = [](const Json& record) {
    const Json& distance = record.at("distance");
    return text_of(record.at("program").get<std::string>(), " ",
                   record.at("variant").get<std::string>(), " says ",
                   distance.is_null() ? "more than the limit" : distance.dump());
  };
  for (const Json& record : records)
    if (record.at("distance") != records.front().at("distance"))
      throw CheckError("the distances differ: " + said(records.front()) + ", " + said(record) +
                       "; please report this with the input");
}

std::span<const Verb> benchmarks() { return kBenchmarks; }

int run_bench(int argc, const char* const* argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (argc == 0 || what == "--help" || what == "-h") {
    CommandLine line(help(), {});
    parse_or_help(line, argc, argv);
    return 0;
  }
  refuse_moved(what.starts_with('-') ? "grid" : what, argc, argv);
  if (what.starts_with('-')) return bench_grid(argc, argv);
  std::vector<std::string> names;
  for (const auto& benchmark : kBenchmarks) {
    if (benchmark.name == what) return benchmark.run(argc - 1, argv + 1);
    names.emplace_back(benchmark.name);
  }
  if (what.empty())
    throw UsageError("what is to be measured? One of " + joined(names) +
                     " (rhomb bench --help tells more)");
  throw UsageError("there is no benchmark '" + what + "'" + did_you_mean(what, names) +
                   "; there are: " + joined(names) + " (rhomb bench --help tells more)");
}

}  // namespace rhomb::cli
