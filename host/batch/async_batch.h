// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: problems of an engine one after another on a queue of a device, each begun and left
// to itself. With two or three that take turns on different queues, the packing and the copies of
// one hide behind the launches of another. Between its calls the device's queue 0 is the one in
// use.
#pragma once

#include <memory>

#include "host/engine/variant.h"

namespace rhomb::batch {

template <class Problem, class Plan, class Answer>
class AsyncBatch {
 public:
  /// `device` may be null for the reference.
  explicit AsyncBatch(ocl::Device* device, std::size_t queue = 0);
  ~AsyncBatch();  ///< waits, if busy()
  AsyncBatch(AsyncBatch&&) noexcept;
  AsyncBatch& operator=(AsyncBatch&&) noexcept;

  /// Packs, enqueues all and returns; variants that do not compute on an OpenCL device compute
  /// here. Not while busy(). Afterwards texts and tasks may go; what is resident on the device, and
  /// the trace, stay until finish(). Throws what solve() throws; it is not busy then.
  void start(const Variant<Problem, Plan, Answer>& variant, Plan plan, const Problem& problem);
  /// The same, planned here.
  void start(const Variant<Problem, Plan, Answer>& variant, const Problem& problem,
             const tune::Config& config = {});

  bool busy() const;  ///< started, and not yet finished

  /// Waits for the answer. Throws ocl::DeviceError; it is not busy then.
  Answer finish();

 private:
  struct State;  // host/batch/async_batch_state.h
  std::unique_ptr<State> state_;
};

}  // namespace rhomb::batch
