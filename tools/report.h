// SPDX-License-Identifier: Apache-2.0
// Report: figures as a page that any browser opens, with no network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/figures.h"

namespace rhomb::cli {

/// What the figures have in common.
struct ReportHead {
  std::string device;  ///< "NVIDIA H200, driver 580.1"
  std::string query;   ///< "BA000035.2, 3,147,090 bases"
  std::string target;
  std::string date;  ///< of the run, "2026-11-21"
  double seconds = 0;
  bool papers = false;  ///< the pair is the paper's
};

/// A figure as part of a page. `paper` is the head of the column with the paper's values, in HTML.
std::string report_section(const Figure& figure, std::string_view paper);

/// The page; pictures are in it, tables are beside it as figure*.tsv.
std::string report_page(const ReportHead& head, const std::vector<Figure>& figures);

}  // namespace rhomb::cli
