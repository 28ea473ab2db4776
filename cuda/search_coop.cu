// SPDX-License-Identifier: Apache-2.0
// search_coop.cu -- many short queries, each looked for in its piece of a text, by columns of bits,
// in CUDA: the counterpart of search/coop.cl. cl/search/coop.h says how it works and what its
// buffers are; this file only places it on the machine. Lanes that share a task are a column behind
// each other.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   R, W, HEAD     coop.h
//   PLANES, SETS   planes.h
#include "cuda/search_kernels.h"

#define PROFILE 0
#define WG 64
#define TEAM 32
#if R < 32
#define VIA 3
#else
#define VIA 0
#endif

// The shapes' types and functions have the same names.
namespace {
#include "search/coop.h"

// Without the 1 the compiler may spare registers for more blocks, and spills.
__global__ void __launch_bounds__(WG, 1)
    search_coop(const u32* queries, const u32* texts, const SearchTask* tasks,
                SearchAnswer* answers, u32*, const SearchLaunch launch) {
  const Coop coop = {queries, texts, tasks + launch.first, launch.count, answers};
  coop_item(&coop, blockIdx.x, threadIdx.x, nullptr);
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kSearchBlock);

template <int kTasks, int kWords, int kHead, int kPlanes, int kSets>
SearchKernel* search_coop_kernel() {
  return &search_coop;
}

// That of this file's shape; the others are made in the same way from other objects.
template SearchKernel* search_coop_kernel<R, W, HEAD, PLANES, SETS>();

}  // namespace rhomb::cuda
