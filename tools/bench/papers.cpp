// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/papers.h"

#include <algorithm>

#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/page.h"
#include "tools/report.h"
#include "tools/svg.h"

namespace rhomb::cli {
namespace {

std::string cell_of(const Json& value) {
  if (value.is_null()) return "NA";
  if (value.is_string()) return field(value.get<std::string>());
  if (value.is_number_float()) return significant(value.get<double>());
  return value.dump();
}

std::string aims_of(const PaperReport& report) {
  if (report.aims.empty()) return "";
  std::string text =
      text_of("<section id=\"aims\">\n<h2>", draw::escaped(report.aims_title),
              "</h2>\n<div class=\"wide\">\n<table>\n<tr><th></th><th>aim, at least</th>",
              "<th>here</th><th></th></tr>\n");
  for (const Aim& aim : report.aims)
    text +=
        text_of("<tr><td>", draw::escaped(aim.what), "</td><td>", rate_words(aim.wanted, aim.unit),
                "</td><td>", rate_words(aim.reached, aim.unit), "</td><td>",
                !aim.reached                ? ""
                : *aim.reached < aim.wanted ? "not reached"
                                            : "reached",
                "</td></tr>\n");
  return text + "</table>\n</div>\n</section>\n";
}

}  // namespace

bool PaperOptions::wants(const std::string& figure) const {
  return std::ranges::find(figures, figure) != figures.end();
}

Group paper_group(const std::vector<std::string>& figures) {
  return {"Run",
          {{"report", "DIR", "write a page, pictures and tables there (default: rows only)"},
           {"budget", "TIME", "as 90, 90s, 4m or 1h (default: 4m)"},
           {"runs", "N", "of which the median counts (default: 3)"},
           {"figures", "NAME,...", "only these of " + joined(figures) + " (default: all)"}}};
}

PaperOptions parse_paper(const CommandLine& line, const std::vector<std::string>& figures) {
  PaperOptions options;
  const std::string budget = line.text("budget", "4m");
  options.budget = parse_duration(budget, "--budget");
  if (options.budget < 1)
    throw UsageError("--budget: '" + budget + "' is less than a second" + line.pointer());
  options.runs = line.count("runs", 3, 1);
  options.figures = line.has("figures") ? split(line.text("figures"), ',') : figures;
  for (const auto& name : options.figures)
    if (std::ranges::find(figures, name) == figures.end())
      throw UsageError(text_of("--figures: there is no '", name, "'; choose from ", joined(figures),
                               line.pointer()));
  if (options.figures.empty()) throw UsageError("--figures: none is given" + line.pointer());
  if (line.has("report")) options.report = make_directory(line.text("report"), "--report");
  return options;
}

std::string table(const std::vector<Json>& rows, Format format) {
  if (format == Format::kJson) {
    std::string text;
    for (Json row : rows) {
      for (auto& value : row)
        if (value.is_number_float()) value = rounded(significant(value.get<double>()));
      text += json_line(row);
    }
    return text;
  }
  std::vector<std::vector<std::string>> cells(1);
  for (const Json& row : rows) {
    std::vector<std::string> line;
    for (const auto& [name, value] : row.items()) {
      if (cells.size() == 1) cells.front().push_back(name);
      line.push_back(cell_of(value));
    }
    cells.push_back(line);
  }
  return format == Format::kTable ? aligned(cells) : tsv(cells);
}

std::string write_report(const std::string& directory, const PaperReport& report) {
  std::string text = page_head(report.title);
  text += text_of("<h1>", draw::escaped(report.title), "</h1>\n", report.about, "<dl>\n");
  for (const auto& [name, value] : report.entries) text += page_entry(name, value);
  text += "</dl>\n" + aims_of(report);
  for (const PaperFigure& figure : report.figures) {
    const Figure& shown = figure.shown;
    text += report_section(shown, report.paper);
    write_file(directory + "figure" + shown.number + ".tsv", table(figure.rows, Format::kTsv));
    for (const auto& picture : shown.pictures)
      write_file(directory + picture.name + ".svg", picture.svg);
  }
  return text + "</body>\n</html>\n";
}

std::string rate_words(std::optional<double> rate, std::string_view unit) {
  return rate ? text_of(rate_text(*rate), " ", unit) : "not measured";
}

}  // namespace rhomb::cli
