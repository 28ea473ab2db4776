// SPDX-License-Identifier: Apache-2.0
// HeatMap: a value for each pair of two tunables' values, as an SVG. The colours go from dark to
// light as well as from blue to yellow, so that nobody needs to tell hues apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rhomb::cli {

struct HeatCell {
  std::optional<double> value;  ///< above 0
  std::string word;             ///< in a cell that was tried and has no value: "unfit"
  std::string tip;              ///< what a browser shows under the pointer
  bool best = false;            ///< has a thick border
  bool own = false;             ///< has a mark: the plan's own choice

  bool tried() const { return value || !word.empty(); }
};

struct HeatMap {
  std::string title;
  std::string subtitle;  ///< below the title, in up to three lines
  std::string unit;      ///< of the values, at the scale of colours
  std::string across;    ///< what the columns are
  std::string down;      ///< what the rows are
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<HeatCell>> cells;  ///< by row, then column
};

/// The whole file.
std::string svg(const HeatMap& map);

}  // namespace rhomb::cli
