// SPDX-License-Identifier: Apache-2.0
#include "tools/plot.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tools/cli/text.h"
#include "tools/legend.h"

namespace rhomb::cli {
namespace {

using draw::number;
using draw::words;

/// Where things are on the page.
struct Layout {
  double width, height;             // without what a legend below adds
  double left, right, top, bottom;  // of the plotting area
  double x_label, y_label;          // where the axes' labels stand

  void move_down(double by) {
    for (double* place : {&height, &top, &bottom, &x_label}) *place += by;
  }
};
constexpr Layout kWide{960, 600, 108, 724, 64, 520, 574, 24};
constexpr Layout kNarrow{480, 386, 66, 466, 62, 326, 370, 18};
constexpr double kLegend = 748;  // begins here when it stands beside a wide plot

/// The least and the most value of all points.
struct Span {
  double least = INFINITY, most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  Span usable() const { return most > 0 ? *this : Span{1, 1}; }  // there may be no point at all
};

std::string axes(const Plot& plot, const Layout& page, const Scale& x, const Scale& y) {
  const auto style = [](const Tick& tick) {
    return tick.labelled ? "stroke=\"#c8c8c8\"" : "stroke=\"#ececec\"";
  };
  std::string text;
  const auto across = x.ticks(), down = y.ticks();
  for (const bool labelled : {false, true}) {  // thin lines below
    for (const Tick& tick : across) {
      if (tick.labelled != labelled) continue;
      text += draw::line(tick.place, page.top, tick.place, page.bottom, style(tick));
      if (!labelled) continue;
      const std::string label = plot.x.tick(tick.value);
      // The last one stays on the page.
      const double place = std::min(tick.place, page.width - 4 - draw::width(label, 15) / 2);
      text += words(place, page.bottom + 22, label, "text-anchor=\"middle\"");
    }
    for (const Tick& tick : down) {
      if (tick.labelled != labelled) continue;
      text += draw::line(page.left, tick.place, page.right, tick.place, style(tick));
      if (labelled)
        text +=
            words(page.left - 10, tick.place + 5, plot.y.tick(tick.value), "text-anchor=\"end\"");
    }
  }
  text += text_of("<rect x=\"", number(page.left), "\" y=\"", number(page.top), "\" width=\"",
                  number(page.right - page.left), "\" height=\"", number(page.bottom - page.top),
                  "\" fill=\"none\" stroke=\"", draw::kInk, "\"/>\n");
  text += words((page.left + page.right) / 2, page.x_label, plot.x.label, "text-anchor=\"middle\"");
  const double middle = (page.top + page.bottom) / 2;
  return text + words(page.y_label, middle, plot.y.label,
                      text_of("text-anchor=\"middle\" transform=\"rotate(-90 ",
                              number(page.y_label), " ", number(middle), ")\""));
}

std::string curve(const PlotSeries& series, double size, const Scale& x, const Scale& y) {
  const std::string_view colour = draw::colour(series.colour);
  const bool thin = series.stroke != Stroke::kSolid && series.stroke != Stroke::kNone;
  std::string path;
  std::string glyphs;
  for (const PlotPoint& point : series.points) {
    const double across = x.place(point.x), down = y.place(point.y);
    path += text_of(path.empty() ? "" : " ", number(across), ",", number(down));
    glyphs += draw::glyph(point.mark, across, down, thin ? 0.7 * size : size, colour, point.tip);
  }
  if (series.stroke == Stroke::kNone) return glyphs;
  return text_of("<polyline fill=\"none\" ", draw::stroke(series.stroke, colour), " points=\"",
                 path, "\"/>\n", glyphs);
}

std::vector<PlotLine> lines_of(const Plot& plot) {
  if (!plot.strokes.empty()) return plot.strokes;
  if (std::ranges::find(plot.series, Stroke::kDashed, &PlotSeries::stroke) == plot.series.end())
    return {};
  return {{Stroke::kSolid, plot.solid}, {Stroke::kDashed, plot.dashed}};
}

std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> entries;
  std::vector<std::string_view> named = {""};
  for (const PlotSeries& series : plot.series) {
    if (std::ranges::find(named, series.name) != named.end()) continue;
    if (named.size() == 1) entries.push_back(LegendEntry::head(plot.colours));
    named.push_back(series.name);
    const Mark mark = series.points.empty() ? Mark::kDisc : series.points.front().mark;
    entries.push_back(series.stroke == Stroke::kNone
                          ? LegendEntry::of_mark(mark, series.colour, series.name)
                          : LegendEntry::of_line(Stroke::kSolid, series.colour, series.name));
  }
  if (!plot.keys.empty()) entries.push_back(LegendEntry::head(plot.marks));
  for (const PlotKey& key : plot.keys)
    entries.push_back(LegendEntry::of_mark(key.mark, key.colour, key.words));
  const auto lines = lines_of(plot);
  if (!lines.empty()) entries.push_back(LegendEntry::head(plot.lines));
  for (const PlotLine& line : lines)
    entries.push_back(LegendEntry::of_line(line.stroke, draw::kNoColour, line.words));
  return entries;
}

}  // namespace

std::string svg(const Plot& plot) {
  Span across, down;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      across.add(point.x);
      down.add(point.y);
    }
  if (plot.x.most > 0) across.add(plot.x.most);
  if (plot.y.most > 0) down.add(plot.y.most);
  across = across.usable();
  down = down.usable();

  std::string text;
  Layout page = plot.narrow ? kNarrow : kWide;
  const double left = plot.narrow ? 10 : page.left, room = page.width - left - 8;
  double at = plot.narrow ? 24 : 38;
  const auto say = [&](const std::string& what, double letters, std::size_t lines,
                       const std::string& style) {
    for (const auto& one : draw::wrapped(what, letters, room, lines)) {
      text += words(left, at, one, text_of("font-size=\"", number(letters), "\" ", style));
      at += letters + 5;
    }
  };
  say(plot.title, plot.narrow ? 17 : 18, 1, "font-weight=\"bold\"");
  if (!plot.subtitle.empty()) say(plot.subtitle, 14, 2, text_of("fill=\"", draw::kGrey, "\""));
  page.move_down(std::max(at - page.top, 0.0));
  // Labels of any width leave room for that of the axis.
  const Scale y(plot.y, down.least, down.most, page.bottom, page.top);
  for (const Tick& tick : y.ticks())
    if (tick.labelled)
      page.left = std::max(page.left, page.y_label + 20 + draw::width(plot.y.tick(tick.value), 15));
  const Scale x(plot.x, across.least, across.most, page.left, page.right);
  text += axes(plot, page, x, y);
  const double size = plot.small_marks ? 2.5 : plot.narrow ? 4 : 5;
  for (const bool solid : {false, true})  // the last on top
    for (const PlotSeries& series : plot.series)
      if ((series.stroke == Stroke::kSolid) == solid) text += curve(series, size, x, y);
  const auto entries = legend_of(plot);
  if (!plot.narrow)
    return draw::page(page.width, page.height,
                      text + legend_beside(entries, kLegend, page.top + 12, page.width - 8));
  const Legend legend = legend_below(entries, 10, page.height + 20, page.width - 8);
  return draw::page(page.width, page.height + legend.height + 8, text + legend.text);
}

}  // namespace rhomb::cli
