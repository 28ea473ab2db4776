// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/trials.h"

#include <algorithm>
#include <cmath>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Reads of the answer need no program of their own.
std::string program_of(const DistanceOptions& method) {
  std::string name = name_of(method);
  for (const auto& [key, value] : method.config.values())
    if (key != "BATCH") name += text_of(" ", key, "=", std::to_string(value));
  return name;
}

std::string title_of(const DistanceOptions& method) {
  return method.config.values().empty() ? name_of(method)
                                        : text_of(name_of(method), " ", method.config.text());
}

}  // namespace

std::int64_t rounded_down(std::int64_t value) {
  std::int64_t unit = 1;
  while (value / unit >= 100) unit *= 10;
  return value / unit * unit;
}

std::string name_of(const DistanceOptions& method) {
  return method.variant.empty() ? "automatic choice" : method.variant;
}

void CostLine::add(double distance, double seconds) {
  constexpr double kTelling = 100;
  if (distance < kTelling) {
    least_ = least_ > 0 ? std::min(least_, seconds) : seconds;
    return;
  }
  const auto [known, added] = points_.try_emplace(distance, seconds);
  if (!added) known->second = std::min(known->second, seconds);
}

double CostLine::seconds(double distance) const {
  if (points_.empty()) return least_;
  const auto [d, t] = *points_.rbegin();
  double launch = 0.5 * t / d, cell = 0.5 * t / (d * d);
  for (const auto& [shorter, least] : points_) {
    if (2 * shorter > d) break;  // too near to tell the two apart
    cell = std::max((t / d - least / shorter) / (d - shorter), 0.0);
    launch = std::max(t / d - cell * d, 0.0);
    if (launch == 0) cell = t / (d * d);
  }
  // Where only launches have counted so far, cells will sooner or later.
  return launch * distance + (cell + 0.02 * t / (d * d)) * distance * distance;
}

std::int64_t Trials::whole() const {
  return static_cast<std::int64_t>(
      std::max(pair_.query.symbols.size(), pair_.target.symbols.size()));
}

TrialText Trials::prefix(std::int64_t length) const {
  if (length >= whole()) return {pair_, "whole pair", whole()};
  const auto cut = [length](const seq::Sequence& text) {
    return seq::Sequence{text.name, text.symbols.substr(0, static_cast<std::size_t>(length))};
  };
  return {{cut(pair_.query), cut(pair_.target)},
          text_of("first ", with_commas(length), " bases"),
          length};
}

void Trials::note(const std::string& what) {
  progress_.note("rhomb: " + what);
  notes_.push_back(what);
}

bool Trials::there(const DistanceOptions& method) {
  const auto names = variant_names(method.engine);
  if (method.variant.empty() || std::ranges::find(names, method.variant) != names.end())
    return true;
  note(method.variant + " is left out: this rhomb has no such variant");
  return false;
}

/// Builds and tests the program on texts that have nothing in common.
void Trials::warm(const DistanceOptions& method) {
  const std::string program = program_of(method);
  if (warmed_[program]) return;
  warmed_[program] = true;
  constexpr std::size_t kShort = 300;
  const std::string a = pair_.query.symbols.substr(0, kShort);
  const std::string b = pair_.target.symbols.substr(pair_.target.symbols.size() / 2, kShort);
  progress_.start(text_of(title_of(method), ", building"));
  const double begin = now();
  DistanceOptions short_run = method;
  short_run.progress = {};
  distance(session_.open(), a, b, short_run);
  builds_.push_back(now() - begin);
  progress_.finish();
}

std::optional<Measurement> Trials::measure(
    const DistanceOptions& method, const TrialText& text, double allowance, double limit,
    const std::function<void(const rhomb::Progress&)>& watch) {
  if (!there(method)) return std::nullopt;
  if (now() > end_) {
    note(text_of(title_of(method), " on the ", text.name, " is left out: no time is left"));
    return std::nullopt;
  }
  DistanceOptions run = method;
  run.ambiguous = ambiguous_;
  run.store = &session_.store();
  double begin = 0;
  std::int64_t reached = 0;
  const double first = now();
  const auto check_time = [&] {
    if (now() - begin > limit || now() > end_) throw TooSlow{};
  };
  run.progress = [&](const rhomb::Progress& state) {
    progress_.update(state);
    reached = state.cost;
    check_time();
    if (watch) watch(state);
  };
  try {
    warm(run);
    Measured measured;
    std::vector<double> totals;
    double last = 0;
    bool again = false;
    do {
      progress_.start(text_of(title_of(method), ", ", text.name));
      begin = now();
      measured.answer =
          distance(session_.open(), text.sample.query.symbols, text.sample.target.symbols, run);
      progress_.finish();
      last = now() - begin;
      const Timing& timing = measured.answer.timing;
      // The first one may have had to build what the short texts did not need.
      const bool built = !again && timing.build > 0.1 * timing.total && last < allowance / 2;
      if (!built) totals.push_back(timing.total);
      again = true;
    } while (totals.empty() || (totals.size() < 3 && now() - first + last < allowance));
    measured.seconds = median(totals);
    measured.runs = static_cast<int>(totals.size());
    Measurement row = measurement_of(measured, text.sample);
    row.more = {{"texts", text.name}, {"runs", measured.runs}};
    check_agreement({agreed_.try_emplace(text.name, row).first->second, row});
    costs_[name_of(method)].add(static_cast<double>(row.distance.value_or(0)), row.seconds);
    if (text.prefix > 0) distances_[text.prefix] = row.distance.value_or(0);
    return row;
  } catch (const TooSlow&) {
    costs_[name_of(method)].add(static_cast<double>(reached), now() - begin);
    if (text.prefix > 0) distances_[text.prefix] = std::max(distances_[text.prefix], reached);
    note(text_of(title_of(method), " on the ", text.name, " is left out: a run takes longer than ",
                 human_seconds(std::max(now() - begin, 0.0))));
  } catch (const Error& error) {
    if (error.kind() != Kind::kUsage && error.kind() != Kind::kMemory) throw;
    note(text_of(title_of(method), " is left out: ", error.what()));
  }
  return std::nullopt;
}

bool Trials::learn(const DistanceOptions& method, double enough) {
  constexpr std::int64_t kFirst = 2000, kGrowth = 2;
  DistanceOptions usual = method;
  usual.config = {};
  const CostLine& known = costs_[name_of(method)];
  for (std::int64_t length = kFirst;; length *= kGrowth) {
    const std::int64_t distance = distance_at(length);
    if (!known.empty() && known.seconds(static_cast<double>(distance)) > 2 * enough) return true;
    if (!distances_.contains(length) || static_cast<double>(distance) > known.longest()) {
      const auto row = measure(usual, prefix(length), enough / 2, std::max(4 * enough, 0.5));
      if (!row) return !known.empty();
      if (row->seconds > enough) return true;
    }
    if (length >= whole()) return true;
  }
}

double Trials::foreseen(const DistanceOptions& method, std::int64_t distance) const {
  const auto found = costs_.find(name_of(method));
  return found == costs_.end() ? 0 : found->second.seconds(static_cast<double>(distance));
}

std::int64_t Trials::distance_at(std::int64_t length) const {
  length = std::min(length, whole());
  if (distances_.empty()) return length / 2;
  // Of close texts a prefix may be further apart than a longer one.
  if (const auto exact = distances_.find(length); exact != distances_.end()) return exact->second;
  // Straight lines between the prefixes that are known, and in proportion beyond the last.
  double from = 0, to = 0, low = 0, high = 0;
  for (const auto& [known, distance] : distances_) {
    if (to >= static_cast<double>(length)) break;
    from = std::exchange(to, static_cast<double>(known));
    low = std::exchange(high, std::max(high, static_cast<double>(distance)));
  }
  const auto at = static_cast<double>(length);
  if (at > to) return std::llround(high * at / to);
  return std::llround(low + (at - from) / (to - from) * (high - low));
}

std::int64_t Trials::longest_known(const DistanceOptions& method) const {
  const auto cost = costs_.find(name_of(method));
  std::int64_t longest = 1000;
  for (const auto& [length, distance] : distances_)
    if (cost != costs_.end() && static_cast<double>(distance) <= cost->second.longest())
      longest = std::max(longest, length);
  return longest;
}

std::int64_t Trials::longest(const std::vector<DistanceOptions>& methods, double seconds) const {
  const auto takes = [&](std::int64_t length) {
    double sum = 0;
    for (const auto& method : methods) sum += foreseen(method, distance_at(length));
    return sum;
  };
  if (takes(whole()) <= seconds) return whole();
  std::int64_t fits = std::min<std::int64_t>(1000, whole()), too_long = whole();
  while (too_long - fits > std::max<std::int64_t>(fits / 100, 1)) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (takes(middle) <= seconds ? fits : too_long) = middle;
  }
  return rounded_down(fits);
}

}  // namespace rhomb::cli
