// SPDX-License-Identifier: Apache-2.0
// Plot: curves on logarithmic axes, as an SVG that any browser opens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rhomb::cli {

/// How a point is drawn.
enum class Mark {
  kDisc,    ///< a filled circle
  kSquare,  ///< a hollow square
};

struct PlotPoint {
  double x = 1;  ///< both above 0
  double y = 1;
  Mark mark = Mark::kDisc;
  std::string tip;  ///< what a browser shows under the pointer
};

struct PlotSeries {
  std::string name;        ///< in the legend, unless it is dashed
  std::size_t colour = 0;  ///< a number; series of one number have one colour
  bool dashed = false;
  std::vector<PlotPoint> points;
};

struct PlotAxis {
  std::string label;
  std::string (*tick)(double power_of_ten);
};

struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::string colours;  ///< what the colours mean: the head of the legend
  std::string marks;    ///< what the marks mean, and the words for each
  std::string disc;
  std::string square;
  std::string lines;  ///< what the kinds of line mean, and the words for each
  std::string solid;
  std::string dashed;
  std::vector<PlotSeries> series;
};

/// The whole file.
std::string svg(const Plot& plot);

}  // namespace rhomb::cli
