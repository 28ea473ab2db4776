// SPDX-License-Identifier: Apache-2.0
// lcs_table: the rows `cuda-strips-lcs` and `cuda-crochemore`. Plans, packing and the pipeline are
// those of the rows in OpenCL.
//
// The kernels were compiled with the program, so there is no known-answer test before the first
// use: tests/device/test_lcs.cpp compares them with the reference.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "cuda/lcs_kernels.h"
#include "cuda/lcs_queues.h"
#include "cuda/ranges.h"
#include "host/lcs/internal.h"
#include "host/lcs/pack.h"
#include "host/lcs/pipeline.h"
#include "host/seq/alphabet.h"

namespace rhomb::cuda {
namespace {

using lcs::Answer;
using lcs::Plan;
using lcs::Problem;

struct Kernel {
  int size;  ///< K or W
  int planes;
  bool sets;
  decltype(&launch_lcs_rows<8, 2>) launch;
};

constexpr Kernel kStrips[] = {
#define LCS_STRIPS(k, planes, sets) {k, planes, sets == 1, launch_lcs_strips<k, planes, sets>},
#include "cuda/shapes.def"
};
constexpr Kernel kRows[] = {
#define LCS_ROWS(words, planes) {words, planes, false, launch_lcs_rows<words, planes>},
#include "cuda/shapes.def"
};

std::span<const Kernel> kernels(bool strips) {
  return strips ? std::span<const Kernel>(kStrips) : std::span<const Kernel>(kRows);
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
  for (const Kernel& kernel : kernels(strips)) {
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
  plan.variant = name;
  // What can be forced, without what cannot.
  tune::Config own;
  for (const char* param : {tunable, "CHUNK", "QUEUES"}) own.set(param, plan.config.get(param, 0));
  plan.config = own;
  plan.file = strips ? "cuda/lcs_strips.cu" : "cuda/lcs_rows.cu";
  return plan;
}

const Kernel& kernel_of(const Plan& plan, int size) {
  const bool strips = plan.strips > 0;
  const auto all = kernels(strips);
  return *std::find_if(all.begin(), all.end(), [&](const Kernel& kernel) {
    return kernel.size == size && kernel.planes == plan.planes &&
           kernel.sets == (plan.sets && strips);
  });
}

Answer run_cuda(const Plan& plan, const Problem& problem, bool strips) {
  const double begin = now();
  open();
  const double opened = now();
  Queues queues;
  const auto words = strips ? pack_rows(plan, problem) : alphabet_strings(plan, problem);
  const auto begins = lcs::query_begins(plan);
  const Buffer<u32> all(words, queues.stream());
  queues.finish();
  lcs::Pipeline<Queues> pipeline(
      queues, plan, problem,
      [&](const lcs::Slot<Queues>& slot, std::size_t number, std::int64_t first, std::int64_t end) {
        const Range range("blocks");
        const lcs::QueryPlan& query = plan.queries[number];
        const LcsArguments arguments{slot.tiles.data(),
                                     all.data() + begins[number],
                                     slot.text.data(),
                                     slot.stream.data(),
                                     slot.lengths.data(),
                                     slot.found.data(),
                                     query.m,
                                     static_cast<u32>(first),
                                     static_cast<u32>(end),
                                     static_cast<u32>(query.blocks)};
        const Kernel& kernel = kernel_of(plan, query.size);
        check(kernel.launch(arguments, static_cast<u32>(slot.chunk->tiles.size()),
                            queues.stream().get()),
              "launching a kernel of lcs");
      });
  const double ready = now();
  const Range range("lcs");
  Answer answer = pipeline.run();
  answer.build = opened - begin;
  answer.transfer += ready - opened;
  return answer;
}

Plan plan_cuda_strips(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config) {
  return plan_cuda(problem, limits, config, true);
}
Plan plan_cuda_rows(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_cuda(problem, limits, config, false);
}
Answer run_cuda_strips(ocl::Device*, const Plan& plan, const Problem& problem) {
  return run_cuda(plan, problem, true);
}
Answer run_cuda_rows(ocl::Device*, const Plan& plan, const Problem& problem) {
  return run_cuda(plan, problem, false);
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
      cuda::run_cuda_strips,
      cuda::device};
  return row;
}

const Variant& cuda_crochemore_variant() {
  static const Variant row{
      "cuda-crochemore",
      "crochemore in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"W", {64, 32, 8}, "words of the row vector in a block"}, kChunk, kQueues},
      cuda::plan_cuda_rows,
      cuda::run_cuda_rows,
      cuda::device};
  return row;
}

}  // namespace rhomb::lcs
