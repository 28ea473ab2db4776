// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/rows.h"

#include <array>
#include <charconv>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

void append_number(std::string& text, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

/// "text", quotes included
std::string quoted(std::string_view text) {
  std::string line = json_line(Json(std::string(text)));
  line.pop_back();
  return line;
}

}  // namespace

LcsRows::LcsRows(const seq::Batch& queries, const Columns& columns) : columns_(columns) {
  for (const seq::Sequence& query : queries)
    queries_.push_back(sequence("query", query.name, query.symbols.size()));
}

std::string LcsRows::header() const {
  if (columns_.format == Format::kJson) return "";
  std::string text = "#query\tquery_length\ttarget\ttarget_length\tlength";
  if (columns_.rank) text += "\trank";
  if (columns_.subsequence) text += "\tsubsequence";
  return text + '\n';
}

std::string LcsRows::sequence(std::string_view what, std::string_view name,
                              std::size_t length) const {
  const std::string number = std::to_string(length);
  if (columns_.format == Format::kTsv) return text_of(field(name), "\t", number, "\t");
  return text_of("\"", what, "\":", quoted(name), ",\"", what, "_length\":", number, ",");
}

std::string LcsRows::subject(std::string_view name, std::size_t length) const {
  return sequence("target", name, length);
}

void LcsRows::append(std::string& text, std::size_t query, std::string_view subject,
                     const Found& found) const {
  const bool json = columns_.format == Format::kJson;
  if (json) text += '{';
  text += queries_[query];
  text += subject;
  if (json) text += "\"length\":";
  append_number(text, found.length);
  if (columns_.rank) {
    text += json ? ",\"rank\":" : "\t";
    append_number(text, found.rank);
  }
  if (columns_.subsequence) {
    text += json ? ",\"subsequence\":" : "\t";
    text += json ? quoted(found.subsequence) : field(found.subsequence);
  }
  text += json ? "}\n" : "\n";
}

}  // namespace rhomb::cli
