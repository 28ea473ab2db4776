// SPDX-License-Identifier: Apache-2.0
#include "host/distance/distance.h"

#include <algorithm>
#include <future>
#include <new>
#include <string>

#include "host/corridor/corridor.h"
#include "host/dist/checkpoint.h"
#include "host/distance/methods.h"
#include "host/engine/another.h"
#include "host/engine/choose.h"
#include "host/ocl/error.h"

namespace rhomb {
namespace {

/// A matrix of so many cells takes the reference well under a second.
constexpr double kShort = 2e8;

/// A pair that will take so many seconds is worth a second or two to measure an unknown device.
constexpr double kWorthMeasuring = 4;

/// By the device and the others that may help it.
Answer solve_by_all(const Method& method, ocl::Device* device, const OtherDevices& others,
                    const Problem& problem, const tune::Config& config) {
  if (others.empty() || !method.solve_shared || device == nullptr)
    return method.solve(device, problem, config);
  return method.solve_shared(*device, others, problem, config);
}

/// The corridor, unless it is too wide or memory does not suffice.
Tried try_corridor(ocl::Device& device, const OtherDevices& others, const Method& corridor,
                   const Problem& problem, const Choice& choice, const tune::Config& config) {
  Problem sketched = problem;
  sketched.checkpoint = nullptr;
  sketched.guess = choice.sketch.distance;
  sketched.chain = choice.sketch.chain;
  Tried tried;
  try {
    tried.answer = solve_by_all(corridor, &device, others, sketched, config);
    tried.go_on = tried.answer.passed_on;
  } catch (const Error& error) {
    if (!out_of_memory(error)) throw;
    tried.go_on = true;
  } catch (const std::bad_alloc&) {
    tried.go_on = true;  // its bounds are in the host's memory
  }
  return tried;
}

/// All engines, as the choice says. Leaves the method that gave the answer in `method`.
Answer solve_chosen(ocl::Device& device, const OtherDevices& others, const Problem& problem,
                    const DistanceOptions& options, Method& method, const tune::Store& store) {
  method = method_named(kWavefront);
  const Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  Rates rates = known_rates(device.info(), store);
  const std::future<void> ready = make_ready(device, rest);
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  if (options.may_measure && rates.guessed &&
      std::min(choice.wave, choice.strips) > kWorthMeasuring) {
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
  Problem guessed = rest;
  guessed.guess = choice.threshold;
  if (const dist::Checkpoint* const kept = rest.checkpoint)
    choose_saving(choice, kept->start() ? kept->start()->engine : std::string(),
                  options.keeping.every);
  Answer spent;  // on what did not answer
  const auto corridor_answers = [&](const Method& corridor) {
    method = corridor;
    tried = try_corridor(device, others, method, rest, choice,
                         tuned_config(device.info(), method, rest, expected, store));
    if (!tried.go_on) {
      spend(tried.answer, spent);
      return true;
    }
    return false;
  };
  const auto pieces_answer = [&] {
    if (corridor_answers(method_named(kCorridor, std::string(kPieces)))) return true;
    if (tried.answer.at_most) guessed.guess = std::min(*guessed.guess, *tried.answer.at_most);
    spend(spent, tried.answer);
    tried = {};
    method = method_named(kWavefront);
    return false;
  };
  if (choice.cut && rest.checkpoint == nullptr && pieces_answer()) return tried.answer;
  if (choice.start == Choice::Start::kCorridor) {
    if (corridor_answers(method_named(kCorridor))) return tried.answer;
    if (tried.answer.at_most) guessed.guess = tried.answer.at_most;
    if (choice.cut_then && rest.checkpoint == nullptr) {
      spend(spent, tried.answer);
      const Facts why = tried.answer.certificate;
      if (pieces_answer()) return tried.answer;
      tried.answer.certificate = why;
      tried.go_on = true;
    }
  } else if (choice.start != Choice::Start::kStrips) {
    const tune::Config config = tuned_config(device.info(), method, rest, expected, store);
    tried = try_wavefronts(
        [&](const Problem& patient) { return method.solve(&device, patient, config); }, rest,
        choice);
    if (!tried.go_on) {
      spend(tried.answer, spent);
      return tried.answer;
    }
  }
  method = rest.checkpoint != nullptr ? method_that_saves(kStrips) : method_named(kStrips);
  Answer answer = solve_by_all(method, &device, others, guessed,
                               tuned_config(device.info(), method, guessed, expected, store));
  spend(answer, spent);
  spend(answer, tried.answer);
  if (tried.go_on) ++answer.passes;
  if (!tried.answer.certificate.all().empty()) answer.certificate = tried.answer.certificate;
  return answer;
}

/// The beginnings of both texts, which differ at once, to learn whether the programs of a method
/// pass their self-tests.
void try_some(ocl::Device* device, const Method& method, const Problem& problem) {
  const Problem rest = trimmed(problem);
  Problem some;
  const std::size_t symbols = std::min<std::size_t>({rest.a.size(), rest.b.size(), 300});
  some.a = rest.a.substr(0, symbols);
  some.b = rest.b.substr(0, symbols);
  some.code = rest.code;
  some.threads = rest.threads;
  method.solve(device, some, {});
  // What is too unlike the corridor passes on.
  if (method.engine == kCorridor) method_named(kStrips).solve(device, some, {});
}

/// As asked for; but what `method` passes on is for the strips, or without a device for the host's
/// wavefronts, which then are left in `method`.
Answer solve_asked(ocl::Device* device, const OtherDevices& others, const Problem& problem,
                   const tune::Config& config, Method& method, const tune::Store& store) {
  Answer tried = solve_by_all(method, device, others, problem, config);
  if (!tried.passed_on) return tried;
  Problem rest = trimmed(problem);
  rest.guess = tried.at_most;
  tune::Config then;
  if (device == nullptr) {
    method = method_named(kWavefront, std::string(wfa::kHost));
  } else {
    method = method_named(kStrips);
    then = tuned_config(device->info(), method, rest, tried.at_most, store);
  }
  Answer answer = solve_by_all(method, device, others, rest, then);
  spend(answer, tried);
  answer.passes += tried.passes;
  answer.certificate = tried.certificate;
  return answer;
}

std::string words(const std::optional<std::int64_t>& distance) {
  return distance ? std::to_string(*distance) : std::string("larger than the limit");
}

}  // namespace

bool out_of_memory(const Error& error) {
  constexpr int kOutOfResources = -5;
  const auto* const of_device = dynamic_cast<const ocl::DeviceError*>(&error);
  return error.kind() == Kind::kMemory ||
         (of_device != nullptr && of_device->code() == kOutOfResources);
}

bool left_to_others(const Error& error) {
  return out_of_memory(error) || dynamic_cast<const SelfTestError*>(&error) != nullptr;
}

Tried try_wavefronts(const std::function<Answer(const Problem&)>& solve, const Problem& problem,
                     const Choice& choice) {
  bool stopped = false;  // by the caller
  Problem patient = problem;
  patient.give_up = [&](const Progress& progress) {
    stopped = problem.give_up && problem.give_up(progress);
    return stopped || progress.seconds > choice.patience;
  };
  Tried tried;
  try {
    tried.answer = solve(patient);
    tried.go_on = tried.answer.given_up && !stopped;
  } catch (const Error& error) {
    if (!choice.possible || !out_of_memory(error)) throw;
    tried.go_on = true;
  }
  return tried;
}

std::string check_distance(ocl::Device* device, const Method& method, const Problem& problem,
                           const std::optional<std::int64_t>& found, const tune::Store& store) {
  const double cells =
      static_cast<double>(problem.a.size()) * static_cast<double>(problem.b.size());
  Problem again = problem;
  if (problem.progress)
    again.progress = [&](Progress checking) {  // who is told may want to end it
      checking.part = 1;
      checking.resumed = 0;
      problem.progress(checking);
    };
  again.trace = nullptr;
  again.checkpoint = nullptr;
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
                                     found ? *found : *problem.max_distance, choice.sketch.gaps);
    const bool far = method.engine == kCorridor ? !choice.possible
                     : strips                   ? wave > 10 * choice.strips
                                                : !choice.possible || choice.strips > 10 * wave;
    if (far)
      reverse_texts();
    else
      other = method_named(strips ? kWavefront : kStrips);
  }
  // A band for the distance found tells whether there is a shorter path, or none as short.
  if (found) again.guess = *found;
  Answer answer;
  try {
    answer = other.solve(device, again, {});
  } catch (const SelfTestError& error) {  // what has found the distance has passed its own
    if (!other_name.empty()) throw;
    reverse_texts();
    device->warn(error, "the check is by " + other_name);
    answer = other.solve(device, again, {});
  }
  if (other_name.empty()) other_name = other.variant;
  if (answer.passed_on) answer = method_named(kStrips).solve(device, again, {});
  if (answer.given_up)
    throw Error(Kind::kStopped, "the run was stopped while its answer was checked");
  const auto expected = answer.distance;
  if (expected != found)
    throw CheckError("check failed: variant " + std::string(method.variant) + " says " +
                     words(found) + ", variant " + other_name + " says " + words(expected) +
                     (device != nullptr ? " on '" + device->info().name + "'" : std::string()) +
                     "; please report this with the input");
  return other_name;
}

namespace {

/// distance(); nothing if `may_pass_on` and the method that is asked for does so.
std::optional<DistanceAnswer> distance_or_not(ocl::Device* device, std::string_view a,
                                              std::string_view b, const DistanceOptions& options,
                                              const OtherDevices& others, bool may_pass_on) {
  const double start = now();
  check_method(options);
  if (options.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
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
  const seq::Code code = seq::make_code(a, b, options.ambiguous, options.threads);
  problem.code = &code;
  looking.end();
  std::optional<dist::Checkpoint> checkpoint;
  if (!options.keeping.folder.empty()) {
    checkpoint.emplace(options.keeping, identity_of(a, b, options));
    problem.checkpoint = &*checkpoint;
    check_goes_on(asked, checkpoint->start(), options);
  }

  // Reading the files takes far longer than a short pair.
  const bool load = options.store == nullptr && !(asked && asked->on_host);
  const tune::Store loaded = load ? tune::Store::load() : tune::Store();
  const tune::Store& store = options.store != nullptr ? *options.store : loaded;
  const double built = device != nullptr ? device->clock().build : 0;
  Method method;
  Answer found;
  const auto first = [&] {
    if (!asked) return solve_chosen(*device, others, problem, options, method, store);
    method = *asked;
    tune::Config config = options.config;
    if (config.values().empty() && device != nullptr)
      config = tuned_config(device->info(), method, trimmed(problem), std::nullopt, store);
    if (may_pass_on) return method.solve(device, problem, config);
    return solve_asked(device, others, problem, config, method, store);
  };
  const auto by = [&](const Method& other) {
    if (checkpoint && !other.saves)
      throw UsageError("'" + std::string(other.variant) + "' saves nothing");
    if (checkpoint) check_goes_on(other, checkpoint->start(), options);
    method = other;
    return solve_asked(device, others, problem, {}, method, store);
  };
  const auto cells = [&] { return static_cast<double>(a.size()) * static_cast<double>(b.size()); };
  found = engine::with_another({device, asked.has_value(), cells}, all_methods(), first, by,
                               [&](const Method& other) { try_some(device, other, problem); });
  if (found.passed_on && may_pass_on) return std::nullopt;
  if (found.given_up)
    throw Error(Kind::kStopped,
                std::string("the run was stopped") +
                    (checkpoint && checkpoint->age() >= 0
                         ? "; another one goes on from '" + options.keeping.folder + "'"
                         : ""));
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
  answer.certificate = found.certificate;
  answer.timing.compute = found.compute;
  answer.timing.build =
      std::max(found.build, device != nullptr ? device->clock().build - built : 0);
  answer.timing.total = now() - start;
  answer.timing.transfer = std::max(0.0, found.transfer);
  if (device != nullptr) device->record();
  const trace::Scope checking(options.check ? trace : nullptr, trace::Work::kCheck);
  if (options.check)
    answer.checked = check_distance(device, method, problem, found.distance, store);
  return answer;
}

}  // namespace

DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options, const OtherDevices& others) {
  return *distance_or_not(device, a, b, options, others, false);
}

std::optional<DistanceAnswer> distance_unless_passed_on(std::string_view a, std::string_view b,
                                                        const DistanceOptions& options) {
  return distance_or_not(nullptr, a, b, options, {}, true);
}

}  // namespace rhomb
