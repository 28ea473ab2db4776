// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: a DeviceBatch for variants in OpenCL; the others compute when they are started.
#include <utility>

#include "host/batch/async_batch_state.h"
#include "host/search/device_batch.h"

namespace rhomb::search {
namespace {

using OpenClBatch = DeviceBatch<ocl::Device>;

/// Builds what the plan needs, tests it and starts the batch.
void start_on(ocl::Device& device, OpenClBatch& batch, Plan plan, const Problem& problem) {
  const double begin = now();
  OpenClBatch::Kernels kernels;
  if (!problem.tasks.empty()) {
    for (const Shape& shape : plan.shapes) {
      ensure_tested(device, plan, shape);
      kernels.tasks.push_back(device.kernel(plan.file, plan.kernel, shape.defines));
    }
    if (plan.profiles)
      kernels.profiles = device.kernel(
          "search/profile.cl", "search_profile",
          {{"PLANES", std::to_string(plan.planes)}, {"SETS", std::to_string(plan.sets ? 1 : 0)}});
  }
  kernels.build = now() - begin;
  batch.start(std::move(plan), problem, std::move(kernels),
              problem.resident != nullptr ? &problem.resident->words() : nullptr);
}

}  // namespace

Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem) {
  OpenClBatch batch(*device, 0);
  start_on(*device, batch, plan, problem);
  return batch.finish();
}

}  // namespace rhomb::search

namespace rhomb {

template <>
struct batch::AsyncBatch<search::Problem, search::Plan, search::Answer>::State
    : batch::AsyncState<search::DeviceBatch<ocl::Device>, search::Answer> {
  using AsyncState::AsyncState;
  bool starts(const search::Variant& variant, search::Plan& plan, const search::Problem& problem) {
    if (variant.uses_opencl()) search::start_on(*device, *batch, std::move(plan), problem);
    return variant.uses_opencl();
  }
};

template class batch::AsyncBatch<search::Problem, search::Plan, search::Answer>;

}  // namespace rhomb
