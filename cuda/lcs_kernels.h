// SPDX-License-Identifier: Apache-2.0
// lcs_kernels: the kernels of longest common subsequences as CUDA has them, one for each shape.
// Compiled ahead of time, so there is a fixed set of shapes.
#pragma once

#include "cl/lcs/lanes.h"

namespace rhomb::cuda {

/// Work-items a block, which is a tile.
inline constexpr int kLcsBlock = 128;

/// What both kernels take: cl/lcs/strips.h and rows.h say what it is. `queries`: planes of the
/// rows, or alphabet strings.
using LcsKernel = void(const LcsTile* tiles, const u32* queries, const u32* text, u32* stream,
                       const u32* lengths, u32* found, LcsRows rows);

/// The kernel with `kRows` rows a strip, 32 strips a target.
template <int kRows, int kPlanes, int kSets>
LcsKernel* lcs_strips_kernel();

/// The same with `kWords` words of the row vector a block of the query.
template <int kWords, int kPlanes>
LcsKernel* lcs_rows_kernel();

}  // namespace rhomb::cuda
