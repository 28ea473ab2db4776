// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/measure.h"

#include <algorithm>
#include <vector>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

double spread_of(const std::vector<double>& seconds) {
  const auto [fastest, slowest] = std::ranges::minmax(seconds);
  return slowest / std::max(fastest, 1e-9);
}

Measured Runner::measure(const Sample& pair, DistanceOptions method,
                         const std::string& label) const {
  ocl::Device* const device = needs_device(method) ? session.open() : nullptr;
  double begin = 0;
  const auto elapsed = [&] {
    if (now() - begin > run_limit) throw TooSlow{};
    return now() - begin;
  };
  method.progress = [&](const rhomb::Progress& state) {
    progress.update(state);
    elapsed();
  };
  method.store = &session.store();
  Measured measured;
  const auto run = [&](const std::string& which) {
    progress.start(text_of(label, ", ", which));
    begin = now();
    measured.answer = distance(device, pair.query.symbols, pair.target.symbols, method);
    progress.finish();
    return elapsed();  // short runs report no progress
  };
  const double first = run("warming up");
  const double room = limit / std::max(first, 1e-6) - 1;
  measured.runs = room < runs ? std::max(static_cast<int>(room), 1) : runs;
  std::vector<double> totals;
  std::vector<double> computes;
  for (int i = 1; i <= measured.runs; ++i) {
    run(text_of("run ", std::to_string(i), " of ", std::to_string(measured.runs)));
    totals.push_back(measured.answer.timing.total);
    computes.push_back(measured.answer.timing.compute);
  }
  measured.seconds = median(totals);
  measured.compute = median(computes);
  measured.spread = spread_of(totals);
  return measured;
}

}  // namespace rhomb::cli
