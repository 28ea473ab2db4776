// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/section.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/page.h"
#include "tools/svg.h"
#include "tools/tune/map.h"
#include "tools/tune/rows.h"

namespace rhomb::cli {
namespace {

using draw::escaped;
using tune::Outcome;
using tune::Trial;

constexpr std::size_t kBest = 6, kWorst = 4, kReasons = 12;

/// The fastest and the slowest configurations.
std::string extremes(const Tried& tried) {
  std::vector<const Trial*> good;
  for (const Trial& trial : tried.trials())
    if (trial.outcome == Outcome::kMeasured) good.push_back(&trial);
  if (good.empty()) return "<p>None of the configurations could be measured.</p>\n";
  std::ranges::stable_sort(good, {}, &Trial::seconds);
  std::string text =
      "<table>\n<tr><th>configuration</th><th>seconds</th><th>GCUPS</th><th>of the "
      "best</th></tr>\n";
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (good.size() > kBest + kWorst && i == kBest) {
      const std::size_t left = good.size() - kBest - kWorst;
      text += text_of("<tr><td>\u2026 ", std::to_string(left),
                      " more</td><td></td><td></td><td></td></tr>\n");
      i = good.size() - kWorst;
    }
    const Trial& trial = *good[i];
    std::string config = escaped(config_words(trial.config));
    if (trial.config.values().empty())
      config = text_of("<b>as planned</b>: ", escaped(config_words(trial.used)));
    text += text_of("<tr><td>", config, "</td><td>", short_number(trial.seconds), "</td><td>",
                    short_number(gcups_of(trial)), "</td><td>",
                    fixed(100 * good.front()->seconds / std::max(trial.seconds, 1e-9), 0),
                    "%</td></tr>\n");
  }
  return text + "</table>\n";
}

/// Reasons that differ in numbers only are one.
std::string without_numbers(const std::string& why) {
  std::string text;
  bool in_number = false;
  for (const char c : why) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) text += c;
    if (digit && !in_number) text += '#';
    in_number = digit;
  }
  return text;
}

/// Why configurations could not be used, the most frequent reason first.
std::string reasons(const Tried& tried) {
  std::map<std::pair<Outcome, std::string>, std::vector<const Trial*>> groups;
  for (const Trial& trial : tried.trials())
    if (trial.outcome != Outcome::kMeasured)
      groups[{trial.outcome, without_numbers(trial.why)}].push_back(&trial);
  if (groups.empty()) return "";
  std::vector<const std::vector<const Trial*>*> sorted;
  for (const auto& [key, some] : groups) sorted.push_back(&some);
  std::ranges::stable_sort(sorted,
                           [](const auto* a, const auto* b) { return a->size() > b->size(); });
  std::string text = "<table>\n<tr><th>not usable</th><th></th><th>why, for example</th></tr>\n";
  for (std::size_t i = 0; i < std::min(sorted.size(), kReasons); ++i) {
    const Trial& example = *sorted[i]->front();
    const std::string why =
        example.why.size() > 300 ? example.why.substr(0, 300) + "\u2026" : example.why;
    text += text_of("<tr><td>", tune::name_of(example.outcome), "</td><td>",
                    std::to_string(sorted[i]->size()), "</td><td>",
                    escaped(config_words(example.config)), ": ", escaped(why), "</td></tr>\n");
  }
  text += "</table>\n";
  if (sorted.size() > kReasons)
    text += text_of("<p>and ", std::to_string(sorted.size() - kReasons), " other reasons.</p>\n");
  return text;
}

std::string counts(const Tried& tried) {
  std::string text =
      text_of(std::to_string(tried.trials().size()),
              " tried: ", std::to_string(tried.count(Outcome::kMeasured)), " measured");
  for (const Outcome outcome : {Outcome::kUnfit, Outcome::kWrong, Outcome::kFailed, Outcome::kSlow})
    text += text_of(", ", std::to_string(tried.count(outcome)), " ", tune::name_of(outcome));
  return text + ".";
}

/// What the tunables are, and how much each matters.
std::string tunables(const std::vector<Spread>& spreads) {
  std::string text;
  for (const Spread& spread : spreads)
    text += text_of("<tr><td>", escaped(spread.name), "</td><td>", fixed(spread.factor, 2),
                    "</td><td>", escaped(spread.meaning), "</td></tr>\n");
  return text_of("<table>\n<tr><th>tunable</th><th>matters</th><th></th></tr>\n", text,
                 "</table>\n<p class=\"notes\">Matters: of the best rates with each of its values, "
                 "the highest / the lowest; more than it should where few were tried.</p>\n");
}

}  // namespace

std::string anchor_of(const std::string& device, const tune::Task& task) {
  std::string name = text_of(device, "-", task.variant, "-", std::to_string(task.length), "-",
                             divergence_words(task));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '-';
  return name;
}

std::string short_number(double value) { return rate_text(value); }

TaskSection task_section(const Tried& tried, const std::string& device) {
  const tune::Task& task = tried.task();
  const auto spreads = spreads_of(tried);
  TaskSection section;
  section.picture_name = anchor_of(device, task);
  section.picture = svg(heat_map(tried, spreads));
  std::string& text = section.text;
  text = text_of("<section id=\"", section.picture_name, "\">\n<h2>", escaped(task.variant), ", ",
                 task_words(task), "</h2>\n<p>");
  if (const Trial* const best = tried.best())
    text += text_of("Best: <b>", escaped(config_words(best->config)), "</b>, ",
                    short_number(gcups_of(*best)), " GCUPS, ", human(rate_of(*best)),
                    " cells a second computed. ");
  if (const Trial* const planned = tried.planned())
    text += text_of("As planned: ", escaped(config_words(planned->used)), ", ",
                    short_number(gcups_of(*planned)), " GCUPS. ");
  else
    text += "The plan's own choice could not be measured, so there is nothing to compare with. ";
  text += text_of(counts(tried), "</p>\n<div class=\"alone\">\n<div class=\"pictures\">\n<div>\n",
                  inlined(section.picture), "</div>\n", tunables(spreads), "</div>\n<div>\n",
                  extremes(tried), reasons(tried), "</div>\n</div>\n</section>\n");
  return section;
}

std::vector<Plot> size_plots(const std::vector<const Tried*>& all) {
  constexpr std::size_t kCurves = 7;
  const auto alike = [](const Tried* a, const Tried* b) {
    const tune::Task &x = a->task(), &y = b->task();
    return std::tie(x.engine, x.variant, x.divergence) ==
           std::tie(y.engine, y.variant, y.divergence);
  };
  std::vector<std::vector<const Tried*>> rows;
  for (const Tried* const tried : all) {
    if (tried->best() == nullptr) continue;
    if (rows.empty() || !alike(rows.back().front(), tried)) rows.emplace_back();
    rows.back().push_back(tried);
  }
  std::vector<Plot> plots;
  for (const auto& row : rows) {
    if (row.size() < 2) continue;
    const std::string &engine = row.front()->task().engine, &variant = row.front()->task().variant;
    if (plots.empty() || !plots.back().title.starts_with(engine) ||
        plots.back().series.size() >= 2 * kCurves) {
      Plot plot;
      plot.narrow = true;
      plot.title = engine + (engine == "wavefront" ? "s" : "") + ": rate against length";
      plot.subtitle = row.front()->machine().device;
      plot.x = {text_of("length of ", engine_of(row.front()->task()).length), short_tick};
      plot.y = {"GCUPS, on the device", short_tick};
      plot.lines = "Configuration:";
      plot.solid = "the best";
      plot.dashed = "as planned";
      plots.push_back(plot);
    }
    const std::size_t colour = plots.back().series.size() / 2;
    PlotSeries best{
        text_of(variant, ", ", divergence_words(row.front()->task())), colour, Stroke::kSolid, {}};
    PlotSeries planned{best.name, colour, Stroke::kDashed, {}};
    const auto add = [](PlotSeries& series, const Trial* trial) {
      if (trial == nullptr) return;
      series.points.push_back(
          {static_cast<double>(trial->task.length), gcups_of(*trial), Mark::kDisc,
           text_of(series.name, ", ", with_commas(trial->task.length), ", ",
                   config_words(trial->config), ": ", short_number(gcups_of(*trial)), " GCUPS")});
    };
    for (const Tried* const tried : row) {
      add(best, tried->best());
      add(planned, tried->planned());
    }
    plots.back().series.push_back(planned);
    plots.back().series.push_back(best);
  }
  return plots;
}

}  // namespace rhomb::cli
