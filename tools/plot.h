// SPDX-License-Identifier: Apache-2.0
// Plot: curves on logarithmic or linear axes, as an SVG that any browser opens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/scale.h"
#include "tools/svg.h"

namespace rhomb::cli {

struct PlotPoint {
  double x = 1;  ///< both above 0 where the axis is logarithmic
  double y = 1;
  Mark mark = Mark::kDisc;
  std::string tip;  ///< what a browser shows under the pointer
};

struct PlotSeries {
  std::string name;        ///< in the legend, once, unless it is empty
  std::size_t colour = 0;  ///< a number; series of one number have one colour; see draw::colour()
  Stroke stroke = Stroke::kSolid;
  std::vector<PlotPoint> points;
};

/// What a mark means.
struct PlotKey {
  Mark mark;
  std::string words;
  std::size_t colour = draw::kNoColour;
};

/// What a kind of line means.
struct PlotLine {
  Stroke stroke;
  std::string words;
};

struct Plot {
  std::string title;
  std::string subtitle;  ///< below the title, in one or two lines; may be empty
  PlotAxis x;
  PlotAxis y;
  std::string colours;  ///< what the colours mean: the head of the legend
  std::string marks;    ///< what the marks mean, may be empty, and the words for each
  std::vector<PlotKey> keys;
  std::string lines;  ///< what the kinds of line mean, may be empty, and the words for each
  std::vector<PlotLine> strokes;
  std::string solid;  ///< the words where there are just these two kinds and `strokes` is empty
  std::string dashed;
  /// As wide as a phone shows with readable letters, the legend below; otherwise beside.
  bool narrow = false;
  bool small_marks = false;  ///< for many points
  std::vector<PlotSeries> series;
};

/// The whole file.
std::string svg(const Plot& plot);

}  // namespace rhomb::cli
