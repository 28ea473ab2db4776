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

__global__ void __launch_bounds__(WG)
    lcs_rows_groups(const LcsTile* tiles, const u32* strings, const u32* text, u32* stream,
                    const u32* lengths, u32* found, const LcsRows rows) {
  __shared__ u32 copied[ROW_STRINGS];
  const LcsTile tile = tiles[blockIdx.x];
  const u32 item = threadIdx.x;
  const u32 target = tile.first + item;
  const bool there = item < tile.width;
  const u32 length = there ? lengths[target] : 0;
  for (u32 block = rows.first; block < rows.end; ++block) {
    __syncthreads();
    for (u32 i = item; i < ROW_STRINGS; i += WG)
      copied[i] = strings[rows.at + (u64)block * ROW_STRINGS + i];
    __syncthreads();
    if (there) {
      const u32 counted =
          lcs_row_block(text + (u64)tile.base * ROW_BITS + item,
                        stream + (u64)tile.base * ROW_STREAMS + item, tile.width, length,
                        rows.m - (i64)block * 32 * W, copied, block > 0, block + 1 < rows.blocks);
      found[target] = counted + (block > 0 ? found[target] : 0u);
    }
  }
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kLcsBlock);

template <int kWords, int kPlanes>
LcsKernel* lcs_rows_kernel() {
  return &lcs_rows_groups;
}

// That of this file's shape; the others are made in the same way from other objects.
template LcsKernel* lcs_rows_kernel<W, PLANES>();

}  // namespace rhomb::cuda
