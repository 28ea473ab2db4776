// SPDX-License-Identifier: Apache-2.0
// strip_pair: the row `cuda-strips`. Plans, texts, launches and the join are those of the strips'
// other rows; this is what host/strip/banded_run.cpp is for OpenCL.
//
// Its kernels were compiled with the program, so there is no known-answer test before the first
// use: tests/device/test_cuda.cpp compares them with the reference.
#include "cuda/strip_pair.h"

#include <string>

#include "cuda/device.h"
#include "host/seq/alphabet.h"
#include "host/strip/banded_run.h"
#include "host/strip/internal.h"

namespace rhomb::cuda {
namespace {

using strip::Plan;

struct Compiled {
  int k;
  int planes;
  bool sets;
  StripKernel* (*kernel)();
};

constexpr Compiled kKernels[] = {
#define STRIP_PAIR(k, planes, sets) {k, planes, sets == 1, strip_flow_kernel<k, planes, sets>},
#include "cuda/shapes.def"
};

const Compiled* find_kernel(int k, int planes, bool sets) {
  for (const Compiled& kernel : kKernels)
    if (kernel.k == k && kernel.planes == planes && kernel.sets == sets) return &kernel;
  return nullptr;
}

/// `problem` with a code of as many planes as a kernel has.
Plan plan_in(int planes, const Problem& problem, const ocl::Limits& limits,
             const tune::Config& config) {
  seq::Code code = *problem.code;
  code.planes = planes;
  Problem wide = problem;
  wide.code = &code;
  return strip::strips_variant().plan(wide, limits, config);
}

Plan plan_cuda(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  if (!limits.nvidia) throw tune::Unfit("cuda-strips runs on NVIDIA's GPUs alone");
  const bool sets = problem.code->matching == seq::Matching::kSets;
  const int planes = sets ? 4 : problem.code->planes <= 2 ? 2 : 8;
  tune::Config whole = config;
  whole.set("WG", kStripBlock);
  whole.set("LANES", 1);
  whole.set("FLOW", 1);
  Plan plan = plan_in(planes, problem, limits, whole);
  if (find_kernel(plan.shape.k, planes, sets) == nullptr) {
    std::string all;
    int below = 1;
    for (const Compiled& kernel : kKernels) {
      if (kernel.planes != planes || kernel.sets != sets) continue;
      all += (all.empty() ? "" : ", ") + std::to_string(kernel.k);
      if (kernel.k < plan.shape.k) below = kernel.k;
    }
    if (config.get("K", 0) != 0)
      throw tune::Unfit("K=" + std::to_string(plan.shape.k) +
                        ": cuda-strips was compiled for K of " + all);
    whole.set("K", below);
    plan = plan_in(planes, problem, limits, whole);
  }
  // What can be forced, without what cannot.
  tune::Config own;
  for (const tune::Param& param : strip::cuda_variant().space)
    own.set(param.name, plan.config.get(param.name, param.values.front()));
  plan.config = own;
  plan.program = {"cuda/strip_pair.cu", "strip_flow", {}};
  return plan;
}

Answer run_cuda(ocl::Device*, const Plan& plan, const Problem& problem) {
  const double begin = now();
  Device device;
  const auto kernel = device.kernel(find_kernel(plan.shape.k, plan.planes, plan.sets)->kernel());
  const double opened = now();
  Answer answer = strip::run_passes(device, plan, problem, kernel);
  answer.build = opened - begin;
  return answer;
}

}  // namespace
}  // namespace rhomb::cuda

namespace rhomb::strip {

const Variant& cuda_variant() {
  static const Variant row{
      "cuda-strips",
      "the same in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"K", {4, 1, 2, 8, 16}, "rows a strip, 32 strips a lane"},
       {"SLAB", {512, 64, 128, 256, 1024}, "words of 32 columns a launch"},
       {"SLACK", {4, 1, 2, 8}, "words of columns between groups"},
       {"BATCH", {32, 8, 128, 1}, "launches between two looks at the progress"}},
      cuda::plan_cuda,
      cuda::run_cuda,
      cuda::device};
  return row;
}

}  // namespace rhomb::strip
