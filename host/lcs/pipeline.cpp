// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/pipeline.h"

#include "host/lcs/internal.h"

namespace rhomb::lcs {

Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const double begin = now();
  auto kernels = tested_kernels(*device, plan);
  const double built = now();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  Answer answer = Pipeline<ocl::Device>(*device, plan, problem, std::move(kernels)).run();
  answer.build = built - begin;
  return answer;
}

}  // namespace rhomb::lcs
