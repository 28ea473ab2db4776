// SPDX-License-Identifier: Apache-2.0
#include "host/distance/several.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "host/batch/threads.h"
#include "host/distance/methods.h"
#include "host/engine/choose.h"
#include "host/error.h"
#include "host/strip/several.h"
#include "host/wfa/meetings.h"

namespace rhomb {
namespace {

/// A distance may be more than was foreseen by this part; what is further apart is computed alone.
constexpr double kMore = 1.3;
/// Seconds that the device is busy with pairs that share launches, at most, so that answers come.
constexpr double kMostSeconds = 1;

/// Seconds of the device in which it fills the matrix of a pair before the host would have looked
/// how close its texts are.
constexpr double kQuick = 2.5e-5;

/// What computes a pair that shares launches with others.
enum class By { kNothing, kWavefronts, kStrips };

/// A pair, without common ends, and what is best for it.
struct Long {
  Problem problem;
  Choice choice;
  std::optional<Answer> easy;
  By by = By::kNothing;
  wfa::MeetingTask task;  // of wavefronts
  double busy = 0;        // seconds of the device
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> found;
  bool none = false;  // the distance is known to be larger than the limit
  double cells = 0;
  int passes = 1;
};

/// Of all that share launches: how many, seconds, and tunables.
struct Shared {
  std::size_t count = 0;
  double build = 0, transfer = 0, compute = 0;
  tune::Config wavefronts, strips;

  template <class Answer>
  void add(const Answer& answer, std::size_t pairs) {
    if (answer.given_up) throw Error(Kind::kStopped, "the run was stopped");
    count += pairs;
    build += answer.build;
    transfer += answer.transfer;
    compute += answer.compute;
  }
};

using GiveUp = std::function<bool(const Progress&)>;

/// Distances that are more than was foreseen are not looked for.
wfa::MeetingTask task_of(const Long& pair) {
  const Problem& problem = pair.problem;
  const std::int64_t limit = distance_limit(problem);
  // (A small matrix has no sketch.)
  const auto foreseen =
      static_cast<std::int64_t>(kMore * static_cast<double>(pair.choice.sketch.distance));
  const std::int64_t least = std::abs(std::ssize(problem.a) - std::ssize(problem.b));
  return {problem.a, problem.b,
          foreseen > 0 ? std::min(limit, std::max(least, foreseen) + 64) : limit};
}

/// Has strips compute a pair within the band of its guess: what that takes. False: it does not fit.
bool plan_strips(Long& pair, const ocl::Limits& limits, const Rates& rates) try {
  const strip::Plan plan = strip::plan(strip::flow_batch_variant(), pair.problem, limits);
  pair.by = By::kStrips;
  pair.busy = strip_busy_seconds(rates, plan, plan.band(plan.threshold));
  pair.bytes = plan.bytes;
  return true;
} catch (const Error&) {
  return false;
}

/// Decides whether launches are shared: of wavefronts where these are fastest, or of what keeps the
/// device busy for much less time than an engine takes alone, whose host's part counts, too.
/// `strips` may.
void decide(Long& pair, const seq::Code& code, const ocl::Limits& limits, const Rates& rates,
            bool strips) {
  if (strips && plan_strips(pair, limits, rates) && pair.busy < kQuick) return;
  pair.by = By::kNothing;
  pair.choice = choose(pair.problem, limits, rates);
  const Choice& choice = pair.choice;
  const double alone = choice.cut                                 ? choice.pieces
                       : choice.start == Choice::Start::kCorridor ? choice.corridor
                       : choice.start == Choice::Start::kWave ? std::min(choice.wave, choice.strips)
                                                              : choice.strips;
  Long by_strips = pair;
  by_strips.problem.guess = choice.threshold;
  if (strips && choice.possible && plan_strips(by_strips, limits, rates) &&
      2 * by_strips.busy < alone)
    pair = by_strips;
  if (choice.start == Choice::Start::kProbe) return;
  const wfa::MeetingTask task = task_of(pair);
  const double busy = wave_busy_seconds(rates, std::ssize(task.a), std::ssize(task.b), task.most,
                                        choice.sketch.gaps);
  const bool fastest = choice.start == Choice::Start::kWave && !choice.cut;
  if ((!fastest && 2 * busy >= alone) || !wfa::fits(task) ||
      (pair.by == By::kStrips && pair.busy < busy))
    return;
  pair.by = By::kWavefronts;
  pair.task = task;
  pair.busy = busy;
  pair.bytes = wfa::meeting_bytes(wfa::plan_meetings(code, limits, {}), task, false);
}

std::vector<Long*> those_by(By by, std::vector<Long>& all) {
  std::vector<Long*> found;
  for (Long& pair : all)
    if (!pair.easy && pair.by == by) found.push_back(&pair);
  return found;
}

void by_wavefronts(ocl::Device& device, std::vector<Long>& all, const seq::Code& code,
                   std::size_t threads, trace::Trace* trace, const GiveUp& give_up,
                   Shared& shared) {
  const std::vector<Long*> pairs = those_by(By::kWavefronts, all);
  if (pairs.empty()) return;
  std::vector<wfa::MeetingTask> tasks;
  for (const Long* const pair : pairs) tasks.push_back(pair->task);
  wfa::MeetingsProblem problem;
  problem.tasks = tasks;
  problem.code = &code;
  problem.threads = threads;
  problem.trace = trace;
  problem.give_up = give_up;
  const wfa::Plan plan = wfa::plan_meetings(code, device.limits(), {});
  const wfa::MeetingsAnswer answer = wfa::meet(device, plan, problem);
  shared.add(answer, pairs.size());
  shared.wavefronts = plan.config;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i]->found = answer.distances[i];
    pairs[i]->none = !answer.distances[i] && tasks[i].most == distance_limit(pairs[i]->problem);
    pairs[i]->cells = answer.cells / static_cast<double>(pairs.size());
  }
}

void by_strips(ocl::Device& device, std::vector<Long>& all, std::size_t threads,
               trace::Trace* trace, const GiveUp& give_up, Shared& shared) {
  const std::vector<Long*> pairs = those_by(By::kStrips, all);
  if (pairs.empty()) return;
  std::vector<Problem> problems;
  for (const Long* const pair : pairs) problems.push_back(pair->problem);
  shared.strips = strip::config_together(problems, device.limits());
  std::vector<strip::Plan> plans;
  for (const Problem& problem : problems)
    plans.push_back(
        strip::plan(strip::flow_batch_variant(), problem, device.limits(), shared.strips));
  const strip::SeveralAnswer answer =
      strip::solve_several(device, plans, problems, threads, trace, give_up);
  shared.add(answer, pairs.size());
  shared.strips = plans.front().config;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i]->found = answer.answers[i].distance;
    pairs[i]->none = !pairs[i]->found;
    pairs[i]->cells = answer.answers[i].cells;
    pairs[i]->passes = answer.answers[i].passes;
  }
}

}  // namespace

std::string ways_to_share(const ocl::Limits& limits, const DistanceOptions& options) {
  if (!limits.gpu || options.check || method_of(options)) return {};
  std::string ways(wfa::kFusedBatch);
  if (strip::shares_launches(limits)) ways += ", " + std::string(strip::kFlowBatch);
  return ways;
}

std::vector<DistanceAnswer> answer_several(
    ocl::Device& device, std::span<const std::pair<std::string_view, std::string_view>> pairs,
    const DistanceOptions& options, std::optional<bool> share_strips) {
  const bool strips = share_strips.value_or(strip::shares_launches(device.limits()));
  if (pairs.size() < 2 || ways_to_share(device.limits(), options).empty()) return {};
  const double start = now();
  // Of the first pair alone, as long as that is all that is looked at.
  seq::Code code =
      seq::make_code(pairs[0].first, pairs[0].second, options.ambiguous, options.threads);
  const tune::Store nothing;
  const Rates rates =
      known_rates(device.info(), options.store != nullptr ? *options.store : nothing);
  std::vector<Long> all;  // that are taken, from the first on
  std::uint64_t room = std::min(device.limits().global_bytes / 2, device.limits().alloc_bytes);
  double seconds = 0;
  std::atomic<bool> ended = false;
  const auto look_at = [&](std::size_t i, std::size_t threads) {
    Long pair;
    if (ended) return pair;
    pair.problem = problem_of(pairs[i].first, pairs[i].second, options);
    check_problem(pair.problem);
    pair.problem.code = &code;
    pair.problem.threads = threads;
    pair.problem = trimmed(pair.problem);
    pair.easy = easy_answer(pair.problem);
    if (pair.easy) return pair;
    decide(pair, code, device.limits(), rates, strips);
    return pair;
  };
  Long first = look_at(0, options.threads);
  if (!first.easy && first.by == By::kNothing) return {};

  std::vector<std::string_view> queries, targets;
  for (const auto& [query, target] : pairs) {
    queries.push_back(query);
    targets.push_back(target);
  }
  code = seq::make_code(seq::symbols_in(queries, options.threads),
                        seq::symbols_in(targets, options.threads), options.ambiguous);
  // False for the first that does not gain, or has no room beside the others.
  const auto add = [&](Long pair) {
    if (!pair.easy) {
      seconds += pair.busy;
      if (pair.by == By::kNothing || pair.bytes > room || seconds > kMostSeconds) return false;
      room -= pair.bytes;
    }
    all.push_back(std::move(pair));
    return true;
  };
  if (!add(std::move(first))) return {};
  batch::in_order(
      pairs.size() - 1, batch::threads_of(options.threads),
      [&](std::size_t i) { return look_at(i + 1, 1); },
      [&](Long pair) {
        if (!ended && !add(std::move(pair))) ended = true;
      });
  if (std::ranges::count_if(all, [](const Long& pair) { return !pair.easy; }) < 2) return {};

  const auto give_up = [&](const Progress& progress) {
    if (options.progress) options.progress(progress);
    return options.stop.stop_requested();
  };
  trace::Trace* const trace = options.trace != nullptr ? options.trace : device.trace();
  Shared shared;
  try {
    by_wavefronts(device, all, code, options.threads, trace, give_up, shared);
    by_strips(device, all, options.threads, trace, give_up, shared);
  } catch (const Error& error) {
    if (!left_to_others(error)) throw;
    return {};
  }
  device.record();

  const double part = 1 / static_cast<double>(shared.count);
  std::vector<DistanceAnswer> answers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Long& pair = all[i];
    // Otherwise it is easy, or the distance is larger than was foreseen.
    const bool known = pair.found || pair.none;
    if (!known) {
      answers.push_back(distance(&device, pairs[i].first, pairs[i].second, options));
      continue;
    }
    DistanceAnswer& answer = answers.emplace_back();
    const bool waves = pair.by == By::kWavefronts;
    answer.distance = pair.found;
    answer.engine = waves ? kWavefront : kStrips;
    answer.variant = waves ? wfa::kFusedBatch : strip::kFlowBatch;
    answer.device = device.info().name;
    answer.config = waves ? shared.wavefronts : shared.strips;
    answer.cells = pair.cells;
    answer.passes = pair.passes;
    answer.timing.build = part * shared.build;
    answer.timing.transfer = part * shared.transfer;
    answer.timing.compute = part * shared.compute;
    answer.timing.total = part * (now() - start);
  }
  return answers;
}

}  // namespace rhomb
