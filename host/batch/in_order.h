// SPDX-License-Identifier: Apache-2.0
// Work in several threads whose results are wanted in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rhomb::batch {

/// Calls make(0), make(1), ... make(count - 1) in up to `threads` threads, and take(result) in this
/// one, in that order. No more than two results a thread wait to be taken. What either throws is
/// thrown here, once no thread is at work any more.
template <class Make, class Take>
void in_order(std::size_t count, std::size_t threads, const Make& make, const Take& take) {
  if (count < 2 || threads < 2) {
    for (std::size_t i = 0; i < count; ++i) take(make(i));
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, decltype(make(0))> made;
  std::size_t next = 0;   // to be made
  std::size_t taken = 0;  // so many have been
  std::exception_ptr failure;

  const auto fail = [&] {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    changed.notify_all();
  };
  const auto work = [&] {
    try {
      for (;;) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return failure || next == count || next < taken + 2 * threads; });
        if (failure || next == count) return;
        const std::size_t i = next++;
        lock.unlock();
        auto result = make(i);
        lock.lock();
        made.emplace(i, std::move(result));
        changed.notify_all();
      }
    } catch (...) {
      fail();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < std::min(threads, count); ++t) workers.emplace_back(work);
    try {
      while (taken < count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return failure || made.contains(taken); });
        if (failure) break;
        auto result = std::move(made.extract(taken).mapped());
        lock.unlock();
        take(std::move(result));
        lock.lock();
        ++taken;
        changed.notify_all();
      }
    } catch (...) {
      fail();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Threads that the host can run at once.
inline std::size_t host_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace rhomb::batch
