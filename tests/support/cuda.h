// SPDX-License-Identifier: Apache-2.0
// What the tests of the CUDA variants share.
#pragma once

#include <iostream>
#include <string_view>

#include "host/ocl/error.h"
#include "host/ocl/limits.h"

namespace rhomb::test {

/// An H200's, for plans.
inline ocl::Limits h200() {
  ocl::Limits limits;
  limits.gpu = limits.nvidia = true;
  limits.capability = 90;
  limits.compute_units = 132;
  limits.clock_mhz = 1980;
  limits.max_work_group = 1024;
  limits.global_bytes = limits.alloc_bytes = 100ull << 30;
  limits.local_bytes = 48 << 10;
  return limits;
}

/// Set where a test was left out for want of a CUDA device.
inline bool cuda_left_out = false;

/// Whether there is a CUDA device, by the device of a CUDA variant. Says so once for each `what`.
template <class Row>
bool runs_here(const Row& row, std::string_view what) {
  static const bool found = [&] {
    try {
      const auto& device = row.cuda_device();
      std::cerr << what << ": on " << device.name << '\n';
      return true;
    } catch (const ocl::DeviceError& error) {
      std::cerr << what << ": CUDA left out, " << error.what() << '\n';
      cuda_left_out = true;
      return false;
    }
  }();
  return found;
}

}  // namespace rhomb::test
