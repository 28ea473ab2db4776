// SPDX-License-Identifier: Apache-2.0
// What --help says of a table of variants.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/text.h"

namespace rhomb::cli {

/// Appends the rows of a table, their ideas, tunables and the values of these, as cells.
void add_help(std::vector<std::vector<std::string>>& cells, const auto& table) {
  for (const auto& row : table) {
    cells.push_back({text_of("  ", row.name), std::string(row.summary)});
    for (const auto& param : row.space) {
      std::string values;
      for (const int value : param.values)
        values += text_of(values.empty() ? "" : " ", std::to_string(value));
      cells.push_back({"", text_of(param.name, ": ", param.meaning, " (", values, ")")});
    }
  }
}

/// A paragraph of a verb with one table.
std::string table_help(const auto& table) {
  std::vector<std::vector<std::string>> cells;
  add_help(cells, table);
  return "Variants, the best first, and their tunables:\n" + aligned(cells);
}

/// "a, b, c"
std::string table_names(const auto& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return joined(names);
}

}  // namespace rhomb::cli
