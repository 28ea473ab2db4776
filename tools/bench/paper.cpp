// SPDX-License-Identifier: Apache-2.0
// rhomb bench paper-wavefront: the experiments of the paper on wavefronts, as a report.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/bench.h"
#include "tools/bench/paper_numbers.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/figures.h"
#include "tools/page.h"
#include "tools/report.h"

namespace rhomb::cli {
namespace {

Help help() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& experiment : experiments())
    rows.push_back({"  " + experiment.number, experiment.idea});
  return {
      "rhomb bench paper-wavefront [options] A B",
      text_of(
          R"(Measures the experiments of the paper on wavefronts (Castells-Rufas 2023) again, on the pair in
the files A and B, and writes a directory: index.html, which shows the figures beside the paper's
values and needs nothing else, and for each figure its rows as figure*.tsv and its pictures as
figure*.svg. The figures are
)",
          aligned(rows), R"(
All of it takes about --budget. Sweeps run on prefixes of the pair, as long as their share of the time
allows: it is learnt from short prefixes how long a run takes. Each table and title says which prefix
it was. What the device does not take, or takes too long, is left out; standard error and the page say
why. Exit code 6 if distances differ. Standard output has a row for each figure: figure, texts, rows,
seconds, pictures. The tables have the columns of every benchmark (rhomb bench --help; ratio compares
with the highest rate of the figure), and: figure, texts, runs, and
  group, tile            work-items a group, tile length (4, 10)
  first_column, last_column, launch_us   mean time of a launch between two columns (5)
  launches_a_read        (7)
  choice, edits, similarity   what ran, edits a position of the copy; NA: the pair itself (13)
)"),
      R"(  rhomb bench paper-wavefront A.fa B.fa
  rhomb bench paper-wavefront A.fa B.fa --report report --budget 20m
  rhomb bench paper-wavefront A.fa B.fa --figures 10,12 --device cpu
)"};
}

Group run_group() {
  return {"Run",
          {{"report", "DIR", "made if there is none (default: paper-wavefront)"},
           {"budget", "TIME", "as 90, 90s, 4m or 1h (default: 4m)"},
           {"figures", "N,...", "only these (default: all)"}}};
}

double parse_budget(const CommandLine& line) {
  const std::string given = line.text("budget", "4m");
  const double seconds = parse_duration(given, "--budget");
  if (seconds < 1)
    throw UsageError("--budget: '" + given + "' is less than a second" + line.pointer());
  return seconds;
}

std::vector<Experiment> chosen(const CommandLine& line) {
  std::vector<std::string> names;
  for (const auto& experiment : experiments()) names.push_back(experiment.number);
  if (!line.has("figures")) return experiments();
  const auto wanted = split(line.text("figures"), ',');
  for (const auto& name : wanted)
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(text_of("--figures: there is no '", name, "'; choose from ", joined(names),
                               line.pointer()));
  auto some = experiments();
  std::erase_if(some, [&](const Experiment& experiment) {
    return std::ranges::find(wanted, experiment.number) == wanted.end();
  });
  if (some.empty()) throw UsageError("--figures: none is given" + line.pointer());
  return some;
}

/// "BA000035.2 (BA000035.2.fa.gz), 3,147,090 bases"
std::string text_words(const seq::Sequence& text, const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return text_of(text.name, name == text.name ? "" : " (" + name + ")", ", ",
                 with_commas(static_cast<std::int64_t>(text.symbols.size())), " bases");
}

/// Whether the pair is, by its lengths, the one that the paper's experiments are about.
bool is_papers(const Sample& pair) {
  const auto main = std::ranges::find(paper_table(), "4", &PaperPair::experiment);
  return static_cast<std::int64_t>(pair.query.symbols.size()) == main->query_length &&
         static_cast<std::int64_t>(pair.target.symbols.size()) == main->target_length;
}

/// What standard output says of a figure.
std::string summary(const std::vector<Figure>& figures, Format format) {
  std::vector<std::vector<std::string>> cells = {
      {"figure", "texts", "rows", "seconds", "pictures"}};
  std::string json;
  for (const Figure& figure : figures) {
    std::vector<std::string> pictures;
    for (const auto& picture : figure.pictures) pictures.push_back(picture.name + ".svg");
    cells.push_back({figure.number, field(figure.texts), std::to_string(figure.rows.size()),
                     fixed(figure.seconds, 1), joined(pictures)});
    Json object;
    object["figure"] = figure.number;
    object["texts"] = figure.texts;
    object["rows"] = figure.rows.size();
    object["seconds"] = rounded(fixed(figure.seconds, 1));
    object["pictures"] = pictures;
    json += json_line(object);
  }
  if (format == Format::kJson) return json;
  return format == Format::kTable ? aligned(cells) : tsv(cells);
}

}  // namespace

int bench_paper_wavefront(int argc, const char* const* argv) {
  CommandLine line(help(), {run_group(), without(input_group(), {"all-pairs"}), device_group(),
                            output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(2);
  const auto wanted = chosen(line);
  const double budget = parse_budget(line);
  const OutputOptions output = parse_output(line, true);
  const auto ambiguous = parse_ambiguous(line);
  Progress progress(parse_progress(line));
  Session session(parse_device(line), true);
  const std::string directory = make_directory(line.text("report", "paper-wavefront"), "--report");
  Output page(directory + "index.html");
  Output out(output.file);
  const Sample pair = read_sample(line);

  const double begin = now();
  Trials trials(pair, session, progress, ambiguous, begin + budget + 10);
  Study study{trials};
  std::vector<Figure> figures;
  double shares = 0;
  for (const auto& experiment : wanted) shares += experiment.share;
  for (const auto& experiment : wanted) {
    const double start = now();
    // What earlier figures did not use is the later ones'.
    const double left = std::max(begin + budget - start, 0.02 * budget);
    Figure figure = experiment.run(study, left * experiment.share / shares);
    shares -= experiment.share;
    figure.notes = trials.take_notes();
    figure.seconds = now() - start;
    if (figure.rows.empty()) {
      progress.note("rhomb: figure " + experiment.number +
                    " is left out: nothing could be measured");
      continue;
    }
    set_ratios(figure.rows);
    write_file(directory + "figure" + figure.number + ".tsv", table(figure.rows, Format::kTsv));
    for (const auto& picture : figure.pictures)
      write_file(directory + picture.name + ".svg", picture.svg);
    figures.push_back(std::move(figure));
  }
  if (figures.empty()) throw tune::Unfit("nothing could be measured within --budget");
  const ReportHead head{text_of(trials.device().name, ", driver ", trials.device().driver),
                        text_words(pair.query, line.files()[0]),
                        text_words(pair.target, line.files()[1]),
                        today(),
                        now() - begin,
                        is_papers(pair)};
  page.write(report_page(head, figures));
  page.commit();
  out.write(summary(figures, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
