// SPDX-License-Identifier: Apache-2.0
// Dots: values of named rows along a logarithmic axis, each beside one to compare it with, as an
// SVG. Dots and not bars, because the axis does not begin at 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/scale.h"

namespace rhomb::cli {

struct DotRow {
  std::string name;
  std::string detail;            ///< below the name, in small letters
  std::optional<double> value;   ///< a filled mark; above 0
  std::optional<double> beside;  ///< a hollow one
};

struct DotChart {
  std::string title;
  std::string subtitle;
  PlotAxis x;
  std::string value;  ///< what the filled marks are; also the head of the column with the numbers
  std::string beside;
  std::vector<DotRow> rows;
};

/// The whole file.
std::string svg(const DotChart& chart);

/// "0.0312", "4.57", "516", "49,865"
std::string rate_text(double value);

}  // namespace rhomb::cli
