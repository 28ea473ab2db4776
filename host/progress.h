// SPDX-License-Identifier: Apache-2.0
// Progress: how far a run is; given now and then to a function of the caller's.
#pragma once

#include <cstdint>

namespace rhomb {

struct Progress {
  std::int64_t cost = 0;      ///< the distance is known to be larger than this
  std::int64_t expected = 0;  ///< a guess of the final distance from what is left; 0 when unknown
  double cells = 0;           ///< computed so far: of wavefronts, or of the matrix
  double part = 0;            ///< part of the work that is probably done, 0..1
  double seconds = 0;         ///< of computing so far; building and testing programs left out
  double resumed = 0;         ///< the part that an earlier run had done, see Keeping::resume
  double saved = -1;  ///< seconds since what was reached has been saved; negative: nothing has
};

}  // namespace rhomb
