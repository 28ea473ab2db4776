// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/align/align.h"
#include "host/distance/run.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Costs and times as a run goes on; every second one is dropped whenever there are many.
class Timeline {
 public:
  void add(std::int64_t cost, double seconds) {
    if (++seen_ % every_ == 0) points_.emplace_back(cost, seconds);
    if (points_.size() < 8192) return;
    for (std::size_t i = 0; i < points_.size() / 2; ++i) points_[i] = points_[2 * i + 1];
    points_.resize(points_.size() / 2);
    every_ *= 2;
  }
  void clear() { *this = {}; }
  /// `most` of them, from the first to the last.
  std::vector<std::pair<std::int64_t, double>> some(std::size_t most) const {
    const std::size_t count = std::min(most, points_.size());
    std::vector<std::pair<std::int64_t, double>> chosen;
    for (std::size_t i = 0; i < count; ++i)
      chosen.push_back(points_[i * (points_.size() - 1) / std::max<std::size_t>(count - 1, 1)]);
    return chosen;
  }

 private:
  std::vector<std::pair<std::int64_t, double>> points_;
  std::size_t seen_ = 0, every_ = 1;
};

/// Builds and tests the program of a wavefront variant, which is that of any texts, on short ones
/// that have nothing in common: what that takes must not count as the time of a run.
void build_on_short_texts(ocl::Device* device, const Sample& pair, DistanceOptions method) {
  constexpr std::size_t kShort = 300;
  const std::string &a = pair.query.symbols, &b = pair.target.symbols;
  if (method.engine != "wavefront" || std::min(a.size(), b.size()) < 2 * kShort) return;
  method.progress = {};
  method.max_distance.reset();
  distance(device, a.substr(0, kShort), b.substr(b.size() / 2, kShort), method);
}

}  // namespace

DistanceAnswer answer_of(ocl::Device* device, const Sample& pair, const DistanceOptions& method,
                         bool align, const OtherDevices& others) {
  const std::string &query = pair.query.symbols, &target = pair.target.symbols;
  if (!align) return distance(device, query, target, method, others);
  AlignOptions options;
  static_cast<DistanceOptions&>(options) = method;
  const AlignAnswer aligned = align_pair(device, query, target, options, {}, others);
  DistanceAnswer answer;
  answer.distance = aligned.distance;
  answer.engine = aligned.engine;
  answer.variant = aligned.variant;
  answer.device = aligned.device;
  answer.passes = 0;
  answer.cells = aligned.cells;
  answer.timing = aligned.timing;
  return answer;
}

double spread_of(const std::vector<double>& seconds) {
  const auto [fastest, slowest] = std::ranges::minmax(seconds);
  return slowest / std::max(fastest, 1e-9);
}

Measured Runner::measure(const Sample& pair, DistanceOptions method, const std::string& label,
                         bool align) const {
  ocl::Device* const device = needs_device(method) ? session.open() : nullptr;
  double begin = 0;
  Timeline points;
  const auto elapsed = [&] {
    if (now() - begin > run_limit) throw TooSlow{};
    return now() - begin;
  };
  method.store = &session.store();
  if (std::isfinite(run_limit)) {
    progress.start(text_of(label, ", building"));
    build_on_short_texts(device, pair, method);
  }
  method.progress = [&](const rhomb::Progress& state) {
    progress.update(state);
    const double seconds = elapsed();
    if (timeline > 0) points.add(state.cost, seconds);
  };
  const auto choices = device != nullptr ? session.choices() : std::vector<batch::DeviceChoice>();
  for (const batch::DeviceChoice& one : choices) one.open();  // does not count, as for the first
  const OtherDevices others = others_of(choices);
  Measured measured;
  const auto run = [&](const std::string& which) {
    progress.start(text_of(label, ", ", which));
    points.clear();
    begin = now();
    measured.answer = answer_of(device, pair, method, align, others);
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
  measured.timeline = points.some(timeline);
  return measured;
}

}  // namespace rhomb::cli
