// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: targets of
// many lengths, like the query and unlike it, in several chunks, with a query of two blocks and a
// bit. A pass is remembered with the cached binary.
#include "host/engine/selftest.h"

#include <algorithm>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/lcs/internal.h"

namespace rhomb::lcs {

using selftest::edited;
using selftest::random_text;

namespace {

void test(ocl::Device& device, const Plan& plan, int size) {
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  const std::string query = random_text(
      numbers, static_cast<std::size_t>(std::min(2 * plan.block_rows(size) + 37, 3000)), symbols);
  std::vector<std::string> texts = {"", query.substr(0, 1), query.substr(0, 64)};
  for (unsigned i = 0; i < 48; ++i) {
    const std::string part = query.substr(0, 8 + numbers.below(400));
    texts.push_back(i % 3 == 0 ? edited(numbers, part, 2 + i, symbols)
                               : random_text(numbers, part.size(), symbols));
  }
  const std::vector<std::string_view> targets(texts.begin(), texts.end());

  Problem problem;
  problem.query = query;
  problem.targets = targets;
  problem.code = &code;
  tune::Config config = plan.config;
  config.set(plan.strips > 0 ? "K" : "W", size);
  const auto& limits = device.limits();
  Plan trial = plan.strips > 0
                   ? plan_strips(problem, limits, config, std::span(&size, 1), 1)
                   : plan_vectors(problem, limits, config, std::span(&size, 1), 1, plan.allison);
  trial.self_test = true;
  const std::vector<std::uint32_t> found = run_on_device(&device, trial, problem).lengths;
  for (std::size_t i = 0; i < texts.size(); ++i)
    selftest::compare(std::int64_t{found[i]},
                      std::int64_t{reference::lcs_length(query, texts[i], code)}, "length");
}

}  // namespace

std::map<int, ocl::Kernel> tested_kernels(ocl::Device& device, const Plan& plan) {
  std::map<int, ocl::Kernel> kernels;
  for (const int size : plan.sizes()) {
    const ocl::Defines defines = plan.defines(size);
    if (!plan.self_test)
      selftest::ensure_passed(device, plan.file, defines, [&] { test(device, plan, size); });
    kernels.emplace(size, device.kernel(plan.file, plan.kernel, defines));
  }
  return kernels;
}

}  // namespace rhomb::lcs
