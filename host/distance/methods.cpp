// SPDX-License-Identifier: Apache-2.0
#include "host/distance/methods.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/distance/bands.h"
#include "host/distance/pieces.h"
#include "host/engine/choose.h"
#include "host/engine/sketch.h"
#include "host/engine/solve.h"
#include "host/search/search.h"
#include "host/strip/blocks.h"
#include "host/strip/halves.h"
#include "host/strip/strip.h"
#include "host/wfa/fronts.h"
#include "host/wfa/wfa.h"

namespace rhomb {
namespace {

/// One of so many takes a few milliseconds, less than a device needs to be opened.
constexpr double kAtOnce = 1e6;

/// `Variant` is that of an engine, whose solve() and explain() are found by its types.
template <class Variant>
Method method_of(std::string_view engine, const Variant& row) {
  const Variant* const variant = &row;
  Method made{
      engine,
      variant->name,
      variant->summary,
      &variant->space,
      variant->on_host,
      variant->saves,
      variant->cuda_device,
      [variant](ocl::Device* device, const Problem& problem, const tune::Config& config) {
        return solve(device, *variant, problem, config);
      },
      [variant](const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
        return explain(*variant, problem, limits, config);
      }};
  // What the best variants do for alignments.
  if constexpr (std::is_same_v<Variant, wfa::Variant>) {
    if (variant == &wfa::variants().front())
      made.bytes_keeping = [variant](const Problem& problem, const ocl::Limits& limits,
                                     const tune::Config& config) {
        return wfa::bytes_keeping(wfa::plan(*variant, problem, limits, config),
                                  problem.guess.value_or(0));
      };
  }
  if constexpr (std::is_same_v<Variant, strip::Variant>) {
    if (variant == &strip::variants().front())
      made.bytes_keeping = [variant](const Problem& problem, const ocl::Limits& limits,
                                     const tune::Config& config) {
        return strip::bytes_keeping(strip::plan(*variant, problem, limits, config), limits);
      };
  }
  if constexpr (std::is_same_v<Variant, strip::Variant> ||
                std::is_same_v<Variant, corridor::Variant>) {
    if (!variant->uses_opencl()) return made;
    made.solve_shared = [variant](ocl::Device& device, const OtherDevices& others,
                                  const Problem& problem, const tune::Config& config) {
      return solve(device, others, *variant, problem, config);
    };
    made.explain_sharing = [variant](const Problem& problem, std::span<const ocl::Limits> limits,
                                     const tune::Config& config) {
      return explain_sharing(*variant, problem, limits, config);
    };
  }
  return made;
}

/// The one query and text of a search that compares whole texts.
struct Whole {
  explicit Whole(const Problem& rest) : query(rest.a), text(rest.b) {
    task.length = static_cast<std::uint32_t>(text.size());
    problem.queries = {&query, 1};
    problem.texts = {&text, 1};
    problem.tasks = {&task, 1};
    problem.code = rest.code;
    problem.whole = true;
    problem.threads = rest.threads;
    problem.trace = rest.trace;
  }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

  std::string_view query, text;
  search::Task task;
  search::Problem problem;
};

/// Search's strips for whole texts. Together has many pairs at a time for them.
Method strips_batch_method() {
  const search::Variant* const variant = &find_variant(search::variants(), kStripsBatch);
  return {kStrips,
          variant->name,
          "bit-sliced strips, many pairs at a time",
          &variant->space,
          false,
          false,
          nullptr,
          [variant](ocl::Device* device, const Problem& problem, const tune::Config& config) {
            check_problem(problem);
            const Problem rest = trimmed(problem);
            if (const auto easy = easy_answer(rest)) return *easy;
            const search::Answer found =
                search::solve(device, *variant, Whole(rest).problem, config);
            Answer answer;
            if (found.best[0].distance <= distance_limit(rest))
              answer.distance = found.best[0].distance;
            answer.cells = found.cells;
            answer.compute = found.compute;
            answer.build = found.build;
            answer.transfer = found.transfer;
            answer.config = found.config;
            return answer;
          },
          [variant](const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
            const auto plan = search::plan(*variant, Whole(problem).problem, limits, config);
            Facts facts;
            facts.add("config", plan.config.text());
            return facts;
          }};
}

/// Bands for one pair. Together has many at a time for them.
Method band_batch_method() {
  return {kStrips,
          kBandBatch,
          "a band of bit-sliced cells, a pair a bit, many pairs at a time",
          &bands_space(),
          false,
          false,
          nullptr,
          [](ocl::Device* device, const Problem& problem, const tune::Config& config) {
            check_problem(problem);
            const Problem rest = trimmed(problem);
            if (const auto easy = easy_answer(rest)) return *easy;
            config.check_names(bands_space());
            const BandsPlan plan = plan_bands(*rest.code, 1, device->limits(), config);
            BandsProblem one;
            one.a = {&rest.a, 1};
            one.b = {&rest.b, 1};
            one.code = rest.code;
            one.threads = rest.threads;
            one.trace = rest.trace;
            BandsBatch batch(*device, 0);
            Answer answer;
            answer.config = plan.config;
            const std::int64_t limit = distance_limit(rest);
            const auto m = static_cast<std::int64_t>(rest.a.size());
            const auto n = static_cast<std::int64_t>(rest.b.size());
            for (std::int64_t most = 64 + std::abs(m - n); !answer.distance; most *= 2) {
              const wfa::PairTask task{0, 0, static_cast<std::uint32_t>(std::min(most, limit)), 0};
              one.tasks = {&task, 1};
              batch.start(plan, one);
              const BandsAnswer found = batch.finish();
              answer.build += found.build;
              answer.transfer += found.transfer;
              answer.compute += found.compute;
              answer.cells += static_cast<double>(m) * (task.most + 1.0);
              answer.given_up = report(rest, {});
              if (found.distances[0] <= limit) answer.distance = found.distances[0];
              if (most >= limit || answer.given_up) break;
            }
            return answer;
          },
          [](const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
            const BandsPlan plan = plan_bands(*problem.code, 1, limits, config);
            Facts facts;
            facts.add("config", plan.config.text());
            return facts;
          }};
}

/// Cuts by the corridor's bands, and any engine for what is between them.
Method pieces_method() {
  const corridor::Variant* const variant = &corridor::variants().front();
  return {kCorridor,
          kPieces,
          "cut where a cheapest path is proven to go through, each piece by the fastest engine",
          &pieces_space(),
          false,
          false,
          nullptr,
          [variant](ocl::Device* device, const Problem& problem, const tune::Config& config) {
            engine::check_device(*variant, device);
            return solve_pieces(*device, problem, known_rates(device->info()), config);
          },
          [](const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
            return explain_pieces(problem, sketch_distance(problem.a, problem.b, problem.threads),
                                  limits, config, usual_rates(limits), false);
          }};
}

std::vector<Method> list_methods() {
  std::vector<Method> all;
  for (const auto& variant : strip::variants()) all.push_back(method_of(kStrips, variant));
  all.push_back(strips_batch_method());
  all.push_back(band_batch_method());
  for (const auto& variant : corridor::variants()) all.push_back(method_of(kCorridor, variant));
  all.push_back(pieces_method());
  const auto& reference = wfa::variants().back();
  for (const auto& variant : wfa::variants())
    all.push_back(method_of(&variant == &reference ? kReference : kWavefront, variant));
  return all;
}

/// The methods that engine and variant leave to choose from, never none: the first is the one to
/// take, unless `engine` is "auto" and no variant is named.
std::vector<Method> methods(const std::string& engine, const std::string& variant) {
  if (engine != "auto" && engine != kStrips && engine != kCorridor && engine != kWavefront &&
      engine != kReference)
    throw UsageError("unknown engine '" + engine +
                     "'; there are: auto, strips, corridor, wavefront, reference");
  std::vector<Method> fit;
  std::string names;
  for (const Method& method : all_methods()) {
    // The reference is also the last of the wavefronts' table.
    if (engine != "auto" && engine != method.engine &&
        !(engine == kWavefront && method.engine == kReference))
      continue;
    names += (names.empty() ? "" : ", ") + std::string(method.variant);
    if (variant.empty() || variant == method.variant) fit.push_back(method);
  }
  if (fit.empty())
    throw UsageError(
        (engine == "auto" ? "unknown variant '" : "engine '" + engine + "' has no variant '") +
        variant + "'; there are: " + names);
  return fit;
}

/// The first that saves what it reaches. Throws UsageError with the names of all that do.
Method saving(std::vector<Method> fit) {
  const auto found = std::ranges::find_if(fit, &Method::saves);
  if (found != fit.end()) return std::move(*found);
  std::string names;
  for (const Method& method : all_methods())
    if (method.saves) names += (names.empty() ? "" : ", ") + std::string(method.variant);
  throw UsageError("variant '" + std::string(fit.front().variant) +
                   "' saves nothing that a run could go on from; those that do: " + names);
}

}  // namespace

std::future<void> make_ready(ocl::Device& device, const Problem& rest, bool to_align) {
  if (auto ready = corridor::make_ready(device, rest, to_align); ready.valid()) return ready;
  if (!device.limits().gpu) return {};
  // The first program that a process loads takes longer than the next ones.
  return engine::make_meanwhile(device, rest.threads, [&rest](ocl::Device& beside) {
    const wfa::Plan plan = wfa::variants().front().plan(rest, beside.limits(), {});
    beside.load(plan.file, plan.stages.front().defines);
  });
}

std::span<const Method> all_methods() {
  static const std::vector<Method> all = list_methods();
  return all;
}

Method method_named(std::string_view engine, const std::string& variant) {
  return methods(std::string(engine), variant).front();
}

Method method_that_saves(std::string_view engine) {
  return saving(methods(std::string(engine), ""));
}

void choose_saving(Choice& choice, std::string_view engine, double every) {
  const bool corridor = choice.start == Choice::Start::kCorridor;
  if (engine.empty() && (!corridor || choice.corridor <= every)) return;
  const bool wave = engine.empty() ? choice.wave <= choice.strips : engine == kWavefront;
  if (engine == kStrips && !choice.possible)
    throw MemoryError("the strips that an earlier run has begun with do not fit here: " +
                      choice.why);
  choice.start = wave || !choice.possible ? Choice::Start::kWave : Choice::Start::kStrips;
  choice.patience = choice.possible ? choice.wave + choice.strips : 1e30;
  choice.why = engine.empty() ? "the corridor would be faster, but saves nothing"
                              : "an earlier run is gone on from";
}

dist::Identity identity_of(std::string_view a, std::string_view b, const DistanceOptions& options) {
  constexpr const char* kAmbiguous[] = {"symbol", "match", "mismatch"};
  return {dist::text_hash(a), dist::text_hash(b),
          std::string("ambiguous ") + kAmbiguous[static_cast<std::size_t>(options.ambiguous)] +
              ", max_distance " +
              (options.max_distance ? std::to_string(*options.max_distance) : "none")};
}

void check_goes_on(const std::optional<Method>& asked, const std::optional<dist::State>& kept,
                   const DistanceOptions& options) {
  if (asked && kept && kept->engine != asked->engine)
    throw UsageError("'" + options.keeping.folder + "' is of the engine '" + kept->engine +
                     "', which goes on");
}

std::optional<Method> method_of(const DistanceOptions& options) {
  std::vector<Method> fit = methods(options.engine, options.variant);
  if (options.engine == "auto" && options.variant.empty()) return std::nullopt;
  if (!options.keeping.folder.empty()) return saving(std::move(fit));
  return std::move(fit.front());
}

tune::Config tuned_config(const ocl::DeviceInfo& device, const Method& method,
                          const Problem& problem, std::optional<std::int64_t> expected,
                          const tune::Store& store, std::string* match) {
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
  if (!expected) expected = sketch_distance(problem.a, problem.b, problem.threads).distance;
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

Problem problem_of(std::string_view a, std::string_view b, const DistanceOptions& options) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.max_distance = options.max_distance;
  problem.progress = options.progress;
  problem.threads = options.threads;
  if (options.stop.stop_possible())
    problem.give_up = [stop = options.stop](const Progress&) { return stop.stop_requested(); };
  return problem;
}

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
  return !options.check && options.engine == "auto" && options.variant.empty() &&
         static_cast<double>(a) * static_cast<double>(b) <= kAtOnce;
}

}  // namespace rhomb
