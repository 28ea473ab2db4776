// SPDX-License-Identifier: Apache-2.0
// gaps_kernels: the kernels of alignments with at most k gaps as CUDA has them, one for each shape.
// Compiled ahead of time, so there is a fixed set of shapes.
#pragma once

#include "cl/gaps/task.h"

namespace rhomb::cuda {

/// Work-items a block; with the alignments, which take memory.
inline constexpr int kGapsBlock = 64, kGapsTraceBlock = 32;

/// What both kernels take: cl/gaps/lanes.h says what it is.
using GapsKernel = void(const unsigned char* queries, const unsigned char* targets,
                        const GapsTask* tasks, const GapsGroup* groups, const i32* table,
                        u32* records, u32* values, GapsAnswer* answers, u32* runs,
                        GapsLaunch launch);

/// The kernel for at most `kGaps` gaps, with teams of `kSpan` work-items of `kCols` columns each.
template <int kGaps, int kSpan, int kCols, int kScores, int kWide, int kTrace>
GapsKernel* gaps_lanes_kernel();

/// The one that walks back to the alignments; null without kTrace.
template <int kGaps, int kSpan, int kCols, int kScores, int kWide, int kTrace>
GapsKernel* gaps_walk_kernel();

}  // namespace rhomb::cuda
