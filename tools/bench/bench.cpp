// SPDX-License-Identifier: Apache-2.0
// rhomb bench: which benchmark, and what they share.
#include "tools/bench/bench.h"

#include <algorithm>

#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

struct Benchmark {
  std::string_view name;
  std::string_view files;
  std::string_view idea;
  int (*run)(int argc, const char* const* argv);
};

constexpr Benchmark kBenchmarks[] = {
    {"grid", "[A B]", "lengths, divergences, engines and variants, each with each; also a plot",
     bench_grid},
    {"regress", "BASELINE", "the rows of a file in JSON once more: what became slower?",
     bench_regress},
    {"strips", "[A B]", "the variants of the strips, side by side", bench_strips},
    {"wavefront", "[A B]", "the variants of the wavefront engine, side by side", bench_wavefront},
    {"scaling", "", "time against length, from 1% divergence to unrelated; also a plot",
     bench_scaling},
    {"peers", "[A B]", "rhomb beside edlib and WFA2-lib, on files or a random pair", bench_peers},
    {"startup", "A B", "the whole program with empty and with filled caches", bench_startup},
    {"rate", "", "cells a second: of strips, and as the wavefront grows wider", bench_rate},
    {"paper-wavefront", "A B", "the figures of the paper on wavefronts, as pictures and a page",
     bench_paper_wavefront},
    {"paper-table", "[FILES]", "that paper's table of pairs beside rhomb's times",
     bench_paper_table},
    {"paper-search", "[READS TEXT]", "the figures of the paper on Myers' search, and its rows",
     bench_paper_search},
    {"paper-lcs", "", "the figures of the paper on common subsequences, and its rows",
     bench_paper_lcs},
};

std::string help() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& what : kBenchmarks)
    rows.push_back({text_of("  ", what.name, what.files.empty() ? "" : " ", what.files),
                    std::string(what.idea)});
  return "usage: rhomb bench [WHAT] [options] [files]\n\n"
         "Measures, and prints one row a measurement. WHAT is grid where an option stands in its\n"
         "place, or one of\n" +
         aligned(rows) +
         R"(
rhomb bench WHAT --help tells the options of each.

Every row has these columns (JSON: keys), and each benchmark adds its own; those of paper-search and
paper-lcs are told by their --help:
  program     rhomb, edlib, wfa2
  engine, variant, config, device
  length      of the longer sequence
  divergence  distance / length
  distance
  seconds     median over the runs, without reading files
  gcups       product of the lengths / seconds / 1e9
  ratio       seconds / seconds of the row that the others are compared with
JSON ends with the key asked where a row can be measured again by rhomb bench regress.

Examples:
  rhomb bench --length 10k,1M --divergence 0.01,unrelated --plot grid.svg
  rhomb bench grid --format json -o before.json
  rhomb bench regress before.json --format table
  rhomb bench strips A.fa B.fa --runs 5
  rhomb bench wavefront A.fa B.fa --variant fused --config WG=128 --format json
  rhomb bench scaling --plot scaling.svg --format table
  rhomb bench peers --length 1M --divergence 0.01 --format table
  rhomb bench startup A.fa B.fa
  rhomb bench rate --engine strips
  rhomb bench paper-wavefront A.fa B.fa --report report
  rhomb bench paper-table genomes/ --format table
  rhomb bench paper-search reads.fa.gz genome.fa.gz --report search
  rhomb bench paper-lcs --report lcs --format table
)";
}

}  // namespace

std::string table(const std::vector<Measurement>& rows, Format format) {
  std::vector<std::vector<std::string>> cells = {{"program", "engine", "variant", "config",
                                                  "device", "length", "divergence", "distance",
                                                  "seconds", "gcups", "ratio"}};
  std::string json;
  for (const auto& row : rows) {
    const auto length = std::max({row.query_length, row.target_length, std::int64_t{1}});
    std::optional<double> divergence = row.divergence;
    if (!divergence && row.distance)
      divergence = static_cast<double>(*row.distance) / static_cast<double>(length);
    const double product =
        static_cast<double>(row.query_length) * static_cast<double>(row.target_length);
    const std::string gcups = significant(product / std::max(row.seconds, 1e-9) / 1e9);
    const std::string ratio = fixed(row.ratio, 3);
    if (format == Format::kJson) {
      Json object;
      object["program"] = row.program;
      object["engine"] = row.engine;
      object["variant"] = row.variant;
      object["config"] = json_of(row.config);
      object["device"] = row.device;
      object["length"] = length;
      object["divergence"] = divergence ? Json(rounded(fixed(*divergence, 6))) : Json();
      object["distance"] = row.distance ? Json(*row.distance) : Json();
      object["seconds"] = rounded(significant(row.seconds));
      object["gcups"] = rounded(gcups);
      object["ratio"] = rounded(ratio);
      for (const auto& [name, value] : row.more)
        object[name] =
            value.is_number_float() ? Json(rounded(significant(value.get<double>()))) : value;
      if (!row.asked.is_null()) object["asked"] = row.asked;
      json += json_line(object);
      continue;
    }
    std::vector<std::string> line = {
        row.program,
        field(row.engine),
        field(row.variant),
        field(row.config.text()),
        field(row.device),
        std::to_string(length),
        divergence ? fixed(*divergence, 6) : "NA",
        row.distance ? std::to_string(*row.distance) : "NA",
        significant(row.seconds),
        gcups,
        ratio,
    };
    for (const auto& [name, value] : row.more) {
      if (cells.size() == 1) cells.front().push_back(name);
      line.push_back(value.is_number_float() ? significant(value.get<double>())
                     : value.is_string()     ? field(value.get<std::string>())
                     : value.is_null()       ? "NA"
                                             : value.dump());
    }
    cells.push_back(line);
  }
  if (format == Format::kJson) return json;
  return format == Format::kTable ? aligned(cells) : tsv(cells);
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

double added(const Measurement& row, std::string_view name) {
  const auto found = std::ranges::find(row.more, name, &std::pair<std::string, Json>::first);
  return found != row.more.end() && found->second.is_number() ? found->second.get<double>() : 0;
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
