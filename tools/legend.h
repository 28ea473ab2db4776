// SPDX-License-Identifier: Apache-2.0
// Legend: samples of lines and marks with the words for what they mean, beside a plot or below.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/svg.h"

namespace rhomb::cli {

struct LegendEntry {
  enum class Kind { kHead, kLine, kMark };
  Kind kind;
  Mark mark;
  Stroke stroke;
  std::size_t colour;
  std::string words;

  static LegendEntry head(const std::string& words) {
    return {Kind::kHead, Mark::kDisc, Stroke::kNone, draw::kNoColour, words};
  }
  static LegendEntry of_line(Stroke stroke, std::size_t colour, const std::string& words) {
    return {Kind::kLine, Mark::kDisc, stroke, colour, words};
  }
  static LegendEntry of_mark(Mark mark, std::size_t colour, const std::string& words) {
    return {Kind::kMark, mark, Stroke::kNone, colour, words};
  }
};

struct Legend {
  std::string text;
  double height = 0;
};

/// One below the other from `x` and the line `y` on; what is wider than up to `right` is wrapped.
std::string legend_beside(const std::vector<LegendEntry>& entries, double x, double y,
                          double right);

/// One beside the other in rows from `x` to `right`, the first on the line `y`.
Legend legend_below(const std::vector<LegendEntry>& entries, double x, double y, double right);

}  // namespace rhomb::cli
