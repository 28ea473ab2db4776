// SPDX-License-Identifier: Apache-2.0
#include "tools/report.h"

#include "tools/cli/text.h"
#include "tools/page.h"
#include "tools/svg.h"

namespace rhomb::cli {
namespace {

using draw::escaped;

std::string facts_of(const Figure& figure, std::string_view paper) {
  if (figure.facts.empty()) return "";
  std::string text = text_of("<table>\n<tr><th></th><th>", paper, "</th><th>here</th></tr>\n");
  for (const Fact& fact : figure.facts)
    text += text_of("<tr><td>", escaped(fact.what), "</td><td>", escaped(fact.paper), "</td><td>",
                    escaped(fact.ours), "</td></tr>\n");
  return text + "</table>\n";
}

/// "Figure 4: "; nothing for a figure of our own, whose number is none.
std::string heading_of(const Figure& figure) {
  const bool papers = figure.number.find_first_of("0123456789") == 0;
  return papers ? text_of("Figure ", figure.number, ": ") : "";
}

}  // namespace

std::string report_section(const Figure& figure, std::string_view paper) {
  std::string text = text_of("<section id=\"figure", figure.number, "\">\n<h2>", heading_of(figure),
                             escaped(figure.title), "</h2>\n<p>", escaped(figure.about), "</p>\n");
  if (!figure.texts.empty()) text += text_of("<p>Measured on: ", escaped(figure.texts), ".</p>\n");
  text += text_of("<div class=\"", figure.pictures.size() == 1 ? "alone" : "several",
                  "\">\n<div class=\"pictures\">\n");
  for (const Picture& picture : figure.pictures)
    text += text_of("<div>\n", inlined(picture.svg), "</div>\n");
  text += text_of("</div>\n<div>\n", facts_of(figure, paper), "<p>All rows: <a href=\"figure",
                  figure.number, ".tsv\">figure", figure.number, ".tsv</a>. Pictures:");
  for (const Picture& picture : figure.pictures)
    text += text_of(" <a href=\"", picture.name, ".svg\">", picture.name, ".svg</a>");
  text += text_of(figure.seconds > 0 ? ". Measured in " + human_seconds(figure.seconds) : "",
                  ".</p>\n</div>\n</div>\n");
  if (!figure.notes.empty()) {
    text +=
        text_of("<details class=\"notes\"><summary>Left out: ", std::to_string(figure.notes.size()),
                "</summary>\n<ul>\n");
    for (const auto& note : figure.notes) text += "<li>" + escaped(note) + "</li>\n";
    text += "</ul></details>\n";
  }
  return text + "</section>\n";
}

std::string report_page(const ReportHead& head, const std::vector<Figure>& figures) {
  std::string text = page_head("The wavefront paper, measured again");
  text +=
      "<h1>The wavefront paper, measured again</h1>\n<p>The experiments of D. Castells-Rufas, "
      "<i>GPU acceleration of Levenshtein distance computation between long strings</i>, Parallel "
      "Computing 2023, with rhomb's versions of its kernels. GCUPS: product of the lengths / "
      "seconds of the whole run / 10<sup>9</sup>. The paper's own values are of an NVIDIA GeForce "
      "RTX 3090 and, unless something else is said, of the pair BA000035.2 / BX927147.1";
  text += head.papers ? ".</p>\n<dl>\n" : ", which is not the pair measured here.</p>\n<dl>\n";
  text += page_entry("Device", head.device);
  text += page_entry("First text", head.query);
  text += page_entry("Second text", head.target);
  text += page_entry("Measured", text_of(head.date, ", in ", human_seconds(head.seconds)));
  text += "</dl>\n";
  for (const Figure& figure : figures)
    text += report_section(figure, "paper<br/>(RTX 3090, whole pair)");
  return text + "</body>\n</html>\n";
}

}  // namespace rhomb::cli
