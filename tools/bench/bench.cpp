// SPDX-License-Identifier: Apache-2.0
// rhomb bench: which benchmark, and what they share.
#include "tools/bench/bench.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string_view>

#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

struct Benchmark {
  std::string_view name;
  std::string_view files;
  std::string_view summary;
  int (*run)(int argc, const char* const* argv);
};

constexpr Benchmark kBenchmarks[] = {
    {"grid", "[A [B]]", "lengths, divergences, engines and variants, each with each", bench_grid},
    {"regress", "BASELINE", "the records of a file in JSON once more: what became slower?",
     bench_regress},
    {"strips", "[A [B]]", "the variants of the strips, side by side", bench_strips},
    {"wavefront", "[A [B]]", "the variants of the wavefront engine, side by side", bench_wavefront},
    {"scaling", "", "time against length, from 1% divergence to unrelated", bench_scaling},
    {"peers", "[A B]", "rhomb beside edlib and WFA2-lib, on files or random pairs", bench_peers},
    {"rate", "", "cells a second: of strips, and as the wavefront grows wider", bench_rate},
    {"search", "[[READS] TEXT]", "the variants of rhomb search on many pairs, edlib beside",
     bench_search},
    {"lcs", "", "the variants of rhomb lcs on many targets, a plain loop beside", bench_lcs},
    {"gaps", "", "the variants of rhomb gaps, the plain recurrence and parasail beside",
     bench_gaps},
    {"primer", "[ALPHA BETA]", "the variants of rhomb primer, confirmed by edlib", bench_primer},
};

std::string help() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& what : kBenchmarks)
    rows.push_back({text_of("  ", what.name, what.files.empty() ? "" : " ", what.files),
                    std::string(what.summary)});
  return "usage: rhomb bench [WHAT] [options] [files]\n\n"
         "Measures, and prints one record a measurement. WHAT is grid where an option stands in "
         "its\nplace, or one of\n" +
         aligned(rows) +
         R"(
rhomb bench WHAT --help tells the options of each. rhomb-plot bench draws pictures of the records in
JSON, and rhomb-papers repeats the experiments of five papers with these benchmarks.

Records have these columns (JSON: keys), and each benchmark adds its own; those of search, lcs and primer
are told by their --help:
  program     rhomb, edlib, wfa2
  engine, variant, config, device
  length      of the longer sequence
  divergence  distance / length
  distance
  seconds     median over the runs, without reading files
  gcups       product of the lengths / seconds / 1e9
  ratio       seconds / seconds of the record that the others are compared with
JSON ends with the key asked where a record can be measured again by rhomb bench regress.

Examples:
  rhomb bench --length 10k,1M --divergence 0.01,unrelated --format table
  rhomb bench grid --format json -o before.json
  rhomb bench regress before.json --format table
  rhomb bench strips A.fa B.fa --runs 5
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=128 --format json
  rhomb bench scaling --format json | rhomb-plot bench -o scaling.svg
  rhomb bench peers --length 1M --divergence 0.01 --format table
  rhomb bench rate --engine strips
  rhomb bench search reads.fa.gz genome.fa.gz --length 100,200 --format table
  rhomb bench lcs --alphabet 4,20 --format table
)";
}

/// Old names, for one release: what they are called now, or which program does it.
struct OldName {
  std::string_view old;
  std::string_view now;
};
constexpr OldName kOldOptions[] = {{"--lengths", "--length"},
                                   {"--divergences", "--divergence"},
                                   {"--budget", "--limit"},
                                   {"--engines", "--engine=auto,strips,wavefront"}};
constexpr OldName kMoved[] = {
    {"paper-wavefront", "rhomb-papers wavefront A.fa B.fa"},
    {"paper-table", "rhomb-papers table FILES"},
    {"paper-search", "rhomb-papers search READS TEXT"},
    {"paper-lcs", "rhomb-papers lcs"},
};

/// The arguments of `scaling` by the names that its options have now.
std::vector<const char*> by_new_names(int argc, const char* const* argv,
                                      std::deque<std::string>& texts) {
  std::vector<const char*> arguments;
  for (int i = 0; i < argc; ++i) {
    const std::string given = argv[i];
    const std::string name = given.substr(0, given.find('='));
    const auto* const old = std::ranges::find(kOldOptions, name, &OldName::old);
    if (old == std::end(kOldOptions)) {
      arguments.push_back(argv[i]);
      continue;
    }
    std::fputs(text_of("rhomb: ", name, " is now ", old->now, "\n").c_str(), stderr);
    texts.push_back(text_of(old->now, given.substr(name.size())));
    arguments.push_back(texts.back().c_str());
  }
  return arguments;
}

/// Pictures are drawn by another program.
void refuse_plot(const std::string& what, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    if (given == "--plot" || given.starts_with("--plot=") || given.starts_with("--plot-value"))
      throw UsageError(text_of(
          "--plot: pictures are drawn by rhomb-plot now, as in: rhomb bench ", what,
          " --format json | rhomb-plot bench -o picture.svg (--plot-value is its --value)"));
  }
}

Json record_of(const Measurement& row) {
  const auto length = std::max({row.query_length, row.target_length, std::int64_t{1}});
  const double product =
      static_cast<double>(row.query_length) * static_cast<double>(row.target_length);
  Json object;
  object["program"] = row.program;
  object["engine"] = row.engine;
  object["variant"] = row.variant;
  object["config"] = json_of(row.config);
  object["device"] = row.device;
  object["length"] = length;
  object["divergence"] =
      row.distance ? Json(rounded(fixed(
                         static_cast<double>(*row.distance) / static_cast<double>(length), 6)))
                   : Json();
  object["distance"] = row.distance ? Json(*row.distance) : Json();
  object["seconds"] = row.seconds;
  object["gcups"] = product / std::max(row.seconds, 1e-9) / 1e9;
  object["ratio"] = rounded(fixed(row.ratio, 3));
  for (const auto& [name, value] : row.more) object[name] = value;
  if (!row.asked.is_null()) object["asked"] = row.asked;
  return object;
}

}  // namespace

std::vector<Json> records_of(const std::vector<Measurement>& rows) {
  std::vector<Json> records;
  for (const auto& row : rows) records.push_back(record_of(row));
  return records;
}

Measurement measurement_of(const DistanceAnswer& answer, const Sample& pair) {
  Measurement row;
  row.engine = answer.engine;
  row.variant = answer.variant;
  row.config = answer.config;
  row.device = answer.device;
  row.query_length = static_cast<std::int64_t>(pair.query.symbols.size());
  row.target_length = static_cast<std::int64_t>(pair.target.symbols.size());
  row.distance = answer.distance;
  row.seconds = answer.timing.total;
  return row;
}

Measurement measurement_of(const Measured& measured, const Sample& pair) {
  Measurement row = measurement_of(measured.answer, pair);
  row.seconds = measured.seconds;
  return row;
}

double ratio_of(const Measurement& row, const Measurement& other) {
  return row.seconds / std::max(other.seconds, 1e-9);
}

void check_agreement(const std::vector<Measurement>& rows) {
  for (const auto& row : rows) {
    if (row.distance == rows.front().distance) continue;
    const auto said = [](const Measurement& which) {
      return which.program + " " + which.variant + " says " +
             (which.distance ? std::to_string(*which.distance) : "more than the limit");
    };
    throw CheckError("the distances differ: " + said(rows.front()) + ", " + said(row) +
                     "; please report this with the input");
  }
}

int run_bench(int argc, const char* const* argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "--help" || what == "-h") {
    Output("-").write(help());
    return 0;
  }
  refuse_plot(what.starts_with('-') ? "grid" : what, argc, argv);
  if (what.starts_with('-')) return bench_grid(argc, argv);
  std::deque<std::string> texts;
  std::vector<const char*> arguments(argv, argv + argc);
  if (what == "scaling") arguments = by_new_names(argc, argv, texts);
  std::vector<std::string> names;
  for (const auto& benchmark : kBenchmarks) {
    if (benchmark.name == what)
      return benchmark.run(static_cast<int>(arguments.size()) - 1, arguments.data() + 1);
    names.emplace_back(benchmark.name);
  }
  for (const auto& [old, now] : kMoved)
    if (old == what)
      throw UsageError(text_of("the papers' experiments are done by rhomb-papers now, as in: ", now,
                               " (tools/python; rhomb-papers --help tells more)"));
  if (what.empty())
    throw UsageError("what is to be measured? One of " + joined(names) +
                     " (rhomb bench --help tells more)");
  throw UsageError("there is no benchmark '" + what + "'" + did_you_mean(what, names) +
                   "; there are: " + joined(names) + " (rhomb bench --help tells more)");
}

}  // namespace rhomb::cli
