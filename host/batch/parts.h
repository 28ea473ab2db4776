// SPDX-License-Identifier: Apache-2.0
// parts: a walk over many things, cut into parts for several threads where that pays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace rhomb::batch {

inline constexpr std::size_t kWorthThread = std::size_t{1}
                                            << 18;  ///< things that a thread pays for
inline constexpr std::size_t kMostParts = 4;

/// How many parts `count` things are worth.
inline std::size_t parts_of(std::size_t count) {
  const std::size_t cores =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostParts);
  return std::clamp<std::size_t>(count / kWorthThread, 1, cores);
}

/// Calls work(part, first, last) for `parts` parts of [0, count), at the same time. It must not
/// throw.
template <class Work>
void in_parts(std::size_t count, std::size_t parts, const Work& work) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < parts; ++i)
    threads.emplace_back(
        [&work, count, parts, i] { work(i, count * i / parts, count * (i + 1) / parts); });
  work(std::size_t{0}, std::size_t{0}, count / parts);
}

}  // namespace rhomb::batch
