// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: a few small
// problems -- unrelated texts, long matches, very unequal lengths, every plane of the alphabet --
// are compared with the reference. A pass is remembered with the cached binary.
#include "host/engine/selftest.h"

#include <deque>
#include <string>
#include <vector>

#include "host/wfa/internal.h"
#include "host/wfa/meetings.h"

namespace rhomb::wfa {
namespace {

void test(ocl::Device& device, const Plan& plan, const Stage& stage) {
  selftest::Pairs pairs(plan.planes, plan.sets);
  std::vector<Problem> together;
  std::vector<std::int64_t> distances;
  std::deque<std::string> texts;
  Plan trial;
  const auto check = [&](const std::string& a, const std::string& b) {
    const std::string& kept_a = texts.emplace_back(a);
    const Problem problem = pairs.problem(kept_a, texts.emplace_back(b));
    trial = plan.variant->plan(problem, device.limits(), plan.config);
    trial.stages = {stage};
    trial.self_test = true;
    const std::int64_t distance = pairs.distance(a, b);
    selftest::compare(plan.variant->run(&device, trial, problem).distance, distance);
    together.push_back(problem);
    distances.push_back(distance);
  };

  const std::string base = pairs.random(700);
  check(base, pairs.random(640));
  check(base, pairs.edited(base, 10));
  check(base.substr(0, 3), base.substr(100, 400));
  const std::string longer = pairs.random(5000);
  check(longer, pairs.edited(longer, 1500));
  check(longer.substr(1, 300) + longer, longer + base.substr(0, 64));
  if (plan.variant->name != kFusedBatch) return;
  std::vector<MeetingTask> tasks;
  for (const Problem& problem : together)
    tasks.push_back({problem.a, problem.b, distance_limit(problem)});
  MeetingsProblem all;
  all.tasks = tasks;
  all.code = together.front().code;
  const MeetingsAnswer answer = meet(device, trial, all);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    selftest::compare(answer.distances[i], distances[i]);
  Cutter::tested_kernel(device, plan.planes, stage.lanes > 1);
}

}  // namespace

ocl::Kernel tested_kernel(ocl::Device& device, const Plan& plan, const Stage& stage) {
  if (!plan.self_test)
    selftest::ensure_passed(device, plan.file, stage.defines, [&] { test(device, plan, stage); });
  return device.kernel(plan.file, plan.kernel, stage.defines);
}

}  // namespace rhomb::wfa
