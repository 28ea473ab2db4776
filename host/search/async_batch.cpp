// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: a DeviceBatch for variants in OpenCL; the others compute when they are started.
#include <optional>
#include <utility>

#include "host/engine/solve.h"
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

void AsyncBatch::start(const Variant& variant, const Problem& problem, const tune::Config& config) {
  if (busy()) throw UsageError("a batch was started that is under way");
  start(variant, plan(variant, problem, engine::limits_of(variant, state_->device), config),
        problem);
}

void AsyncBatch::start(const Variant& variant, Plan plan, const Problem& problem) {
  if (busy()) throw UsageError("a batch was started that is under way");
  engine::check_device(variant, state_->device);
  state_->answer.reset();
  if (variant.uses_opencl()) {
    start_on(*state_->device, *state_->batch, std::move(plan), problem);
  } else {
    state_->answer = variant.run(nullptr, plan, problem);
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

Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem) {
  OpenClBatch batch(*device, 0);
  start_on(*device, batch, plan, problem);
  return batch.finish();
}

}  // namespace rhomb::search
