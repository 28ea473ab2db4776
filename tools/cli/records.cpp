// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/records.h"

#include <map>

#include "host/tune/config.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

bool in_tables(const std::string& name, const Json& value) {
  return name != "asked" && (!value.is_array() || (!value.empty() && value[0].is_number()));
}

std::string cell_of(const Json& value) {
  if (value.is_null()) return "NA";
  if (value.is_object()) return field(tune::Config(value.get<std::map<std::string, int>>()).text());
  if (value.is_array()) return value.dump().substr(1, value.dump().size() - 2);
  if (value.is_number_float()) return significant(value.get<double>());
  return value.is_string() ? field(value.get<std::string>()) : value.dump();
}

}  // namespace

std::string printed(const std::vector<Json>& records, Format format) {
  if (format == Format::kJson) {
    std::string text;
    for (Json row : records) {
      for (auto& value : row)
        if (value.is_number_float()) value = rounded(significant(value.get<double>()));
      text += json_line(row);
    }
    return text;
  }
  std::vector<std::vector<std::string>> cells(1);
  for (const Json& row : records) {
    std::vector<std::string> line;
    for (const auto& [name, value] : row.items()) {
      if (!in_tables(name, value)) continue;
      if (cells.size() == 1) cells.front().push_back(name);
      line.push_back(cell_of(value));
    }
    cells.push_back(line);
  }
  return format == Format::kTable ? aligned(cells) : tsv(cells);
}

}  // namespace rhomb::cli
