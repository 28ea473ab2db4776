// SPDX-License-Identifier: Apache-2.0
// lcs_rows.cu -- lengths of longest common subsequences by row vectors (Crochemore et al.), in
// CUDA: the counterpart of lcs/rows.cl with the alphabet strings in shared memory. cl/lcs/rows.h
// says how it works and what its buffers are; this file only places it on the machine.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   W       words of the row vector a block
//   PLANES  bits of a code
#include "cuda/lcs_kernels.h"

#define ALLISON 0
#define WG 128

// The shapes' types and functions have the same names.
namespace {
#include "lcs/rows.h"

__global__ void __launch_bounds__(WG) lcs_rows_groups(const rhomb::cuda::LcsArguments a) {
  __shared__ u32 copied[ROW_STRINGS];
  const LcsTile tile = a.tiles[blockIdx.x];
  const u32 item = threadIdx.x;
  const u32 subject = tile.first + item;
  const bool there = item < tile.width;
  const u32 length = there ? a.lengths[subject] : 0;
  for (u32 block = a.first_block; block < a.end_block; ++block) {
    __syncthreads();
    for (u32 i = item; i < ROW_STRINGS; i += WG) copied[i] = a.query[(u64)block * ROW_STRINGS + i];
    __syncthreads();
    if (there) {
      const u32 counted = lcs_row_block(
          a.text + (u64)tile.base * ROW_BITS + item, a.stream + (u64)tile.base * ROW_STREAMS + item,
          tile.width, length, a.m - (i64)block * 32 * W, copied, block > 0, block + 1 < a.blocks);
      a.found[subject] = counted + (block > 0 ? a.found[subject] : 0u);
    }
  }
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kLcsBlock);

template <int kWords, int kPlanes>
cudaError_t launch_lcs_rows(const LcsArguments& arguments, u32 tiles, cudaStream_t stream) {
  lcs_rows_groups<<<tiles, WG, 0, stream>>>(arguments);
  return cudaGetLastError();
}

// That of this file's shape; the others are made in the same way from other objects.
template cudaError_t launch_lcs_rows<W, PLANES>(const LcsArguments&, u32, cudaStream_t);

}  // namespace rhomb::cuda
