// SPDX-License-Identifier: Apache-2.0
// One pair on several devices.
#include <algorithm>
#include <cstdio>
#include <new>
#include <vector>

#include "host/engine/pair.h"
#include "host/engine/sketch.h"
#include "host/error.h"
#include "host/strip/blocks.h"
#include "host/strip/internal.h"

namespace rhomb::strip {
namespace {

/// What a device does in a time, as far as its limits tell: compute units, of one kind alike.
double weight_of(const ocl::Limits& limits) {
  return std::max(1.0, static_cast<double>(limits.compute_units)) * (limits.gpu ? 64 : 1);
}

/// Lanes of both directions that fill a device.
double lanes_that_fill(const ocl::Limits& limits, const Shape& shape) {
  const double units = std::max(1.0, static_cast<double>(limits.compute_units));
  return units * (shape.lanes > 1 ? shape.lanes : 128);
}

/// Lanes of both directions that have something to do at the same time.
double lanes_in_band(const Plan& plan) {
  const Band band = plan.band(plan.threshold);
  const std::int64_t rows = plan.shape.rows();
  return 2.0 * static_cast<double>(std::min(plan.size.m / (2 * rows) + 1,
                                            (band.below + band.above + 1) / (rows + 64) + 1));
}

void add_guess(Problem& problem) {
  if (problem.guess) return;
  const trace::Scope scope(problem.trace, trace::Work::kChoose);
  const Sketch sketch = sketch_distance(problem.a, problem.b, problem.threads);
  problem.guess = first_threshold(problem, sketch.distance);
}

/// Another device could not be opened.
struct NotOpened {};

std::vector<ocl::Device*> open_all(ocl::Device& device, const OtherDevices& others) {
  std::vector<ocl::Device*> all{&device};
  try {
    for (ocl::Device* other : others.open()) all.push_back(other);
  } catch (const Error&) {
    throw NotOpened{};
  }
  return all;
}

bool is(const Variant& variant, const Variant& row) { return variant.plan == row.plan; }

}  // namespace

double gain_of_sharing(std::span<const ocl::Limits> limits, const Plan& plan) {
  double all = weight_of(limits[0]);
  for (const ocl::Limits& one : limits.subspan(1))
    if (one.gpu || limits[0].gpu) all += weight_of(one);
  const double most = all / weight_of(limits[0]);
  return std::clamp(lanes_in_band(plan) / lanes_that_fill(limits[0], plan.shape), 1.0, most);
}

Answer solve_shared(const Sharing& sharing, const Problem& problem, const tune::Config& config) {
  check_problem(problem);
  config.check_names(blocks_variant().space);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  const double began = now();
  add_guess(rest);
  std::vector<BlockDevice> devices;
  double all = 0, forward = 0;
  const std::size_t count = sharing.devices.size();
  for (std::size_t i = 0; i < count; ++i) {
    ocl::Device* const device = sharing.devices[i];
    BlockDevice& made = devices.emplace_back();
    made.device = device;
    made.plan = blocks_variant().plan(rest, device->limits(), config);
    ensure_tested(*device, made.plan);
    all += weight_of(device->limits());
    if (i < (count + 1) / 2) forward += weight_of(device->limits());
  }
  Plan plan = devices[0].plan;
  const auto shorter = static_cast<std::int64_t>(plan.swapped ? rest.b.size() : rest.a.size());
  const auto longer = static_cast<std::int64_t>(plan.swapped ? rest.a.size() : rest.b.size());
  const Frame frame = Frame::of(shorter, longer, count == 1 ? 0.5 : forward / all);
  const std::int64_t rows = plan.shape.rows();
  plan.size = {frame.m, frame.n, frame.padding, frame.rows[0] / rows, frame.rows[1] / rows};

  const double start = now();
  Answer answer = passes(plan, rest, [&](const Band& band, const Report& report) {
    BlocksOptions options;
    for (std::size_t i = 0; i < count; ++i) {
      // Devices of a direction work at the same time if together they have no more rows than the
      // band has in a column.
      const bool up = count == 1 || i < (count + 1) / 2;
      const double part = weight_of(sharing.devices[i]->limits()) / (count == 1 ? 1e-9
                                                                     : up       ? forward
                                                                                : all - forward);
      const std::int64_t active = std::min(frame.rows[up ? 0 : 1], band.below + band.above + 1);
      const auto share = static_cast<std::int64_t>(
          std::min(part * static_cast<double>(active), static_cast<double>(frame.m)));
      const std::int64_t asked =
          std::max(sharing.block_rows, kBlockRows * plan.config.get("BLOCK", 0));
      const std::int64_t wanted = asked > 0 ? asked : share;
      options.block_rows.push_back((wanted + kBlockRows - 1) / kBlockRows * kBlockRows);
    }
    return pass_in_blocks(devices, rest, plan.swapped, frame, band, at_the_top(frame), options,
                          report);
  });
  answer.build = start - began;
  answer.compute = now() - start;
  answer.config = plan.config;
  answer.certificate.add("devices", static_cast<std::int64_t>(count));
  return answer;
}

Answer solve(ocl::Device& device, const OtherDevices& others, const Variant& variant,
             const Problem& problem, const tune::Config& config) {
  const bool always = is(variant, blocks_variant());
  const auto alone = [&](const Problem& one) { return solve(&device, variant, one, config); };
  if (others.limits.empty() || (!always && !is(variant, strips_variant()))) return alone(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  add_guess(rest);
  std::vector<ocl::Limits> limits{device.limits()};
  limits.insert(limits.end(), others.limits.begin(), others.limits.end());
  if (!always && gain_of_sharing(limits, variant.plan(rest, limits[0], config)) < kWorthSharing)
    return alone(rest);
  try {
    tune::Config shared = config;
    try {
      for (const ocl::Limits& one : limits) blocks_variant().plan(rest, one, config);
    } catch (const tune::Unfit&) {
      // A configuration for one device may have what blocks have not.
      if (always) throw;
      shared = {};
    }
    return solve_shared(Sharing{open_all(device, others)}, rest, shared);
  } catch (const NotOpened&) {
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    if (error.kind() != Kind::kMemory) throw;
  }
  return alone(rest);
}

Facts explain_sharing(const Variant& variant, const Problem& problem,
                      std::span<const ocl::Limits> limits, const tune::Config& config) {
  Facts facts;
  const bool always = is(variant, blocks_variant());
  if ((!always && !is(variant, strips_variant())) || limits.size() < 2) return facts;
  Problem rest = trimmed(problem);
  add_guess(rest);
  const double gain = gain_of_sharing(limits, variant.plan(rest, limits[0], config));
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", gain);
  facts.add("devices", static_cast<std::int64_t>(limits.size()));
  facts.add("expected_gain", text);
  const bool shared = always || gain >= kWorthSharing;
  facts.add("devices_used", static_cast<std::int64_t>(shared ? limits.size() : 1));
  if (!shared)
    facts.add("devices_not_used", limits[0].gpu ? "the band has no more lanes than fill one device"
                                                : "CPU devices have the same cores");
  return facts;
}

}  // namespace rhomb::strip
