// SPDX-License-Identifier: Apache-2.0
// lcs_table: the rows `cuda-strips-lcs` and `cuda-crochemore`. Plans, packing and the pipeline are
// those of the rows in OpenCL.
//
// The kernels were compiled with the program, so there is no known-answer test before the first
// use: tests/device/test_lcs.cpp compares them with the reference.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "cuda/lcs_kernels.h"
#include "host/lcs/internal.h"
#include "host/lcs/pipeline.h"
#include "host/seq/alphabet.h"

namespace rhomb::cuda {
namespace {

using lcs::Answer;
using lcs::Plan;
using lcs::Problem;

struct Compiled {
  int size;  ///< K or W
  int planes;
  bool sets;
  LcsKernel* (*kernel)();
};

constexpr Compiled kStrips[] = {
#define LCS_STRIPS(k, planes, sets) {k, planes, sets == 1, lcs_strips_kernel<k, planes, sets>},
#include "cuda/shapes.def"
};
constexpr Compiled kRows[] = {
#define LCS_ROWS(words, planes) {words, planes, false, lcs_rows_kernel<words, planes>},
#include "cuda/shapes.def"
};

std::span<const Compiled> kernels(bool strips) {
  return strips ? std::span<const Compiled>(kStrips) : std::span<const Compiled>(kRows);
}

/// The plan of the row in OpenCL with the compiled shapes that have room for the problem's codes.
Plan plan_cuda(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
               bool strips) {
  const std::string name = strips ? "cuda-strips-lcs" : "cuda-crochemore";
  if (!limits.nvidia) throw tune::Unfit(name + " runs on NVIDIA's GPUs alone");
  const bool sets = problem.code->matching == seq::Matching::kSets;
  seq::Code code = *problem.code;
  code.planes = sets && strips                         ? 4
                : problem.code->planes <= 2            ? 2
                : !strips && problem.code->planes <= 5 ? 5
                                                       : 8;
  const char* tunable = strips ? "K" : "W";
  std::vector<int> sizes;
  std::string all;
  for (const Compiled& kernel : kernels(strips)) {
    if (kernel.planes != code.planes || kernel.sets != (sets && strips)) continue;
    all += (all.empty() ? "" : ", ") + std::to_string(kernel.size);
    if (config.get(tunable, kernel.size) == kernel.size) sizes.push_back(kernel.size);
  }
  if (sizes.empty())
    throw tune::Unfit(std::string(tunable) + "=" + std::to_string(config.get(tunable, 0)) + ": " +
                      name + " was compiled for " + tunable + " of " + all);
  Problem wide = problem;
  wide.code = &code;
  tune::Config whole = config;
  whole.set("WG", kLcsBlock);
  if (strips) {
    whole.set("S", 32);
    whole.set("LANES", 1);
  } else {
    whole.set("STORE", 1);
  }
  Plan plan = strips ? lcs::plan_strips(wide, limits, whole, sizes, sizes.size())
                     : lcs::plan_vectors(wide, limits, whole, sizes, sizes.size(), false);
  // What can be forced, without what cannot.
  tune::Config own;
  for (const char* param : {tunable, "CHUNK", "QUEUES"}) own.set(param, plan.config.get(param, 0));
  plan.config = own;
  plan.file = strips ? "cuda/lcs_strips.cu" : "cuda/lcs_rows.cu";
  return plan;
}

const Compiled& kernel_of(const Plan& plan, int size) {
  const bool strips = plan.strips > 0;
  const auto all = kernels(strips);
  return *std::find_if(all.begin(), all.end(), [&](const Compiled& kernel) {
    return kernel.size == size && kernel.planes == plan.planes &&
           kernel.sets == (plan.sets && strips);
  });
}

Answer run_cuda(ocl::Device*, const Plan& plan, const Problem& problem) {
  const double begin = now();
  Device device;
  std::map<int, lcs::Pipeline<Device>::Kernel> all;
  for (const int size : plan.sizes())
    all.emplace(size, device.kernel(kernel_of(plan, size).kernel()));
  const double opened = now();
  const Range range("lcs");
  Answer answer = lcs::Pipeline<Device>(device, plan, problem, std::move(all)).run();
  answer.build = opened - begin;
  return answer;
}

Plan plan_cuda_strips(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config) {
  return plan_cuda(problem, limits, config, true);
}
Plan plan_cuda_rows(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_cuda(problem, limits, config, false);
}
}  // namespace
}  // namespace rhomb::cuda

namespace rhomb::lcs {

const Variant& cuda_strips_variant() {
  static const Variant row{
      "cuda-strips-lcs",
      "strips-lcs in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"K", {32, 16, 8, 4}, "rows a strip"}, kChunk, kQueues},
      cuda::plan_cuda_strips,
      cuda::run_cuda,
      cuda::device};
  return row;
}

const Variant& cuda_crochemore_variant() {
  static const Variant row{
      "cuda-crochemore",
      "crochemore in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"W", {64, 32, 8}, "words of the row vector in a block"}, kChunk, kQueues},
      cuda::plan_cuda_rows,
      cuda::run_cuda,
      cuda::device};
  return row;
}

}  // namespace rhomb::lcs
