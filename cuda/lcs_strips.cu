// SPDX-License-Identifier: Apache-2.0
// lcs_strips.cu -- lengths of longest common subsequences by bit-sliced strips, in CUDA: the twin
// of lcs/strips.cl. cl/lcs/strips.h says how it works and what its buffers are; this file only
// places it on the machine.
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

__global__ void __launch_bounds__(WG) lcs_strips_groups(const rhomb::cuda::LcsArguments a) {
  const LcsTile tile = a.tiles[blockIdx.x];
  if (threadIdx.x >= tile.width) return;
  const LcsLaunch launch = {a.query, a.text,        a.stream,    a.lengths,
                            a.found, a.first_block, a.end_block, a.blocks};
  lcs_strips(&launch, &tile, threadIdx.x);
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kLcsBlock);

template <int kRows, int kPlanes, int kSets>
cudaError_t launch_lcs_strips(const LcsArguments& arguments, u32 tiles, cudaStream_t stream) {
  lcs_strips_groups<<<tiles, WG, 0, stream>>>(arguments);
  return cudaGetLastError();
}

// That of this file's shape; the others are made in the same way from other objects.
template cudaError_t launch_lcs_strips<K, PLANES, SETS>(const LcsArguments&, u32, cudaStream_t);

}  // namespace rhomb::cuda
