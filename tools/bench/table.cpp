// SPDX-License-Identifier: Apache-2.0
// rhomb bench paper-table: table 3 of the paper on wavefronts, with rhomb's times beside its own.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/bench.h"
#include "tools/bench/paper_files.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/rows.h"

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb bench paper-table [options] [FILES or DIRECTORIES]",
      R"(Measures the pairs of table 3 of the paper on wavefronts (Castells-Rufas 2023) and prints its values,
of an RTX 3090, beside rhomb's. The sequences are looked for in the FASTA files given, and in those that
lie directly in the directories given (default: the current one): records with the accession as a word
of the header, or in the name of a file with one record. A pair that is not there is a row with NA for
rhomb; standard error says what is missing. Parts of sequences, that is, of another length than the
paper's, are rows of their own without its values. Each of three ways to compute runs once to warm up,
then --runs times: the variants diamond and fused, and the automatic choice. What takes longer than
--limit is NA. Exit code 6 if distances differ, or are not the paper's for texts of the same lengths.
Columns:
  experiment           as in the paper; ", part" when the texts are parts of its texts
  query, query_length, target, target_length
  paper_distance, distance, paper_similarity, similarity
  masa_seconds, masa_gcups             of MASA-CUDAlign's first phase, from the paper
  paper_seconds, paper_gcups           of the paper's best variant
  diamond_seconds, diamond_gcups, diamond_ratio   the same of ours; paper_seconds / ours
  fused_..., auto_...
  auto_engine, device
)",
      R"(  rhomb bench paper-table genomes/ --format table
  rhomb bench paper-table NC_000898.1.fa.gz NC_007605.1.fa.gz --runs 5
  rhomb bench paper-table genomes/ --limit 600 --format json -o table3.json
)"};
}

Group run_group() {
  return {"Run",
          {{"runs", "N", "measured runs of each way and pair (default: 3)"},
           {"limit", "SECONDS", "the longest a run may take (default: 60)"}}};
}

/// What the ways of computing came to on a pair; nothing where one could not.
struct Ours {
  std::array<std::optional<Measured>, 3> ways;  ///< as in kWays
  std::optional<std::int64_t> distance;
};
constexpr std::array<std::string_view, 3> kWays = {"diamond", "fused", "auto"};

DistanceOptions method_of(std::string_view way) {
  DistanceOptions method;
  if (way == "auto") return method;
  method.engine = "wavefront";
  method.variant = way;
  return method;
}

/// The distance of all ways, which is one; nothing if none could run.
std::optional<std::int64_t> distance_of(const PaperFiles& found, const Sample& pair,
                                        const Ours& ours) {
  std::vector<Measurement> rows;
  for (const auto& one : ours.ways)
    if (one) rows.push_back(measurement_of(*one, pair));
  if (rows.empty()) return std::nullopt;
  check_agreement(rows);
  const PaperPair& paper = *found.paper;
  const auto distance = rows.front().distance;
  if (rows.front().query_length == paper.query_length &&
      rows.front().target_length == paper.target_length && distance != paper.distance)
    throw CheckError(text_of("the distance of ", paper.query, " and ", paper.target, " is ",
                             std::to_string(*distance), ", the paper says ",
                             std::to_string(paper.distance),
                             "; the lengths are the paper's, so please report this"));
  return distance;
}

/// Measures pairs; a pair that the paper lists twice is measured once.
class Table {
 public:
  explicit Table(const Runner& runner) : runner_(runner) {}

  Json row_of(const PaperFiles& found) {
    const PaperPair& paper = *found.paper;
    Json row;
    row["experiment"] = text_of(paper.experiment, found.whole ? "" : ", part");
    const auto length = [&](bool query) {
      if (found.files) return (query ? found.files->first : found.files->second).length;
      return query ? paper.query_length : paper.target_length;
    };
    row["query"] = paper.query;
    row["query_length"] = length(true);
    row["target"] = paper.target;
    row["target_length"] = length(false);
    const auto of_paper = [&](const char* name, const Json& value) {
      row[name] = found.whole ? value : Json();
    };
    const Ours ours = found.files ? measured(found) : Ours{};
    of_paper("paper_distance", paper.distance);
    row["distance"] = ours.distance ? Json(*ours.distance) : Json();
    of_paper("paper_similarity", paper.similarity);
    const auto longer = static_cast<double>(std::max(length(true), length(false)));
    row["similarity"] =
        ours.distance ? Json(rounded(fixed(1 - static_cast<double>(*ours.distance) / longer, 6)))
                      : Json();
    of_paper("masa_seconds", paper.masa_seconds);
    of_paper("masa_gcups", paper.masa_gcups);
    of_paper("paper_seconds", paper.seconds);
    of_paper("paper_gcups", paper.gcups);
    const double cells = static_cast<double>(length(true)) * static_cast<double>(length(false));
    for (std::size_t i = 0; i < kWays.size(); ++i) {
      const std::string way(kWays[i]);
      const auto& run = ours.ways[i];
      const double seconds = run ? std::max(run->seconds, 1e-9) : 1;
      const auto add = [&](const char* name, double value, bool known) {
        row[way + name] = known ? Json(rounded(significant(value))) : Json();
      };
      add("_seconds", seconds, run.has_value());
      add("_gcups", cells / seconds / 1e9, run.has_value());
      add("_ratio", paper.seconds / seconds, run && found.whole);
    }
    const auto& chosen = ours.ways.back();
    row["auto_engine"] = chosen ? Json(chosen->answer.engine) : Json();
    row["device"] = runner_.session.info()->name;
    return row;
  }

 private:
  const Ours& measured(const PaperFiles& found) {
    const auto key = [](const Bearer& bearer) {
      return text_of(bearer.path, " ", std::to_string(bearer.index));
    };
    const auto [known, added] =
        measured_.try_emplace(key(found.files->first) + " " + key(found.files->second));
    Ours& ours = known->second;
    if (!added) return ours;
    const Sample pair{read_bearer(found.files->first), read_bearer(found.files->second)};
    for (std::size_t i = 0; i < kWays.size(); ++i) {
      const std::string label =
          text_of(kWays[i], ", ", found.paper->query, " and ", found.paper->target);
      try {
        ours.ways[i] = runner_.measure(pair, method_of(kWays[i]), label);
      } catch (const TooSlow&) {
        runner_.progress.note(text_of("rhomb: ", label, ": left out, a run takes longer than ",
                                      "--limit, ", human_seconds(runner_.run_limit)));
      } catch (const Error& error) {
        if (error.kind() != Kind::kUsage && error.kind() != Kind::kMemory) throw;
        runner_.progress.note(text_of("rhomb: ", label, ": left out: ", error.what()));
      }
    }
    ours.distance = distance_of(found, pair, ours);
    return ours;
  }

  const Runner& runner_;
  std::map<std::string, Ours> measured_;  // by the files and records
};

}  // namespace

int bench_paper_table(int argc, const char* const* argv) {
  CommandLine line(help(), {run_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const int runs = line.count("runs", 3, 1);
  const double limit = parse_number(line.text("limit", "60"), "--limit");
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  Session session(parse_device(line), true);
  Output out(output.file);
  const auto found = find_paper_files(line.files(), progress);
  const Runner runner{session, progress, runs, limit};
  Table table(runner);
  std::vector<Json> rows;
  for (const PaperFiles& pair : found) rows.push_back(table.row_of(pair));
  out.write(printed(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
