// SPDX-License-Identifier: Apache-2.0
#include "tools/legend.h"

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr double kRow = 24;
constexpr double kLetters = 15;
constexpr double kSample = 34;  // wide

std::string sample(const LegendEntry& entry, double x, double y, double length) {
  const std::string_view colour = draw::colour(entry.colour);
  switch (entry.kind) {
    case LegendEntry::Kind::kMark:
      return draw::glyph(entry.mark, x + length / 2, y - 5, 5, colour, "");
    case LegendEntry::Kind::kLine:
      return draw::line(x, y - 5, x + length, y - 5, draw::stroke(entry.stroke, colour));
    default:
      return "";
  }
}

}  // namespace

std::string legend_beside(const std::vector<LegendEntry>& entries, double x, double y,
                          double right) {
  std::string text;
  for (const LegendEntry& entry : entries) {
    const bool head = entry.kind == LegendEntry::Kind::kHead;
    if (head && !text.empty()) y += 14;
    if (head && entry.words.empty()) continue;
    text += sample(entry, x, y, kSample);
    const double begin = head ? x : x + kSample + 10;
    for (const auto& one : draw::wrapped(entry.words, kLetters, right - begin, 2)) {
      text += draw::words(begin, y, one, head ? "font-weight=\"bold\"" : "");
      y += kRow;
    }
  }
  return text;
}

Legend legend_below(const std::vector<LegendEntry>& entries, double x, double y, double right) {
  constexpr double kGap = 14, kShort = 24;
  const double first = y;
  double at = x;
  Legend legend;
  for (const LegendEntry& entry : entries) {
    const bool head = entry.kind == LegendEntry::Kind::kHead;
    if (head && entry.words.empty()) continue;
    const double before = head ? 0 : entry.kind == LegendEntry::Kind::kMark ? 18 : kShort + 8;
    const double room = right - x - before;
    const std::string words = draw::wrapped(entry.words, kLetters, room, 1).front();
    const double wide = before + draw::width(words, kLetters);
    if (at > x && (head || at + wide > right)) {
      at = x;
      y += kRow;
    }
    legend.text += sample(entry, at, y, before - 8);
    legend.text += draw::words(at + before, y, words, head ? "font-weight=\"bold\"" : "");
    at += wide + kGap;
  }
  legend.height = entries.empty() ? 0 : y - first + kRow;
  return legend;
}

}  // namespace rhomb::cli
