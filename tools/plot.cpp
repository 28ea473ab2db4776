// SPDX-License-Identifier: Apache-2.0
#include "tools/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tools/text.h"

namespace rhomb::cli {
namespace {

constexpr double kWidth = 960, kHeight = 600;
constexpr double kLeft = 108, kRight = 724, kTop = 64, kBottom = 520;  // of the plotting area
constexpr double kLegend = 748;

/// Okabe and Ito's, which people who see few colours tell apart.
constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000"};
constexpr std::string_view kInk = "#222222", kGrey = "#666666";

std::string number(double value) {
  std::string text = fixed(value, 1);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

/// Text and attributes of XML. Control characters are not allowed there at all.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : field(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return text_of("<line x1=\"", number(x1), "\" y1=\"", number(y1), "\" x2=\"", number(x2),
                 "\" y2=\"", number(y2), "\" ", style, "/>\n");
}

std::string words(double x, double y, std::string_view what, std::string_view style) {
  return text_of("<text x=\"", number(x), "\" y=\"", number(y), "\" ", style, ">", escaped(what),
                 "</text>\n");
}

std::string glyph(Mark mark, double x, double y, double size, std::string_view colour,
                  std::string_view tip) {
  const std::string title = tip.empty() ? "" : text_of("<title>", escaped(tip), "</title>");
  if (mark == Mark::kDisc)
    return text_of("<circle cx=\"", number(x), "\" cy=\"", number(y), "\" r=\"", number(size),
                   "\" fill=\"", colour, "\">", title, "</circle>\n");
  return text_of("<rect x=\"", number(x - size), "\" y=\"", number(y - size), "\" width=\"",
                 number(2 * size), "\" height=\"", number(2 * size),
                 "\" fill=\"#ffffff\" stroke-width=\"2\" stroke=\"", colour, "\">", title,
                 "</rect>\n");
}

/// A logarithmic axis: which values it shows, and where.
struct Scale {
  double low, high;   // log10
  double begin, end;  // on the page
  double place(double value) const {
    return begin + (std::log10(value) - low) / (high - low) * (end - begin);
  }
};

/// Around the values with some room, at least from one power of ten to another.
Scale scale_of(double least, double most, double begin, double end) {
  constexpr double kRoom = 0.12;
  Scale scale{std::log10(least) - kRoom, std::log10(most) + kRoom, begin, end};
  if (std::floor(scale.high) - std::ceil(scale.low) < 1) {
    scale.low = std::floor(scale.low);
    scale.high = std::ceil(scale.high);
  }
  return scale;
}

/// Lines at powers of ten with their labels, thin ones at 2 .. 9 times them.
template <class Draw>
void ticks(const Scale& scale, const Draw& draw) {
  for (auto power = std::floor(scale.low); power <= scale.high; ++power)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10, power);
      const double at = std::log10(value);
      if (at >= scale.low - 1e-9 && at <= scale.high + 1e-9) draw(value, digit == 1);
    }
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  const auto style = [](bool whole) { return whole ? "stroke=\"#c8c8c8\"" : "stroke=\"#ececec\""; };
  std::string text;
  for (const bool whole : {false, true}) {  // thin lines below
    ticks(x, [&](double value, bool is_whole) {
      if (is_whole != whole) return;
      text += line(x.place(value), kTop, x.place(value), kBottom, style(whole));
      if (whole)
        text += words(x.place(value), kBottom + 22, plot.x.tick(value), "text-anchor=\"middle\"");
    });
    ticks(y, [&](double value, bool is_whole) {
      if (is_whole != whole) return;
      text += line(kLeft, y.place(value), kRight, y.place(value), style(whole));
      if (whole)
        text += words(kLeft - 10, y.place(value) + 5, plot.y.tick(value), "text-anchor=\"end\"");
    });
  }
  text += text_of("<rect x=\"", number(kLeft), "\" y=\"", number(kTop), "\" width=\"",
                  number(kRight - kLeft), "\" height=\"", number(kBottom - kTop),
                  "\" fill=\"none\" stroke=\"", kInk, "\"/>\n");
  text += words((kLeft + kRight) / 2, kBottom + 54, plot.x.label, "text-anchor=\"middle\"");
  const double middle = (kTop + kBottom) / 2;
  return text +
         words(24, middle, plot.y.label,
               text_of("text-anchor=\"middle\" transform=\"rotate(-90 24 ", number(middle), ")\""));
}

std::string_view colour_of(const PlotSeries& series) {
  return kColours[series.colour % kColours.size()];
}

std::string curve(const PlotSeries& series, const Scale& x, const Scale& y) {
  std::string path;
  std::string glyphs;
  for (const PlotPoint& point : series.points) {
    const double across = x.place(point.x), down = y.place(point.y);
    path += text_of(path.empty() ? "" : " ", number(across), ",", number(down));
    glyphs +=
        glyph(point.mark, across, down, series.dashed ? 3.5 : 5, colour_of(series), point.tip);
  }
  return text_of("<polyline fill=\"none\" stroke=\"", colour_of(series), "\" stroke-width=\"",
                 series.dashed ? "1.3\" stroke-dasharray=\"5 4" : "2.2", "\" points=\"", path,
                 "\"/>\n", glyphs);
}

std::string legend(const Plot& plot) {
  double at = kTop + 12;
  std::string text;
  const auto head = [&](const std::string& what) {
    text += words(kLegend, at, what, "font-weight=\"bold\"");
    at += 24;
  };
  const auto entry = [&](const std::string& sample, const std::string& name) {
    text += sample + words(kLegend + 44, at, name, "");
    at += 24;
  };
  const auto sample = [&](std::string_view colour, std::string_view width,
                          std::string_view dashes) {
    return line(kLegend, at - 5, kLegend + 34, at - 5,
                text_of("stroke=\"", colour, "\" stroke-width=\"", width, "\"", dashes));
  };
  const auto has = [&](auto condition) { return std::ranges::any_of(plot.series, condition); };
  head(plot.colours);
  for (const PlotSeries& series : plot.series)
    if (!series.dashed) entry(sample(colour_of(series), "2.2", ""), series.name);
  at += 14;
  head(plot.marks);
  entry(glyph(Mark::kDisc, kLegend + 17, at - 5, 5, kGrey, ""), plot.disc);
  entry(glyph(Mark::kSquare, kLegend + 17, at - 5, 5, kGrey, ""), plot.square);
  if (!has([](const PlotSeries& series) { return series.dashed; })) return text;
  at += 14;
  head(plot.lines);
  entry(sample(kGrey, "2.2", ""), plot.solid);
  entry(sample(kGrey, "1.3", " stroke-dasharray=\"5 4\""), plot.dashed);
  return text;
}

}  // namespace

std::string svg(const Plot& plot) {
  double x_least = INFINITY, x_most = 0, y_least = INFINITY, y_most = 0;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      x_least = std::min(x_least, point.x);
      x_most = std::max(x_most, point.x);
      y_least = std::min(y_least, point.y);
      y_most = std::max(y_most, point.y);
    }
  if (x_most == 0) x_least = x_most = y_least = y_most = 1;  // no point at all
  const Scale x = scale_of(x_least, x_most, kLeft, kRight);
  const Scale y = scale_of(y_least, y_most, kBottom, kTop);
  const std::string size =
      text_of("width=\"", number(kWidth), "\" height=\"", number(kHeight), "\"");
  std::string text = text_of(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" ",
      size, " viewBox=\"0 0 ", number(kWidth), " ", number(kHeight),
      "\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
      "font-size=\"15\" fill=\"",
      kInk, "\">\n<rect ", size, " fill=\"#ffffff\"/>\n");
  text += words(kLeft, 38, plot.title, "font-size=\"18\" font-weight=\"bold\"");
  text += axes(plot, x, y);
  for (const bool dashed : {true, false})  // whole lines above
    for (const PlotSeries& series : plot.series)
      if (series.dashed == dashed) text += curve(series, x, y);
  return text + legend(plot) + "</svg>\n";
}

}  // namespace rhomb::cli
