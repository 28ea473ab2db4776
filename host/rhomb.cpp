// SPDX-License-Identifier: Apache-2.0
#include "host/rhomb.h"

#include <algorithm>
#include <cstdio>

#include "host/engine/choose.h"

namespace rhomb {
namespace {

/// A matrix of so many cells takes the reference well under a second.
constexpr double kShort = 2e8;

/// A pair that will take so many seconds is worth a second or two to measure an unknown device.
constexpr double kWorthMeasuring = 4;

/// One row of one engine's table. Neither: the engine is chosen for each pair.
struct Method {
  const wfa::Variant* wave = nullptr;
  const strip::Variant* strips = nullptr;

  std::string engine() const {
    return strips != nullptr ? "strips" : wave->on_host ? "reference" : "wavefront";
  }
  std::string variant() const { return std::string(strips != nullptr ? strips->name : wave->name); }
  std::string summary() const {
    return std::string(strips != nullptr ? strips->summary : wave->summary);
  }
  bool open() const { return wave == nullptr && strips == nullptr; }
  bool on_host() const { return wave != nullptr && wave->on_host; }
  bool uses_cuda() const { return strips != nullptr && strips->uses_cuda(); }
  bool needs_opencl() const { return !on_host() && !uses_cuda(); }
};

Method method_named(const std::string& engine, const std::string& variant) {
  Method method;
  if (engine == "reference") {
    if (!variant.empty() && variant != "reference")
      throw UsageError("engine 'reference' has no variant '" + variant + "'");
    method.wave = &find_variant(wfa::variants(), "reference");
  } else if (engine == "wavefront") {
    method.wave =
        variant.empty() ? &wfa::variants().front() : &find_variant(wfa::variants(), variant);
  } else if (engine == "strips") {
    method.strips =
        variant.empty() ? &strip::variants().front() : &find_variant(strip::variants(), variant);
  } else if (engine != "auto") {
    throw UsageError("unknown engine '" + engine +
                     "'; there are: auto, strips, wavefront, reference");
  } else if (!variant.empty()) {
    for (const strip::Variant& row : strip::variants())
      if (row.name == variant) method.strips = &row;
    if (method.strips == nullptr) {
      std::string names;
      for (const strip::Variant& row : strip::variants()) names += std::string(row.name) + ", ";
      for (const wfa::Variant& row : wfa::variants()) {
        if (row.name == variant) method.wave = &row;
        names += std::string(row.name) + (row.name == "reference" ? "" : ", ");
      }
      if (method.wave == nullptr)
        throw UsageError("unknown variant '" + variant + "'; there are: " + names);
    }
  }
  return method;
}

/// The tuned configuration of a method for a problem whose distance is expected to be so large;
/// empty where none is known, where nothing is better than what the plan takes by itself, or where
/// it does not fit. `match` is told where it comes from.
tune::Config tuned_config(const ocl::DeviceInfo& device, const Method& method,
                          const Problem& problem, std::optional<std::int64_t> expected,
                          const tune::Store& store, std::string* match = nullptr) {
  if (!method.needs_opencl()) return {};
  const auto length = static_cast<std::int64_t>(std::max(problem.a.size(), problem.b.size()));
  const auto nearest = [&](std::optional<double> divergence) {
    return store.nearest(method.engine(), method.variant(), device, length, divergence);
  };
  auto found = nearest(std::nullopt);
  if (!found || length == 0) return {};
  // What is best for close texts is not so for others, so an estimate is worth its time, but not
  // where the plan's own choice is known to be best.
  if (!expected && found->trial.config.values().empty()) {
    if (match != nullptr) *match = found->match;
    return {};
  }
  const std::int64_t distance =
      expected ? *expected : sketch_distance(problem.a, problem.b).distance;
  found = nearest(static_cast<double>(distance) / static_cast<double>(length));
  if (!found) return {};
  const tune::Config& config = found->trial.config;
  try {
    if (method.strips != nullptr)
      strip::plan(*method.strips, problem, device.limits, config);
    else
      wfa::plan(*method.wave, problem, device.limits, config);
  } catch (const Error&) {
    return {};  // of another problem or an older version
  }
  if (match != nullptr) *match = found->match;
  return config;
}

Answer solve(ocl::Device* device, const Method& method, const Problem& problem,
             const tune::Config& config = {}) {
  if (method.strips != nullptr) return strip::solve(device, *method.strips, problem, config);
  return wfa::solve(device, *method.wave, problem, config);
}

/// Both engines, as the choice says. Leaves the method that gave the answer in `method`.
Answer solve_chosen(ocl::Device& device, const Problem& problem, Method& method,
                    const tune::Store& store) {
  const Method wave = method_named("wavefront", ""), strips = method_named("strips", "");
  method = wave;
  const Problem rest = trimmed(problem);
  if (easy_answer(rest)) return solve(&device, wave, problem);
  Rates rates = known_rates(device.info(), store);
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  if (rates.guessed && std::min(choice.wave, choice.strips) > kWorthMeasuring) {
    const trace::Scope measuring(problem.trace, trace::Work::kMeasure);
    // Perhaps that was done since `store` was read, for an earlier pair.
    rates = known_rates(device.info());
    if (rates.guessed) {
      rates = measure_rates(device);
      remember_rates(device.info(), rates);
    }
    choice = choose(rest, device.limits(), rates);
  }
  std::optional<std::int64_t> expected;
  if (choice.sketch.distance > 0) expected = choice.sketch.distance;
  Answer tried;
  if (choice.start != Choice::Start::kStrips) {
    Problem patient = rest;
    const double built = device.clock().build;
    double start = 0;
    patient.give_up = [&, first = true](const Progress&) mutable {
      // Building programs is not the engine's fault.
      if (first) start = now();
      first = false;
      return now() - start - (device.clock().build - built) > choice.patience;
    };
    tried = solve(&device, wave, patient, tuned_config(device.info(), wave, rest, expected, store));
    if (!tried.given_up) return tried;
  }
  method = strips;
  Problem guessed = rest;
  guessed.guess = choice.threshold;
  Answer answer = solve(&device, strips, guessed,
                        tuned_config(device.info(), strips, guessed, expected, store));
  answer.cells += tried.cells;
  answer.compute += tried.compute;
  answer.build += tried.build;
  answer.transfer += tried.transfer;
  if (tried.given_up) ++answer.passes;
  return answer;
}

Problem problem_of(std::string_view a, std::string_view b, const seq::Code& code,
                   const DistanceOptions& options) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  problem.max_distance = options.max_distance;
  problem.progress = options.progress;
  return problem;
}

std::string words(const std::optional<std::int64_t>& distance) {
  return distance ? std::to_string(*distance) : std::string("larger than the limit");
}

/// Solves `problem` again in another way and compares. Returns what it was compared with.
std::string check(ocl::Device* device, const Method& method, const Problem& problem,
                  const std::optional<std::int64_t>& found, const tune::Store& store) {
  const double cells =
      static_cast<double>(problem.a.size()) * static_cast<double>(problem.b.size());
  Problem again = problem;
  again.progress = {};
  again.trace = nullptr;
  std::string a, b;
  std::string other_name;
  Method other = method_named("reference", "");
  const auto turn_texts = [&] {
    other = method;
    other_name = method.variant() + " of the reversed texts";
    a.assign(problem.a.rbegin(), problem.a.rend());
    b.assign(problem.b.rbegin(), problem.b.rend());
    again.a = a;
    again.b = b;
  };
  if (cells > kShort && method.uses_cuda() && device == nullptr) {
    turn_texts();
  } else if (cells > kShort && device != nullptr && !method.on_host()) {
    // The other engine, unless it would take much longer than the same one on the reversed texts.
    const Problem rest = trimmed(problem);
    const Rates rates = known_rates(device->info(), store);
    const Choice choice = choose(rest, device->limits(), rates);
    const double wave = wave_seconds(rates, static_cast<std::int64_t>(rest.a.size()),
                                     static_cast<std::int64_t>(rest.b.size()),
                                     found ? *found : *problem.max_distance);
    const bool far = method.strips != nullptr ? wave > 10 * choice.strips
                                              : !choice.possible || choice.strips > 10 * wave;
    if (far)
      turn_texts();
    else
      other = method_named(method.strips != nullptr ? "wavefront" : "strips", "");
  }
  // A band for the distance found tells whether there is a shorter path, or none as short.
  if (found) again.guess = *found;
  if (other_name.empty()) other_name = other.variant();
  const auto expected = solve(device, other, again).distance;
  if (expected != found)
    throw CheckError("check failed: variant " + method.variant() + " says " + words(found) +
                     ", variant " + other_name + " says " + words(expected) +
                     (device != nullptr ? " on '" + device->info().name + "'" : std::string()) +
                     "; please report this with the input");
  return other_name;
}

}  // namespace

void check_method(const DistanceOptions& options) {
  const Method method = method_named(options.engine, options.variant);
  if (method.open() && !options.config.values().empty())
    throw UsageError("a configuration needs the engine or variant that it is for");
  if (!method.open())
    options.config.check_names(method.strips != nullptr ? method.strips->space
                                                        : method.wave->space);
}

bool needs_opencl(const DistanceOptions& options) {
  return method_named(options.engine, options.variant).needs_opencl();
}

DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options) {
  const double start = now();
  check_method(options);
  Method method = method_named(options.engine, options.variant);
  if (device == nullptr && method.needs_opencl())
    throw UsageError(method.open() ? "computing on the host alone needs engine 'reference'"
                                   : "variant '" + method.variant() + "' needs an OpenCL device");
  trace::Trace* const trace =
      options.trace != nullptr || device == nullptr ? options.trace : device->trace();
  trace::Scope looking(trace, trace::Work::kSymbols);
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  looking.end();
  Problem problem = problem_of(a, b, code, options);
  problem.trace = trace;
  check_limit(problem);

  const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
  const tune::Store& store = options.store != nullptr ? *options.store : loaded;
  tune::Config config = options.config;
  if (!method.open() && config.values().empty() && device != nullptr)
    config = tuned_config(device->info(), method, trimmed(problem), std::nullopt, store);
  const double built = device != nullptr ? device->clock().build : 0;
  const Answer found = method.open() ? solve_chosen(*device, problem, method, store)
                                     : solve(device, method, problem, config);
  DistanceAnswer answer;
  answer.engine = method.engine();
  answer.variant = method.variant();
  answer.device = method.on_host()     ? "host"
                  : method.uses_cuda() ? method.strips->cuda_device().name
                                       : device->info().name;
  answer.distance = found.distance;
  answer.config = found.config;
  answer.passes = found.passes;
  answer.cells = found.cells;
  answer.timing.compute = found.compute;
  answer.timing.build =
      std::max(found.build, device != nullptr ? device->clock().build - built : 0);
  answer.timing.total = now() - start;
  answer.timing.transfer = std::max(0.0, found.transfer);
  if (device != nullptr) device->record();
  const trace::Scope checking(options.check ? trace : nullptr, trace::Work::kCheck);
  if (options.check) answer.checked = check(device, method, problem, found.distance, store);
  return answer;
}

std::vector<std::pair<std::string, std::string>> explain_distance(const ocl::DeviceInfo* device,
                                                                  std::string_view a,
                                                                  std::string_view b,
                                                                  const DistanceOptions& options) {
  check_method(options);
  Method method = method_named(options.engine, options.variant);
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  const Problem problem = problem_of(a, b, code, options);
  const Problem rest = trimmed(problem);
  std::vector<std::pair<std::string, std::string>> lines;
  const auto say = [&](const char* name, const std::string& value) {
    lines.emplace_back(name, value);
  };
  const auto mib = [](std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
    return std::string(text);
  };

  say("lengths", std::to_string(a.size()) + " x " + std::to_string(b.size()));
  say("left without common prefix and suffix",
      std::to_string(rest.a.size()) + " x " + std::to_string(rest.b.size()));
  say("bits a symbol", std::to_string(code.planes) +
                           (code.matching == seq::Matching::kSets ? " (sets of bases)" : ""));
  if (method.on_host()) {
    say("engine", "reference: " + method.summary());
    return lines;
  }
  const ocl::DeviceInfo own = method.uses_cuda() ? method.strips->cuda_device() : ocl::DeviceInfo{};
  if (method.uses_cuda()) device = &own;
  say("device", device != nullptr ? device->name + ", driver " + device->driver : "none");
  const ocl::Limits limits = device != nullptr ? device->limits : ocl::Limits{};
  Problem planned = problem;
  if (easy_answer(rest)) {
    say("engine", "none: what is left needs no computing");
    return lines;
  }
  const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
  const tune::Store& store = options.store != nullptr ? *options.store : loaded;
  std::optional<std::int64_t> expected;
  if (method.open()) {
    const Rates rates = device != nullptr ? known_rates(*device, store) : usual_rates(limits);
    const Choice choice = choose(rest, limits, rates);
    if (choice.sketch.distance > 0) expected = choice.sketch.distance;
    const auto seconds = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.4g s", value);
      return std::string(text);
    };
    say("rates of the device", rates.source);
    if (choice.sketch.distance > 0) {
      say("estimated distance", std::to_string(choice.sketch.distance) + ", from " +
                                    std::to_string(choice.sketch.anchors) + " common words");
      say("wavefronts, foreseen", seconds(choice.wave));
    }
    say("strips, foreseen", choice.possible ? seconds(choice.strips) : "impossible");
    say("choice", choice.why);
    if (choice.start != Choice::Start::kStrips && choice.possible)
      say("wavefronts given up after", seconds(choice.patience));
    planned.guess = choice.threshold;
    method = method_named(choice.start == Choice::Start::kWave ? "wavefront" : "strips", "");
  }
  say("engine", method.engine());
  say("variant", method.variant() + ": " + method.summary());
  tune::Config config = options.config;
  const auto say_setting = [&] {
    std::string match = "none; what the plan takes by itself";
    if (!options.config.values().empty())
      match = "none; the configuration is forced";
    else if (device != nullptr)
      config = tuned_config(*device, method, trimmed(planned), expected, store, &match);
    say("tuned setting", match);
  };
  if (method.strips != nullptr) {
    if (!planned.guess)
      planned.guess = strip::first_threshold(rest, sketch_distance(rest.a, rest.b).distance);
    say_setting();
    const strip::Plan plan = strip::plan(*method.strips, planned, limits, config);
    say("config", plan.config.text());
    std::string text;
    for (const auto& [name, value] : plan.defines()) text += name + "=" + value + " ";
    text.pop_back();
    say("program", plan.file + " " + text);
    const strip::Band band = plan.band(plan.threshold);
    const strip::Schedule schedule(plan.size, plan.shape, band);
    say("rows", std::string(plan.swapped ? "of the second text" : "of the first text") + ", " +
                    std::to_string(plan.size.upper) + " + " + std::to_string(plan.size.lower) +
                    " lanes of " + std::to_string(plan.shape.rows()));
    if (plan.banded)
      say("first band", "distances up to " + std::to_string(plan.threshold) + ", " +
                            std::to_string(band.below + band.above + 1) + " diagonals");
    say("launches a pass", std::to_string(schedule.launches()) + " of " +
                               std::to_string(plan.shape.slab) + " words of 32 columns");
    say("largest distance looked for", std::to_string(plan.max_distance));
    say("device memory", mib(plan.bytes));
    return lines;
  }
  say_setting();
  const wfa::Plan plan = wfa::plan(*method.wave, problem, limits, config);
  say("config", plan.config.text());
  std::int64_t from = 0;
  for (const wfa::Stage& stage : plan.stages) {
    std::string text;
    for (const auto& [name, value] : plan.defines(stage)) text += name + "=" + value + " ";
    text += std::to_string(stage.tile()) + " diagonals a group, " + std::to_string(stage.steps) +
            (stage.steps == 1 ? " cost a launch" : " costs a launch");
    say(("program from " + std::to_string(from) + " diagonals on").c_str(), plan.file + " " + text);
    from = stage.widest + 1;
  }
  say("launches between two reads", std::to_string(plan.batch));
  say("largest distance looked for", std::to_string(plan.max_distance));
  say("device memory at the start", mib(plan.bytes));
  say("device memory at that distance", mib(plan.most_bytes));
  return lines;
}

}  // namespace rhomb
