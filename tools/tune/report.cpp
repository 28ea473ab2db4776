// SPDX-License-Identifier: Apache-2.0
// rhomb tune --report: what sweeps have found, as a page with pictures, and files beside it.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "host/engine/ceilings.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/page.h"
#include "tools/roofline.h"
#include "tools/svg.h"
#include "tools/tune/rows.h"
#include "tools/tune/section.h"
#include "tools/tune/tried.h"
#include "tools/tune/tune.h"

namespace rhomb::cli {
namespace {

using draw::escaped;

constexpr std::string_view kIntroduction =
    "<p>Each configuration was planned, built, compared with the plain reference on small texts, "
    "and measured on random ones in a process of its own. <b>GCUPS</b>: the cells of the matrix, "
    "of a pair length \u00d7 length, of search and lcs those of all tasks together, / seconds on "
    "the device / 10<sup>9</sup>, the median of some runs; whatever an engine leaves out of the "
    "matrix, this is high where time is short. Of search and lcs the seconds are those of the "
    "launches, data in place. <b>Cells a second</b> counts the cells that were "
    "computed, bands and wavefronts only. <i>As planned</i> is what rhomb takes by itself on a "
    "device that nobody has tuned it for. A setting is worth keeping if it takes at least 3% less "
    "time than that.</p>\n";

/// The tasks of one device, which are of one machine.
struct DeviceTasks {
  std::string number;  ///< in the names of files: "1"
  tune::Machine machine;
  std::vector<const Tried*> tasks;
};

std::vector<DeviceTasks> by_device(const std::vector<Tried>& all) {
  std::vector<DeviceTasks> devices;
  for (const Tried& tried : all) {
    auto found = std::ranges::find(devices, tried.machine(), &DeviceTasks::machine);
    if (found == devices.end())
      found =
          devices.insert(devices.end(), {std::to_string(devices.size() + 1), tried.machine(), {}});
    found->tasks.push_back(&tried);
  }
  for (DeviceTasks& device : devices)
    std::ranges::stable_sort(device.tasks, [](const Tried* a, const Tried* b) {
      const auto &x = a->task(), &y = b->task();
      return std::tuple(place_of(x), x.variant, x.divergence, x.length) <
             std::tuple(place_of(y), y.variant, y.divergence, y.length);
    });
  return devices;
}

/// Writes the picture into the directory, and returns it as a part of the page.
std::string picture(const std::string& directory, const std::string& name, const std::string& svg) {
  write_file(directory + name + ".svg", svg);
  return text_of("<div>\n", inlined(svg), "</div>\n");
}

/// The task as the first cell of a row.
std::string task_cell(const std::string& device, const tune::Task& task) {
  return text_of("<tr><td><a href=\"#", anchor_of(device, task), "\">", escaped(task.variant),
                 "</a><br/><small>", with_commas(task.length), ", ", divergence_words(task),
                 "</small></td>");
}

std::string cells_of(const std::vector<std::string>& cells) {
  std::string text;
  for (const auto& cell : cells) text += text_of("<td>", cell, "</td>");
  return text + "</tr>\n";
}

std::string best_table(const DeviceTasks& device) {
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th>row<br/><small>length, edits a symbol</small></th>"
      "<th>best</th><th>seconds<br/><small>as planned</small></th><th>gain</th><th>GCUPS</th>"
      "</tr>\n";
  for (const Tried* const tried : device.tasks) {
    const tune::Trial *const best = tried->best(), *const planned = tried->planned();
    const auto seconds = [&](const tune::Trial* trial) {
      return trial != nullptr ? short_number(trial->seconds) : std::string("\u2013");
    };
    text += task_cell(device.number, tried->task());
    text += cells_of({best != nullptr ? escaped(config_words(best->config)) : "none",
                      text_of(seconds(best), "<br/><small>", seconds(planned), "</small>"),
                      best != nullptr && planned != nullptr
                          ? fixed(planned->seconds / std::max(best->seconds, 1e-9), 2)
                          : "\u2013",
                      best != nullptr ? short_number(gcups_of(*best)) : "\u2013"});
  }
  return text + "</table></div>\n";
}

/// The table beside the roofline; adds its rows to `rows` as well.
std::string roofline_table(const std::string& device, const std::vector<RooflineMark>& marks,
                           const Ceilings& ceilings, std::vector<Json>& rows) {
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th>row, at its best</th><th>operations a cell</th>"
      "<th>bytes a cell</th><th>operations a second</th><th>of the roof</th></tr>\n";
  for (const RooflineMark& mark : marks) {
    text += task_cell(device, mark.trial->task);
    text += cells_of({short_number(mark.work.operations), short_number(mark.work.bytes),
                      human(mark.operations()), fixed(100 * mark.part(ceilings), 1) + "%"});
    Json row = row_of(*mark.trial);
    row.erase("outcome");
    row.erase("why");
    row["config"] = json_of(mark.trial->used);
    row["operations_a_cell"] = mark.work.operations;
    row["bytes_a_cell"] = mark.work.bytes;
    row["operations_a_byte"] = mark.intensity();
    row["operations_a_second"] = mark.operations();
    row["of_the_roof"] = mark.part(ceilings);
    rows.push_back(row);
  }
  return text + "</table></div>\n";
}

std::string roofline_part(const DeviceTasks& device, const Ceilings& ceilings,
                          const std::string& directory, std::vector<Json>& rows) {
  std::string text = "<section>\n<h2>Against the ceilings of the device</h2>\n";
  if (ceilings.logic <= 0 || ceilings.bytes <= 0)
    return text +
           "<p>Nobody has measured the ceilings of this device; every sweep does first.</p>\n"
           "</section>\n";
  const auto marks = roofline_marks(device.tasks);
  text += text_of(
      "<p>Measured on the device by kernels that do nothing else: ", human(ceilings.logic),
      " three-input logic operations on 32-bit words a second, ", human(ceilings.bytes),
      " bytes of device memory a second read and written, ", short_number(1e6 * ceilings.launch),
      " \u00b5s from one launch to the next. Cells a second are measured as well. What a cell "
      "takes "
      "is an <b>estimate</b>, counted by hand in the kernels, of operations on words of 32 bits "
      "and "
      "of bytes of device memory:</p>\n"
      "<ul>\n<li>Strips: (7 K + 6) / (32 K) logic operations for two planes. Bytes: the words "
      "between groups, the text once a group, and the state that each launch loads and "
      "stores.</li>\n"
      "<li>Wavefronts: 9 integer operations, taken to be as fast as logic, which they are not "
      "everywhere; and 31 more in a cell that reads the texts. Where windows of 32 symbols are "
      "kept "
      "(fused, group, diamond) that is the part of the cells in which the mean match between two "
      "edits uses a window up, else every cell. Bytes: the rows that launches read and write. The "
      "texts count once, because caches keep them. Caches that keep the rows too, as they do for "
      "short texts, make the true intensity higher.</li>\n"
      "<li>Search: strips-batch takes (7 K + 20) operations for 32 K cells of a step, in which "
      "strips wait for each other; columns of words 9 operations and one a plane for 32 cells, and "
      "what a column takes besides. lcs: strips-lcs (4 K + 5) for 32 K cells, crochemore three and "
      "allison-dix four for 32, and 12 a column and block. Bytes: texts, tasks and answers, and of "
      "lcs what blocks of rows hand on.</li>\n</ul>\n");
  text += "<div class=\"alone\">\n<div class=\"pictures\">\n";
  text += picture(directory, "roofline-" + device.number,
                  svg(roofline(ceilings, marks, device.machine.device)));
  text +=
      text_of("</div>\n<div>\n", roofline_table(device.number, marks, ceilings, rows),
              "<p>All rows: <a href=\"roofline.tsv\">roofline.tsv</a>. A row far below the roof "
              "waits: for launches, barriers, memory that answers late, or for work, where "
              "there is too little of it for the device.</p>\n");
  return text + "</div>\n</div>\n</section>\n";
}

std::string sizes_part(const DeviceTasks& device, const std::string& directory) {
  const auto plots = size_plots(device.tasks);
  if (plots.empty()) return "";
  std::string text =
      "<section>\n<h2>Rate against size</h2>\n<p>The best configuration of each length, and what "
      "the plan takes by itself.</p>\n<div class=\"several\">\n<div class=\"pictures\">\n";
  for (std::size_t i = 0; i < plots.size(); ++i)
    text += picture(directory, text_of("sizes-", device.number, "-", std::to_string(i + 1)),
                    svg(plots[i]));
  return text + "</div>\n</div>\n</section>\n";
}

std::string device_part(const DeviceTasks& device, const tune::Store& store,
                        const std::string& directory, std::vector<Json>& rows) {
  const auto& [name, driver, units] = device.machine;
  std::string text = text_of("<section>\n<h2>", escaped(name), "</h2>\n<dl>\n");
  text += page_entry("Driver", driver.empty() ? "any" : driver);
  text += page_entry("Compute units", std::to_string(units));
  text += "</dl>\n<p>The best of each row and pair of texts:</p>\n" + best_table(device) +
          "</section>\n";
  text += roofline_part(device, known_ceilings(named(device.machine), store), directory, rows);
  text += sizes_part(device, directory);
  for (const Tried* const tried : device.tasks) {
    const TaskSection section = task_section(*tried, device.number);
    write_file(directory + section.picture_name + ".svg", section.picture);
    text += section.text;
  }
  return text;
}

std::string trials_tsv(const std::vector<DeviceTasks>& devices) {
  std::vector<Json> rows;
  for (const DeviceTasks& device : devices)
    for (const Tried* const tried : device.tasks)
      for (const tune::Trial& trial : tried->trials()) {
        Json row = row_of(trial);
        row["driver"] = trial.machine.driver;
        row["compute_units"] = trial.machine.compute_units;
        row["kernels"] = trial.kernels;
        const bool good = trial.outcome == tune::Outcome::kMeasured;
        row["used"] = good ? json_of(trial.used) : Json();
        row["gcups"] = good ? Json(gcups_of(trial)) : Json();
        row["spread"] = good ? Json(trial.spread) : Json();
        row["distance"] = good ? Json(trial.distance) : Json();
        rows.push_back(row);
      }
  return printed(rows, Format::kTsv);
}

}  // namespace

int tune_report(const CommandLine& line) {
  const OutputOptions output = parse_output(line, true);
  const std::string part = line.text("device");
  const Evidence evidence = read_evidence(line.text("from"));
  const auto all = evidence.tried(part);
  if (all.empty())
    throw UsageError(text_of("--report: there are no trials",
                             part.empty() ? "" : " of a device whose name has '" + part + "'",
                             "; rhomb tune makes some"));
  const std::string directory = make_directory(line.text("report"), "--report");
  Output page(directory + "index.html");
  Output out(output.file);

  const auto devices = by_device(all);
  std::vector<Json> rows, roofline_rows;
  std::size_t trials = 0;
  for (const Tried& tried : all) trials += tried.trials().size();
  std::string text = page_head("rhomb tune");
  text += "<h1>What rhomb tune has measured</h1>\n";
  text += kIntroduction;
  text += "<dl>\n" + page_entry("Trials", with_commas(static_cast<std::int64_t>(trials)));
  if (trials < evidence.trials.size())
    text += page_entry("Left out",
                       with_commas(static_cast<std::int64_t>(evidence.trials.size() - trials)) +
                           ": older ones, or of other devices");
  text += page_entry("Written", today()) +
          "</dl>\n<p class=\"notes\">As tables: <a href=\"best.tsv\">best.tsv</a>, "
          "<a href=\"trials.tsv\">trials.tsv</a>. Every picture is beside this page as an "
          "SVG.</p>\n";
  for (const DeviceTasks& device : devices) {
    text += device_part(device, evidence.store, directory, roofline_rows);
    for (const Tried* const tried : device.tasks) rows.push_back(summary_of(*tried));
  }
  write_file(directory + "best.tsv", printed(rows, Format::kTsv));
  write_file(directory + "trials.tsv", trials_tsv(devices));
  write_file(directory + "roofline.tsv", printed(roofline_rows, Format::kTsv));
  page.write(text + "</body>\n</html>\n");
  page.commit();
  out.write(printed(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
