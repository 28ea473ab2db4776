// SPDX-License-Identifier: Apache-2.0
// Crew: threads that wait for work, for what is shared so often that to start threads each time
// would take longer than the work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rhomb::batch {

class Crew {
 public:
  /// No more than `threads` work at a time, the caller's own among them. They start when they are
  /// first needed.
  explicit Crew(std::size_t threads) : threads_(std::max<std::size_t>(threads, 1)) {}
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    begun_.notify_all();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t threads() const { return threads_; }

  /// Calls work(part, first, last) for `parts` parts of [0, count), at the same time, and returns
  /// when all are done. By one thread at a time; `work` must not throw. A part is done by the same
  /// thread each time, whose cache has what it left there, unless that one is late.
  template <class Work>
  void in_parts(std::size_t count, std::size_t parts, const Work& work) {
    run(parts, [&](std::size_t i) { work(i, count * i / parts, count * (i + 1) / parts); });
  }

 private:
  using Each = std::function<void(std::size_t)>;

  void run(std::size_t parts, const Each& each) {
    const std::size_t helpers = std::min(parts, threads_) - std::min<std::size_t>(parts, 1);
    {
      std::unique_lock lock(mutex_);
      while (helpers_.size() < helpers)
        helpers_.emplace_back([this, own = helpers_.size() + 1] { help(own); });
      each_ = &each;
      free_.assign(parts, true);
      next_ = 0;
      left_ = parts;
    }
    for (std::size_t i = 0; i < helpers; ++i) begun_.notify_one();
    std::unique_lock lock(mutex_);
    while (next_ < free_.size()) take(lock, 0);
    done_.wait(lock, [&] { return left_ == 0; });
  }

  void help(std::size_t own) {
    std::unique_lock lock(mutex_);
    for (;;) {
      begun_.wait(lock, [&] { return ended_ || next_ < free_.size(); });
      if (ended_) return;
      take(lock, own);
    }
  }

  /// Does part `own`, or else the next one that is free; the lock is held before and after, not
  /// meanwhile.
  void take(std::unique_lock<std::mutex>& lock, std::size_t own) {
    const std::size_t i = own < free_.size() && free_[own] ? own : next_;
    free_[i] = false;
    while (next_ < free_.size() && !free_[next_]) ++next_;
    const Each& each = *each_;
    lock.unlock();
    each(i);
    lock.lock();
    if (--left_ == 0) done_.notify_one();
  }

  std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  const Each* each_ = nullptr;
  std::vector<bool> free_;           // parts that nobody has taken
  std::size_t next_ = 0, left_ = 0;  // the first of them; parts that are not done
  bool ended_ = false;
  std::vector<std::jthread> helpers_;  // last: they use the rest
};

}  // namespace rhomb::batch
