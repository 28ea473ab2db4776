// SPDX-License-Identifier: Apache-2.0
// Figure 10: prefetching, tiles of three kinds, groups and diamonds, sections 4.2 and 4.3.
#include <algorithm>
#include <set>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/figures.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

/// One picture: a variant, and the values of its tunables to try.
struct Panel {
  char letter;
  std::string variant;
  std::vector<int> tiles;   ///< tile lengths; empty: it has no tiles
  std::vector<int> groups;  ///< work-items; empty: 2 T + 1

  std::size_t curves() const { return groups.empty() ? 1 : std::max<std::size_t>(tiles.size(), 1); }
  std::size_t runs() const {
    return std::max<std::size_t>(tiles.size(), 1) * std::max<std::size_t>(groups.size(), 1);
  }
  /// Half of what is tried along the longer side.
  void thin() {
    auto& values = tiles.size() > groups.size() ? tiles : groups;
    values = thinned(values);
  }
  tune::Config config(std::size_t curve, std::size_t i) const {
    if (groups.empty()) return tune::Config({{"T", tiles[i]}});
    tune::Config config({{"WG", groups[i]}});
    if (!tiles.empty()) config.set("T", tiles[curve]);
    return config;
  }
  int work_items(std::size_t i) const { return groups.empty() ? 2 * tiles[i] + 1 : groups[i]; }
};

/// The tile lengths in the variant's row of the table, from the least on.
std::vector<int> table_tiles(const std::string& variant) {
  std::set<int> values;
  for (const auto& row : wfa::variants())
    for (const auto& param : row.space)
      if (row.name == variant && param.name == "T")
        values.insert(param.values.begin(), param.values.end());
  return {values.begin(), values.end()};
}

std::vector<Panel> panels_of(const Study& study) {
  std::vector<Panel> panels = {{'a', "prefetch", {}, group_sizes(study)}};
  for (const auto& [letter, name] :
       {std::pair{'b', "tiled-global"}, {'c', "tiled-register"}, {'d', "tiled-local"}}) {
    auto tiles = table_tiles(name);
    std::erase_if(tiles, [](int tile) { return tile < 2; });
    if (!study.gpu() && tiles.size() > 2) tiles.resize(2);
    auto groups = group_sizes(study);
    if (study.gpu()) groups = fitting(study, {32, 64, 96, 128, 224, 256, 512});
    panels.push_back({letter, name, tiles, groups});
  }
  std::vector<int> wide = {3, 15, 63, 190};
  if (study.gpu()) wide = {2, 3, 7, 15, 31, 63, 95, 127, 190, 255, 300, 400, 511};
  std::erase_if(wide, [&](int tile) { return fitting(study, {2 * tile + 1}).empty(); });
  for (const auto& [letter, name] : {std::pair{'e', "group"}, {'f', "diamond"}})
    panels.push_back({letter, name, wide, {}});
  return panels;
}

/// Measures what one picture shows. `part` is what one run may take, about.
std::vector<PlotSeries> measure(Study& study, const Panel& panel, const TrialText& text,
                                const TimeShare& share, std::vector<Measurement>& rows) {
  std::vector<PlotSeries> all;
  std::size_t left = panel.runs(), out = 0;
  for (std::size_t curve = 0; curve < panel.curves(); ++curve) {
    PlotSeries series{
        panel.curves() > 1 ? std::to_string(panel.tiles[curve]) : "", curve, Stroke::kSolid, {}};
    const std::size_t count = panel.groups.empty() ? panel.tiles.size() : panel.groups.size();
    for (std::size_t i = 0; i < count; ++i) {
      const double part = share.of(left--);
      if (part <= 0) {
        ++out;
        continue;
      }
      auto row = study.trials.measure(wavefront(panel.variant, panel.config(curve, i)), text, part,
                                      std::max({5 * part, share.left() / 3, 0.5}));
      if (!row) continue;
      const int items = panel.work_items(i);
      row->more.insert(row->more.begin(),
                       {{"figure", text_of("10", std::string(1, panel.letter))},
                        {"group", items},
                        {"tile", row->config.has("T") ? Json(row->config.get("T", 0)) : Json()}});
      series.points.push_back(
          {static_cast<double>(items), gcups_of(*row), Mark::kDisc,
           text_of(panel.variant, ", ", std::to_string(items), " work-items, ",
                   config_text(row->config), ": ", rate_text(gcups_of(*row)), " GCUPS")});
      rows.push_back(*row);
    }
    if (!series.points.empty()) all.push_back(series);
  }
  if (out > 0)
    study.trials.note(text_of(std::to_string(out), " of ", std::to_string(panel.runs()),
                              " points of ", panel.variant, " are left out: no time is left"));
  return all;
}

/// A picture of what was measured; all have the scale that `widest` and `most` need.
Plot plot_of(const Study& study, const Panel& panel, const TrialText& text,
             const std::vector<PlotSeries>& series, double widest, double most) {
  Plot plot;
  plot.narrow = true;
  plot.title = text_of("Figure 10", std::string(1, panel.letter), ": ", panel.variant);
  plot.subtitle = where(study, text);
  plot.x = {panel.groups.empty() ? "work-items a group (2 T + 1)" : "work-items a group",
            whole_tick, true};
  plot.x.step = widest > 512 ? 256 : 128;
  plot.x.most = widest;
  plot.y = {"GCUPS, whole run", short_tick, true};
  plot.y.most = most;
  plot.colours = panel.curves() > 1 ? "Tile length T:" : "";
  plot.series = series;
  return plot;
}

/// Few enough points for the time: each is a program of its own, and should run for a while.
void thin(std::vector<Panel>& panels, const Study& study, double seconds) {
  const double point = study.trials.build_seconds() + (study.gpu() ? 0.25 : 0.05);
  for (Panel& panel : panels)
    while (panel.runs() > 3 && static_cast<double>(panel.runs() * panels.size()) * point > seconds)
      panel.thin();
}

}  // namespace

Figure figure_10(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"10", "Fewer accesses to global memory", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Six ways to keep cells near the work-items. Prefetching (a) copies a column's cells to "
      "local "
      "memory. Tiles (b, c, d) are diamonds of side T that one work-item computes alone, with the "
      "cells in global memory, registers or local memory. In e a group of 2 T + 1 work-items "
      "computes such a tile together, and f leaves out the tiles that no path within the distance "
      "can touch. All pictures have the same scale.";
  auto panels = panels_of(study);
  std::erase_if(panels, [&](const Panel& panel) {
    return !study.trials.learn(wavefront(panel.variant), seconds / 200);
  });
  if (panels.empty()) return figure;
  thin(panels, study, 0.8 * share.left());
  std::vector<DistanceOptions> runs;
  for (const Panel& panel : panels) runs.insert(runs.end(), panel.runs(), wavefront(panel.variant));
  const double building = static_cast<double>(runs.size()) * study.trials.build_seconds();
  // Long tiles take longer than those of the default length.
  const TrialText text =
      study.trials.prefix(study.trials.longest(runs, 0.4 * (share.left() - building)));
  figure.texts = text.name;

  std::vector<std::vector<PlotSeries>> measured;
  for (std::size_t i = 0; i < panels.size(); ++i)
    measured.push_back(
        measure(study, panels[i], text, TimeShare(share.of(panels.size() - i)), figure.rows));
  double most = 0, widest = 0;
  for (const auto& all : measured)
    for (const auto& series : all)
      for (const auto& point : series.points) {
        most = std::max(most, point.y);
        widest = std::max(widest, point.x);
      }
  for (std::size_t i = 0; i < panels.size(); ++i)
    figure.pictures.push_back({text_of("figure10", std::string(1, panels[i].letter)),
                               svg(plot_of(study, panels[i], text, measured[i], widest, most))});
  study.remember(figure.rows);
  figure.facts = best_facts(figure.rows, {"prefetch", "tiled-global", "tiled-register",
                                          "tiled-local", "group", "diamond"});
  return figure;
}

}  // namespace rhomb::cli
