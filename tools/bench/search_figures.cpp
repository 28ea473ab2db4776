// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/search_figures.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

using Picked = std::vector<const SearchRow*>;
using Test = std::function<bool(const SearchRow&)>;

Picked picked(const SearchStudy& study, const Test& test) {
  Picked found;
  for (const SearchRow& row : study.rows)
    if (row.measured() && test(row)) found.push_back(&row);
  return found;
}

/// The fastest row of each length.
std::map<std::uint32_t, const SearchRow*> fastest(const Picked& rows) {
  std::map<std::uint32_t, const SearchRow*> best;
  for (const SearchRow* row : rows) {
    const SearchRow*& known = best[row->m];
    if (known == nullptr || row->gcups() > known->gcups()) known = row;
  }
  return best;
}

std::map<std::uint32_t, const SearchRow*> fastest(const SearchStudy& study,
                                                  const std::string& variant) {
  return fastest(picked(study, [&](const SearchRow& row) {
    return row.variant == variant && row.program == "rhomb" && row.figure == "4";
  }));
}

std::string rate_of(const SearchStudy& study, double gcups) {
  return text_of(rate_text(study.scaled(gcups)), " ", study.unit());
}

PlotPoint point_of(const SearchStudy& study, double x, const SearchRow& row, double gcups) {
  return {x, study.scaled(gcups), Mark::kDisc,
          text_of(row.program == "rhomb" ? row.variant : row.program, ", m = ",
                  std::to_string(row.m), ", ", row.config.text(), ": ", rate_of(study, gcups))};
}

Plot plot_of(const SearchStudy& study, const std::string& title, bool linear) {
  Plot plot;
  plot.narrow = true;
  plot.title = title;
  plot.subtitle = study.device;
  plot.x = {"m, symbols of a query", whole_tick, true};
  plot.y = {study.unit(), short_tick, linear};
  return plot;
}

/// A curve for each value of one tunable, or for all rows together; `x` is m or another tunable.
void add_curves(Plot& plot, const SearchStudy& study, const Picked& rows, const std::string& x,
                const std::string& by) {
  std::map<int, std::map<double, const SearchRow*>> curves;
  const auto value = [](const SearchRow& row, const std::string& name) {
    return name == "m" ? static_cast<int>(row.m) : row.config.get(name, 0);
  };
  for (const SearchRow* row : rows) {
    const SearchRow*& known = curves[value(*row, by)][value(*row, x)];
    if (known == nullptr || row->gcups() > known->gcups()) known = row;
  }
  std::size_t colour = 0;
  for (const auto& [name, points] : curves) {
    PlotSeries series{text_of(by, " = ", std::to_string(name)), colour++, Stroke::kSolid, {}};
    for (const auto& [at, row] : points)
      series.points.push_back(point_of(study, at, *row, row->gcups()));
    plot.series.push_back(std::move(series));
  }
}

/// "0.61 (m = 100) to 1.02 TCUPS (m = 1000)": the first and the last length.
std::string range_of(const SearchStudy& study,
                     const std::map<std::uint32_t, const SearchRow*>& best) {
  if (best.empty()) return "not measured";
  const auto at = [&](const auto& one) {
    return text_of(rate_of(study, one.second->gcups()), " at ", std::to_string(one.first));
  };
  if (best.size() == 1) return at(*best.begin());
  return text_of(at(*best.begin()), ", ", at(*best.rbegin()));
}

/// The least and the greatest quotient of two curves.
std::string times_of(const std::map<std::uint32_t, const SearchRow*>& a,
                     const std::map<std::uint32_t, const SearchRow*>& b) {
  double least = 0, most = 0;
  for (const auto& [m, row] : a) {
    const auto other = b.find(m);
    if (other == b.end()) continue;
    const double times = row->gcups() / other->second->gcups();
    if (most == 0 || times < least) least = times;
    most = std::max(most, times);
  }
  if (most == 0) return "not measured";
  return text_of(fixed(least, 2), " to ", fixed(most, 2), " times");
}

Figure figure_rates(const SearchStudy& study) {
  Figure figure{"4", "Performance overview", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Rate against the length of the queries, for the configuration of each row that was fastest "
      "here: defaults, and what the sweeps below found. In the first picture the data are on the "
      "device, as in the paper; in the second one the tasks and queries are copied there and the "
      "answers back. strips-batch is rhomb's own; coop is the paper's cooperative algorithm, the "
      "task rows are its task-parallel one with columns in private and in local memory. edlib "
      "(mode "
      "HW, distance only) runs on one core, on a sample of the same pairs.";
  Plot plot = plot_of(study, "Figure 4: rate, data in place", false);
  Plot copies = plot_of(study, "Figure 4: rate, with copies", false);
  std::size_t colour = 0;
  for (const search::Variant& variant : search::variants()) {
    const std::string name(variant.name);
    const auto best = fastest(study, name);
    if (best.empty()) continue;
    PlotSeries in_place{name, colour, Stroke::kSolid, {}}, copied{name, colour, Stroke::kSolid, {}};
    ++colour;
    for (const auto& [m, row] : best) {
      in_place.points.push_back(point_of(study, m, *row, row->gcups()));
      if (row->copies) copied.points.push_back(point_of(study, m, *row, row->gcups_copies()));
    }
    plot.series.push_back(in_place);
    copies.series.push_back(copied);
  }
  const auto peers =
      fastest(picked(study, [](const SearchRow& row) { return row.program != "rhomb"; }));
  if (!peers.empty()) {
    PlotSeries series{
        text_of(peers.begin()->second->program, ", one core"), colour, Stroke::kDashed, {}};
    for (const auto& [m, row] : peers)
      series.points.push_back(point_of(study, m, *row, row->gcups()));
    plot.series.push_back(series);
  }
  plot.dashed = "on the host";
  plot.solid = "rhomb";
  figure.pictures = {{"figure4a", svg(plot)}, {"figure4b", svg(copies)}};

  const auto coop = fastest(study, "coop"), strips = fastest(study, "strips-batch");
  auto tasks = picked(study, [](const SearchRow& row) {
    return row.variant.starts_with("task-") && row.figure == "4";
  });
  figure.facts = {
      {"coop", "1.0 to 2.3 TCUPS", range_of(study, coop)},
      {"strips-batch", "", range_of(study, strips)},
      {"coop / the faster task row", "2 to 7 times", times_of(coop, fastest(tasks))},
      {"strips-batch / coop", "", times_of(strips, coop)},
      {"coop / a CPU", "15 to 22 times (16 cores, task-parallel)",
       peers.empty() ? "edlib is not built in"
                     : text_of(times_of(coop, peers), " (edlib, one core)")},
      {"strips-batch / a CPU", "",
       peers.empty() ? "edlib is not built in"
                     : text_of(times_of(strips, peers), " (edlib, one core)")},
  };
  return figure;
}

Figure figure_tasks(const SearchStudy& study, const std::string& number, const std::string& variant,
                    const std::string& memory, const std::string& paper) {
  Figure figure{number, text_of("Task parallel: ", memory), {}, {}, {}, {}, {}, {}};
  figure.about = text_of("One work-item a task, the columns of bits in ", memory,
                         ", for several work-group sizes. Memory that grows with the queries is "
                         "what slows this way down on a GPU.");
  const auto rows = picked(study, [&](const SearchRow& row) { return row.variant == variant; });
  Plot plot = plot_of(study, text_of("Figure ", number, ": ", variant), true);
  plot.colours = "work-items a group";
  add_curves(plot, study, rows, "m", "WG");
  figure.pictures = {{"figure" + number, svg(plot)}};
  const auto best = fastest(rows);
  figure.facts = {
      {"rate at the longest queries / at the shortest", paper,
       best.empty() ? "not measured"
                    : fixed(best.rbegin()->second->gcups() / best.begin()->second->gcups(), 2)},
      {"rate", "curves only", range_of(study, best)}};
  return figure;
}

bool of_coop(const SearchRow& row) { return row.variant == "coop"; }

Figure figure_one_word(const SearchStudy& study) {
  Figure figure{"7", "Cooperation: one word a lane", {}, {}, {}, {}, {}, {}};
  figure.about =
      "coop with W=1: each lane has 32 rows of a task, as many tasks a team as lanes allow. How "
      "many "
      "of the 32 lanes have work depends on the length, and the rate with it.";
  const auto rows = picked(
      study, [](const SearchRow& row) { return of_coop(row) && row.config.get("W", 0) == 1; });
  Plot plot = plot_of(study, "Figure 7: coop, one word a lane", true);
  plot.colours = "words a lane";
  add_curves(plot, study, rows, "m", "W");
  figure.pictures = {{"figure7", svg(plot)}};
  figure.facts = {{"coop, W=1", "0.6 to 1.0 TCUPS", range_of(study, fastest(rows))}};
  return figure;
}

Figure figure_words(const SearchStudy& study) {
  Figure figure{"8", "Cooperation: several words a lane", {}, {}, {}, {}, {}, {}};
  figure.about =
      "More words a lane leave fewer lanes that have to talk to each other, until registers run "
      "out. For each W as many tasks share a team as fit.";
  const auto rows = picked(study, [](const SearchRow& row) {
    return of_coop(row) && (row.figure == "8" || row.figure == "4");
  });
  Plot plot = plot_of(study, "Figure 8: coop against words a lane", true);
  plot.x = {"W, words a lane", whole_tick, true};
  plot.colours = "symbols of a query";
  add_curves(plot, study, rows, "W", "m");
  figure.pictures = {{"figure8", svg(plot)}};
  auto ones = rows;
  std::erase_if(ones, [](const SearchRow* row) { return row->config.get("W", 0) != 1; });
  figure.facts = {{"best W / W=1", "1.22 to 2.70 times", times_of(fastest(rows), fastest(ones))}};
  return figure;
}

Figure figure_shared(const SearchStudy& study) {
  Figure figure{"R", "Cooperation: tasks a team", {}, {}, {}, {}, {}, {}};
  figure.about =
      "The paper's r: so many tasks share the 32 lanes of a team, with as many words a lane as "
      "that takes. R=32 is a task a lane, which needs no cooperation.";
  const auto rows = picked(study, [](const SearchRow& row) {
    return of_coop(row) && (row.figure == "R" || row.figure == "4");
  });
  Plot plot = plot_of(study, "coop against tasks a team", true);
  plot.x = {"R, tasks a team of 32 lanes", whole_tick, true};
  plot.colours = "symbols of a query";
  add_curves(plot, study, rows, "R", "m");
  figure.pictures = {{"figureR", svg(plot)}};
  for (const auto& [m, row] : fastest(rows))
    figure.facts.push_back({text_of("fastest at m = ", std::to_string(m)), "found by trying",
                            text_of("R=", std::to_string(row->config.get("R", 0)),
                                    ", W=", std::to_string(row->config.get("W", 0)), ", ",
                                    rate_of(study, row->gcups()))});
  return figure;
}

Figure figure_strips(const SearchStudy& study) {
  Figure figure{"strips", "strips-batch: bits a query and rows a strip", {}, {}, {}, {}, {}, {}};
  figure.about =
      "rhomb's own row, which the paper does not have: a query is cut into strips of K rows, and "
      "has SLOT bits of each word, one for each strip. Shorter slots put more queries into a word; "
      "a query with more strips than bits does not fit, unless it has the whole word.";
  const auto rows =
      picked(study, [](const SearchRow& row) { return row.variant == "strips-batch"; });
  for (const auto& [m, best] : fastest(rows)) {
    auto some = rows;
    std::erase_if(some, [m = m](const SearchRow* row) { return row->m != m; });
    Plot plot = plot_of(study, text_of("strips-batch, m = ", std::to_string(m)), true);
    plot.x = {"K, rows a strip", whole_tick, true};
    plot.colours = "bits a query";
    add_curves(plot, study, some, "K", "SLOT");
    figure.pictures.push_back({text_of("strips-m", std::to_string(m)), svg(plot)});
    figure.facts.push_back({text_of("fastest at m = ", std::to_string(m)), "",
                            text_of("SLOT=", std::to_string(best->config.get("SLOT", 0)),
                                    ", K=", std::to_string(best->config.get("K", 0)), ", ",
                                    rate_of(study, best->gcups()))});
  }
  return figure;
}

/// Whether a row is part of a figure, measured or not.
bool belongs(const SearchRow& row, const std::string& number) {
  if (row.figure == number) return true;
  if (number == "5") return row.variant == "task-private";
  if (number == "6") return row.variant == "task-local";
  if (number == "7")
    return of_coop(row) && row.config.get("W", 0) == 1 && (row.figure == "8" || row.figure == "7");
  if (number == "8" || number == "R") return of_coop(row) && row.figure == "4";
  return number == "strips" && row.variant == "strips-batch";
}

}  // namespace

std::vector<PaperFigure> search_figures(const SearchStudy& study,
                                        const std::vector<std::string>& wanted) {
  std::vector<PaperFigure> all;
  for (const std::string number : {"4", "5", "6", "7", "8", "R", "strips"}) {
    if (std::ranges::find(wanted, number) == wanted.end()) continue;
    PaperFigure figure{
        number == "4" ? figure_rates(study)
        : number == "5"
            ? figure_tasks(study, number, "task-private", "private memory", "0.71 (1 / 1.41)")
        : number == "6"
            ? figure_tasks(study, number, "task-local", "local memory", "0.07 (1 / 13.66)")
        : number == "7" ? figure_one_word(study)
        : number == "8" ? figure_words(study)
        : number == "R" ? figure_shared(study)
                        : figure_strips(study),
        {}};
    std::vector<SearchRow> rows;
    for (const SearchRow& row : study.rows) {
      // The rates of edlib are what the others are compared with.
      if (!belongs(row, number) && row.program == "rhomb") continue;
      rows.push_back(row);
      if (!row.measured())
        figure.shown.notes.push_back(text_of("m = ", std::to_string(row.m), ", ", row.variant, " ",
                                             row.config.text(), ": ", row.why));
    }
    figure.rows = rows_of(rows, study.device, study.cores);
    all.push_back(std::move(figure));
  }
  return all;
}

std::vector<Aim> search_aims(const SearchStudy& study) {
  std::vector<Aim> aims;
  const auto peers =
      fastest(picked(study, [](const SearchRow& row) { return row.program != "rhomb"; }));
  for (const std::string variant : {"strips-batch", "coop"})
    for (const auto& [m, row] : fastest(study, variant)) {
      const std::string what = text_of(variant, ", m = ", std::to_string(m));
      if (study.cores == 0) {
        const bool strips = variant == "strips-batch";
        aims.push_back(
            {what, strips ? (m >= 200 ? 40.0 : 25.0) : 12.0, row->gcups() / 1e3, "TCUPS"});
      } else if (const auto peer = peers.find(m); peer != peers.end() && variant != "coop") {
        const double times = row->gcups() / peer->second->gcups();
        const std::string cores =
            text_of(std::to_string(study.cores), study.cores == 1 ? " core" : " cores");
        aims.push_back({text_of(what, ", ", cores, " / edlib HW on one"), 5.0, times, "times"});
        aims.push_back(
            {text_of(what, ", a core / edlib HW on one"), 5.0, times / study.cores, "times"});
      }
    }
  return aims;
}

}  // namespace rhomb::cli
