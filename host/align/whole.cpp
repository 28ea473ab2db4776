// SPDX-License-Identifier: Apache-2.0
#include "host/align/whole.h"

#include <algorithm>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "host/align/by_pieces.h"
#include "host/align/corridor_slabs.h"
#include "host/align/fronts.h"
#include "host/align/halves.h"
#include "host/align/slab.h"
#include "host/align/trace.h"
#include "host/align/walker.h"
#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/distance/pieces.h"
#include "host/strip/helper.h"

namespace rhomb::align {
namespace {

void take(Found& found, const Answer& answer, const Method& method, const ocl::Device* device) {
  if (answer.given_up) throw Error(Kind::kStopped, "the run was stopped");
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device != nullptr ? device->info().name : "host";
  found.distance = answer.distance;
  found.found_at = now();
  found.cells += answer.cells;
  found.timing.build += answer.build;
  found.timing.transfer += answer.transfer;
  found.timing.compute += answer.compute;
}

std::optional<Cigar> as_pair(ocl::Device& device, const Turned& whole, const Point& from,
                             const Point& to, std::int64_t about, const Room& room,
                             const tune::Config& config);

}  // namespace

ByHost by_host(const Turned& turned, std::optional<std::int64_t> max_distance, std::size_t memory) {
  const auto m = static_cast<std::int64_t>(turned.problem.a.size());
  const auto n = static_cast<std::int64_t>(turned.problem.b.size());
  ByHost made;
  Region region;
  region.rows = m;
  region.top = {0};
  region.first_exit = region.last_exit = n;
  region.threshold = std::max<std::int64_t>({n - m, n / 16, 64});
  for (;;) {
    const Slab slab(turned.coded.get(), region, memory);
    made.cells += slab.cells();
    made.distance = slab.cost(n);
    if (made.distance <= region.threshold || region.threshold >= n) {
      if (made.distance > max_distance.value_or(n)) return made;
      Path path = slab.walk(n);
      made.backwards = {std::move(path.backwards), along_first_row(turned, path.entry)};
      return made;
    }
    region.threshold = std::min(made.distance, n);
  }
}

std::optional<Found> find_by_strips(ocl::Device& device, const Turned& turned,
                                    const Problem& problem, const Room& room,
                                    const tune::Config& config) {
  const strip::Plan alone = strip::variants().front().plan(problem, device.limits(), config);
  if (alone.size.lower == 0) return std::nullopt;
  const auto helper = strip::helper_for(device, alone, problem, config, room.others());
  const strip::Plan& plan = helper ? helper->plan : alone;
  const std::int64_t rows = room.tuning().slab_rows > 0 ? room.tuning().slab_rows
                                                        : strip::usual_rows_apart(device.limits());
  std::uint32_t apart = strip::lanes_apart(plan, device.limits(), rows);
  auto reversed = std::async(batch::beside(problem.threads), [&] {
    return align::reversed(turned.coded.get(), plan.size.padding);
  });
  const bool follow = room.tuning().follow.value_or(device.limits().gpu);
  std::optional<strip::Halves> halves;
  std::optional<strip::Crossed> crossed;
  std::vector<std::future<void>> ready;
  while (!crossed) {
    try {
      halves.emplace(device, plan, problem, apart, helper ? helper->device : nullptr);
      if (follow && ready.empty()) ready = halves->make_ready();
      crossed = halves->solve();
    } catch (const Error& error) {
      // Others use the device's memory, too: fewer rows then, or none.
      if (apart == 0 || !out_of_memory(error)) throw;
      halves.reset();
      apart = 8 * apart < plan.size.upper ? 8 * apart : 0;
    }
  }
  Found found;
  take(found, crossed->answer, method_named(kStrips), &device);
  if (!found.distance) return found;
  const trace::Scope scope(problem.trace, trace::Work::kWalk);
  TraceOptions options = room.options(*found.distance);
  options.follow = follow;
  options.as_pair = [&](const Point& from, const Point& to, std::int64_t about) {
    halves.reset();  // all of its rows have been read
    return as_pair(device, turned, from, to, about, room, plan.config);
  };
  found.traced = trace_halves(*halves, plan, crossed->crossing, *found.distance, problem,
                              turned.coded.get(), reversed.get(), options);
  found.let_go(std::move(halves), problem.threads);
  return found;
}

namespace {

/// What lies between two points of a pair, backwards, if that is a good deal less than the pair.
std::optional<Cigar> as_pair(ocl::Device& device, const Turned& whole, const Point& from,
                             const Point& to, std::int64_t about, const Room& room,
                             const tune::Config& config) {
  const std::int64_t rows = to.row - from.row, columns = to.place - from.place;
  if (rows + columns > (whole.rows() + whole.columns()) / 4 * 3) return std::nullopt;
  Problem problem = whole.problem;
  problem.a = problem.a.substr(static_cast<std::size_t>(from.row), static_cast<std::size_t>(rows));
  problem.b =
      problem.b.substr(static_cast<std::size_t>(from.place), static_cast<std::size_t>(columns));
  problem.chain = {};
  problem.max_distance.reset();
  problem.progress = {};
  Turned part;
  part.codes.turned = whole.codes.turned;
  turn(problem, part);
  part.coded = std::async(std::launch::deferred, [&] { return encoded(part); });
  part.problem.guess = about + about / 16;
  Cigar backwards;
  backwards.add(Edit::kMatch, part.suffix);
  const auto append = [&](std::span<const Cigar> parts, std::int64_t entry) {
    for (const Cigar& one : parts) backwards.append(one);
    backwards.append(along_first_row(part, entry));
    return backwards;
  };
  if (part.problem.a.empty()) return append({}, part.columns());
  try {
    if (const auto found = find_by_strips(device, part, part.problem, room, config))
      return append(found->traced->backwards, found->traced->entry);
    return append(by_host(part, std::nullopt, room.options(about).memory).backwards,
                  0);             // few rows
  } catch (const tune::Unfit&) {  // the settings are for larger pairs
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    if (!left_to_others(error)) throw;
  }
  return std::nullopt;
}

/// What the device finds of the path through the slabs of a corridor. Nothing where it cannot.
std::optional<CorridorSlabs> walked_by(ocl::Device& device, const corridor::Plan& plan,
                                       const corridor::DeviceTexts& texts,
                                       const corridor::Slabs& slabs, const Turned& turned) {
  try {
    return CorridorSlabs(device, plan, texts, slabs, turned.coded.get(), turned.problem.threads);
  } catch (const SelfTestError& error) {
    device.warn(error, "the host walks through the slabs alone");
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    if (!out_of_memory(error)) throw;
  }
  return std::nullopt;
}

/// The corridor, without a device that of the host. Its best path so far goes to `problem` where it
/// gives up: then nothing.
std::optional<Found> find_by_corridor(ocl::Device* device, const Turned& turned, Problem& problem,
                                      std::int64_t expected, const Room& room,
                                      const tune::Config& config) {
  Problem sketched = problem;
  sketched.guess = expected;
  const std::string variant(device != nullptr ? "" : corridor::kHostCorridor);
  const Method method = method_named(kCorridor, variant);
  try {
    corridor::Plan plan =
        find_variant(corridor::variants(), method.variant)
            .plan(sketched, device != nullptr ? device->limits() : ocl::Limits(), config);
    // What lies between two rows takes the host as long as the square of what it costs.
    constexpr double kCostOfSlab = 48;
    const bool follow = device != nullptr && room.tuning().follow.value_or(device->limits().gpu);
    double rows = kCostOfSlab * static_cast<double>(turned.rows()) /
                  static_cast<double>(std::max<std::int64_t>(expected, 1));
    if (follow) rows = std::min(rows, kMostSlabRows);
    if (room.tuning().slab_rows > 0) rows = static_cast<double>(room.tuning().slab_rows);
    corridor::keep_rows(plan, rows, static_cast<double>(room.memory(expected)) / 4);
    corridor::Kept kept = corridor::solve_keeping(device, plan, sketched);
    if (kept.answer.passed_on) {
      if (kept.answer.at_most) problem.guess = kept.answer.at_most;
      return std::nullopt;
    }
    Found found;
    take(found, kept.answer, method, device);
    if (!found.distance) return found;
    const trace::Scope scope(problem.trace, trace::Work::kWalk);
    const corridor::Slabs slabs{kept.rows, turned.rows(), turned.columns(), *found.distance,
                                turned.codes.turned};
    TraceOptions options = room.options(*found.distance);
    std::optional<CorridorSlabs> walked;
    if (follow) walked = walked_by(*device, plan, *kept.texts, slabs, turned);
    if (walked) {
      options.probable = [&](std::size_t row) { return walked->probable(row); };
      options.known = [&](std::size_t slab, std::int64_t exit, TraceOptions::Path) {
        return walked->known(slab, exit);
      };
      options.steps = [&](std::size_t slab, Cigar& backwards) { walked->steps(slab, backwards); };
    }
    found.traced =
        trace(turned.coded.get(), slabs.rows, slabs.end, slabs.exit, slabs.cost, options);
    found.let_go(std::move(kept), problem.threads);
    return found;
  } catch (const Error& error) {
    if (!out_of_memory(error)) throw;
  } catch (const std::bad_alloc&) {  // its bounds are in the host's memory
  }
  return std::nullopt;
}

/// The path of wavefronts that met, if the memory for what is read of their rows suffices.
void walk_fronts(wfa::Fronts kept, std::optional<wfa::Begun> begun, ocl::Device& device,
                 const Turned& turned, const Room& room, const Codes& reversed, Found& found) {
  const trace::Scope scope(turned.problem.trace, trace::Work::kWalk);
  std::optional<wfa::Fronts> fronts = std::move(kept);
  TraceOptions tracing = room.options(*found.distance);
  tracing.as_pair = [&](const Point& from, const Point& to, std::int64_t about) {
    fronts.reset();  // all of its rows have been read
    return as_pair(device, turned, from, to, about, room, room.tuning().strips);
  };
  try {
    if (!begun) begun = std::move(fronts->begin({{*found.distance}}, tracing.threads).front());
    found.traced =
        trace_fronts(*fronts, *begun, *found.distance, turned.coded.get(), reversed, tracing);
  } catch (const Error& error) {  // the rows have left no memory for what is read of them
    if (!out_of_memory(error)) throw;
  }
  // Without a path others need the memory at once.
  if (fronts && found.traced) found.let_go(*std::move(fronts), turned.problem.threads);
}

/// The path from the first symbols on, if it costs no more than `most`; or if memory does not
/// suffice nothing.
std::optional<Traced> walked_within(const Turned& turned, std::int64_t most, std::size_t memory) {
  const trace::Scope scope(turned.problem.trace, trace::Work::kWalk);
  try {
    Walker walker(turned.coded.get(), memory);
    const Places exits{turned.columns(), turned.columns()};
    auto step = walker.through(KeptRow{}, turned.rows(), exits, most, true);
    if (!step) return std::nullopt;
    Traced traced;
    traced.backwards.push_back(std::move(step->backwards));
    traced.entry = step->at.first;
    traced.parts = 1;
    traced.cells = walker.cells();
    return traced;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

/// Wavefronts, as long as `choice` lets them run and memory suffices. They keep rows, unless the
/// host walks through the pair at once.
std::optional<Found> find_by_wavefronts(ocl::Device& device, const Turned& turned,
                                        const Problem& rest, const Choice& choice, const Room& room,
                                        const tune::Config& config) {
  const Method method = method_named(kWavefront);
  const bool at_once =
      choice.sketch.distance > 0 &&
      walked_at_once(room.tuning(), turned.rows(), turned.columns(), choice.sketch.distance);
  const auto prefix = static_cast<std::int64_t>(turned.problem.a.size() - rest.a.size());
  std::future<Codes> reversed;
  std::future<void> ready;
  std::future<std::optional<Traced>> walked;
  if (at_once && batch::threads_of(rest.threads) > 1) {
    // Beside the device, within a little more than the pair probably costs.
    const std::int64_t most = choice.sketch.distance + choice.sketch.distance / 8 + 16;
    walked = std::async(std::launch::async, walked_within, std::cref(turned), most,
                        room.options(most).memory);
  } else if (!at_once) {
    reversed = std::async(batch::beside(rest.threads),
                          [&] { return align::reversed(turned.coded.get()); });
    ready = wfa::Fronts::make_ready(device, rest.threads);
  }
  std::optional<wfa::Fronts> fronts;
  const Tried tried = try_wavefronts(
      [&](const Problem& patient) {
        if (at_once) return method.solve(&device, patient, config);
        const wfa::Plan plan = wfa::variants().front().plan(patient, device.limits(), config);
        const std::uint64_t most = device.limits().global_bytes / 2;
        if (wfa::bytes_kept(plan, choice.sketch.distance) > static_cast<double>(most))
          throw MemoryError("the wavefronts' rows need more memory than the device has");
        Problem guessed = patient;
        guessed.guess = choice.sketch.distance;
        wfa::Met met = wfa::meet_keeping(device, plan, guessed, prefix, most);
        fronts = std::move(met.fronts);
        return met.answer;
      },
      turned.problem, choice);
  if (tried.go_on) return std::nullopt;
  Found found;
  take(found, tried.answer, method, &device);
  if (fronts)
    walk_fronts(*std::move(fronts), std::nullopt, device, turned, room, reversed.get(), found);
  if (walked.valid() && found.distance) found.traced = walked.get();
  return found;
}

}  // namespace

Found find_by_rows(ocl::Device& device, const Turned& turned, const Room& room, Left left) {
  const Method method = method_named(kWavefront, std::string(wfa::kFusedBatch));
  Found found;
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device.info().name;
  found.distance = left.distance;
  found.cells = left.cells;
  found.found_at = now();
  if (!walked_at_once(room.tuning(), turned.rows(), turned.columns(), left.distance))
    walk_fronts(wfa::Fronts(device, std::move(left.rows)), std::move(left.begun), device, turned,
                room, reversed(turned.coded.get()), found);
  return found;
}

std::optional<Found> find_whole(ocl::Device& device, const Turned& turned, const Rates& rates,
                                const AlignOptions& options, const Room& room,
                                const tune::Store& store) {
  using Start = Choice::Start;
  const AlignTuning& tuning = room.tuning();
  if (options.check || options.max_distance) return std::nullopt;
  const auto asked = method_of(options);
  const bool asked_pieces = asked && asked->variant == kPieces;
  if (asked && !asked_pieces && asked->variant != method_named(asked->engine).variant)
    return std::nullopt;
  Problem problem = turned.problem;
  const Problem rest = trimmed(problem);
  if (easy_answer(rest)) return std::nullopt;
  const std::future<void> ready = make_ready(device, rest, true);
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  const std::int64_t distance = choice.sketch.distance;
  const auto by_pieces = [&] {
    Problem sketched = rest;
    sketched.guess = distance;
    sketched.chain = choice.sketch.chain;
    return find_by_pieces(device, turned, sketched, rates, options, tuning, store);
  };
  if ((asked ? asked_pieces : tuning.pieces.value_or(choice.cut_to_align)) &&
      !choice.sketch.chain.empty())
    if (auto found = by_pieces()) return found;
  if (asked_pieces) return std::nullopt;
  choose_to_align(choice);
  if (choice.start == Start::kProbe) choice.start = Start::kWave;
  if (asked) {
    choice.start = asked->engine == kWavefront  ? Start::kWave
                   : asked->engine == kCorridor ? Start::kCorridor
                                                : Start::kStrips;
    choice.patience = std::numeric_limits<double>::infinity();
    choice.possible = true;  // where memory does not suffice, they run again and keep nothing
  }
  const auto setting = [&](std::string_view engine, const tune::Config& forced) {
    if (!forced.values().empty()) return forced;
    if (asked && asked->engine == engine && !options.config.values().empty()) return options.config;
    std::optional<std::int64_t> expected;
    if (distance > 0) expected = distance;
    Problem guessed = rest;
    guessed.chain = choice.sketch.chain;
    guessed.guess = engine == kStrips ? choice.threshold : expected;
    return tuned_config(device.info(), method_named(engine), guessed, expected, store);
  };
  if (choice.start == Start::kWave) {
    if (!choice.possible) return std::nullopt;
    auto found =
        find_by_wavefronts(device, turned, rest, choice, room, setting(kWavefront, tuning.waves));
    if (found || asked) return found;
  }
  // One pass of the strips is enough where a path is known.
  problem.guess = tuning.at_most.value_or(choice.threshold);
  // The prefix that both have was left out.
  std::vector<Anchor> chain = choice.sketch.chain;
  const auto prefix = static_cast<std::int64_t>(problem.a.size() - rest.a.size());
  for (Anchor& anchor : chain) {
    anchor.i += prefix;
    anchor.j += prefix;
  }
  problem.chain = chain;
  if (choice.start == Start::kCorridor) {
    if (chain.empty()) return std::nullopt;
    if (auto found =
            find_by_corridor(&device, turned, problem, distance, room, setting(kCorridor, {})))
      return found;
    if (!asked && tuning.pieces.value_or(choice.cut_then))
      if (auto found = by_pieces()) return found;
  }
  return find_by_strips(device, turned, problem, room, setting(kStrips, tuning.strips));
}

std::optional<Found> find_by_host(const Turned& turned, const AlignOptions& options,
                                  const Room& room) {
  const auto asked = method_of(options);
  if (!asked || asked->variant != corridor::kHostCorridor || options.max_distance)
    return std::nullopt;
  Problem problem = turned.problem;
  Sketch sketch;
  corridor::look(problem, sketch);
  if (problem.chain.empty()) return std::nullopt;
  return find_by_corridor(nullptr, turned, problem, *problem.guess, room, options.config);
}

}  // namespace rhomb::align
