// SPDX-License-Identifier: Apache-2.0
#include "host/tune/search.h"

#include <algorithm>
#include <cmath>

namespace rhomb::tune {
namespace {

/// A step must be faster by this much, or noise would be climbed.
constexpr double kBetter = 0.99;

/// Random choices that were all tried before: what is left of the space is walked in order.
constexpr int kPatience = 1000;

}  // namespace

Search::Search(Space space, Strategy strategy, std::uint64_t seed)
    : space_(std::move(space)), strategy_(strategy), random_(seed) {}

double Search::size() const {
  double size = 1;
  for (const Param& param : space_) size *= static_cast<double>(param.values.size());
  return size;
}

std::optional<Config> Search::next() {
  auto config = strategy_ == Strategy::kFull     ? next_full()
                : strategy_ == Strategy::kRandom ? next_random()
                                                 : next_hill();
  if (config) mark(*config);
  return config;
}

void Search::mark(const Config& config) {
  if (!tried_.insert(config.text()).second) return;
  const auto has = [&](const Param& param) {
    return config.has(param.name) &&
           std::ranges::find(param.values, config.get(param.name, 0)) != param.values.end();
  };
  if (config.values().size() == space_.size() && std::ranges::all_of(space_, has)) ++walked_;
}

std::optional<Config> Search::next_full() {
  for (; position_ < size(); ++position_) {
    Config config;
    double rest = position_;
    for (const Param& param : space_) {
      const auto count = static_cast<double>(param.values.size());
      config.set(param.name, param.values[static_cast<std::size_t>(std::fmod(rest, count))]);
      rest = std::floor(rest / count);
    }
    if (tried_.count(config.text()) == 0) return config;
  }
  return std::nullopt;
}

Config Search::random_config() {
  Config config;
  for (const Param& param : space_)
    config.set(param.name, param.values[random_() % param.values.size()]);
  return config;
}

std::optional<Config> Search::next_random() {
  for (int i = 0; i < kPatience; ++i) {
    Config config = random_config();
    if (tried_.count(config.text()) == 0) return config;
  }
  return next_full();
}

std::optional<Config> Search::next_hill() {
  if (here_ && !climbing_) {
    steps_.clear();
    for (const Param& param : space_)
      for (const int value : param.values) {
        Config step = *here_;
        step.set(param.name, value);
        steps_.push_back(step);
      }
    // Tunables in turn at random, so that a short budget does not always end at the same one.
    std::shuffle(steps_.begin(), steps_.end(), random_);
    climbing_ = true;
  }
  while (!steps_.empty()) {
    Config step = steps_.back();
    steps_.pop_back();
    if (tried_.count(step.text()) == 0) return step;
  }
  // A summit: climb again from elsewhere.
  here_.reset();
  climbing_ = false;
  return next_random();
}

void Search::told(const Config& config, std::optional<double> seconds) {
  mark(config);
  if (!seconds) return;
  if (here_ && *seconds > kBetter * here_seconds_) return;
  here_ = config;
  for (const Param& param : space_)  // that did not matter there
    if (!config.has(param.name)) here_->set(param.name, param.values.front());
  mark(*here_);
  here_seconds_ = *seconds;
  climbing_ = false;
}

}  // namespace rhomb::tune
