// SPDX-License-Identifier: Apache-2.0
// strip_pair.cu -- edit distance of two long texts by bit-sliced strips, in CUDA: the counterpart
// of strip/flow.cl. cl/strip/flow.h says how it works and why that is safe, and what its buffers
// are; this file only places it on the machine.
//
// A block draws a ticket when it begins, and its place in the order from that: the groups that its
// own ones wait for have begun before.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   K              rows a strip
//   PLANES, SETS   planes.h
#include "cuda/strip_pair.h"

#define LANES 1
#define WG 128
#define TEAM 32

// The shapes' types and functions have the same names.
namespace {
#include "strip/flow.h"

// A block a multiprocessor is enough, so registers need not be spared: without the 1 the compiler
// aims at more and spills.
__global__ void __launch_bounds__(WG, 1)
    strip_flow(const u32* pattern, const u32* text, u32* state, u32* ring, u32* last, u32* tickets,
               const StripLaunch launch) {
  __shared__ u32 drawn;
  if (threadIdx.x == 0) drawn = atomicAdd(tickets, 1u) - launch.first_ticket;
  __syncthreads();
  const u32 both = launch.directions - 1;  // 1 or 0
  const u32 direction = launch.first_direction + (drawn & both);
  const u32 group = launch.first_group + (drawn >> both) * (WG / TEAM) + threadIdx.x / TEAM;
  const FlowBuffers buffers = {pattern, text, state, reinterpret_cast<volatile u64*>(ring), last};
  strip_flow_group(&buffers, &launch, direction, group, (i32)(threadIdx.x % TEAM));
}

}  // namespace

namespace rhomb::cuda {

static_assert(WG == kStripBlock);

template <int kRows, int kPlanes, int kSets>
StripKernel* strip_flow_kernel() {
  return &strip_flow;
}

// That of this file's shape; the others are made in the same way from other objects.
template StripKernel* strip_flow_kernel<K, PLANES, SETS>();

}  // namespace rhomb::cuda
