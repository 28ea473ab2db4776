// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_sweep.h"

#include <algorithm>
#include <iostream>

#include "host/tune/seal.h"
#include "host/tune/store.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

using tune::Outcome;
using tune::Trial;

bool planned_was_tried(const Tried& tried) {
  return std::ranges::any_of(tried.trials(),
                             [](const Trial& trial) { return trial.config.values().empty(); });
}

}  // namespace

bool Tuner::step(Sweep& sweep, double left) {
  tune::Config config;
  if (planned_was_tried(sweep.tried)) {
    const auto next = sweep.search.next();
    if (!next) return false;
    config = *next;
  }
  show(sweep, config, left);
  // A run several times as long as the best need not be waited for.
  const Trial* const fastest = sweep.tried.fastest();
  const double patience =
      fastest != nullptr ? std::min(limit_, 4 * fastest->seconds + 0.2) : limit_ / 3;
  Trial trial = worker_.attempt(sweep.tried.task(), config, runs_, patience);
  const Trial* const planned = sweep.tried.planned();
  if (trial.outcome == Outcome::kMeasured && planned != nullptr &&
      trial.distance != planned->distance) {
    trial.outcome = Outcome::kWrong;
    trial.why = text_of("distance ", std::to_string(trial.distance), ", others say ",
                        std::to_string(planned->distance));
  }
  const std::string path = tune::trials_path();
  if (!path.empty()) tune::append_line(path, tune::line_of(trial, "trial"));
  take(sweep, trial);
  if (sweep.tried.worth() && sweep.tried.fastest()->config.text() == trial.config.text())
    tune::remember(tune::line_of(trial, "setting"));
  return true;
}

void Tuner::confirm(Sweep& sweep) {
  const auto again = [&](const tune::Config& config) {
    show(sweep, config, 0);
    const Trial trial = worker_.attempt(sweep.tried.task(), config, 2 * runs_ + 1, limit_);
    if (trial.outcome == Outcome::kMeasured) take(sweep, trial);
  };
  // A lucky one falls behind the next, and that one may have been lucky too.
  for (int i = 0; i < 4 && sweep.tried.worth(); ++i) {
    const tune::Config config = sweep.tried.fastest()->config;
    again({});
    again(config);
    if (sweep.tried.fastest()->config.values() == config.values()) break;
  }
}

void Tuner::keep(const Sweep& sweep, const tune::Store& store) {
  const Trial* const best = sweep.tried.best();
  if (best == nullptr || sweep.tried.planned() == nullptr) return;
  const auto& [engine, variant, length, divergence] = sweep.tried.task();
  const auto known =
      store.nearest(engine, variant, named(sweep.tried.machine()), length, divergence);
  // The plan's own choice needs no setting, unless there is one that it has overtaken.
  if (!known && !sweep.tried.worth()) return;
  if (known && known->trial.config.values() == best->config.values()) return;
  tune::remember(tune::line_of(*best, "setting"));
}

void Tuner::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

void Tuner::take(Sweep& sweep, const Trial& trial) {
  sweep.tried.add(trial);
  const bool good = trial.outcome == Outcome::kMeasured;
  const auto seconds = good ? std::optional(trial.seconds) : std::nullopt;
  if (!trial.config.values().empty())
    sweep.search.told(trial.config, seconds);
  else if (good)  // by its values, where hill climbing begins
    sweep.search.told(trial.used, seconds);
}

void Tuner::show(const Sweep& sweep, const tune::Config& config, double left) {
  if (quiet_) return;
  const auto& task = sweep.tried.task();
  std::string line = text_of(task.variant, " ", human(static_cast<double>(task.length)), ", ",
                             std::to_string(sweep.tried.trials().size() + 1), ": ",
                             config.values().empty() ? "as planned" : config.text());
  if (const Trial* const fastest = sweep.tried.fastest())
    line += text_of("; best ", significant(fastest->seconds), " s with ",
                    fastest->config.values().empty() ? "the plan's own" : fastest->config.text());
  line += text_of("; ", human_seconds(std::max(left, 0.0)), " left");
  std::cerr << "\r\033[K" << line.substr(0, 160) << std::flush;
  shown_ = true;
}

}  // namespace rhomb::cli
