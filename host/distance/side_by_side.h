// SPDX-License-Identifier: Apache-2.0
// Work for one device in several threads at a time, each with queues of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "host/batch/threads.h"
#include "host/distance/methods.h"
#include "host/error.h"
#include "host/ocl/device.h"

namespace rhomb {

/// Threads of the host for each of so many at a time, if `threads` (0: as many as cores) are for
/// all. They do not want them at the same moments, so that is more than a share.
inline std::size_t threads_of_each(std::size_t threads, std::size_t at_once) {
  return std::max<std::size_t>(1, 2 * batch::threads_of(threads) / (at_once + 1));
}

/// Calls work(device, i) for each i below `count`, `at_once` at a time, those with small numbers
/// first. Those that need more memory than the others leave them are returned; what is thrown
/// besides is thrown here, once no thread is at work any more.
template <class Work>
std::vector<std::size_t> side_by_side(ocl::Device& device, std::size_t count, std::size_t at_once,
                                      const Work& work) {
  std::vector<std::unique_ptr<ocl::Device>> beside;
  while (beside.size() + 1 < at_once) beside.push_back(device.beside());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<std::size_t> left;
  const auto one = [&](ocl::Device& own, std::size_t i) {
    try {
      work(own, i);
    } catch (const Error& error) {
      if (!out_of_memory(error)) throw;
      const std::lock_guard lock(mutex);
      left.push_back(i);
    }
  };
  batch::in_parts(at_once, at_once, [&](std::size_t part, std::size_t, std::size_t) {
    try {
      for (std::size_t i = next++; i < count; i = next++)
        one(part == 0 ? device : *beside[part - 1], i);
    } catch (...) {
      next = count;
      throw;
    }
  });
  return left;
}

}  // namespace rhomb
