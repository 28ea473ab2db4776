// SPDX-License-Identifier: Apache-2.0
// chrome: a trace as text that ui.perfetto.dev, chrome://tracing and speedscope.app open: the Trace
// Event Format's JSON, object form, one event a line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace.h"

namespace rhomb::trace {

/// Writes `trace` piece by piece, for it may be large; `notes` are names and values about all of
/// it. Phases that go on end now. Nobody may record meanwhile.
void write_chrome(const Trace& trace, const std::vector<std::pair<std::string, std::string>>& notes,
                  const std::function<void(std::string_view)>& write);

}  // namespace rhomb::trace
