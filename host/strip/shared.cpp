// SPDX-License-Identifier: Apache-2.0
// One pair on several devices.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/dist/fields.h"
#include "host/engine/fault.h"
#include "host/engine/pair.h"
#include "host/engine/sketch.h"
#include "host/error.h"
#include "host/strip/blocks.h"
#include "host/strip/closure.h"
#include "host/strip/halves.h"
#include "host/strip/helper.h"
#include "host/strip/internal.h"
#include "host/strip/keeper.h"
#include "host/strip/team.h"

namespace rhomb::strip {
namespace {

/// Lanes of both directions that fill a device.
double lanes_that_fill(const ocl::Limits& limits, const Shape& shape) {
  const double units = std::max(1.0, static_cast<double>(limits.compute_units));
  return units * (shape.lanes > 1 ? shape.lanes : 128);
}

/// Rows of blocks that are cut only so that more is saved: filling and emptying the device takes a
/// two-hundredth of their time, and launches are not small.
std::int64_t rows_to_save(const ocl::Limits& limits, const Shape& shape, const Band& band,
                          std::int64_t columns) {
  const double lanes = std::max(lanes_that_fill(limits, shape), 1.0);
  const auto across = static_cast<double>(std::min(band.below + band.above, columns) / 32 + 1);
  const double groups = std::ceil(lanes / static_cast<double>(shape.group_lanes()));
  const double filling = std::min(groups * static_cast<double>(shape.delay()), across);
  const double least = limits.gpu ? 2 : 8;  // times as many lanes as fill it
  return static_cast<std::int64_t>(std::max(least, 200 * filling / across) * lanes) * shape.rows();
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

/// Those of the others, first of this process.
std::vector<ocl::Limits> limits_of(const ocl::Limits& first, const OtherDevices& others) {
  std::vector<ocl::Limits> limits{first};
  limits.insert(limits.end(), others.limits.begin(), others.limits.end());
  if (others.team != nullptr)
    for (const Team::Member& member : others.team->members()) limits.push_back(member.limits);
  return limits;
}

/// What all processes know of a pass.
std::string division_text(std::int64_t pass, bool swapped, const Frame& frame, const Band& band,
                          const std::array<Reached, 2>& from, std::span<const BlockShare> shares) {
  dist::FieldsOut fields;
  fields.add(pass).add(swapped).add(frame).add(band);
  for (const Reached& one : from) fields.add(one.row).add(one.edge.first).add(one.edge.end);
  for (const BlockShare& share : shares) fields.add(share);
  return fields.take();
}

/// Another process's pair.
struct HandedOut {
  std::string message;  // with both texts
  seq::Code code;
  Problem problem;
  std::vector<BlockDevice> devices;

  HandedOut(std::string text, const std::vector<ocl::Device*>& opened) : message(std::move(text)) {
    dist::FieldsIn fields(message);
    const std::string_view a = fields.get_text(), b = fields.get_text();
    code = fields.get<seq::Code>();
    problem = {a, b, &code, fields.get<std::int64_t>()};
    problem.guess = fields.get<std::int64_t>();
    const tune::Config config = tune::Config::parse(fields.get_text());
    for (ocl::Device* const device : opened) {
      devices.push_back({device, blocks_variant().plan(problem, device->limits(), config)});
      ensure_tested(*device, devices.back().plan);
    }
  }
  HandedOut(const HandedOut&) = delete;
  HandedOut& operator=(const HandedOut&) = delete;

  static std::string text(const Problem& problem, const tune::Config& config) {
    dist::FieldsOut fields;
    fields.reserve(problem.a.size() + problem.b.size() + sizeof *problem.code + 1024);
    fields.add_text(problem.a).add_text(problem.b).add(*problem.code);
    fields.add(distance_limit(problem)).add(*problem.guess).add_text(config.text());
    return fields.take();
  }

  /// A pass over it.
  void take_part(Team& team, std::string_view division) const {
    dist::FieldsIn fields(division);
    BlocksOptions options;
    options.team = &team;
    options.pass = fields.get<std::int64_t>();
    const bool swapped = fields.get<bool>();
    const auto frame = fields.get<Frame>();
    const auto band = fields.get<Band>();
    std::array<Reached, 2> from;
    for (Reached& one : from) {
      one.row = fields.get<std::int64_t>();
      one.edge.first = fields.get<std::int64_t>();
      one.edge.end = fields.get<std::int64_t>();
    }
    std::size_t own = 0;
    while (!fields.empty()) {
      const auto share = fields.get<BlockShare>();
      options.shares.push_back(share);
      if (share.process == team.self() &&
          (own == devices.size() || devices[own++].plan.shape.rows() != share.lane_rows))
        throw CheckError(
            "the processes that share a pair have planned differently; please report "
            "this");
    }
    team.begin_pass(options.pass);
    double last = now();
    pass_in_blocks(devices, problem, swapped, frame, band, from, options, [&](double part) {
      constexpr double kEvery = 0.1;  // seconds
      if (now() - last > kEvery) {
        team.report_done(part);
        last = now();
      }
      return team.given_up();
    });
    team.end_pass();
  }
};

/// Another device cannot help: it cannot be opened, or does not compile the kernels, or computes
/// wrongly.
struct NotUsable : Error {
  explicit NotUsable(const Error& why) : Error(why.kind(), why.what()) {}
};

std::vector<ocl::Device*> open_all(ocl::Device& device, const OtherDevices& others) {
  std::vector<ocl::Device*> all{&device};
  if (others.limits.empty()) return all;
  try {
    for (ocl::Device* other : others.open()) all.push_back(other);
  } catch (const Error& error) {
    throw NotUsable(error);
  }
  return all;
}

bool is(const Variant& variant, const Variant& row) { return variant.plan == row.plan; }

/// By two devices that have a half each, if that gains and there is nothing to save.
std::optional<Answer> solve_halves(ocl::Device& device, const OtherDevices& others,
                                   const Plan& alone, const Problem& problem,
                                   const tune::Config& config) {
  if (problem.checkpoint != nullptr) return std::nullopt;
  const auto helper = helper_for(device, alone, problem, config, others);
  if (!helper) return std::nullopt;
  try {
    const double began = device.clock().build;
    Halves halves(device, helper->plan, problem, 0, helper->device);
    Answer answer = halves.solve().answer;
    answer.build = device.clock().build - began;
    answer.config = helper->plan.config;
    answer.certificate.add("devices", std::int64_t{2});
    return answer;
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    if (error.kind() != Kind::kMemory) throw;
  }
  return std::nullopt;
}

}  // namespace

double gain_of_sharing(std::span<const ocl::Limits> limits, const Plan& plan) {
  double all = 0;
  std::set<std::uint32_t> hosts;  // whose cores are counted
  for (const ocl::Limits& one : limits)
    if (one.gpu || hosts.insert(one.host).second) all += weight_of(one);
  const double most = all / weight_of(limits[0]);
  return std::clamp(lanes_in_band(plan) / lanes_that_fill(limits[0], plan.shape), 1.0, most);
}

Answer solve_shared(const Sharing& sharing, const Problem& problem, const tune::Config& config) {
  check_problem(problem);
  config.check_names(blocks_variant().space);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  const double began = now();
  if (rest.checkpoint != nullptr && sharing.team != nullptr)
    throw UsageError("processes that share a pair save no checkpoints");
  if (rest.checkpoint != nullptr)
    if (const auto threshold = Keeper::threshold_of(*rest.checkpoint)) rest.guess = threshold;
  add_guess(rest);
  // Others get ready while this process does.
  if (sharing.team != nullptr) sharing.team->hand_out(HandedOut::text(rest, config));
  std::vector<BlockDevice> devices;  // of this process
  std::vector<BlockShare> shares;    // of all
  std::vector<double> weights;
  const auto add = [&](const ocl::Limits& limits, int process) {
    Plan made = blocks_variant().plan(rest, limits, config);
    shares.push_back({made.shape.rows(), 0, process});
    weights.push_back(weight_of(limits));
    return made;
  };
  for (ocl::Device* const device : sharing.devices) {
    devices.push_back({device, add(device->limits(), 0)});
    try {
      ensure_tested(*device, devices.back().plan);
    } catch (const Error& error) {
      const bool unusable = error.kind() == Kind::kDevice || error.kind() == Kind::kCheck;
      if (devices.size() == 1 || !unusable) throw;
      throw NotUsable(error);
    }
  }
  if (sharing.team != nullptr)
    for (const Team::Member& member : sharing.team->members()) add(member.limits, member.process);
  const std::size_t count = shares.size();
  const auto half = weights.begin() + static_cast<std::ptrdiff_t>((count + 1) / 2);
  const double forward = std::accumulate(weights.begin(), half, 0.0);
  const double all = std::accumulate(half, weights.end(), forward);
  Plan plan = devices[0].plan;
  const auto shorter = static_cast<std::int64_t>(plan.swapped ? rest.b.size() : rest.a.size());
  const auto longer = static_cast<std::int64_t>(plan.swapped ? rest.a.size() : rest.b.size());
  Frame frame = Frame::of(shorter, longer, count == 1 ? 0.5 : forward / all);
  std::optional<Keeper> keeper;
  if (rest.checkpoint != nullptr) {
    keeper.emplace(*rest.checkpoint, frame);
    rest.progress = [&, tell = problem.progress](Progress progress) {
      progress.resumed = keeper->part();
      progress.saved = rest.checkpoint->age();
      if (tell) tell(progress);
    };
  }
  const std::int64_t rows = plan.shape.rows();
  plan.size = {frame.m, frame.n, frame.padding, frame.rows[0] / rows, frame.rows[1] / rows};

  const double start = now();
  const trace::Scope computing(problem.trace, trace::Work::kCompute);
  std::array<Reached, 2> from;
  Faults faults;
  const auto pass = [&](const Band& band, const Report& report) {
    BlocksOptions options;
    for (std::size_t i = 0; i < count; ++i) {
      // Devices of a direction work at the same time if together they have no more rows than the
      // band has in a column.
      const bool up = count == 1 || i < (count + 1) / 2;
      const double part = weights[i] / (count == 1 ? 1e-9 : up ? forward : all - forward);
      const std::int64_t active = std::min(frame.rows[up ? 0 : 1], band.below + band.above + 1);
      auto share = static_cast<std::int64_t>(
          std::min(part * static_cast<double>(active), static_cast<double>(frame.m)));
      if (keeper)
        share = std::min(
            share, rows_to_save(devices[i].device->limits(), devices[i].plan.shape, band, frame.n));
      const std::int64_t asked =
          std::max(sharing.block_rows, kBlockRows * plan.config.get("BLOCK", 0));
      const std::int64_t wanted = asked > 0 ? asked : share;
      shares[i].block_rows = (wanted + kBlockRows - 1) / kBlockRows * kBlockRows;
    }
    options.shares = shares;
    if (sharing.team != nullptr) {
      options.team = sharing.team;
      options.pass = sharing.team->next_pass();
      sharing.team->begin_pass(
          division_text(options.pass, plan.swapped, frame, band, from, shares));
    }
    if (keeper)
      options.reached = [&](int direction, Reached to) {
        keeper->reached(direction, std::move(to));
        keeper->poll();
      };
    try {
      for (;;) {
        try {
          return pass_in_blocks(devices, rest, plan.swapped, frame, band, from, options,
                                [&](double part) {
                                  if (keeper) keeper->poll();
                                  return report(part);
                                });
        } catch (const FaultError& fault) {
          if (sharing.team != nullptr) throw;
          faults.add(fault);
          if (keeper) from = keeper->now();
        }
      }
    } catch (...) {
      if (sharing.team != nullptr) {  // it may not have come to them, who wait
        sharing.team->give_up();
        sharing.team->wait_for_others();
      }
      throw;
    }
  };
  Answer answer;
  try {
    answer = passes(
        plan, rest, pass, keeper ? keeper->place() : std::nullopt,
        [&](const PassPlace& place) { from = keeper ? keeper->begins(place) : at_the_top(frame); });
  } catch (...) {
    const std::exception_ptr why = std::current_exception();
    try {
      if (keeper) keeper->finish();
    } catch (...) {  // what went wrong before says more
    }
    std::rethrow_exception(why);
  }
  if (keeper) keeper->finish();
  answer.build = start - began;
  answer.compute = now() - start;
  answer.config = plan.config;
  answer.certificate.add("devices", static_cast<std::int64_t>(count));
  faults.tell(answer.certificate);
  return answer;
}

void help(Team& team, const std::function<std::vector<ocl::Device*>()>& open) {
  auto opening = std::async(std::launch::async, open);  // a driver takes its time
  std::vector<ocl::Device*> devices;
  std::optional<HandedOut> pair;
  for (;;) {
    dist::Message order = team.next_order();
    if (order.kind == Team::kDismissed) return;
    if (order.kind == Team::kPair) {
      if (opening.valid()) devices = opening.get();
      pair.emplace(std::move(order.text), devices);
    } else {
      pair->take_part(team, order.text);
    }
  }
}

Answer solve(ocl::Device& device, const OtherDevices& others, const Variant& variant,
             const Problem& problem, const tune::Config& config) {
  const bool always = is(variant, blocks_variant());
  const auto alone = [&](const Problem& one) { return solve(&device, variant, one, config); };
  if (others.empty() || (!always && !is(variant, strips_variant()))) return alone(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  add_guess(rest);
  const std::vector<ocl::Limits> limits = limits_of(device.limits(), others);
  if (!always) {
    const Plan plan = variant.plan(rest, limits[0], config);
    if (gain_of_sharing(limits, plan) < kWorthSharing) {
      if (auto answer = solve_halves(device, others, plan, rest, config)) return *std::move(answer);
      return alone(rest);
    }
  }
  std::string left_out;
  try {
    tune::Config shared = config;
    try {
      for (const ocl::Limits& one : limits) blocks_variant().plan(rest, one, config);
    } catch (const tune::Unfit&) {
      // A configuration for one device may have what blocks have not.
      if (always) throw;
      shared = {};
    }
    return solve_shared({open_all(device, others), 0, others.team}, rest, shared);
  } catch (const NotUsable& error) {
    left_out = error.what();
  } catch (const std::bad_alloc&) {
    if (rest.checkpoint != nullptr) throw;  // what has been saved is gone on from, not begun anew
    left_out = "the host's memory does not suffice for several";
  } catch (const Error& error) {
    if (error.kind() != Kind::kMemory || rest.checkpoint != nullptr) throw;
    left_out = error.what();
  }
  Answer answer = alone(rest);
  if (!left_out.empty())
    answer.certificate.add("devices_left_out", left_out.substr(0, left_out.find('\n')));
  return answer;
}

Facts explain_sharing(const Variant& variant, const Problem& problem,
                      std::span<const ocl::Limits> limits, const tune::Config& config) {
  const bool always = is(variant, blocks_variant());
  if ((!always && !is(variant, strips_variant())) || limits.size() < 2) return {};
  Problem rest = trimmed(problem);
  add_guess(rest);
  const Plan plan = variant.plan(rest, limits[0], config);
  const double gain = gain_of_sharing(limits, plan);
  if (!always && gain < kWorthSharing)
    if (const auto each = half_each(plan, rest, limits[0], limits.subspan(1), config))
      return facts_of_sharing(limits.first(2), each->gain, true, "");
  return facts_of_sharing(limits, gain, always || gain >= kWorthSharing,
                          "the band has no more lanes than fill one device");
}

}  // namespace rhomb::strip
