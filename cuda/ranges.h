// SPDX-License-Identifier: Apache-2.0
// ranges: what the host is at, for NVIDIA's profilers. Costs next to nothing where none listens.
#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RHOMB_HAVE_NVTX 1
#else
#define RHOMB_HAVE_NVTX 0
#endif

namespace rhomb::cuda {

/// Shown on the profiler's time line as long as it lives.
class Range {
 public:
  explicit Range([[maybe_unused]] const char* name) {
#if RHOMB_HAVE_NVTX
    nvtxRangePushA(name);
#endif
  }
  ~Range() {
#if RHOMB_HAVE_NVTX
    nvtxRangePop();
#endif
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace rhomb::cuda
