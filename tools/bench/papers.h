// SPDX-License-Identifier: Apache-2.0
// What rhomb bench paper-search and paper-lcs share: options, a table of rows, a page of figures.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/figures.h"

namespace rhomb::cli {

struct PaperOptions {
  std::string report;   ///< directory with '/' behind; empty: no page is asked for
  double budget = 240;  ///< seconds for all
  int runs = 3;         ///< of which the median counts
  std::vector<std::string> figures;

  bool wants(const std::string& figure) const;
};

/// The options that both have; `figures` are all that there are.
Group paper_group(const std::vector<std::string>& figures);
/// Throws UsageError.
PaperOptions parse_paper(const CommandLine& line, const std::vector<std::string>& figures);

/// One row a measurement: all have the same keys in the same order.
std::string table(const std::vector<Json>& rows, Format format);

/// A number to be reached, and the one that was.
struct Aim {
  std::string what;
  double wanted;
  std::optional<double> reached;
  std::string unit;
};

/// A figure and the rows that it was drawn from.
struct PaperFigure {
  Figure shown;  ///< without rows
  std::vector<Json> rows;
};

struct PaperReport {
  std::string title;
  std::string about;  ///< HTML: the paper, and what is measured
  std::string paper;  ///< head of the column with its values, in HTML
  std::vector<std::pair<std::string, std::string>> entries;  ///< "Device", "NVIDIA H200"
  std::string aims_title;
  std::vector<Aim> aims;
  std::vector<PaperFigure> figures;
};

/// Writes for each figure its rows as figure*.tsv and its pictures as *.svg. Returns the page.
std::string write_report(const std::string& directory, const PaperReport& report);

/// "41.2 TCUPS"; "not measured".
std::string rate_words(std::optional<double> rate, std::string_view unit);

}  // namespace rhomb::cli
