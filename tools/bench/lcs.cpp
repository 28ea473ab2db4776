// SPDX-License-Identifier: Apache-2.0
// rhomb bench paper-lcs: the experiments of Ozsoy, Chauhan and Swany 2013.
#include <optional>

#include "tools/bench/bench.h"
#include "tools/bench/lcs_figures.h"
#include "tools/bench/lcs_runs.h"
#include "tools/bench/papers.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/page.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kFigures = {"8", "9", "10", "11"};

Help help() {
  return {
      "rhomb bench paper-lcs [options]",
      R"(Measures the experiments of the paper on longest common subsequences (Ozsoy et al. 2013) again: a
random query of 4,096 symbols against 50,000, 188,000 and 720,000 random subjects of 4,096, or on a
CPU against fewer, so that crochemore takes a third of a second for the middle set. The figures are
  8   crochemore and allison-dix: alphabet strings in constant and in local memory, copies hidden
      behind launches or not, work-group sizes; strips-lcs too
  9   number of subjects
  10  alphabets of 4, 8, 12, 16, 20 and 26 letters
  11  beside row vectors of 64-bit words on one core (program: plain)
All lengths are compared with each other, and with the reference's and those of plain on a sample;
exit code 6 if they differ. A row is printed for each configuration:
  figure, program, variant, config, device, alphabet, m, n, subjects, runs
  seconds, gcups               of the launches, the data in place; the median
  seconds_whole, gcups_whole   with packing, copies and reads; the median
  cores                        of a CPU that are used; NA for a GPU
  times_peer, times_peer_core  gcups / that of plain for the same alphabet; and by cores
  note                         why it was not measured; -
)",
      R"(  rhomb bench paper-lcs --format table
  rhomb bench paper-lcs --report lcs --budget 2m
  rhomb bench paper-lcs --figures 10 --subjects 2000 --device cpu
)"};
}

Group work_group() {
  return {"Work",
          {{"length", "N", "symbols of the query and of each subject (default: 4096)"},
           {"subjects", "N", "of the middle set (default: 188,000; on a CPU fewer)"}}};
}

PaperReport report_of(const LcsStudy& study, const LcsRuns& runs, const PaperOptions& options,
                      const ocl::DeviceInfo& device, double seconds) {
  PaperReport report;
  report.title = "The paper on common subsequences, measured again";
  report.about =
      "<p>The experiments of A. Ozsoy, A. Chauhan and M. Swany, <i>Achieving TeraCUPS on longest "
      "common subsequence problem using GPGPUs</i>, ICPADS 2013: how long is the longest common "
      "subsequence of one query and each of many subjects? A cell is one of the m by n that the "
      "query and a subject have; GCUPS are 10<sup>9</sup> cells a second, TCUPS 10<sup>12</sup>. "
      "The paper exceeds 1 TCUPS on three NVIDIA M2090; its text has few other numbers. "
      "crochemore and allison-dix are its algorithms, strips-lcs is rhomb's own. All lengths were "
      "compared with each other.</p>\n";
  report.paper = "paper";
  std::string sets;
  for (const std::size_t size : runs.sizes())
    sets += text_of(sets.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(size)));
  report.entries = {
      {"Device",
       text_of(device.name, ", driver ", device.driver,
               study.cores > 0 ? text_of(", ", std::to_string(study.cores), " cores") : "")},
      {"Sets", text_of(sets, " subjects")},
      {"Measured", text_of(today(), ", in ", human_seconds(seconds), ", medians of up to ",
                           std::to_string(options.runs))}};
  report.aims_title = study.cores == 0 ? "What rhomb aims at, on an NVIDIA H200, data in place"
                                       : "What rhomb aims at, on a CPU, data in place";
  report.aims = lcs_aims(study);
  report.figures = lcs_figures(study, options.figures);
  return report;
}

}  // namespace

int bench_paper_lcs(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {paper_group(kFigures), work_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const std::int64_t length = line.size("length").value_or(4096);
  if (length < 1 || length > 65'536)
    throw UsageError("--length: not between 1 and 65,536" + line.pointer());
  const auto subjects = line.size("subjects");
  if (subjects && (*subjects < 1 || *subjects > 10'000'000))
    throw UsageError("--subjects: not between 1 and 10,000,000" + line.pointer());
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  const PaperOptions options = parse_paper(line, kFigures);
  Session session(parse_device(line), true);
  Output out(output.file);
  std::optional<Output> page;
  if (!options.report.empty()) page.emplace(options.report + "index.html");
  const double begin = now();
  LcsRuns runs(session, progress, options.runs, static_cast<std::size_t>(length),
               subjects ? std::optional(static_cast<std::size_t>(*subjects)) : std::nullopt);
  runs.measure(options.figures, options.budget);

  const ocl::DeviceInfo& device = *session.info();
  const LcsStudy study{runs.rows(), device.name, runs.gpu() ? 0 : device.limits.compute_units,
                       runs.middle()};
  for (const Aim& aim : lcs_aims(study))
    if (aim.reached)
      progress.note(text_of("rhomb: ", aim.what, ": ", rate_words(aim.reached, aim.unit), ", aim ",
                            rate_words(aim.wanted, aim.unit)));
  if (page) {
    page->write(
        write_report(options.report, report_of(study, runs, options, device, now() - begin)));
    page->commit();
  }
  out.write(table(rows_of(runs.rows(), device.name, study.cores), output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
