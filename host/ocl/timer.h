// SPDX-License-Identifier: Apache-2.0
// Timer: adds the seconds of its own life to a sum.
#pragma once

#include <chrono>

namespace rhomb::ocl {

class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum) {}
  ~Timer() { sum_ += std::chrono::duration<double>(Steady::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Steady = std::chrono::steady_clock;
  double& sum_;
  Steady::time_point start_ = Steady::now();
};

}  // namespace rhomb::ocl
