// SPDX-License-Identifier: Apache-2.0
// gaps_lanes.cu -- best scores of alignments with at most GAPS gaps, and the alignments, in CUDA:
// the counterpart of gaps/lanes.cl. cl/gaps/lanes.h and walk.h say how it works and what the
// buffers are; this file only places it on the machine. The ends are those of a prefix of the
// target, without a band.
//
// The build compiles this file once for each shape (cuda/shapes.def), with these macros:
//
//   GAPS, SPAN, COLS, SCORES, TRACE   lanes.h
//   WIDE                              word.h
#include "cuda/gaps_kernels.h"

#define RULES 0
#define DIAGONAL (GAPS > 0)
#define PAIRS (WIDE ? 1 : 2)
#define WG (TRACE ? 32 : 64)

// The shapes' types and functions have the same names.
namespace {
#include "gaps/lanes.h"
#if TRACE
#include "gaps/walk.h"
#endif

__device__ GapsLanes lanes_of(const unsigned char* queries, const unsigned char* targets,
                              const GapsTask* tasks, const GapsGroup* groups, const i32* table,
                              u32* records, u32* values, GapsAnswer* answers, u32* runs,
                              const GapsLaunch& launch) {
  return gaps_lanes_of(queries, targets, tasks, groups, table, reinterpret_cast<WORD*>(records),
                       reinterpret_cast<WORD*>(values), answers, runs, launch);
}

// Without the 1 the compiler may spare registers for more blocks, and spills.
__global__ void __launch_bounds__(WG, 1)
    gaps_lanes(const unsigned char* queries, const unsigned char* targets, const GapsTask* tasks,
               const GapsGroup* groups, const i32* table, u32* records, u32* values,
               GapsAnswer* answers, u32* runs, const GapsLaunch launch) {
  const GapsLanes a =
      lanes_of(queries, targets, tasks, groups, table, records, values, answers, runs, launch);
  gaps_item(&a, nullptr, blockIdx.x, threadIdx.x);
}

#if TRACE
__global__ void gaps_walk(const unsigned char* queries, const unsigned char* targets,
                          const GapsTask* tasks, const GapsGroup* groups, const i32* table,
                          u32* records, u32* values, GapsAnswer* answers, u32* runs,
                          const GapsLaunch launch) {
  const GapsLanes a =
      lanes_of(queries, targets, tasks, groups, table, records, values, answers, runs, launch);
  gaps_walk_item(&a, blockIdx.x * blockDim.x + threadIdx.x);
}
#endif

}  // namespace

namespace rhomb::cuda {

static_assert(WG == (TRACE ? kGapsTraceBlock : kGapsBlock));

template <int kGaps, int kSpan, int kCols, int kScores, int kWide, int kTrace>
GapsKernel* gaps_lanes_kernel() {
  return &gaps_lanes;
}

template <int kGaps, int kSpan, int kCols, int kScores, int kWide, int kTrace>
GapsKernel* gaps_walk_kernel() {
#if TRACE
  return &gaps_walk;
#else
  return nullptr;
#endif
}

// Those of this file's shape; the others are made in the same way from other objects.
template GapsKernel* gaps_lanes_kernel<GAPS, SPAN, COLS, SCORES, WIDE, TRACE>();
template GapsKernel* gaps_walk_kernel<GAPS, SPAN, COLS, SCORES, WIDE, TRACE>();

}  // namespace rhomb::cuda
