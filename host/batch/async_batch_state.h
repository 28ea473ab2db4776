// SPDX-License-Identifier: Apache-2.0
// How an AsyncBatch runs: a batch in OpenCL is under way, other variants have computed when they
// were started. An engine defines
//
//   template <>
//   struct batch::AsyncBatch<Problem, Plan, Answer>::State
//       : batch::AsyncState<DeviceBatch<ocl::Device>, Answer> {
//     using AsyncState::AsyncState;
//     bool starts(const Variant& variant, Plan& plan, const Problem& problem);
//   };
//
// where starts() starts `batch`, or returns false where the variant is to compute at once; and then
// instantiates the class. For those files alone.
#pragma once

#include <optional>
#include <utility>

#include "host/batch/async_batch.h"
#include "host/engine/solve.h"

namespace rhomb::batch {

template <class OpenClBatch, class Answer>
struct AsyncState {
  AsyncState(ocl::Device* on, std::size_t queue) : device(on) {
    if (on != nullptr) batch.emplace(*on, queue);
  }

  ocl::Device* const device;
  std::optional<OpenClBatch> batch;  ///< on the device, if there is one
  std::optional<Answer> answer;      ///< of a variant that did not use it
  bool busy = false;
};

template <class Problem, class Plan, class Answer>
AsyncBatch<Problem, Plan, Answer>::AsyncBatch(ocl::Device* device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
template <class Problem, class Plan, class Answer>
AsyncBatch<Problem, Plan, Answer>::~AsyncBatch() = default;
template <class Problem, class Plan, class Answer>
AsyncBatch<Problem, Plan, Answer>::AsyncBatch(AsyncBatch&&) noexcept = default;
template <class Problem, class Plan, class Answer>
AsyncBatch<Problem, Plan, Answer>& AsyncBatch<Problem, Plan, Answer>::operator=(
    AsyncBatch&&) noexcept = default;

template <class Problem, class Plan, class Answer>
void AsyncBatch<Problem, Plan, Answer>::start(const Variant<Problem, Plan, Answer>& variant,
                                              const Problem& problem, const tune::Config& config) {
  start(variant, engine::plan(variant, problem, engine::limits_of(variant, state_->device), config),
        problem);
}

template <class Problem, class Plan, class Answer>
void AsyncBatch<Problem, Plan, Answer>::start(const Variant<Problem, Plan, Answer>& variant,
                                              Plan plan, const Problem& problem) {
  if (busy()) throw UsageError("a batch was started that is under way");
  engine::check_device(variant, state_->device);
  state_->answer.reset();
  if (!state_->starts(variant, plan, problem)) {
    state_->answer = variant.run(variant.uses_opencl() ? state_->device : nullptr, plan, problem);
    state_->answer->cells = plan.cells;
    state_->answer->config = plan.config;
  }
  state_->busy = true;
}

template <class Problem, class Plan, class Answer>
bool AsyncBatch<Problem, Plan, Answer>::busy() const {
  return state_->busy;
}

template <class Problem, class Plan, class Answer>
Answer AsyncBatch<Problem, Plan, Answer>::finish() {
  if (!std::exchange(state_->busy, false)) throw UsageError("no batch was started");
  return state_->answer ? *std::move(state_->answer) : state_->batch->finish();
}

}  // namespace rhomb::batch
