// SPDX-License-Identifier: Apache-2.0
#include "host/rhomb.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "host/engine/choose.h"
#include "host/ocl/error.h"

namespace rhomb {
namespace {

/// A matrix of so many cells takes the reference well under a second.
constexpr double kShort = 2e8;

/// One of so many takes a few milliseconds, less than a device needs to be opened.
constexpr double kAtOnce = 1e6;

/// A pair that will take so many seconds is worth a second or two to measure an unknown device.
constexpr double kWorthMeasuring = 4;

/// A variant of an engine, whichever plans it makes.
struct Method {
  std::string_view engine;  ///< "strips", "wavefront", "reference"
  std::string_view variant;
  std::string_view summary;
  const tune::Space* space = nullptr;
  bool on_host = false;
  ocl::DeviceInfo (*cuda_device)() = nullptr;
  std::function<Answer(ocl::Device*, const Problem&, const tune::Config&)> solve;
  /// What a plan is, and that there is one: throws what planning throws.
  std::function<Facts(const Problem&, const ocl::Limits&, const tune::Config&)> explain;

  bool uses_opencl() const { return !on_host && cuda_device == nullptr; }
};

constexpr std::string_view kStrips = "strips", kWavefront = "wavefront", kReference = "reference";

/// `Variant` is that of an engine, whose solve() and explain() are found by its types.
template <class Variant>
Method method_of(std::string_view engine, const Variant& row) {
  const Variant* const variant = &row;
  return {variant->on_host ? kReference : engine,
          variant->name,
          variant->summary,
          &variant->space,
          variant->on_host,
          variant->cuda_device,
          [variant](ocl::Device* device, const Problem& problem, const tune::Config& config) {
            return solve(device, *variant, problem, config);
          },
          [variant](const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
            return explain(*variant, problem, limits, config);
          }};
}

/// All of them, the best of an engine first.
std::vector<Method> all_methods() {
  std::vector<Method> all;
  for (const auto& variant : strip::variants()) all.push_back(method_of(kStrips, variant));
  for (const auto& variant : wfa::variants()) all.push_back(method_of(kWavefront, variant));
  return all;
}

/// The methods that engine and variant leave to choose from, never none: the first is the one to
/// take, unless `engine` is "auto" and no variant is named.
std::vector<Method> methods(const std::string& engine, const std::string& variant) {
  if (engine != "auto" && engine != kStrips && engine != kWavefront && engine != kReference)
    throw UsageError("unknown engine '" + engine +
                     "'; there are: auto, strips, wavefront, reference");
  std::vector<Method> fit;
  std::string names;
  for (Method& method : all_methods()) {
    // The reference is also the last of the wavefronts' table.
    if (engine != "auto" && engine != method.engine && !(engine == kWavefront && method.on_host))
      continue;
    names += (names.empty() ? "" : ", ") + std::string(method.variant);
    if (variant.empty() || variant == method.variant) fit.push_back(std::move(method));
  }
  if (fit.empty())
    throw UsageError(
        (engine == "auto" ? "unknown variant '" : "engine '" + engine + "' has no variant '") +
        variant + "'; there are: " + names);
  return fit;
}

Method method_named(std::string_view engine, const std::string& variant = "") {
  return methods(std::string(engine), variant).front();
}

/// The one that is asked for; nothing where the engine is to be chosen for each pair.
std::optional<Method> method_of(const DistanceOptions& options) {
  std::vector<Method> fit = methods(options.engine, options.variant);
  if (options.engine == "auto" && options.variant.empty()) return std::nullopt;
  return std::move(fit.front());
}

/// The tuned configuration of a method for a problem whose distance is expected to be so large;
/// empty where none is known, where nothing is better than what the plan takes by itself, or where
/// it does not fit. `match` is told where it comes from.
tune::Config tuned_config(const ocl::DeviceInfo& device, const Method& method,
                          const Problem& problem, std::optional<std::int64_t> expected,
                          const tune::Store& store, std::string* match = nullptr) {
  if (!method.uses_opencl()) return {};
  const auto length = static_cast<std::int64_t>(std::max(problem.a.size(), problem.b.size()));
  const auto nearest = [&](std::optional<double> divergence) {
    return store.nearest(std::string(method.engine), std::string(method.variant), device, length,
                         divergence);
  };
  auto found = nearest(std::nullopt);
  if (!found || length == 0) return {};
  // What is best for close texts is not so for others, so an estimate is worth its time, but not
  // where the plan's own choice is known to be best.
  if (!expected && found->trial.config.values().empty()) {
    if (match != nullptr) *match = found->match;
    return {};
  }
  if (!expected) expected = sketch_distance(problem.a, problem.b).distance;
  found = nearest(static_cast<double>(*expected) / static_cast<double>(length));
  if (!found) return {};
  const tune::Config& config = found->trial.config;
  try {
    Problem guessed = problem;
    if (!guessed.guess) guessed.guess = expected;
    method.explain(guessed, device.limits, config);
  } catch (const Error&) {
    return {};  // of another problem or an older version
  }
  if (match != nullptr) *match = found->match;
  return config;
}

/// Whether a run failed because memory did not suffice. Drivers that hand memory out late say
/// CL_OUT_OF_RESOURCES at some later call.
bool out_of_memory(const Error& error) {
  constexpr int kOutOfResources = -5;
  const auto* const of_device = dynamic_cast<const ocl::DeviceError*>(&error);
  return error.kind() == Kind::kMemory ||
         (of_device != nullptr && of_device->code() == kOutOfResources);
}

struct Tried {
  Answer answer;
  bool go_on = false;  ///< there is no answer, and the strips are to find it
};

/// Wavefronts, as long as `choice` lets them run and memory suffices.
Tried try_wavefronts(ocl::Device& device, const Method& wave, const Problem& problem,
                     const Choice& choice, const tune::Config& config) {
  bool stopped = false;  // by the caller
  Problem patient = problem;
  patient.give_up = [&](const Progress& progress) {
    stopped = problem.give_up && problem.give_up(progress);
    return stopped || progress.seconds > choice.patience;
  };
  Tried tried;
  try {
    tried.answer = wave.solve(&device, patient, config);
    tried.go_on = tried.answer.given_up && !stopped;
  } catch (const Error& error) {
    if (!choice.possible || !out_of_memory(error)) throw;
    tried.go_on = true;
  }
  return tried;
}

/// Both engines, as the choice says. Leaves the method that gave the answer in `method`.
Answer solve_chosen(ocl::Device& device, const Problem& problem, bool may_measure, Method& method,
                    const tune::Store& store) {
  method = method_named(kWavefront);
  const Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  Rates rates = known_rates(device.info(), store);
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  if (may_measure && rates.guessed && std::min(choice.wave, choice.strips) > kWorthMeasuring) {
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
  Tried tried;
  if (choice.start != Choice::Start::kStrips) {
    tried = try_wavefronts(device, method, rest, choice,
                           tuned_config(device.info(), method, rest, expected, store));
    if (!tried.go_on) return tried.answer;
  }
  method = method_named(kStrips);
  Problem guessed = rest;
  guessed.guess = choice.threshold;
  Answer answer =
      method.solve(&device, guessed, tuned_config(device.info(), method, guessed, expected, store));
  answer.cells += tried.answer.cells;
  answer.compute += tried.answer.compute;
  answer.build += tried.answer.build;
  answer.transfer += tried.answer.transfer;
  if (tried.go_on) ++answer.passes;
  return answer;
}

/// Without the code, which takes a look at all symbols.
Problem problem_of(std::string_view a, std::string_view b, const DistanceOptions& options) {
  Problem problem;
  problem.a = a;
  problem.b = b;
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
  Method other = method_named(kReference);
  const auto reverse_texts = [&] {
    other = method;
    other_name = std::string(method.variant) + " of the reversed texts";
    a.assign(problem.a.rbegin(), problem.a.rend());
    b.assign(problem.b.rbegin(), problem.b.rend());
    again.a = a;
    again.b = b;
  };
  const bool strips = method.engine == kStrips;
  if (cells > kShort && method.cuda_device != nullptr && device == nullptr) {
    reverse_texts();
  } else if (cells > kShort && device != nullptr && !method.on_host) {
    // The other engine, unless it would take much longer than the same one on the reversed texts.
    const Problem rest = trimmed(problem);
    const Rates rates = known_rates(device->info(), store);
    const Choice choice = choose(rest, device->limits(), rates);
    const double wave = wave_seconds(rates, static_cast<std::int64_t>(rest.a.size()),
                                     static_cast<std::int64_t>(rest.b.size()),
                                     found ? *found : *problem.max_distance);
    const bool far =
        strips ? wave > 10 * choice.strips : !choice.possible || choice.strips > 10 * wave;
    if (far)
      reverse_texts();
    else
      other = method_named(strips ? kWavefront : kStrips);
  }
  // A band for the distance found tells whether there is a shorter path, or none as short.
  if (found) again.guess = *found;
  if (other_name.empty()) other_name = other.variant;
  const auto expected = other.solve(device, again, {}).distance;
  if (expected != found)
    throw CheckError("check failed: variant " + std::string(method.variant) + " says " +
                     words(found) + ", variant " + other_name + " says " + words(expected) +
                     (device != nullptr ? " on '" + device->info().name + "'" : std::string()) +
                     "; please report this with the input");
  return other_name;
}

}  // namespace

void check_method(const DistanceOptions& options) {
  const auto method = method_of(options);
  if (method)
    options.config.check_names(*method->space);
  else if (!options.config.values().empty())
    throw UsageError("a configuration needs the engine or variant that it is for");
}

bool needs_opencl(const DistanceOptions& options) {
  const auto method = method_of(options);
  return !method || method->uses_opencl();
}

bool answered_at_once(std::size_t a, std::size_t b, const DistanceOptions& options) {
  return !options.check && !method_of(options) &&
         static_cast<double>(a) * static_cast<double>(b) <= kAtOnce;
}

DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options) {
  const double start = now();
  check_method(options);
  auto asked = method_of(options);
  if (answered_at_once(a.size(), b.size(), options)) asked = method_named(kReference);
  if (device == nullptr && !asked)
    throw UsageError("long texts need a device, or engine 'reference'");
  Problem problem = problem_of(a, b, options);
  trace::Trace* const trace =
      options.trace != nullptr || device == nullptr ? options.trace : device->trace();
  problem.trace = trace;
  check_problem(problem);
  trace::Scope looking(trace, trace::Work::kSymbols);
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  problem.code = &code;
  looking.end();

  const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
  const tune::Store& store = options.store != nullptr ? *options.store : loaded;
  const double built = device != nullptr ? device->clock().build : 0;
  Method method;
  Answer found;
  if (asked) {
    method = *asked;
    tune::Config config = options.config;
    if (config.values().empty() && device != nullptr)
      config = tuned_config(device->info(), method, trimmed(problem), std::nullopt, store);
    found = method.solve(device, problem, config);
  } else {
    found = solve_chosen(*device, problem, options.may_measure, method, store);
  }
  DistanceAnswer answer;
  answer.engine = method.engine;
  answer.variant = method.variant;
  answer.device = method.on_host                  ? "host"
                  : method.cuda_device != nullptr ? method.cuda_device().name
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

Facts explain_distance(const ocl::DeviceInfo* device, std::string_view a, std::string_view b,
                       const DistanceOptions& options) {
  check_method(options);
  auto method = method_of(options);
  const bool at_once = answered_at_once(a.size(), b.size(), options);
  if (at_once) method = method_named(kReference);
  Problem problem = problem_of(a, b, options);
  check_problem(problem);
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  problem.code = &code;
  problem = trimmed(problem);
  Facts facts;
  const auto add_sizes = [&](const char* name, std::size_t m, std::size_t n) {
    facts.add(name, std::to_string(m) + " x " + std::to_string(n));
  };
  const auto add_seconds = [&](const char* name, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    facts.add(name, text);
  };

  add_sizes("lengths", a.size(), b.size());
  add_sizes("trimmed", problem.a.size(), problem.b.size());
  facts.add("bits_per_symbol", code.planes);
  facts.add("matching", code.matching == seq::Matching::kSets ? "sets of bases" : "equal symbols");
  const bool on_host = method && method->on_host;
  const ocl::DeviceInfo cuda =
      method && method->cuda_device != nullptr ? method->cuda_device() : ocl::DeviceInfo{};
  if (method && method->cuda_device != nullptr) device = &cuda;
  facts.add("device", on_host ? "host" : device != nullptr ? device->name : "none");
  if (device != nullptr && !on_host) facts.add("driver", device->driver);
  if (at_once) facts.add("choice", "short enough for the host to answer at once");
  const ocl::Limits limits = device != nullptr ? device->limits : ocl::Limits{};
  if (easy_answer(problem)) {
    facts.add("engine", "none");
    facts.add("choice", "what is left needs no computing");
    return facts;
  }

  const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
  const tune::Store& store = options.store != nullptr ? *options.store : loaded;
  std::optional<std::int64_t> expected;
  if (!method) {
    const Rates rates = device != nullptr ? known_rates(*device, store) : usual_rates(limits);
    const Choice choice = choose(problem, limits, rates);
    facts.add("rates", rates.source);
    if (choice.sketch.distance > 0) {
      expected = choice.sketch.distance;
      facts.add("estimated_distance", choice.sketch.distance);
      facts.add("common_words", static_cast<std::int64_t>(choice.sketch.anchors));
      add_seconds("wavefront_seconds", choice.wave);
    }
    if (choice.possible) add_seconds("strips_seconds", choice.strips);
    facts.add("choice", choice.why);
    const bool wave = choice.start == Choice::Start::kWave;
    if (choice.start != Choice::Start::kStrips && choice.possible)
      add_seconds("wavefront_limit_seconds", choice.patience);
    problem.guess = choice.threshold;
    method = method_named(wave ? kWavefront : kStrips);
  }
  facts.add("engine", std::string(method->engine));
  facts.add("variant", std::string(method->variant));
  facts.add("summary", std::string(method->summary));
  tune::Config config = options.config;
  if (!on_host) {
    std::string match = "none; what the plan takes by itself";
    if (!config.values().empty())
      match = "none; the configuration is forced";
    else if (device != nullptr)
      config = tuned_config(*device, *method, problem, expected, store, &match);
    facts.add("tuned_setting", match);
  }
  facts.add(method->explain(problem, limits, config));
  return facts;
}

}  // namespace rhomb
