// SPDX-License-Identifier: Apache-2.0
#include "tools/rows.h"

#include <map>

#include "host/tune/config.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::string cell_of(const std::string& name, const Json& value) {
  if (value.is_null()) return "NA";
  if (value.is_object()) {
    const tune::Config config(value.get<std::map<std::string, int>>());
    return field(config.text());
  }
  if (name == "divergence" || value.is_number_float()) return significant(value.get<double>());
  return value.is_string() ? field(value.get<std::string>()) : value.dump();
}

}  // namespace

std::string printed(const std::vector<Json>& rows, Format format) {
  if (format == Format::kJson) {
    std::string text;
    for (const Json& row : rows) text += json_line(row);
    return text;
  }
  std::vector<std::vector<std::string>> cells(1);
  for (const Json& row : rows) {
    std::vector<std::string> line;
    for (const auto& [name, value] : row.items()) {
      if (cells.size() == 1) cells.front().push_back(name);
      line.push_back(cell_of(name, value));
    }
    cells.push_back(line);
  }
  return format == Format::kTable ? aligned(cells) : tsv(cells);
}

}  // namespace rhomb::cli
