// SPDX-License-Identifier: Apache-2.0
// strip_pair: the strips' kernels as CUDA has them, one for each shape. Compiled ahead of time, so
// there is a fixed set of shapes.
#pragma once

#include "cl/strip/launch.h"

namespace rhomb::cuda {

/// Work-items a block: a warp, which is a group of its own, for each of a multiprocessor's
/// schedulers.
inline constexpr int kStripBlock = 128;

/// cl/strip/flow.h says what they are; a word of the ring there is two here.
using StripKernel = void(const u32* pattern, const u32* text, u32* state, u32* ring, u32* last,
                         u32* tickets, StripLaunch launch);

/// The kernel with `kRows` rows a strip.
template <int kRows, int kPlanes, int kSets>
StripKernel* strip_flow_kernel();

}  // namespace rhomb::cuda
