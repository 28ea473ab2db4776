// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/lcs_figures.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

using Test = std::function<bool(const LcsRow&)>;

std::vector<const LcsRow*> picked(const LcsStudy& study, const Test& test) {
  std::vector<const LcsRow*> found;
  for (const LcsRow& row : study.rows)
    if (row.measured() && test(row)) found.push_back(&row);
  return found;
}

std::string count_text(std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); }

std::string rate_of(const LcsStudy& study, double gcups) {
  return text_of(rate_text(study.scaled(gcups)), " ", study.unit());
}

Plot plot_of(const LcsStudy& study, const std::string& title) {
  Plot plot;
  plot.narrow = true;
  plot.title = title;
  plot.subtitle = text_of(study.device, ", query and subjects of ",
                          study.rows.empty() ? "0" : count_text(study.rows.front().length));
  plot.y = {study.unit(), short_tick, true};
  return plot;
}

/// The rows that compute, in the order of the table.
std::vector<std::string> names_of(const LcsStudy& study) {
  std::vector<std::string> names;
  for (const LcsRow& row : study.rows)
    if (row.program == "rhomb" && row.measured() &&
        std::ranges::find(names, row.variant) == names.end())
      names.push_back(row.variant);
  return names;
}

/// For each row of the table two curves: data in place, and the whole run.
void add_curves(Plot& plot, const LcsStudy& study, const std::vector<const LcsRow*>& rows,
                const std::function<double(const LcsRow&)>& x) {
  const auto names = names_of(study);
  plot.lines = "rate";
  plot.strokes = {{Stroke::kSolid, "data in place"}, {Stroke::kDashed, "packing and copies too"}};
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const bool whole : {false, true}) {
      PlotSeries series{names[i], i, whole ? Stroke::kDashed : Stroke::kSolid, {}};
      for (const LcsRow* row : rows) {
        if (row->variant != names[i]) continue;
        const double gcups = whole ? row->gcups_whole() : row->gcups();
        series.points.push_back(
            {x(*row), study.scaled(gcups), Mark::kDisc,
             text_of(names[i], ", alphabet ", std::to_string(row->alphabet), ", ",
                     count_text(row->subjects), " subjects: ", rate_of(study, gcups))});
      }
      std::ranges::sort(series.points, {}, &PlotPoint::x);
      plot.series.push_back(std::move(series));
    }
}

/// The row with the highest rate.
const LcsRow* best_of(const LcsStudy& study, const Test& test, bool whole) {
  const LcsRow* best = nullptr;
  for (const LcsRow* row : picked(study, test)) {
    const auto rate = [&](const LcsRow& one) { return whole ? one.gcups_whole() : one.gcups(); };
    if (best == nullptr || rate(*row) > rate(*best)) best = row;
  }
  return best;
}

std::string best_text(const LcsStudy& study, const Test& test) {
  const LcsRow* const kernel = best_of(study, test, false);
  if (kernel == nullptr) return "not measured";
  return text_of(rate_of(study, kernel->gcups()), " in place, ",
                 rate_of(study, best_of(study, test, true)->gcups_whole()), " whole");
}

Figure figure_ways(const LcsStudy& study) {
  Figure figure{"8", "Implementations and work-group sizes", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Alphabet strings in constant or in local (CUDA: shared) memory, copies hidden behind the "
      "launches of other chunks (overlap, QUEUES above 1) or not, and the number of work-items a "
      "group. Copies make no difference to the second picture, whose data are in place.";
  figure.texts = text_of(count_text(study.middle), " subjects, alphabet 4");
  const std::vector<std::pair<std::string, Stroke>> ways = {{"overlap", Stroke::kSolid},
                                                            {"no overlap", Stroke::kDashed},
                                                            {"local, overlap", Stroke::kSolid},
                                                            {"local", Stroke::kDashed},
                                                            {"constant", Stroke::kDotted}};
  const auto names = names_of(study);
  for (const bool whole : {true, false}) {
    Plot plot =
        plot_of(study, whole ? "Figure 8: packing and copies too" : "Figure 8: data in place");
    plot.x = {"work-items a group", whole_tick, study.cores > 0};
    plot.lines = "alphabet strings, copies";
    plot.strokes = {{Stroke::kSolid, "local, overlap"},
                    {Stroke::kDashed, "local, no overlap"},
                    {Stroke::kDotted, "constant, no overlap"}};
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const auto& [way, stroke] : ways) {
        PlotSeries series{names[i], i, stroke, {}};
        for (const LcsRow* row : picked(study, [&](const LcsRow& one) {
               return one.figure == "8" && one.variant == names[i] && one.way == way;
             })) {
          const double gcups = whole ? row->gcups_whole() : row->gcups();
          series.points.push_back({static_cast<double>(row->config.get("WG", 1)),
                                   study.scaled(gcups), Mark::kDisc,
                                   text_of(names[i], ", ", way, ", ", row->config.text(), ": ",
                                           rate_of(study, gcups))});
        }
        std::ranges::sort(series.points, {}, &PlotPoint::x);
        if (!series.points.empty()) plot.series.push_back(std::move(series));
      }
    figure.pictures.push_back({whole ? "figure8a" : "figure8b", svg(plot)});
  }
  const auto of = [&](const char* variant, const char* way) {
    return best_text(study, [=](const LcsRow& row) {
      return row.figure == "8" && row.variant == variant && row.way == way;
    });
  };
  figure.facts = {
      {"crochemore, constant memory", "curves only", of("crochemore", "constant")},
      {"crochemore, local memory", "24 GCUPS more, on average", of("crochemore", "local")},
      {"crochemore, local, overlap", "22 GCUPS more again", of("crochemore", "local, overlap")},
      {"allison-dix, constant memory", "", of("allison-dix", "constant")},
      {"allison-dix, local, overlap", "4.4 GCUPS more than crochemore",
       of("allison-dix", "local, overlap")},
      {"strips-lcs, no overlap", "", of("strips-lcs", "no overlap")},
      {"strips-lcs, overlap", "", of("strips-lcs", "overlap")},
  };
  return figure;
}

bool of_sizes(const LcsRow& row) { return row.figure == "9"; }

Figure figure_sizes(const LcsStudy& study) {
  Figure figure{"9", "Number of subjects", {}, {}, {}, {}, {}, {}};
  figure.about =
      "The paper's sets have 50,000, 188,000 and 720,000 subjects, the last of which need several "
      "kernel calls. On CPUs all three are smaller by the same factor.";
  figure.texts = "alphabet 4, the rows' default configurations";
  Plot plot = plot_of(study, "Figure 9: rate against subjects");
  plot.x = {"subjects", short_tick, true};
  add_curves(plot, study, picked(study, of_sizes),
             [](const LcsRow& row) { return static_cast<double>(row.subjects); });
  figure.pictures = {{"figure9", svg(plot)}};
  for (const auto& name : names_of(study))
    figure.facts.push_back({name, name == "allison-dix" ? "over 1 TCUPS on three M2090" : "",
                            best_text(study, [&](const LcsRow& row) {
                              return of_sizes(row) && row.variant == name;
                            })});
  return figure;
}

bool of_alphabets(const LcsStudy& study, const LcsRow& row) {
  return row.figure == "10" || (of_sizes(row) && row.subjects == study.middle);
}

Figure figure_alphabets(const LcsStudy& study) {
  Figure figure{"10", "Size of the alphabet", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Larger alphabets take more alphabet strings, and work-items that read different ones may "
      "wait for a bank of local memory. strips-lcs compares bits of the symbols: two operations "
      "more for each further bit.";
  figure.texts = text_of(count_text(study.middle), " subjects, default configurations");
  Plot plot = plot_of(study, "Figure 10: rate against the alphabet");
  plot.x = {"letters", whole_tick, true};
  const auto rows = picked(study, [&](const LcsRow& row) { return of_alphabets(study, row); });
  add_curves(plot, study, rows, [](const LcsRow& row) { return double(row.alphabet); });
  figure.pictures = {{"figure10", svg(plot)}};
  for (const auto& name : names_of(study)) {
    const LcsRow *few = nullptr, *many = nullptr;
    for (const LcsRow* row : rows)
      if (row->variant == name) {
        if (row->alphabet == 4) few = row;
        if (row->alphabet == 26) many = row;
      }
    const bool papers = name == "allison-dix" || name == "crochemore";
    figure.facts.push_back(
        {text_of(name, ", 26 letters / 4"), papers ? "loses up to 1.9% (GTX 690: 22%)" : "",
         few == nullptr || many == nullptr
             ? "not measured"
             : text_of(fixed(many->gcups() / few->gcups(), 3), " of the rate in place")});
  }
  return figure;
}

std::vector<const LcsRow*> peers_of(const LcsStudy& study) {
  return picked(study, [](const LcsRow& row) { return row.program != "rhomb"; });
}

Figure figure_peer(const LcsStudy& study) {
  Figure figure{"11", "Beside a CPU", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Whole runs, packing and copies too, beside the same row vectors in words of 64 bits on one "
      "core, as a loop that anybody would write. The paper's CPU version had threads on all cores "
      "of an X5660 and the like.";
  Plot plot = plot_of(study, "Figure 11: whole runs, and one core");
  plot.x = {"subjects", short_tick, true};
  plot.y.linear = false;
  const auto names = names_of(study);
  const auto sizes = picked(study, of_sizes);
  for (std::size_t i = 0; i < names.size(); ++i) {
    PlotSeries series{names[i], i, Stroke::kSolid, {}};
    for (const LcsRow* row : sizes)
      if (row->variant == names[i])
        series.points.push_back({static_cast<double>(row->subjects),
                                 study.scaled(row->gcups_whole()), Mark::kDisc,
                                 text_of(names[i], ": ", rate_of(study, row->gcups_whole()))});
    std::ranges::sort(series.points, {}, &PlotPoint::x);
    plot.series.push_back(std::move(series));
  }
  const auto peers = peers_of(study);
  if (!peers.empty()) {
    const double gcups = peers.front()->gcups();
    PlotSeries series{"64-bit words, one core", names.size(), Stroke::kDashed, {}};
    for (const PlotPoint& point : plot.series.front().points)
      series.points.push_back({point.x, study.scaled(gcups), Mark::kDisc,
                               text_of("one core: ", rate_of(study, gcups))});
    plot.series.push_back(std::move(series));
    plot.solid = "rhomb";
    plot.dashed = "on the host, measured on a sample";
    for (const auto& name : names)
      if (const LcsRow* best = best_of(
              study, [&](const LcsRow& row) { return of_sizes(row) && row.variant == name; }, true))
        figure.facts.push_back(
            {text_of(name, " / one core, whole run"),
             name == "allison-dix" ? "5.7 times a parallel CPU version, at most 8.3" : "",
             text_of(fixed(best->gcups_whole() / gcups, 1), " times",
                     study.cores == 0 ? ""
                                      : text_of(", ", std::to_string(study.cores), " cores; ",
                                                fixed(best->gcups_whole() / gcups / study.cores, 1),
                                                " a core"))});
    figure.facts.push_back({"64-bit words, one core", "", text_of(rate_text(gcups), " GCUPS")});
  }
  figure.pictures = {{"figure11", svg(plot)}};
  return figure;
}

}  // namespace

std::vector<PaperFigure> lcs_figures(const LcsStudy& study,
                                     const std::vector<std::string>& wanted) {
  std::vector<PaperFigure> all;
  for (const std::string number : {"8", "9", "10", "11"}) {
    if (std::ranges::find(wanted, number) == wanted.end()) continue;
    PaperFigure figure{number == "8"    ? figure_ways(study)
                       : number == "9"  ? figure_sizes(study)
                       : number == "10" ? figure_alphabets(study)
                                        : figure_peer(study),
                       {}};
    std::vector<LcsRow> rows;
    for (const LcsRow& row : study.rows) {
      const bool belongs = row.figure == number || (number == "10" && of_alphabets(study, row)) ||
                           (number == "11" && of_sizes(row)) || row.program != "rhomb";
      if (!belongs) continue;
      rows.push_back(row);
      if (!row.measured())
        figure.shown.notes.push_back(text_of(row.variant, row.way.empty() ? "" : ", ", row.way, " ",
                                             row.config.text(), ", alphabet ",
                                             std::to_string(row.alphabet), ", ",
                                             count_text(row.subjects), " subjects: ", row.why));
    }
    figure.rows = rows_of(rows, study.device, study.cores);
    all.push_back(std::move(figure));
  }
  return all;
}

std::vector<Aim> lcs_aims(const LcsStudy& study) {
  std::vector<Aim> aims;
  for (const std::string name : {"strips-lcs", "crochemore", "allison-dix"}) {
    const LcsRow* const best = best_of(
        study,
        [&](const LcsRow& row) {
          // Beside a peer that ran once, the best of many would have chance on its side.
          return row.variant == name && row.alphabet == 4 && row.subjects == study.middle &&
                 (study.cores == 0 || row.figure == "9");
        },
        false);
    const std::string what = text_of(name, ", ", count_text(study.middle), " subjects, alphabet 4");
    if (study.cores == 0)
      aims.push_back({what, name == "strips-lcs" ? 100.0 : 10.0,
                      best == nullptr ? std::nullopt : std::optional(best->gcups() / 1e3),
                      "TCUPS"});
    const auto peers = peers_of(study);
    if (study.cores == 0 || name != "strips-lcs" || best == nullptr || peers.empty()) continue;
    const double times = best->gcups() / peers.front()->gcups();
    aims.push_back({text_of(what, ", ", std::to_string(study.cores),
                            study.cores == 1 ? " core" : " cores", " / 64-bit words on one"),
                    5.0, times, "times"});
    aims.push_back(
        {text_of(what, ", a core / 64-bit words on one"), 5.0, times / study.cores, "times"});
  }
  return aims;
}

}  // namespace rhomb::cli
