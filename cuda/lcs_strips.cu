// SPDX-License-Identifier: Apache-2.0
// lcs_strips.cu -- lengths of longest common subsequences by bit-sliced strips, in CUDA: the
// counterpart of lcs/strips.cl. cl/lcs/strips.h says how it works and what its buffers are; this
// file only places it on the machine.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   K              rows a strip
//   PLANES, SETS   planes.h
#include "cuda/lcs_kernels.h"

#define LANES 1
#define S 32
#define WG 128

// The shapes' types and functions have the same names.
namespace {
#include "lcs/strips.h"

__global__ void __launch_bounds__(WG)
    lcs_strips_groups(const LcsTile* tiles, const u32* pattern, const u32* text, u32* stream,
                      const u32* lengths, u32* found, const LcsRows rows) {
  const LcsTile tile = tiles[blockIdx.x];
  if (threadIdx.x >= tile.width) return;
  const LcsLaunch launch = {pattern + rows.at, text,     stream,     lengths, found,
                            rows.first,        rows.end, rows.blocks};
  lcs_strips(&launch, &tile, threadIdx.x);
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kLcsBlock);

template <int kRows, int kPlanes, int kSets>
LcsKernel* lcs_strips_kernel() {
  return &lcs_strips_groups;
}

// That of this file's shape; the others are made in the same way from other objects.
template LcsKernel* lcs_strips_kernel<K, PLANES, SETS>();

}  // namespace rhomb::cuda
