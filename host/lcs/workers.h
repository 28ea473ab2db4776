// SPDX-License-Identifier: Apache-2.0
// Workers: threads that stay, for work that comes in many small pieces.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rhomb::lcs {

/// The calling thread and `threads` - 1 others, which wait while there is nothing to do.
class Workers {
 public:
  explicit Workers(std::size_t threads) {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { wait_for_work(); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    begun_.notify_all();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(0) .. work(parts - 1), in any order, several at a time; returns when all are done.
  /// `work` does not throw.
  void run(std::size_t parts, const std::function<void(std::size_t)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      parts_ = parts;
      next_ = 0;
      busy_ = threads_.size();
      ++round_;
    }
    begun_.notify_all();
    take(parts, work);
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void take(std::size_t parts, const std::function<void(std::size_t)>& work) {
    for (std::size_t i = next_++; i < parts; i = next_++) work(i);
  }

  void wait_for_work() {
    std::unique_lock lock(mutex_);
    for (std::uint64_t done = 0;;) {
      begun_.wait(lock, [&] { return stopped_ || round_ != done; });
      if (stopped_) return;
      done = round_;
      lock.unlock();
      take(parts_, *work_);
      lock.lock();
      if (--busy_ == 0) ended_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t parts_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::size_t busy_ = 0;     // threads that have not ended this round
  std::uint64_t round_ = 0;  // of work
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // last: they go first
};

}  // namespace rhomb::lcs
