// SPDX-License-Identifier: Apache-2.0
#include "tools/dots.h"

#include <algorithm>
#include <cmath>

#include "tools/cli/text.h"
#include "tools/legend.h"
#include "tools/svg.h"

namespace rhomb::cli {
namespace {

using draw::words;

constexpr double kWidth = 480, kRow = 42;
constexpr double kName = 10, kLeft = 140, kRight = 328;  // of the axis
constexpr double kValue = 408, kBeside = 470;            // right ends of the numbers
constexpr std::string_view kSmall = "font-size=\"13\" fill=\"#666666\"";

std::string row_of(const DotRow& row, double y, const Scale& x) {
  std::string text = draw::line(kLeft, y, kRight, y, "stroke=\"#ececec\"");
  text += words(kName, row.detail.empty() ? y + 5 : y - 2, row.name, "font-weight=\"bold\"");
  if (!row.detail.empty())
    text +=
        words(kName, y + 14, draw::wrapped(row.detail, 13, kLeft - kName - 4, 1).front(), kSmall);
  const auto number = [&](const std::optional<double>& value, double end, std::string_view style) {
    text += words(end, y + 5, value ? rate_text(*value) : "\u2013",
                  text_of("text-anchor=\"end\" ", style));
  };
  number(row.value, kValue, "");
  number(row.beside, kBeside, text_of("fill=\"", draw::kGrey, "\""));
  if (row.value && row.beside)
    text += draw::line(x.place(*row.value), y, x.place(*row.beside), y,
                       "stroke=\"#b0b0b0\" stroke-width=\"2\"");
  if (row.beside)
    text += draw::glyph(Mark::kRing, x.place(*row.beside), y, 5.5, draw::kGrey,
                        text_of(row.name, ": ", rate_text(*row.beside)));
  if (row.value)
    text += draw::glyph(Mark::kDisc, x.place(*row.value), y, 6, draw::colour(0),
                        text_of(row.name, ": ", rate_text(*row.value)));
  return text;
}

}  // namespace

std::string rate_text(double value) {
  if (!(value > 0)) return "0";
  if (value >= 99.95) return with_commas(std::llround(value));
  const int before = static_cast<int>(std::floor(std::log10(value))) + 1;
  return fixed(value, std::clamp(3 - before, 0, 9));
}

std::string svg(const DotChart& chart) {
  std::string text = words(kName, 24, draw::wrapped(chart.title, 17, kWidth - 18, 1).front(),
                           "font-size=\"17\" font-weight=\"bold\"");
  double top = 46;
  for (const auto& one : draw::wrapped(chart.subtitle, 14, kWidth - 18, 2)) {
    text += words(kName, top, one, text_of("font-size=\"14\" fill=\"", draw::kGrey, "\""));
    top += 19;
  }
  top += 28;
  double least = INFINITY, most = 0;
  for (const DotRow& row : chart.rows)
    for (const auto& value : {row.value, row.beside}) {
      if (!value) continue;
      least = std::min(least, *value);
      most = std::max(most, *value);
    }
  if (most == 0) least = most = 1;
  const double bottom = top + kRow * static_cast<double>(chart.rows.size());
  const Scale x(chart.x, least, most, kLeft, kRight);

  text += words(kValue, top - 14, chart.value, "text-anchor=\"end\" font-weight=\"bold\"");
  text += words(kBeside, top - 14, chart.beside,
                text_of("text-anchor=\"end\" font-weight=\"bold\" fill=\"", draw::kGrey, "\""));
  double free = kLeft - 1;
  for (const Tick& tick : x.ticks()) {
    text += draw::line(tick.place, top, tick.place, bottom,
                       tick.labelled ? "stroke=\"#c8c8c8\"" : "stroke=\"#f4f4f4\"");
    const std::string label = chart.x.tick(tick.value);
    const double half = draw::width(label, 15) / 2;
    if (!tick.labelled || (tick.place > kLeft && tick.place - half < free)) continue;
    text += words(tick.place, bottom + 22, label, "text-anchor=\"middle\"");
    free = tick.place + half + 8;
  }
  for (std::size_t i = 0; i < chart.rows.size(); ++i)
    text += row_of(chart.rows[i], top + kRow * (static_cast<double>(i) + 0.5), x);
  text += words((kLeft + kRight) / 2, bottom + 48, chart.x.label, "text-anchor=\"middle\"");
  const Legend legend =
      legend_below({LegendEntry::of_mark(Mark::kDisc, 0, chart.value),
                    LegendEntry::of_mark(Mark::kRing, draw::kNoColour, chart.beside)},
                   kName, bottom + 78, kWidth - 8);
  return draw::page(kWidth, bottom + 78 + legend.height - 8, text + legend.text);
}

}  // namespace rhomb::cli
