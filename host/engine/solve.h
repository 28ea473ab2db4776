// SPDX-License-Identifier: Apache-2.0
// solve: how a variant of any engine is planned and run.
#pragma once

#include <string>

#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"

namespace rhomb::engine {

/// Throws UsageError where `variant` needs an OpenCL device and there is none.
template <class Problem, class Plan, class Answer>
void check_device(const Variant<Problem, Plan, Answer>& variant, const ocl::Device* device) {
  if (device == nullptr && variant.uses_opencl())
    throw UsageError("variant '" + std::string(variant.name) + "' needs an OpenCL device");
}

/// Limits of the device that `variant` computes on.
template <class Problem, class Plan, class Answer>
ocl::Limits limits_of(const Variant<Problem, Plan, Answer>& variant, const ocl::Device* device) {
  if (variant.uses_cuda()) return variant.cuda_device().limits;
  return device != nullptr ? device->limits() : ocl::Limits{};
}

/// The variant's plan. Throws UsageError for a tunable that it does not have.
template <class Problem, class Plan, class Answer>
Plan plan(const Variant<Problem, Plan, Answer>& variant, const Problem& problem,
          const ocl::Limits& limits, const tune::Config& config) {
  config.check_names(variant.space);
  return variant.plan(problem, limits, config);
}

/// Plans and runs. `device`, in OpenCL, may be null for a variant that needs none.
template <class Problem, class Plan, class Answer>
Answer solve(ocl::Device* device, const Variant<Problem, Plan, Answer>& variant,
             const Problem& problem, const tune::Config& config) {
  config.check_names(variant.space);
  check_device(variant, device);
  const Plan plan = variant.plan(problem, limits_of(variant, device), config);
  Answer answer = variant.run(variant.uses_opencl() ? device : nullptr, plan, problem);
  answer.config = plan.config;
  return answer;
}

/// The same for a pair: strips its common prefix and suffix, and answers what needs no computing.
/// `complete` adds to the rest what the variant wants to know.
template <class Plan, class Complete>
Answer solve_pair(ocl::Device* device, const Variant<Problem, Plan, Answer>& variant,
                  const Problem& problem, const tune::Config& config, const Complete& complete) {
  check_problem(problem);
  config.check_names(variant.space);
  check_device(variant, device);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  complete(rest);
  return engine::solve(device, variant, rest, config);
}

}  // namespace rhomb::engine
