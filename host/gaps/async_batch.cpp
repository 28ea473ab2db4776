// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: a DeviceBatch for gaps-lanes in OpenCL; other variants compute when they are started.
#include <optional>
#include <utility>

#include "host/engine/solve.h"
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

struct AsyncBatch::State {
  explicit State(ocl::Device* on) : device(on) {}

  ocl::Device* const device;
  std::optional<OpenClBatch> batch;  ///< on the device, if there is one
  std::optional<Answer> answer;      ///< of a variant that did not use it
  bool busy = false;
};

AsyncBatch::AsyncBatch(ocl::Device* device, std::size_t queue)
    : state_(std::make_unique<State>(device)) {
  if (device != nullptr) state_->batch.emplace(*device, queue);
}
AsyncBatch::~AsyncBatch() = default;
AsyncBatch::AsyncBatch(AsyncBatch&&) noexcept = default;
AsyncBatch& AsyncBatch::operator=(AsyncBatch&&) noexcept = default;

void AsyncBatch::start(const Variant& variant, Plan plan, const Problem& problem) {
  if (busy()) throw UsageError("a batch was started that is under way");
  engine::check_device(variant, state_->device);
  state_->answer.reset();
  if (variant.run == run_lanes) {
    start_on(*state_->device, *state_->batch, std::move(plan), problem);
  } else {
    state_->answer = variant.run(variant.uses_opencl() ? state_->device : nullptr, plan, problem);
    state_->answer->cells = plan.cells;
    state_->answer->config = plan.config;
  }
  state_->busy = true;
}

bool AsyncBatch::busy() const { return state_->busy; }

Answer AsyncBatch::finish() {
  if (!std::exchange(state_->busy, false)) throw UsageError("no batch was started");
  return state_->answer ? *std::move(state_->answer) : state_->batch->finish();
}

Answer run_lanes(ocl::Device* device, const Plan& plan, const Problem& problem) {
  OpenClBatch batch(*device, 0);
  start_on(*device, batch, plan, problem);
  return batch.finish();
}

}  // namespace rhomb::gaps
