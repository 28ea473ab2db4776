// SPDX-License-Identifier: Apache-2.0
#include "host/engine/speed.h"

namespace rhomb::engine {
namespace {

/// Clocks of all multiprocessors or cores together.
double clocks_a_second(const ocl::Limits& limits) {
  return 1e6 * (limits.clock_mhz > 0 ? limits.clock_mhz : 1000) * limits.compute_units;
}

}  // namespace

double guessed_cells_a_second(const ocl::Limits& limits) {
  return clocks_a_second(limits) * (limits.gpu ? 40.0 : 4.0 * limits.vector_ints);
}

double guessed_operations_a_second(const ocl::Limits& limits) {
  return clocks_a_second(limits) * (limits.gpu ? 64.0 : 1.0);
}

}  // namespace rhomb::engine
