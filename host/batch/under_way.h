// SPDX-License-Identifier: Apache-2.0
// UnderWay: the frame of all that is begun on a queue of a device and left to itself: what is
// enqueued goes on in between, is waited for once, and ends before the memory that it uses goes.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "host/batch/staging.h"
#include "host/engine/pair.h"

namespace rhomb::batch {

/// No more launches are in a queue than end soon, so that a run can be stopped on a device that
/// cannot be told to.
template <Backend Device>
class Pace {
 public:
  /// One more was enqueued, which takes so many seconds, as guessed. Waits for those before the
  /// last few tenths of a second; returns whether it has.
  bool launched(Device& device, double seconds) {
    enqueued_ += seconds;
    if (enqueued_ < kSeconds) return false;
    enqueued_ = 0;
    fences_.push_back(device.fence());
    if (fences_.size() <= 2) return false;
    fences_.front().wait();
    fences_.pop_front();
    return true;
  }

 private:
  static constexpr double kSeconds = 0.2;
  double enqueued_ = 0;  // since the last fence
  std::deque<FenceOf<Device>> fences_;
};

template <Backend Device>
class UnderWay {
 public:
  UnderWay(Device& device, std::size_t queue) : device_(device), queue_(queue) {}
  ~UnderWay() { settle(); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  Device& device() const { return device_; }
  /// Uses the queue, as long as what it returns lives.
  OnQueue<Device> use() const { return OnQueue<Device>(device_, queue_); }

  /// What is enqueued from now on is waited for; the seconds count from here on.
  void begin() {
    enqueued_ = true;
    began_ = now();
  }
  /// All is enqueued.
  void end() { fence_ = device_.fence(); }
  /// Whether something is enqueued that nobody has waited for.
  explicit operator bool() const { return enqueued_; }
  /// Waits for it. Throws what went wrong.
  void wait(trace::Trace* trace) {
    const trace::Scope scope(trace, trace::Work::kCompute);
    fence_.wait();
    enqueued_ = false;
  }
  /// Waits, if nobody has, whatever became of it.
  void settle() {
    if (!std::exchange(enqueued_, false)) return;
    fence_ = {};
    batch::settle(device_, queue_);
  }

  /// Since begin().
  double seconds() const { return now() - began_; }
  /// Of `repeats` more launches each; 0 if there are none.
  template <class Launch>
  double median_seconds(int repeats, const Launch& launch) const {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      const double before = now();
      launch();
      device_.fence().wait();
      times.push_back(now() - before);
    }
    std::ranges::sort(times);
    return times.empty() ? 0 : times[times.size() / 2];
  }

 private:
  Device& device_;
  const std::size_t queue_;
  bool enqueued_ = false;
  FenceOf<Device> fence_;
  double began_ = 0;
};

}  // namespace rhomb::batch
