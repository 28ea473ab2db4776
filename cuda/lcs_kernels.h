// SPDX-License-Identifier: Apache-2.0
// lcs_kernels: the kernels of longest common subsequences as CUDA has them, one for each shape.
// Compiled ahead of time, so there is a fixed set of shapes.
#pragma once

#include <cuda_runtime_api.h>

#include "cl/lcs/lanes.h"

namespace rhomb::cuda {

/// Work-items a block, which is a tile.
inline constexpr int kLcsBlock = 128;

/// What both kernels take: cl/lcs/strips.h and rows.h say what it is.
struct LcsArguments {
  const LcsTile* tiles;
  const u32* query;  ///< planes of the rows, or alphabet strings
  const u32* text;
  u32* stream;
  const u32* lengths;
  u32* found;
  i64 m;
  u32 first_block, end_block, blocks;
};

/// Enqueues a launch of `tiles` blocks with `kRows` rows a strip, 32 strips a subject.
template <int kRows, int kPlanes, int kSets>
cudaError_t launch_lcs_strips(const LcsArguments& arguments, u32 tiles, cudaStream_t stream);

/// The same with `kWords` words of the row vector a block of the query.
template <int kWords, int kPlanes>
cudaError_t launch_lcs_rows(const LcsArguments& arguments, u32 tiles, cudaStream_t stream);

}  // namespace rhomb::cuda
