// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "host/distance/methods.h"
#include "host/distance/pieces.h"
#include "host/engine/choose.h"
#include "host/strip/strip.h"

namespace rhomb {

Facts explain_distance(const ocl::DeviceInfo* device, std::string_view a, std::string_view b,
                       const DistanceOptions& options, std::span<const ocl::DeviceInfo> others,
                       bool to_align) {
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
  dist::Start kept;
  if (options.keeping.resume) {
    kept = dist::find_start(options.keeping.folder, identity_of(a, b, options));
    check_goes_on(method, kept.state, options);
    facts.add("goes_on_from", kept.state ? kept.file : "the beginning: nothing is saved yet");
  }
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
  Sketch sketch;
  const Rates rates = device != nullptr ? known_rates(*device, store) : usual_rates(limits);
  if (!method) {
    Choice choice = choose(problem, limits, rates);
    const bool saves = !options.keeping.folder.empty();
    // A distance that is checked, or limited, is found as if there were no alignment.
    if (to_align && !options.check && !options.max_distance) choose_to_align(choice);
    if (saves) choose_saving(choice, kept.state ? kept.state->engine : "", options.keeping.every);
    facts.add("rates", rates.source);
    if (choice.sketch.distance > 0) {
      expected = choice.sketch.distance;
      facts.add("estimated_distance", choice.sketch.distance);
      facts.add("common_words", static_cast<std::int64_t>(choice.sketch.chain.size()));
      add_seconds("wavefront_seconds", choice.wave);
    }
    if (choice.possible) add_seconds("strips_seconds", choice.strips);
    if (choice.corridor > 0) add_seconds("corridor_seconds", choice.corridor);
    if (choice.pieces > 0) add_seconds("pieces_seconds", choice.pieces);
    const bool pieces = (to_align ? choice.cut_to_align : choice.cut) && !saves;
    facts.add("choice",
              pieces ? "long gaps, and few edits besides: pieces will be faster" : choice.why);
    const bool wave = choice.start == Choice::Start::kWave;
    const bool corridor = choice.start == Choice::Start::kCorridor;
    const bool cut_then = corridor && choice.cut_then && !saves;
    if (choice.start != Choice::Start::kStrips && !corridor && choice.possible)
      add_seconds("wavefront_limit_seconds", choice.patience);
    problem.guess = corridor || wave ? choice.sketch.distance : choice.threshold;
    sketch = std::move(choice.sketch);
    method = saves && !wave && !corridor ? method_that_saves(kStrips)
                                         : method_named(wave       ? kWavefront
                                                        : corridor ? kCorridor
                                                                   : kStrips);
    if (pieces) {
      facts.add("otherwise", std::string(method->engine) + ", if no cut can be proven");
      method = method_named(kCorridor, std::string(kPieces));
      problem.guess = sketch.distance;
    } else if (cut_then) {
      facts.add("otherwise", "pieces, if the corridor is too wide");
    }
  }
  if (!problem.guess && !on_host) {
    sketch = sketch_distance(problem.a, problem.b, options.threads);
    facts.add("estimated_distance", sketch.distance);
    problem.guess = method->engine == kStrips ? strip::first_threshold(problem, sketch.distance)
                                              : sketch.distance;
  }
  if (kept.state && kept.state->engine == kStrips) problem.guess = kept.state->number("threshold");
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
  if (method->variant == kPieces) {
    facts.add(explain_pieces(problem, sketch, limits, config, rates, to_align));
  } else {
    facts.add(method->explain(problem, limits, config));
    if (to_align && method->bytes_keeping)
      facts.add("device_bytes_with_kept_rows",
                static_cast<std::int64_t>(method->bytes_keeping(problem, limits, config)));
  }
  // Texts, and their planes on their way to the device.
  facts.add("host_bytes", static_cast<std::int64_t>(a.size() + b.size()) +
                              facts.number("device_bytes_of_texts").value_or(0));
  if (!others.empty()) {
    std::vector<ocl::Limits> all{limits};
    for (const ocl::DeviceInfo& other : others) all.push_back(other.limits);
    if (to_align && method->engine != kStrips) {
      facts.add(facts_of_sharing(all, 1, false, "this engine aligns a pair on one device"));
    } else if (method->explain_sharing) {
      if (to_align) all.resize(2);  // a half each
      facts.add(method->explain_sharing(problem, all, config));
    }
  }
  return facts;
}

}  // namespace rhomb
