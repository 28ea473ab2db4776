// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: small matrices
// of unrelated texts, and one of several groups a half, whole and within bands. A pass is
// remembered with the cached binary.
#include "host/engine/selftest.h"

#include <algorithm>
#include <string>

#include "host/engine/reference.h"
#include "host/strip/internal.h"

namespace rhomb::strip {

using selftest::edited;
using selftest::random_text;

void ensure_tested(ocl::Device& device, const Plan& plan) {
  const ocl::Defines defines = plan.defines();
  if (plan.self_test || device.tested(plan.file, defines)) return;
  const trace::Scope scope(device.trace(), trace::Work::kTest, plan.file);

  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  const auto check = [&](const std::string& a, const std::string& b, bool banded,
                         std::int64_t guess) {
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem.guess = guess;
    problem = trimmed(problem);  // what runs are given; none of these pairs becomes empty
    const Variant& row = banded ? strips_variant() : full_variant();
    Plan trial = row.plan(problem, device.limits(), plan.config);
    trial.self_test = true;
    // Close texts are compared within a band: the reference should not take longer than the
    // program.
    const auto near = reference::edit_distance_within(a, b, code, 400);
    const std::int64_t expected = near ? *near : reference::edit_distance(a, b, code);
    selftest::compare(device, plan.file, defines, row.run(&device, trial, problem).distance,
                      expected);
  };

  const std::string base = random_text(numbers, 1500, symbols);
  check(base, random_text(numbers, 1400, symbols), false, 0);
  check(base, edited(numbers, base, 10, symbols), true, 10);
  check(base.substr(0, 40), base.substr(100, 400), true, 400);
  // Two groups a half and a bit; where groups are that large, a bit of the second one only.
  const std::int64_t group = plan.shape.group_lanes() * plan.shape.rows();
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(4 * group + 500, 70000));
  const std::string longer = random_text(numbers, length, symbols);
  const std::string other = edited(numbers, longer, static_cast<unsigned>(length / 200), symbols);
  check(longer, other, false, 0);
  check(longer, other, true, 300);
  device.mark_tested(plan.file, defines);
}

}  // namespace rhomb::strip
