// SPDX-License-Identifier: Apache-2.0
// SVG: the pieces that plots and charts are drawn from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::cli {

/// How a value is drawn.
enum class Mark {
  kDisc,    ///< a filled circle
  kSquare,  ///< a hollow square
  kRing,    ///< a hollow circle
  kNone,    ///< nothing: a corner of a line
};

/// The line through the points of a series; kNone draws only the points.
enum class Stroke { kSolid, kDashed, kDotted, kDashDotted, kLongDashed, kNone };

namespace draw {

inline constexpr std::string_view kInk = "#222222", kGrey = "#666666";

/// The number of what has no colour: it is drawn grey.
inline constexpr std::size_t kNoColour = static_cast<std::size_t>(-1);

/// One of seven colours that people who see few of them tell apart.
std::string_view colour(std::size_t number);

/// A coordinate, with at most one digit after the point.
std::string number(double value);

/// Text that XML takes, as content or as an attribute; control characters become '_'.
std::string escaped(std::string_view text);

/// How wide `text` will be at a size of letters, about: fonts differ.
double width(std::string_view text, double size);

/// `text` cut at blanks into lines that are not wider than `most`, the last of them shortened with
/// an ellipsis if it takes more than `lines`.
std::vector<std::string> wrapped(std::string_view text, double size, double most,
                                 std::size_t lines);

/// The attributes of a line of that kind and colour.
std::string stroke(Stroke kind, std::string_view colour);

std::string line(double x1, double y1, double x2, double y2, std::string_view style);
std::string words(double x, double y, std::string_view what, std::string_view style);
/// `tip` is what a browser shows under the pointer; it may be empty.
std::string glyph(Mark mark, double x, double y, double size, std::string_view colour,
                  std::string_view tip);

/// The whole file around `body`, on white.
std::string page(double width, double height, std::string_view body);

}  // namespace draw
}  // namespace rhomb::cli
