// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: a DeviceBatch for gaps-lanes in OpenCL; other variants compute when they are started.
#include <utility>

#include "host/batch/async_batch_state.h"
#include "host/gaps/device_batch.h"

namespace rhomb::gaps {
namespace {

using OpenClBatch = DeviceBatch<ocl::Device>;

/// Builds what the plan needs, tests it and starts the batch.
void start_on(ocl::Device& device, OpenClBatch& batch, Plan plan, const Problem& problem) {
  const double begin = now();
  OpenClBatch::Kernels kernels;
  if (!problem.tasks.empty())
    for (const Shape& shape : plan.shapes) {
      ensure_tested(device, lanes_variant(), plan, shape, problem);
      kernels.lanes.push_back(device.kernel(plan.file, "gaps_lanes", shape.defines));
      if (problem.align)
        kernels.walks.push_back(device.kernel(plan.file, "gaps_walk", shape.defines));
    }
  kernels.build = now() - begin;
  batch.start(std::move(plan), problem, std::move(kernels));
}

}  // namespace

Answer run_lanes(ocl::Device* device, const Plan& plan, const Problem& problem) {
  OpenClBatch batch(*device, 0);
  start_on(*device, batch, plan, problem);
  return batch.finish();
}

}  // namespace rhomb::gaps

namespace rhomb {

template <>
struct batch::AsyncBatch<gaps::Problem, gaps::Plan, gaps::Answer>::State
    : batch::AsyncState<gaps::DeviceBatch<ocl::Device>, gaps::Answer> {
  using AsyncState::AsyncState;
  bool starts(const gaps::Variant& variant, gaps::Plan& plan, const gaps::Problem& problem) {
    if (variant.run != gaps::run_lanes) return false;
    gaps::start_on(*device, *batch, std::move(plan), problem);
    return true;
  }
};

template class batch::AsyncBatch<gaps::Problem, gaps::Plan, gaps::Answer>;

}  // namespace rhomb
