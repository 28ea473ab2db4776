// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: a few small
// problems -- unrelated texts, long matches, very unequal lengths, every plane of the alphabet --
// are compared with the reference. A pass is remembered with the cached binary.
#include "host/engine/selftest.h"

#include <string>

#include "host/engine/reference.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
using selftest::edited;
using selftest::random_text;

void ensure_tested(ocl::Device& device, const Variant& row, const Plan& plan, const Stage& stage) {
  const ocl::Defines defines = plan.defines(stage);
  if (plan.self_test || device.tested(plan.file, defines)) return;
  const trace::Scope scope(device.trace(), trace::Work::kTest, plan.file);

  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  const auto check = [&](const std::string& a, const std::string& b) {
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem = trimmed(problem);  // what runs are given; none of these pairs becomes empty
    Plan trial = row.plan(problem, device.limits(), plan.config);
    trial.stages = {stage};
    trial.self_test = true;
    // Close texts are compared within a band: the reference should not take longer than the
    // program.
    const auto near = reference::edit_distance_within(a, b, code, 400);
    const std::int64_t expected = near ? *near : reference::edit_distance(a, b, code);
    const auto got = row.run(&device, trial, problem).distance;
    selftest::compare(device, plan.file, defines, got, expected);
  };

  const std::string base = random_text(numbers, 700, symbols);
  check(base, random_text(numbers, 640, symbols));
  check(base, edited(numbers, base, 10, symbols));
  check(base.substr(0, 3), base.substr(100, 400));
  const std::string longer = random_text(numbers, 5000, symbols);
  check(longer, edited(numbers, longer, 1500, symbols));
  check(longer.substr(1, 300) + longer, longer + base.substr(0, 64));
  device.mark_tested(plan.file, defines);
}

}  // namespace rhomb::wfa
