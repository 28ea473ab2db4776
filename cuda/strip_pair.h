// SPDX-License-Identifier: Apache-2.0
// strip_pair: the strips' kernels as CUDA has them, one for each shape. Compiled ahead of time, so
// there is a fixed set of shapes.
#pragma once

#include <cuda_runtime_api.h>

#include "cl/strip/launch.h"

namespace rhomb::cuda {

/// Work-items a block: a warp, which is a group of its own, for each of a multiprocessor's
/// schedulers.
inline constexpr int kStripBlock = 128;

/// Loads the kernel with `kRows` rows a strip, which its first launch would do otherwise.
template <int kRows, int kPlanes, int kSets>
cudaError_t load_strip();

/// Enqueues a launch of `blocks` blocks of that kernel.
///
/// `first_group` is the first group that has something to do. `tickets` counts the blocks of all
/// launches that have begun, `first_ticket` is its value before this launch.
template <int kRows, int kPlanes, int kSets>
cudaError_t launch_strip(const Launch& launch, u32 first_group, u32* tickets, u32 first_ticket,
                         u32 blocks, cudaStream_t stream);

}  // namespace rhomb::cuda
