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
#include "host/wfa/meetings.h"

namespace rhomb {
namespace {

/// A distance may be more than was foreseen by this part; what is further apart is computed alone.
constexpr double kMore = 1.3;
/// Seconds that the device is busy with pairs that share launches, at most, so that answers come.
constexpr double kMostSeconds = 1;

/// A pair, without common ends, and what will be fastest for it.
struct Long {
  Problem problem;
  Choice choice;
  std::optional<Answer> easy;
};

/// Whether wavefronts that share launches gain: they are fastest, or keep the device busy for much
/// less time than another engine takes, whose host's part counts, too.
bool gains(const Long& pair, double busy) {
  const Choice& choice = pair.choice;
  if (choice.start == Choice::Start::kProbe) return false;
  if (choice.start == Choice::Start::kWave && !choice.cut) return true;
  const double other = choice.cut                                 ? choice.pieces
                       : choice.start == Choice::Start::kCorridor ? choice.corridor
                                                                  : choice.strips;
  return 2 * busy < other;
}

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

}  // namespace

std::vector<DistanceAnswer> answer_several(
    ocl::Device& device, std::span<const std::pair<std::string_view, std::string_view>> pairs,
    const DistanceOptions& options) {
  if (!device.limits().gpu || pairs.size() < 2 || options.check || method_of(options)) return {};
  const double start = now();
  // Of the first pair alone, as long as that is all that is looked at.
  seq::Code code =
      seq::make_code(pairs[0].first, pairs[0].second, options.ambiguous, options.threads);
  const tune::Store nothing;
  const Rates rates =
      known_rates(device.info(), options.store != nullptr ? *options.store : nothing);
  std::vector<Long> all;  // that are taken, from the first on
  std::vector<wfa::MeetingTask> tasks;
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
    if (!pair.easy) pair.choice = choose(pair.problem, device.limits(), rates);
    return pair;
  };
  const auto busy_with = [&](const Long& pair) {
    const wfa::MeetingTask task = task_of(pair);
    return wave_busy_seconds(rates, std::ssize(task.a), std::ssize(task.b), task.most,
                             pair.choice.sketch.gaps);
  };
  Long first = look_at(0, options.threads);
  if (!first.easy && !gains(first, busy_with(first))) return {};

  std::vector<std::string_view> queries, targets;
  for (const auto& [query, target] : pairs) {
    queries.push_back(query);
    targets.push_back(target);
  }
  code = seq::make_code(seq::symbols_in(queries, options.threads),
                        seq::symbols_in(targets, options.threads), options.ambiguous);
  const wfa::Plan plan = wfa::plan_meetings(code, device.limits(), {});
  // False for the first that does not gain, or has no room beside the others.
  const auto add = [&](Long pair) {
    if (!pair.easy) {
      const wfa::MeetingTask task = task_of(pair);
      const double busy = busy_with(pair);
      const std::uint64_t bytes = wfa::meeting_bytes(plan, task, false);
      seconds += busy;
      if (!gains(pair, busy) || !wfa::fits(task) || bytes > room || seconds > kMostSeconds)
        return false;
      room -= bytes;
      tasks.push_back(task);
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
  const std::size_t taken = all.size();
  if (tasks.size() < 2) return {};

  wfa::MeetingsProblem problem;
  problem.tasks = tasks;
  problem.code = &code;
  problem.threads = options.threads;
  problem.trace = options.trace != nullptr ? options.trace : device.trace();
  problem.give_up = [&](const Progress& progress) {
    if (options.progress) options.progress(progress);
    return options.stop.stop_requested();
  };
  wfa::MeetingsAnswer found;
  try {
    found = wfa::meet(device, plan, problem);
  } catch (const Error& error) {
    if (!left_to_others(error)) throw;
    return {};
  }
  if (found.given_up) throw Error(Kind::kStopped, "the run was stopped");
  device.record();

  DistanceAnswer shared;
  shared.engine = kWavefront;
  shared.variant = wfa::kFusedBatch;
  shared.device = device.info().name;
  shared.config = plan.config;
  const double part = 1.0 / static_cast<double>(tasks.size());
  shared.cells = part * found.cells;
  shared.timing.build = part * found.build;
  shared.timing.transfer = part * found.transfer;
  shared.timing.compute = part * found.compute;
  shared.timing.total = part * (now() - start);
  std::vector<DistanceAnswer> answers;
  std::size_t next = 0;  // task
  for (std::size_t i = 0; i < taken; ++i) {
    const auto& [query, target] = pairs[i];
    if (all[i].easy) {
      answers.push_back(distance(&device, query, target, options));
      continue;
    }
    const std::optional<std::int64_t>& distance_found = found.distances[next];
    // None is within the limit, or the distance is larger than was foreseen.
    const bool known = distance_found || tasks[next].most == distance_limit(all[i].problem);
    ++next;
    answers.push_back(known ? shared : distance(&device, query, target, options));
    if (known) answers.back().distance = distance_found;
  }
  return answers;
}

}  // namespace rhomb
