// SPDX-License-Identifier: Apache-2.0
#include "tools/svg.h"

#include <array>

#include "tools/cli/text.h"

namespace rhomb::cli::draw {

std::string_view colour(std::size_t number) {
  // Okabe and Ito's.
  constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#e69f00", "#56b4e9", "#000000"};
  return number == kNoColour ? kGrey : kColours[number % kColours.size()];
}

std::string number(double value) {
  std::string text = fixed(value, 1);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

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

double width(std::string_view text, double size) {
  double letters = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++letters;  // not inside of a letter
  return 0.58 * size * letters;
}

std::vector<std::string> wrapped(std::string_view text, double size, double most,
                                 std::size_t lines) {
  std::vector<std::string> made(1);
  for (const std::string& word : split(text, ' ')) {
    const std::string longer = made.back().empty() ? word : text_of(made.back(), " ", word);
    if (width(longer, size) <= most || made.back().empty()) {
      made.back() = longer;
    } else if (made.size() < lines) {
      made.push_back(word);
    } else {
      made.back() = longer;
      break;
    }
  }
  for (std::string& one : made) {
    if (width(one, size) <= most) continue;
    while (!one.empty() && width(one, size) + size > most) {
      while (!one.empty() && (static_cast<unsigned char>(one.back()) & 0xc0) == 0x80)
        one.pop_back();
      if (!one.empty()) one.pop_back();
    }
    one += "\u2026";
  }
  return made;
}

std::string stroke(Stroke kind, std::string_view colour) {
  constexpr std::array<std::string_view, 5> kDashes = {"", "5 4", "1.5 3", "9 3 1.5 3", "12 5"};
  const std::string_view dashes = kDashes[static_cast<std::size_t>(kind)];
  if (dashes.empty()) return text_of("stroke=\"", colour, "\" stroke-width=\"2.2\"");
  return text_of("stroke=\"", colour, "\" stroke-width=\"1.3\" stroke-dasharray=\"", dashes, "\"");
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
  if (mark == Mark::kNone) return "";
  const std::string title = tip.empty() ? "" : text_of("<title>", escaped(tip), "</title>");
  const std::string fill =
      mark == Mark::kDisc ? text_of("fill=\"", colour, "\"")
                          : text_of("fill=\"#ffffff\" stroke-width=\"2\" stroke=\"", colour, "\"");
  if (mark == Mark::kSquare)
    return text_of("<rect x=\"", number(x - size), "\" y=\"", number(y - size), "\" width=\"",
                   number(2 * size), "\" height=\"", number(2 * size), "\" ", fill, ">", title,
                   "</rect>\n");
  return text_of("<circle cx=\"", number(x), "\" cy=\"", number(y), "\" r=\"", number(size), "\" ",
                 fill, ">", title, "</circle>\n");
}

std::string page(double width, double height, std::string_view body) {
  const std::string size = text_of("width=\"", number(width), "\" height=\"", number(height), "\"");
  return text_of(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" ",
      size, " viewBox=\"0 0 ", number(width), " ", number(height),
      "\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
      "font-size=\"15\" fill=\"",
      kInk, "\">\n<rect ", size, " fill=\"#ffffff\"/>\n", body, "</svg>\n");
}

}  // namespace rhomb::cli::draw
