// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: small matrices
// of unrelated texts, and one of several groups a half, whole and within bands. A pass is
// remembered with the cached binary.
#include "host/engine/selftest.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "host/strip/internal.h"
#include "host/strip/several.h"

namespace rhomb::strip {
namespace {

void test(ocl::Device& device, const Plan& plan) {
  selftest::Pairs pairs(plan.planes, plan.sets);
  std::deque<std::string> texts;  // of those that share launches
  std::vector<Plan> plans;
  std::vector<Problem> problems;
  std::vector<std::int64_t> distances;
  const auto check = [&](const std::string& a, const std::string& b, bool banded,
                         std::int64_t guess) {
    Problem problem = pairs.problem(texts.emplace_back(a), texts.emplace_back(b));
    if (banded) problem.guess = guess;
    const Variant& variant = plan.together ? flow_batch_variant()
                             : banded      ? strips_variant()
                                           : full_variant();
    Plan trial = variant.plan(problem, device.limits(), plan.config);
    trial.self_test = true;
    if (plan.together) {
      plans.push_back(trial);
      problems.push_back(problem);
      distances.push_back(pairs.distance(a, b));
      return;
    }
    selftest::compare(variant.run(&device, trial, problem).distance, pairs.distance(a, b));
  };

  const std::string base = pairs.random(1500);
  check(base, pairs.random(1400), false, 0);
  check(base, pairs.edited(base, 10), true, 10);
  check(base.substr(0, 40), base.substr(100, 400), true, 400);
  // Two groups a half and a bit; where groups are that large, a bit of the second one only.
  const std::int64_t group = plan.shape.group_lanes() * plan.shape.rows();
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(4 * group + 500, 70000));
  const std::string longer = pairs.random(length);
  const std::string other = pairs.edited(longer, static_cast<unsigned>(length / 200));
  check(longer, other, false, 0);
  check(longer, other, true, 300);
  if (!plan.together) return;
  const SeveralAnswer all = solve_several(device, plans, problems, 0, nullptr, {});
  for (std::size_t i = 0; i < plans.size(); ++i)
    selftest::compare(all.answers[i].distance, distances[i]);
}

}  // namespace

void ensure_tested(ocl::Device& device, const Plan& plan) {
  if (plan.self_test) return;
  selftest::ensure_passed(device, plan.program.file, plan.program.defines,
                          [&] { test(device, plan); });
}

}  // namespace rhomb::strip
