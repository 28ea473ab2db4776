// SPDX-License-Identifier: Apache-2.0
// threads: work of the host that several threads share. All that compute there are started here, so
// a limit of their number holds wherever it is handed to. (Threads that wait for a file or a device
// are not counted.)
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace rhomb::batch {

/// Threads that the host can run at once, but no more than `limit`, unless that is 0.
inline std::size_t threads_of(std::size_t limit) {
  // To ask is to read a file; once is enough.
  static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return limit == 0 ? cores : std::min(limit, cores);
}

/// For two things that are made at the same time: how the second one is started beside the first,
/// and how many threads either may take.
inline std::launch beside(std::size_t limit) {
  return threads_of(limit) > 1 ? std::launch::async : std::launch::deferred;
}
inline std::size_t half_of(std::size_t limit) {
  return std::max<std::size_t>(1, (threads_of(limit) + 1) / 2);
}

/// In how many parts a walk over `count` things is cut: a thread pays for a quarter of a million,
/// and more than four share the memory's bandwidth anyway.
inline std::size_t parts_of(std::size_t count, std::size_t limit = 0) {
  return std::clamp<std::size_t>(count >> 18, 1, std::min<std::size_t>(threads_of(limit), 4));
}

/// The same where more is done for each: for pairs of texts, which lie anywhere in memory, and for
/// words of planes that are turned around.
inline std::size_t parts_of_pairs(std::size_t count, std::size_t limit = 0) {
  return std::clamp<std::size_t>(count >> 13, 1, std::min<std::size_t>(threads_of(limit), 16));
}

/// Calls part(0), .. part(parts - 1) at the same time, the first one in this thread, the others in
/// threads that wait for such work. What one of them throws is thrown here, once all are done.
void run_parts(std::size_t parts, const std::function<void(std::size_t)>& part);

/// Starts the threads that run_parts() will need for so many parts, while others wait for
/// something.
void start_threads(std::size_t parts);

/// Calls work(part, first, last) for `parts` parts of [0, count), as run_parts() does.
template <class Work>
void in_parts(std::size_t count, std::size_t parts, const Work& work) {
  const auto make = [&](std::size_t part) {
    work(part, count * part / parts, count * (part + 1) / parts);
  };
  if (parts == 1) return make(0);
  run_parts(parts, make);
}

/// Calls work(i) for each i below `count`, in up to `threads` threads that have `least` of them.
template <class Work>
void each(std::size_t count, std::size_t least, std::size_t threads, const Work& work) {
  const std::size_t parts = std::clamp<std::size_t>(count / least, 1, threads_of(threads));
  in_parts(count, parts, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(i);
  });
}

/// Writes to each page of memory that will be read into, so that threads share what first writes
/// wait for. Its values are lost.
template <class T>
void touch(std::span<T> memory, std::size_t threads) {
  constexpr std::size_t kPage = 4096 / sizeof(T), kPagesOfThread = 256;
  each((memory.size() + kPage - 1) / kPage, kPagesOfThread, threads,
       [&](std::size_t page) { memory[kPage * page] = {}; });
}

/// Calls work(0), work(1), ... work(count - 1) in up to `threads` threads, each of which takes the
/// next one when it is done with the last.
template <class Work>
void dealt(std::size_t count, std::size_t threads, const Work& work) {
  if (count == 0) return;
  std::atomic<std::size_t> next = 0;
  run_parts(std::min(threads, count), [&](std::size_t) {
    for (std::size_t i; (i = next++) < count;) work(i);
  });
}

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
  std::condition_variable ready;  // what this thread waits for
  std::condition_variable room;   // what the others wait for
  std::map<std::size_t, decltype(make(0))> made;
  std::size_t next = 0;   // to be made
  std::size_t taken = 0;  // so many have been
  std::exception_ptr failure;

  const auto fail = [&] {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    ready.notify_all();
    room.notify_all();
  };
  const auto work = [&] {
    try {
      for (;;) {
        std::unique_lock lock(mutex);
        room.wait(lock, [&] { return failure || next == count || next < taken + 2 * threads; });
        if (failure || next == count) return;
        const std::size_t i = next++;
        if (next == count) room.notify_all();
        lock.unlock();
        auto result = make(i);
        lock.lock();
        made.emplace(i, std::move(result));
        if (i == taken) ready.notify_all();
      }
    } catch (...) {
      fail();
    }
  };
  const auto take_all = [&] {
    try {
      while (taken < count) {
        std::unique_lock lock(mutex);
        ready.wait(lock, [&] { return failure || made.contains(taken); });
        if (failure) break;
        auto result = std::move(made.extract(taken).mapped());
        lock.unlock();
        take(std::move(result));
        lock.lock();
        ++taken;
        room.notify_one();
      }
    } catch (...) {
      fail();
    }
  };
  run_parts(1 + std::min(threads, count),
            [&](std::size_t part) { part == 0 ? take_all() : work(); });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rhomb::batch
