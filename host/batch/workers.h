// SPDX-License-Identifier: Apache-2.0
// Workers: threads, one a device, that each take work as soon as they are done with some; what they
// make comes out in the order of its numbers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace rhomb::batch {

/// Item::number counts from 0; each number is made once.
template <class Item>
class Workers {
 public:
  /// `halt` is called when a worker has failed and at the end, so that those which wait for work
  /// find none. Nothing runs before start().
  explicit Workers(std::function<void()> halt) : halt_(std::move(halt)) {}
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    halt_();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// work(i) runs in thread i, until there is no more work.
  void start(std::size_t count, const std::function<void(std::size_t)>& work) {
    working_ = count;
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([this, work, i] { run(work, i); });
  }

  /// For workers: what has been made. False when nobody wants it any more.
  bool put(Item&& item) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    const std::size_t number = item.number;
    made_.emplace(number, std::move(item));
    changed_.notify_all();
    return true;
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  /// The next item; nothing at the end. Throws what a worker has thrown.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return failure_ || working_ == 0 || made_.contains(wanted_); });
    if (failure_) std::rethrow_exception(failure_);
    if (!made_.contains(wanted_)) return std::nullopt;
    return std::move(made_.extract(wanted_++).mapped());
  }

 private:
  void run(const std::function<void(std::size_t)>& work, std::size_t i) {
    std::exception_ptr failure;
    try {
      work(i);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) halt_();
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    --working_;
    changed_.notify_all();
  }

  std::function<void()> halt_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Item> made_;
  std::size_t wanted_ = 0;   // number of the item that comes next
  std::size_t working_ = 0;  // threads
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace rhomb::batch
