// SPDX-License-Identifier: Apache-2.0
// The plot of a grid.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/methods.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::string length_tick(double value) {
  constexpr std::array<std::string_view, 4> kUnits = {"", "k", "M", "G"};
  std::size_t unit = 0;
  for (; value > 999 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fixed(value, 0) + std::string(kUnits[unit]);
}

std::string time_tick(double value) {
  if (value < 0.9e-3) return fixed(value * 1e6, 0) + " \u00b5s";
  if (value < 0.9) return fixed(value * 1e3, 0) + " ms";
  return fixed(value, 0) + " s";
}

double value_of(const Measurement& row, PlotValue value) {
  const double seconds = std::max(row.seconds, 1e-9);
  switch (value) {
    case PlotValue::kGcups:
      return static_cast<double>(row.query_length) * static_cast<double>(row.target_length) /
             seconds / 1e9;
    case PlotValue::kCells:
      return added(row, "cells_per_second");
    default:
      return seconds;
  }
}

PlotAxis axis_of(PlotValue value) {
  switch (value) {
    case PlotValue::kGcups:
      return {"GCUPS: product of the lengths / time / 1e9", short_tick};
    case PlotValue::kCells:
      return {"cells computed a second on the device", short_tick};
    default:
      return {"time of a pair, median of the runs", time_tick};
  }
}

Mark mark_of(const Measurement& row) {
  return row.engine == "strips"      ? Mark::kDisc
         : row.engine == "wavefront" ? Mark::kSquare
                                     : Mark::kRing;
}

/// The number of `name` in `names`, at whose end it is put if it is new.
std::size_t number_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  const auto number = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return number;
}

}  // namespace

Plot plot_of(const std::vector<GridPoint>& points, PlotValue value) {
  // There are no more kinds of line; later methods share them.
  constexpr std::array kStrokes = {Stroke::kSolid, Stroke::kDashed, Stroke::kDotted,
                                   Stroke::kDashDotted, Stroke::kLongDashed};
  std::vector<std::string> divergences, ways;
  std::map<std::pair<std::size_t, std::size_t>, PlotSeries> curves;
  std::set<Mark> marks;
  for (const auto& [asked, row] : points) {
    const std::string divergence = divergence_title(asked.pair.divergence);
    const std::size_t colour = number_in(divergences, divergence);
    const std::size_t way = number_in(ways, way_of(asked.method));
    const double at = value_of(row, value);
    if (!(at > 0)) continue;  // nothing was computed
    PlotSeries& curve = curves[{colour, way}];
    curve.colour = colour;
    curve.stroke = kStrokes[way % kStrokes.size()];
    curve.points.push_back(
        {static_cast<double>(asked.pair.length), at, mark_of(row),
         text_of(divergence, ", ", with_commas(asked.pair.length), ": ", significant(row.seconds),
                 " s, ", row.engine, " ", row.variant, " ", row.config.text())});
    marks.insert(mark_of(row));
  }
  Plot plot;
  plot.title = "rhomb distance on " + (points.empty() ? "" : points.front().row.device);
  plot.x = {"length of both sequences (bases)", length_tick};
  plot.y = axis_of(value);
  plot.colours = "Divergence";
  plot.marks = "Answered by";
  for (const PlotKey& key : {PlotKey{Mark::kDisc, "strips"}, PlotKey{Mark::kSquare, "wavefronts"},
                             PlotKey{Mark::kRing, "reference"}})
    if (marks.contains(key.mark)) plot.keys.push_back(key);
  plot.lines = "Engine or variant";
  for (std::size_t i = 0; i < ways.size() && ways.size() > 1; ++i)
    plot.strokes.push_back(
        {kStrokes[i % kStrokes.size()], ways[i] == "auto" ? "chosen by rhomb" : ways[i]});
  std::set<std::size_t> named;
  for (auto& [place, curve] : curves) {
    if (named.insert(place.first).second) curve.name = divergences[place.first];
    plot.series.push_back(std::move(curve));
  }
  return plot;
}

}  // namespace rhomb::cli
