// SPDX-License-Identifier: Apache-2.0
// What the verbs for many sequences say at the end of a run, as JSON.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/distance/distance.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

/// What the program itself counted and timed, in seconds: reading before the run, printing, all.
struct RunSummary {
  std::uint64_t rows = 0;
  double read = 0, host = 0, total = 0;

  double rate(double cells) const { return cells / std::max(total, 1e-9); }

  /// Adds the keys behind those of queries and targets. `Totals` is search's or lcs'.
  template <class Totals>
  void add_to(Json& object, const Totals& totals, bool check) const {
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
