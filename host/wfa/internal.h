// SPDX-License-Identifier: Apache-2.0
// What the rows of the wavefront table share among themselves; not for users of the library.
#pragma once

#include <chrono>
#include <cstdint>

#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Seconds since the first call.
inline double now() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A problem without its common prefix and suffix. The distance is the same.
Problem trimmed(const Problem& problem);

/// The largest distance that is of interest: the one asked for, but no more than max(m, n), which
/// is always enough.
std::int64_t distance_limit(const Problem& problem);

/// Makes sure that the known-answer test of the program that `stage` uses has passed on `device`,
/// now or in an earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan, const Stage& stage);

const Row& fused_row();
const Row& baseline_row();
const Row& dynamic_row();
const Row& batched_row();
const Row& reference_row();

}  // namespace rhomb::wfa
