// SPDX-License-Identifier: Apache-2.0
// search_batch.cu -- many short queries, each looked for in its piece of a text, by strips in
// slots, in CUDA: the counterpart of search/batch.cl. cl/search/batch.h says how it works and what
// its buffers are; this file only places it on the machine.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   SLOT, K, HEAD, MIXED   slots.h
//   CHAIN                  batch.h
//   PLANES, SETS           planes.h
#include "cuda/search_kernels.h"

#define LANES 1
#define WG 64

// The shapes' types and functions have the same names.
namespace {
#define MARKS 0
#include "search/batch.h"

// Without the 1 the compiler may spare registers for more blocks, and spills.
__global__ void __launch_bounds__(WG, 1)
    search_batch(const u32* queries, const u32* texts, const SearchTask* tasks,
                 SearchAnswer* answers, u32* streams, const SearchLaunch launch) {
  const Batch batch = {queries, texts,   tasks + launch.first, launch.count,
                       answers, streams, launch.lanes};
  batch_item(&batch, blockIdx.x * WG + threadIdx.x);
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kSearchBlock);

template <int kSlot, int kRows, int kHead, int kMixed, int kChain, int kPlanes, int kSets>
SearchKernel* search_batch_kernel() {
  return &search_batch;
}

// That of this file's shape; the others are made in the same way from other objects.
template SearchKernel* search_batch_kernel<SLOT, K, HEAD, MIXED, CHAIN, PLANES, SETS>();

}  // namespace rhomb::cuda
