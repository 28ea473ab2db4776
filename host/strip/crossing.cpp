// SPDX-License-Identifier: Apache-2.0
// Where cheapest paths cross the row in the middle of a matrix, or of a part of one.
#include <algorithm>

#include "host/strip/banded_run.h"
#include "host/strip/internal.h"

namespace rhomb::strip {
namespace {

/// dh between neighbours of `costs`, 32 columns a word.
template <class Costs>
Words slopes(const Costs& costs) {
  Words words(2 * ((costs.size() + 30) / 32), 0);
  for (std::size_t i = 0; i < 32 * (words.size() / 2); ++i) {
    const std::uint32_t bit = 0x80000000u >> (i % 32);
    const int step = i + 1 < costs.size() ? costs[i + 1] - costs[i] : 1;
    if (step > 0) words[2 * (i / 32)] |= bit;
    if (step < 0) words[2 * (i / 32) + 1] |= bit;
  }
  return words;
}

Crossing crossing_of(const Plan& plan, const Problem& problem, const Edges& edges,
                     std::int64_t least) {
  Crossing crossing;
  crossing.row = plan.size.upper * plan.shape.rows();
  crossing.least = least;
  const std::int64_t columns = plan.size.n;
  const auto [from, to] = common_places(edges.upper, edges.lower, columns);
  const std::int64_t last = std::min(to, static_cast<std::int64_t>(problem.b.size()));
  auto before = costs_along(edges.upper, from, last);
  auto after = costs_along(edges.lower, columns - last, columns - from);
  std::reverse(after.begin(), after.end());
  const auto is_least = [&](std::size_t i) { return std::int64_t{before[i]} + after[i] == least; };
  std::size_t begin = 0, end = before.size();
  while (begin < end && !is_least(begin)) ++begin;
  while (end > begin && !is_least(end - 1)) --end;
  if (begin == end) throw CheckError("no path has the cost that was found; please report this");
  const auto cut = [&](std::vector<std::int32_t>& costs) {
    costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(end), costs.end());
    costs.erase(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(begin));
    costs.shrink_to_fit();
  };
  cut(before);
  cut(after);
  crossing.first = from + static_cast<std::int64_t>(begin);
  crossing.before = std::move(before);
  crossing.after = std::move(after);
  return crossing;
}

}  // namespace

Plan plan_part(const Problem& problem, const Part& part, const ocl::Limits& limits) {
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  // A path from diagonal e to f that costs t stays on those from (e + f - t) / 2 to (e + f + t)
  // / 2. Bands have the same room on both sides.
  const auto widest = static_cast<std::int64_t>(std::max(part.top.size(), part.bottom.size())) - 1;
  const std::int64_t threshold = std::max(part.threshold + widest, n - m);
  Plan plan = plan_any(problem, limits, {}, threshold, false);
  // No symbols can be appended behind several places.
  while (part.bottom.size() > 1 && plan.size.padding > 0) {
    if (plan.shape.k == 1) throw tune::Unfit("the rows of a part are no multiple of 32");
    tune::Config config = plan.config;
    config.set("K", plan.shape.k / 2);
    plan = plan_any(problem, limits, config, threshold, false);
  }
  plan.threshold = threshold;
  return plan;
}

Crossing cross(ocl::Device& device, const Plan& plan, const Problem& problem, const Part& part) {
  ensure_tested(device, plan);
  const auto kernel = device.kernel(plan.program.file, plan.program.kernel, plan.program.defines);
  const std::vector<std::int32_t> bottom(part.bottom.rbegin(), part.bottom.rend());
  BandedRun<ocl::Device> run(device, plan, problem, kernel, {slopes(part.top), slopes(bottom)});
  const Band band = plan.band(plan.threshold);
  const auto least = run.pass(band, [&](double part_done) {
    return report(problem, {0, 0, 0, part_done, 0});
  });
  if (!least) {
    Crossing none;
    none.given_up = true;
    return none;
  }
  Crossing crossing = crossing_of(plan, problem, run.edges(), *least);
  crossing.least += part.top.front() + part.bottom.back();
  for (std::int32_t& cost : crossing.before) cost += part.top.front();
  for (std::int32_t& cost : crossing.after) cost += part.bottom.back();
  crossing.cells = Schedule(plan.size, plan.shape, band).cells();
  return crossing;
}

Crossed cross_all(ocl::Device& device, const Plan& plan, const Problem& problem) {
  const double begin = now();
  ensure_tested(device, plan);
  const auto kernel = device.kernel(plan.program.file, plan.program.kernel, plan.program.defines);
  const double built = now();
  BandedRun<ocl::Device> run(device, plan, problem, kernel);
  const double start = now();
  Crossed crossed;
  crossed.answer = passes(plan, problem, [&](const Band& band, const Report& report) {
    return run.pass(band, report);
  });
  crossed.answer.build = built - begin;
  crossed.answer.transfer = start - built;
  crossed.answer.compute = now() - start;
  if (crossed.answer.distance)
    crossed.crossing = crossing_of(plan, problem, run.edges(), *crossed.answer.distance);
  return crossed;
}

}  // namespace rhomb::strip
