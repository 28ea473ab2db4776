// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/sweep.h"

#include <algorithm>

#include "host/engine/pair.h"
#include "host/tune/store.h"
#include "tools/bench/measure.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"
#include "tools/tune/add.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {
namespace {

using tune::Outcome;
using tune::Trial;

/// A configuration that is slower than the fastest by this much need not be measured well.
constexpr double kBehind = 1.1;

/// Rounds in which so many rivals run in turn; fewer of both where that takes long.
constexpr int kRounds = 5, kFewRounds = 3;
constexpr std::size_t kRivals = 6;

/// What it takes to try the configuration again, about: one run to warm up, one that is measured.
/// lcs computes all twice to time the launches, and these two engines compare many answers.
double again_seconds(const Trial& trial) {
  return is_pair(trial.task) ? 2 * trial.seconds : 3 * trial.seconds + 0.3;
}

void append(const Trial& trial, const char* kind) {
  add_line(tune::trials_path(), tune::line_of(trial, kind));
}

/// One trial of several of the same configuration: the first that went wrong, if any did.
Trial middle_of(const std::vector<Trial>& trials) {
  std::vector<double> seconds;
  for (const Trial& trial : trials) {
    if (trial.outcome != Outcome::kMeasured) return trial;
    seconds.push_back(trial.seconds);
  }
  Trial all = trials.front();
  all.seconds = median(seconds);
  all.spread = spread_of(seconds);
  return all;
}

}  // namespace

Trial Tuner::attempt(const Sweep& sweep, const tune::Config& config, const Effort& effort) {
  Trial trial = worker_.attempt(sweep.tried.task(), config, effort);
  const Trial* const planned = sweep.tried.planned();
  if (trial.outcome == Outcome::kMeasured && planned != nullptr &&
      trial.distance != planned->distance) {
    trial.outcome = Outcome::kWrong;
    trial.why = text_of("distance ", std::to_string(trial.distance), ", others say ",
                        std::to_string(planned->distance));
  }
  return trial;
}

bool Tuner::step(Sweep& sweep, double left) {
  tune::Config config = sweep.tried.find({}) != nullptr ? sweep.tried.in_use() : tune::Config();
  if (sweep.tried.find(config) != nullptr) {
    const auto next = sweep.search.next();
    if (!next) return false;
    config = *next;
  }
  show(sweep, config, left);
  // A run several times as long as the best need not be waited for.
  const Trial* const fastest = sweep.tried.fastest();
  const double patience =
      fastest != nullptr ? std::min(limit_, 4 * fastest->seconds + 0.2) : limit_ / 3;
  const double enough = fastest != nullptr ? kBehind * fastest->seconds : limit_;
  const Trial trial = attempt(sweep, config, {runs_, patience, enough});
  append(trial, "trial");
  take(sweep, trial);
  if (sweep.tried.worth() && sweep.tried.fastest()->config.text() == trial.config.text())
    add_line(tune::store_path(), tune::line_of(trial, "setting"));
  return true;
}

/// What is to run in turn: the plan's own choice, what is in use, and the fastest others that are
/// near each other, as many as take a few seconds. Nothing where there is nothing to compare.
std::vector<tune::Config> Tuner::rivals(const Sweep& sweep) const {
  const Tried& tried = sweep.tried;
  if (tried.planned() == nullptr) return {};
  std::vector<const Trial*> chosen = {tried.planned()};
  double seconds = again_seconds(*chosen.front());  // of each once
  const auto add = [&](const Trial* trial) {
    if (std::ranges::find(chosen, trial) != chosen.end()) return;
    chosen.push_back(trial);
    seconds += again_seconds(*trial);
  };
  add(tried.usual());
  add(tried.best());
  std::vector<const Trial*> others;
  for (const Trial& trial : tried.trials())
    if (trial.outcome == Outcome::kMeasured && trial.seconds < kBehind * tried.fastest()->seconds)
      others.push_back(&trial);
  std::ranges::sort(others, {}, &Trial::seconds);
  for (const Trial* const trial : others)
    if (chosen.size() < kRivals && kFewRounds * (seconds + again_seconds(*trial)) < long_)
      add(trial);
  std::vector<tune::Config> configs;
  if (chosen.size() > 1)
    for (const Trial* const trial : chosen) configs.push_back(trial->config);
  return configs;
}

double Tuner::confirming(const Sweep& sweep) const {
  double seconds = 0;
  for (const tune::Config& config : rivals(sweep))
    seconds += again_seconds(*sweep.tried.find(config));
  return std::max(kFewRounds * seconds, std::min(kRounds * seconds, long_));
}

void Tuner::confirm(Sweep& sweep) {
  // Another may be the fastest after it, one that was not among them.
  for (int i = 0; i < 3; ++i) {
    const std::vector<tune::Config> configs = rivals(sweep);
    if (configs.empty()) return;
    std::vector<std::vector<Trial>> trials(configs.size());
    const double start = now();
    for (int round = 0; round < kRounds; ++round) {
      if (round >= kFewRounds && now() - start > long_) break;
      for (std::size_t at = 0; at < configs.size(); ++at) {
        show(sweep, configs[at], 0);
        trials[at].push_back(attempt(sweep, configs[at], {1, limit_, limit_}));
      }
    }
    for (const auto& same : trials) {
      const Trial trial = middle_of(same);
      append(trial, "confirmed");
      take(sweep, trial);
    }
    if (std::ranges::find(configs, sweep.tried.best()->config) != configs.end()) return;
  }
}

void Tuner::keep(const Sweep& sweep, const tune::Store& store) {
  const Trial* const best = sweep.tried.best();
  if (best == nullptr || sweep.tried.planned() == nullptr) return;
  const auto& task = sweep.tried.task();
  const auto known = store.nearest(task.engine, task.variant, named(sweep.tried.machine()),
                                   task.length, task.divergence);
  if (known && !known->shipped && known->trial.task == task &&
      known->trial.kernels == best->kernels &&
      known->trial.config.values() == best->config.values())
    return;
  add_line(tune::store_path(), tune::line_of(*best, "setting"));
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
  const auto& task = sweep.tried.task();
  const std::size_t trial = sweep.tried.trials().size() + 1;
  left = std::max(left, 0.0);
  const std::string now = config.values().empty() ? "as planned" : config.text();
  std::string words = text_of(task.variant, " ", human(static_cast<double>(task.length)), ", ",
                              std::to_string(trial), ": ", now);
  Json object;
  object["event"] = "progress";
  object["engine"] = task.engine;
  object["variant"] = task.variant;
  object["length"] = task.length;
  object["trial"] = trial;
  object["config"] = json_of(config);
  object["left"] = rounded(fixed(left, 3));
  object["best"] = object["best_config"] = nullptr;
  if (const Trial* const fastest = sweep.tried.fastest()) {
    words += text_of("; best ", significant(fastest->seconds), " s with ",
                     fastest->config.values().empty() ? "the plan's own" : fastest->config.text());
    object["best"] = rounded(significant(fastest->seconds));
    object["best_config"] = json_of(fastest->config);
  }
  progress_.say(text_of(words, "; ", human_seconds(left), " left"), object);
}

}  // namespace rhomb::cli
