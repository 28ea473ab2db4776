// SPDX-License-Identifier: Apache-2.0
// rhomb bench paper-search: the experiments of Chacon, Marco-Sola, Espinosa, Ribeca and Moure 2014.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "host/seq/reader.h"
#include "tools/bench/accessions.h"
#include "tools/bench/bench.h"
#include "tools/bench/papers.h"
#include "tools/bench/search_figures.h"
#include "tools/bench/search_runs.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/page.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kFigures = {"4", "5", "6", "7", "8", "R", "strips"};
constexpr std::string_view kAccession = "NC_007605.1";  ///< among rhomb's tests

Help help() {
  return {
      "rhomb bench paper-search [options] [READS TEXT]",
      R"(Measures the experiments of the paper on Myers' search with lanes that work together (Chacon et
al. 2014) again: queries of m symbols, each compared with up to 20 candidates of 1.2 m symbols.
Queries are cut from READS where these are long enough, else they are copies of pieces of TEXT with
edits at 5% of the positions. Candidates are the places of TEXT that share words with the query, and
places taken by chance. Without files TEXT is NC_007605.1 of the current directory or of tests/data
there; if there is none, it is random. The figures are
  4       rate against m for each row, the fastest configuration; and edlib's (HW) on one core
  5, 6    task-private, task-local: work-group sizes
  7, 8    coop: one word a lane, several
  R       coop: tasks a team
  strips  strips-batch: bits a query, rows a strip
A configuration runs on as many of the tasks as it computes in a fraction of a second, strips-batch
with its defaults on all. Its answers are compared with all others, with the reference's and edlib's
on a sample; exit code 6 if they differ. A row is printed for each configuration:
  figure, program, variant, config, device, m, n, pairs, runs
  seconds, gcups                   of the launches, the data in place; the median
  seconds_copies, gcups_copies     with copies of queries, tasks and answers; the median, or NA
  cores                            of a CPU that are used; NA for a GPU
  times_peer, times_peer_core      gcups / that of edlib on the same pairs; and by cores
  note                             why it was not measured; -
)",
      R"(  rhomb bench paper-search --format table
  rhomb bench paper-search reads.fa.gz genome.fa.gz --report search
  rhomb bench paper-search --figures 4 --length 100,1000 --pairs 1M --device cpu
)"};
}

Group work_group() {
  return {"Work",
          {{"length", "M,...", "symbols of the queries (default: 100,200,400,600,800,1000)"},
           {"pairs", "N", "tasks of each length (default: 20M; on a CPU, those of a second)"}}};
}

std::vector<std::uint32_t> parse_lengths(const CommandLine& line) {
  std::vector<std::uint32_t> lengths;
  for (const auto& one : split(line.text("length", "100,200,400,600,800,1000"), ',')) {
    const std::int64_t m = parse_size(one, "--length");
    if (m < 16 || m > 10'000)
      throw UsageError("--length: '" + one + "' is not between 16 and 10,000" + line.pointer());
    lengths.push_back(static_cast<std::uint32_t>(m));
  }
  if (lengths.empty()) throw UsageError("--length: none is given" + line.pointer());
  return lengths;
}

struct Files {
  seq::Batch reads, texts;
  std::string reads_words, text_words;
};

/// "genome.fa.gz, 4,641,652 symbols"
std::string words_of(const std::string& file, const seq::Batch& records) {
  std::int64_t symbols = 0;
  for (const auto& one : records) symbols += static_cast<std::int64_t>(one.symbols.size());
  return text_of(std::filesystem::path(file).filename().string(), ", ",
                 with_commas(static_cast<std::int64_t>(records.size())),
                 records.size() == 1 ? " sequence, " : " sequences, ", with_commas(symbols),
                 " symbols");
}

Files read_files(const CommandLine& line, Progress& progress) {
  Files files;
  files.reads_words = "none: copies of pieces of the text, edits at 5%";
  if (!line.files().empty()) {
    line.files(2);
    files.reads = seq::read_file(line.files()[0]);
    files.texts = seq::read_file(line.files()[1]);
    files.reads_words = words_of(line.files()[0], files.reads);
    files.text_words = words_of(line.files()[1], files.texts);
    return files;
  }
  std::vector<std::string> paths = {"."};
  if (std::filesystem::is_directory("tests/data")) paths.emplace_back("tests/data");
  const auto found = find_bearers(sequence_files(paths), {std::string(kAccession)},
                                  [](const std::string&, const Error&) {});
  if (!found.empty()) {
    files.texts.push_back(read_bearer(found.front()));
    files.text_words = words_of(found.front().path, files.texts);
  } else {
    progress.note(text_of("rhomb: not found: ", kAccession, "; the text is random"));
    files.texts.push_back(random_sample(1'000'000, std::nullopt, 1).query);
    files.text_words = "random, 1,000,000 bases";
  }
  return files;
}

PaperReport report_of(const SearchStudy& study, const Files& files, const PaperOptions& options,
                      const ocl::DeviceInfo& device, double seconds) {
  PaperReport report;
  report.title = "The paper on cooperative search, measured again";
  report.about =
      "<p>The experiments of A. Chac&#243;n, S. Marco-Sola, A. Espinosa, P. Ribeca and J. C. "
      "Moure, "
      "<i>Thread-cooperative, bit-parallel computation of Levenshtein distance on GPU</i>, ICS "
      "2014: where does a short query occur in a candidate piece of a genome, with how few "
      "differences? A cell is one of the m by n that a query and its candidate have; GCUPS are "
      "10<sup>9</sup> cells a second, TCUPS 10<sup>12</sup>. The paper's values are of an NVIDIA "
      "GTX Titan, up to 20 million pairs of simulated reads and the human genome, all data in the "
      "GPU's memory. Here, all answers of a length were compared with each other.</p>\n";
  report.paper = "paper<br/>(GTX Titan)";
  report.entries = {
      {"Device",
       text_of(device.name, ", driver ", device.driver,
               study.cores > 0 ? text_of(", ", std::to_string(study.cores), " cores") : "")},
      {"Reads", files.reads_words},
      {"Text", files.text_words}};
  std::string pairs;
  for (const SearchRow& row : study.rows)
    if (row.variant == "strips-batch" && row.figure == "4" && row.measured() &&
        pairs.find(text_of("m = ", std::to_string(row.m), ":")) == std::string::npos)
      pairs += text_of(pairs.empty() ? "" : "; ", "m = ", std::to_string(row.m), ": ",
                       with_commas(static_cast<std::int64_t>(row.pairs)));
  report.entries.emplace_back("Pairs", pairs);
  report.entries.emplace_back("Measured", text_of(today(), ", in ", human_seconds(seconds),
                                                  ", medians of ", std::to_string(options.runs)));
  report.aims_title = study.cores == 0 ? "What rhomb aims at, on an NVIDIA H200, data in place"
                                       : "What rhomb aims at, on a CPU, data in place";
  report.aims = search_aims(study);
  report.figures = search_figures(study, options.figures);
  return report;
}

}  // namespace

int bench_paper_search(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {paper_group(kFigures), work_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (!line.files().empty()) line.files(2);
  const auto lengths = parse_lengths(line);
  const auto pairs = line.size("pairs");
  if (pairs && (*pairs < 1 || *pairs > 1'000'000'000))
    throw UsageError("--pairs: not between 1 and 10^9" + line.pointer());
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  const PaperOptions options = parse_paper(line, kFigures);
  Session session(parse_device(line), true);
  Output out(output.file);
  std::optional<Output> page;
  if (!options.report.empty()) page.emplace(options.report + "index.html");
  const double begin = now();
  const Files files = read_files(line, progress);
  const SearchMaterial material(files.reads, files.texts);

  SearchRuns runs(session, progress, material, options.runs,
                  pairs ? std::optional(static_cast<std::size_t>(*pairs)) : std::nullopt);
  const TimeShare share(begin + options.budget - now());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    runs.measure(lengths[i], options.figures, share.of(lengths.size() - i));

  const ocl::DeviceInfo& device = *session.info();
  const SearchStudy study{runs.rows(), device.name, runs.gpu() ? 0 : device.limits.compute_units};
  for (const Aim& aim : search_aims(study))
    if (aim.reached)
      progress.note(text_of("rhomb: ", aim.what, ": ", rate_words(aim.reached, aim.unit), ", aim ",
                            rate_words(aim.wanted, aim.unit)));
  if (page) {
    page->write(
        write_report(options.report, report_of(study, files, options, device, now() - begin)));
    page->commit();
  }
  out.write(table(rows_of(runs.rows(), device.name, study.cores), output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
