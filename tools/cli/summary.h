// SPDX-License-Identifier: Apache-2.0
// What the verbs for many sequences say at the end of a run, in a line or as JSON.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "host/batch/run.h"
#include "host/distance/distance.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

/// What the program itself counted and timed, in seconds: reading before the run, printing, all.
struct RunSummary {
  std::uint64_t rows = 0;
  double read = 0, host = 0, total = 0;

  double rate(double cells) const { return cells / std::max(total, 1e-9); }

  std::string count_rows() const { return count_of(rows) + (rows == 1 ? " row" : " rows"); }
  /// "2.1 G cells in 3 s, 700 M cells/s; DEVICE (VARIANT): 2.000 s computing, ..."
  std::string work(const batch::Totals& totals) const {
    return text_of(human(totals.cells), " cells in ", human_seconds(total), ", ",
                   human(rate(totals.cells)), " cells/s; ", totals.device, " (", totals.variant,
                   "): ", fixed(totals.compute, 3), " s computing, ",
                   fixed(totals.build + totals.transfer, 3), " s building and packing; ");
  }
  std::string printing() const { return text_of("rows ", fixed(host, 3), " s"); }

  /// Adds the keys behind those of queries and targets.
  void add_to(Json& object, const batch::Totals& totals, bool check) const {
    object["symbols"] = json_count(totals.symbols);
    object["rows"] = rows;
    if (check) object["checked"] = totals.checked;
    object["cells"] = json_count(totals.cells);
    object["seconds"] = rounded(significant(total));
    object["gcups"] = rounded(significant(rate(totals.cells) / 1e9));
    object["variant"] = totals.variant;
    object["device"] = totals.device;
    object["config"] = json_of(totals.config);
    object["blocks"] = totals.blocks;
    Timing timing;
    timing.read = read;
    timing.build = totals.build;
    timing.transfer = totals.transfer;
    timing.compute = totals.compute;
    timing.total = total;
    object["timing"] = json_of(timing);
    object["timing"]["rows"] = rounded(significant(host));
  }
};

}  // namespace rhomb::cli
