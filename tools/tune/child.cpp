// SPDX-License-Identifier: Apache-2.0
// The process that `rhomb tune` asks to try configurations. The first line it writes names its
// device; then each line it reads is a question, and each line it writes the trial that answers it.
#include "tools/cli/child.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/distance/distance.h"
#include "host/engine/ceilings.h"
#include "host/engine/pair.h"
#include "host/engine/reference.h"
#include "host/tune/trial.h"
#include "tools/bench/samples.h"
#include "tools/cli/json.h"
#include "tools/cli/session.h"
#include "tools/tune/many.h"
#include "tools/tune/tune.h"

namespace rhomb::cli {
namespace {

/// Small texts that cross a few borders of tiles and words; the reference takes milliseconds.
constexpr std::int64_t kSmall = 1500;

class Trier {
 public:
  Trier(Session& session, std::string kernels) : session_(session), kernels_(std::move(kernels)) {
    method_.store = &none_;
  }

  tune::Trial answer(const Json& question) {
    tune::Trial trial;
    trial.task = {question.at("engine"), question.at("variant"), question.at("length"),
                  question.at("divergence")};
    trial.machine = tune::machine_of(*session_.info());
    trial.kernels = kernels_;
    trial.config = tune::Config(question.at("config").get<std::map<std::string, int>>());
    Effort effort;
    effort.runs = question.at("runs");
    effort.limit = limit_ = question.at("limit");
    effort.enough = question.at("enough");
    try {
      try_out(trial, effort);
    } catch (const TooSlow&) {
      trial.outcome = tune::Outcome::kSlow;
      trial.why = "a run took longer than " + human_seconds(limit_);
    } catch (const CheckError& error) {
      trial.outcome = tune::Outcome::kWrong;
      trial.why = error.what();
    } catch (const tune::Unfit& error) {
      trial.outcome = tune::Outcome::kUnfit;
      trial.why = error.what();
    } catch (const Error& error) {
      trial.outcome = tune::Outcome::kFailed;
      trial.why = error.what();
    }
    return trial;
  }

 private:
  void try_out(tune::Trial& trial, const Effort& effort) {
    if (!is_pair(trial.task)) {
      if (!many_) many_.emplace(*session_.open());
      return many_->try_out(trial, effort);
    }
    method_.engine = trial.task.engine;
    method_.variant = trial.task.variant;
    method_.config = trial.config;
    check_small();
    measure(trial, effort);
  }

  DistanceAnswer run(const Sample& pair) {
    const double start = now();
    method_.progress = [&](const rhomb::Progress&) {
      if (now() - start > limit_ + building_) throw TooSlow{};
    };
    const DistanceAnswer answer =
        distance(session_.open(), pair.query.symbols, pair.target.symbols, method_);
    building_ = 0;
    return answer;
  }

  const Sample& sample(std::int64_t length, double divergence) {
    auto found = samples_.find({length, divergence});
    if (found == samples_.end()) {
      const Divergence edits = divergence < 0.5 ? Divergence(divergence) : std::nullopt;
      found =
          samples_.emplace(std::pair{length, divergence}, random_sample(length, edits, 1)).first;
    }
    return found->second;
  }

  void check_small() {
    method_.check = false;
    building_ = 60;  // the first run of a configuration compiles it
    for (const double divergence : {0.5, 0.05}) {
      const Sample& pair = sample(kSmall, divergence);
      const seq::Code code = seq::make_code(pair.query.symbols, pair.target.symbols);
      const std::int64_t expected =
          reference::edit_distance(pair.query.symbols, pair.target.symbols, code);
      const auto got = run(pair).distance;
      if (got != expected)
        throw CheckError("a small pair has distance " + std::to_string(expected) + ", not " +
                         (got ? std::to_string(*got) : std::string("none")));
    }
  }

  void measure(tune::Trial& trial, const Effort& effort) {
    const Sample& pair = sample(trial.task.length, trial.task.divergence);
    building_ = 60;  // a longer pair may take another program
    // To warm up. The distance of the plan's own choice is what others are compared with.
    method_.check = trial.config.values().empty();
    const double first = run(pair).timing.compute;
    method_.check = false;
    measure_trial(trial, effort, first, [&] {
      const DistanceAnswer answer = run(pair);
      trial.used = answer.config;
      trial.cells = answer.cells;
      trial.distance = answer.distance.value_or(-1);
      return answer.timing.compute;
    });
  }

  Session& session_;
  std::string kernels_;
  tune::Store none_;  // what is known must not change what is measured
  DistanceOptions method_;
  double limit_ = 0;
  double building_ = 0;  // seconds that the next run may take longer
  std::map<std::pair<std::int64_t, double>, Sample> samples_;
  std::optional<ManyTrier> many_;
};

}  // namespace

int run_tune_child(const DeviceOptions& device) {
  end_with_parent();
  Session session(device, true);
  const auto& info = *session.info();
  const tune::Machine machine = tune::machine_of(info);
  Json hello;
  hello["device"] = machine.device;
  hello["driver"] = machine.driver;
  hello["compute_units"] = machine.compute_units;
  hello["gpu"] = info.limits.gpu;
  const std::string kernels = kernels_hash(device);
  hello["kernels"] = kernels;
  std::cout << json_line(hello) << std::flush;
  Trier trier(session, kernels);
  for (std::string line; std::getline(std::cin, line);) {
    const Json question = Json::parse(line);
    if (question.contains("ceilings"))
      std::cout << tune::line_of(record_of(info, measure_ceilings(*session.open()))) << std::endl;
    else
      std::cout << tune::line_of(trier.answer(question), "trial") << std::endl;
  }
  return 0;
}

}  // namespace rhomb::cli
