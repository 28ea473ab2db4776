// SPDX-License-Identifier: Apache-2.0
// search_kernels: the search's kernels as CUDA has them, one for each shape. Compiled ahead of
// time, so there is a fixed set of shapes.
#pragma once

#include "cl/search/task.h"

namespace rhomb::cuda {

/// Work-items a block.
inline constexpr int kSearchBlock = 64;

/// What both kernels take: cl/search/batch.h and cl/search/coop.h say what it is.
using SearchKernel = void(const u32* queries, const u32* texts, const SearchTask* tasks,
                          SearchAnswer* answers, u32* streams, SearchLaunch launch);

/// The kernel of strips in slots of `kSlot` bits, `kRows` rows a strip, of which `kHead` may be
/// above a query.
template <int kSlot, int kRows, int kHead, int kMixed, int kChain, int kPlanes, int kSets>
SearchKernel* search_batch_kernel();

/// The same with columns of bits, `kTasks` tasks a warp, `kWords` words a lane, of which `kHead`
/// may have rows above a query.
template <int kTasks, int kWords, int kHead, int kPlanes, int kSets>
SearchKernel* search_coop_kernel();

}  // namespace rhomb::cuda
