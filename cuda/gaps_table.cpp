// SPDX-License-Identifier: Apache-2.0
// gaps_table: the variant `cuda-gaps-lanes`. Plans, packing and launches are those of gaps-lanes in
// OpenCL, with the shapes that were compiled.
//
// There is no known-answer test before the first use: tests/device/test_cuda_gaps.cpp compares the
// kernels with the reference.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "cuda/gaps_kernels.h"
#include "host/gaps/device_batch.h"

namespace rhomb::cuda {
namespace {

using gaps::Answer;
using gaps::CompiledShape;
using gaps::Plan;
using gaps::Problem;

constexpr std::string_view kName = "cuda-gaps-lanes";

constexpr CompiledShape kShapes[] = {
#define GAPS_LANES(gaps, span, cols, scores, wide, trace) \
  {gaps, span, cols, scores, wide == 1, trace},
#include "cuda/shapes.def"
};

struct Kernels {
  GapsKernel* (*lanes)();
  GapsKernel* (*walk)();
};
constexpr Kernels kKernels[] = {
#define GAPS_LANES(...) {gaps_lanes_kernel<__VA_ARGS__>, gaps_walk_kernel<__VA_ARGS__>},
#include "cuda/shapes.def"
};

Plan plan_cuda(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  const std::string name(kName);
  if (!limits.nvidia) throw tune::Unfit(name + " runs on NVIDIA's GPUs alone");
  const gaps::Rules& rules = problem.rules;
  if (rules.strict || rules.band || rules.ends != gaps::Ends::kPrefix)
    throw tune::Unfit(name + " was compiled for alignments with a prefix of the target alone, " +
                      "neither strict nor with a band");
  Plan plan = gaps::plan_lanes(problem, limits, config, kShapes);
  // What can be forced, without what cannot.
  tune::Config own;
  for (const char* param : {"SPAN", "COLS", "BITS", "SCORES"})
    if (plan.config.has(param)) own.set(param, plan.config.get(param, 0));
  plan.config = own;
  plan.variant = name;
  plan.file = "cuda/gaps_lanes.cu";
  return plan;
}

Answer run_cuda(ocl::Device*, const Plan& plan, const Problem& problem) {
  const double begin = now();
  Device device;
  gaps::DeviceBatch<Device> batch(device, 0);
  gaps::DeviceBatch<Device>::Kernels loaded;
  for (const gaps::Shape& shape : plan.shapes) {
    const CompiledShape wanted{problem.rules.gaps, shape.span, shape.cols,
                               shape.scores,       shape.wide, shape.trace};
    const auto place = std::ranges::find(kShapes, wanted) - std::begin(kShapes);
    loaded.lanes.push_back(device.kernel(kKernels[place].lanes()));
    if (problem.align) loaded.walks.push_back(device.kernel(kKernels[place].walk()));
  }
  loaded.build = now() - begin;
  batch.start(plan, problem, std::move(loaded));
  return batch.finish();
}

}  // namespace
}  // namespace rhomb::cuda

namespace rhomb::gaps {

const Variant& cuda_lanes_variant() {
  static const Variant variant{
      cuda::kName,
      "gaps-lanes in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"SPAN", {8, 16, 32}, "work-items that share a pair's columns"},
       {"COLS", {26, 13, 16, 32}, "columns a work-item"},
       {"BITS", {16, 32}, "of a score in a register"},
       {"SCORES",
        {2, 3, 1},
        "scores by 1: a table in memory, 2, 3: four or eight bytes in a "
        "register"}},
      cuda::plan_cuda,
      cuda::run_cuda,
      cuda::device};
  return variant;
}

}  // namespace rhomb::gaps
