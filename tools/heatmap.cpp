// SPDX-License-Identifier: Apache-2.0
#include "tools/heatmap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/svg.h"

namespace rhomb::cli {
namespace {

using draw::number;
using draw::words;

constexpr double kWidth = 480, kEdge = 10, kRow = 34, kWidest = 84;
constexpr double kLetters = 13;  // of the values
constexpr std::string_view kLine = "stroke=\"#c8c8c8\"", kHatch = "#8a8a8a";

struct Colour {
  double red, green, blue;
};

/// Viridis (van der Walt and Smith), `part` from 0 to 1.
Colour viridis(double part) {
  constexpr std::array<Colour, 9> kStops = {{{68, 1, 84},
                                             {71, 44, 122},
                                             {59, 81, 139},
                                             {44, 113, 142},
                                             {33, 144, 141},
                                             {39, 173, 129},
                                             {92, 200, 99},
                                             {170, 220, 50},
                                             {253, 231, 37}}};
  const double at = std::clamp(part, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double rest = at - static_cast<double>(below);
  const Colour &a = kStops[below], &b = kStops[below + 1];
  const auto mix = [rest](double x, double y) { return std::round(x + rest * (y - x)); };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

std::string rgb(const Colour& colour) {
  return text_of("rgb(", number(colour.red), ",", number(colour.green), ",", number(colour.blue),
                 ")");
}

/// What is readable on a colour.
std::string_view ink_on(const Colour& colour) {
  const auto light = [](double value) { return std::pow(value / 255, 2.2); };
  const double luminance =
      0.2126 * light(colour.red) + 0.7152 * light(colour.green) + 0.0722 * light(colour.blue);
  return luminance > 0.2 ? draw::kInk : std::string_view("#ffffff");
}

std::string box(double x, double y, double wide, double high, std::string_view style,
                std::string_view tip = "") {
  const std::string title = tip.empty() ? "" : text_of("<title>", draw::escaped(tip), "</title>");
  return text_of("<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(wide),
                 "\" height=\"", number(high), "\" ", style, ">", title, "</rect>\n");
}

/// Oblique lines across a box. No pattern: its name would have to be the only one on a page.
std::string hatched(double x, double y, double wide, double high) {
  std::string path;
  for (double at = 8; at < wide + high; at += 8) {
    const double left = std::max(at - high, 0.0), right = std::min(at, wide);
    path += text_of("M", number(x + left), " ", number(y + at - left), "L", number(x + right), " ",
                    number(y + at - right));
  }
  return text_of("<path d=\"", path, "\" stroke=\"", kHatch,
                 "\" stroke-width=\"1\" opacity=\"0.5\" pointer-events=\"none\"/>\n");
}

/// From dark to light. Values within a factor of 2 do not use all of it: noise is no contrast.
class Shades {
 public:
  explicit Shades(const HeatMap& map) {
    for (const auto& row : map.cells)
      for (const HeatCell& cell : row) {
        if (!cell.value) continue;
        most_ = std::max(most_, *cell.value);
        least_ = std::min(least_, *cell.value);
      }
    if (most_ == 0) most_ = 1;
    least_ = std::min(least_, most_ / 2);
  }

  double least() const { return least_; }
  double most() const { return most_; }
  Colour at(double value) const {
    return viridis(std::log(value / least_) / std::log(most_ / least_));
  }

 private:
  double least_ = INFINITY, most_ = 0;
};

std::string cell_of(const HeatCell& cell, double x, double y, double wide, const Shades& shades) {
  if (!cell.tried()) return box(x, y, wide, kRow, text_of("fill=\"#ffffff\" ", kLine), cell.tip);
  const std::string what = cell.value ? rate_text(*cell.value) : cell.word;
  const Colour shade = cell.value ? shades.at(*cell.value) : Colour{238, 238, 238};
  std::string text =
      box(x, y, wide, kRow,
          text_of("fill=\"", rgb(shade), "\" stroke=\"#ffffff\" stroke-width=\"1\""), cell.tip);
  if (!cell.value) text += hatched(x, y, wide, kRow);
  const double room = wide - (cell.own ? 20 : 4);
  if (draw::width(what, kLetters) <= room)
    text += words(x + wide / 2 + (cell.own ? 6 : 0), y + kRow / 2 + 5, what,
                  text_of("text-anchor=\"middle\" pointer-events=\"none\" font-size=\"",
                          number(kLetters), "\" fill=\"", ink_on(shade), "\""));
  return text;
}

/// What is drawn above all cells: the border of the best, and the mark of the plan's own choice.
std::string marks_of(const HeatCell& cell, double x, double y, double wide) {
  std::string text;
  if (cell.best)
    text += box(x + 1, y + 1, wide - 2, kRow - 2,
                text_of("fill=\"none\" stroke=\"", draw::kInk,
                        "\" stroke-width=\"3\" pointer-events=\"none\""));
  if (cell.own) text += draw::glyph(Mark::kRing, x + 11, y + kRow / 2, 4.5, draw::kInk, cell.tip);
  return text;
}

/// Two rows of what the signs mean, and the scale of the colours.
std::string legend(const HeatMap& map, const Shades& shades, double y) {
  std::string text;
  double x = kEdge;
  const auto sample = [&](const std::string& drawn, std::string_view what) {
    text += drawn + words(x + 32, y + 4, what, "");
    x += 32 + draw::width(what, 15) + 18;
  };
  sample(box(x + 1, y - 9, 24, 17,
             text_of("fill=\"none\" stroke-width=\"3\" stroke=\"", draw::kInk, "\"")),
         "the fastest");
  sample(draw::glyph(Mark::kRing, x + 14, y - 1, 4.5, draw::kInk, ""), "the plan's own choice");
  x = kEdge;
  y += 26;
  sample(box(x, y - 10, 26, 19, "fill=\"#eeeeee\"") + hatched(x, y - 10, 26, 19), "not usable");
  sample(box(x, y - 10, 26, 19, text_of("fill=\"#ffffff\" ", kLine)), "not tried");
  y += 22;
  constexpr double kBar = 200, kSteps = 50;
  const std::string least = rate_text(shades.least()), most = rate_text(shades.most());
  x = kEdge + draw::width(least, 15) + 8;
  text += words(kEdge, y + 13, least, "");
  for (double i = 0; i < kSteps; ++i)
    text += box(x + i * kBar / kSteps, y, kBar / kSteps + 0.5, 17,
                text_of("fill=\"", rgb(viridis(i / (kSteps - 1))), "\""));
  return text + words(x + kBar + 8, y + 13, text_of(most, " ", map.unit), "");
}

}  // namespace

std::string svg(const HeatMap& map) {
  double y = 24;
  std::string text;
  const auto say = [&](const std::string& what, double letters, std::size_t lines,
                       std::string_view style) {
    for (const auto& one : draw::wrapped(what, letters, kWidth - 2 * kEdge, lines)) {
      text += words(kEdge, y, one, text_of("font-size=\"", number(letters), "\" ", style));
      y += letters + 5;
    }
  };
  say(map.title, 17, 2, "font-weight=\"bold\"");
  if (!map.subtitle.empty()) say(map.subtitle, 14, 3, text_of("fill=\"", draw::kGrey, "\""));

  double left = kEdge + 24;
  for (const auto& row : map.rows) left = std::max(left, kEdge + 24 + draw::width(row, 15) + 8);
  if (map.down.empty()) left = kEdge;
  const double wide =
      std::min(kWidest, (kWidth - kEdge - left) / static_cast<double>(map.columns.size()));
  const double top = y - 4, high = kRow * static_cast<double>(map.rows.size());
  const Shades shades(map);
  const auto each = [&](const auto& draw_cell) {
    for (std::size_t i = 0; i < map.rows.size(); ++i)
      for (std::size_t j = 0; j < map.columns.size(); ++j)
        text += draw_cell(map.cells[i][j], left + wide * static_cast<double>(j),
                          top + kRow * static_cast<double>(i));
  };
  each([&](const HeatCell& cell, double x, double at) {
    return cell_of(cell, x, at, wide, shades);
  });
  each([&](const HeatCell& cell, double x, double at) { return marks_of(cell, x, at, wide); });
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    if (!map.down.empty())
      text += words(left - 8, top + kRow * (static_cast<double>(i) + 0.5) + 5, map.rows[i],
                    "text-anchor=\"end\"");
  for (std::size_t j = 0; j < map.columns.size(); ++j)
    text += words(left + wide * (static_cast<double>(j) + 0.5), top + high + 20, map.columns[j],
                  "text-anchor=\"middle\"");
  const double middle = left + wide * static_cast<double>(map.columns.size()) / 2;
  text += words(middle, top + high + 43, map.across, "text-anchor=\"middle\"");
  const double centre = top + high / 2;
  if (!map.down.empty())
    text += words(kEdge + 12, centre, map.down,
                  text_of("text-anchor=\"middle\" transform=\"rotate(-90 ", number(kEdge + 12), " ",
                          number(centre), ")\""));
  const double below = top + high + 76;
  return draw::page(kWidth, below + 26 + 22 + 28, text + legend(map, shades, below));
}

}  // namespace rhomb::cli
