// SPDX-License-Identifier: Apache-2.0
// tune_section: what the page of `rhomb tune --report` says about one task, and the pictures of
// several.
#pragma once

#include <string>
#include <vector>

#include "tools/plot.h"
#include "tools/tune/tried.h"

namespace rhomb::cli {

struct TaskSection {
  std::string text;          ///< a part of the page, the picture in it
  std::string picture_name;  ///< of its file, without ".svg"
  std::string picture;       ///< the heat map, a whole file
};

/// `device`: the device's number, which makes names of files differ.
TaskSection task_section(const Tried& tried, const std::string& device);

/// Rate against length, at most seven curves a picture, of the rows with several lengths. `all`:
/// by row and divergence, then length.
std::vector<Plot> size_plots(const std::vector<const Tried*>& all);

/// Where the page has the section: "1-strips-100000-0.5".
std::string anchor_of(const std::string& device, const tune::Task& task);
/// Three significant digits: "0.00123", "12.3", "1,230".
std::string short_number(double value);

}  // namespace rhomb::cli
