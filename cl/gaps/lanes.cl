// SPDX-License-Identifier: Apache-2.0
// gaps/lanes.cl -- best scores of alignments with at most GAPS gaps: lanes.h, which says how it
// works and what its macros and buffers are. Groups know nothing of each other. With TRACE the
// alignments, too: walk.h.
//
// clang-format off
// check: -DGAPS=2 -DCOLS=4 -DSPAN=1 -DWG=1 -DSCORES=0 -DPAIRS=16 -DWIDE=0 -DRULES=0 -DTRACE=0 -DDIAGONAL=1
// check: -DGAPS=3 -DCOLS=3 -DSPAN=4 -DWG=8 -DSCORES=1 -DPAIRS=2 -DWIDE=0 -DRULES=3 -DTRACE=1 -DDIAGONAL=0
// check: -DGAPS=0 -DCOLS=2 -DSPAN=2 -DWG=2 -DSCORES=1 -DPAIRS=1 -DWIDE=1 -DRULES=12 -DTRACE=0 -DDIAGONAL=0
// check: -DGAPS=1 -DCOLS=2 -DSPAN=1 -DWG=1 -DSCORES=1 -DPAIRS=8 -DWIDE=1 -DRULES=9 -DTRACE=1 -DDIAGONAL=1
// clang-format on
#include "gaps/lanes.h"
#if TRACE
#include "gaps/walk.h"
#endif

#define ARGUMENTS                                                                               \
  __global const uchar *queries, __global const uchar *targets, __global const GapsTask *tasks, \
      __global const GapsGroup *groups, __global const int *table, __global WORD *records,      \
      __global WORD *values, __global GapsAnswer *answers, __global uint *runs,                 \
      const GapsLaunch launch
#define LANES_OF_ARGUMENTS \
  gaps_lanes_of(queries, targets, tasks, groups, table, records, values, answers, runs, launch)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void gaps_lanes(ARGUMENTS) {
  const GapsLanes a = LANES_OF_ARGUMENTS;
#if SPAN > 1 && !HAVE_PTX
  __local WORD shared[WG * 3 * LAYERS];
  gaps_item(&a, shared, (uint)get_group_id(0), (uint)get_local_id(0));
#else
  gaps_item(&a, 0, (uint)get_group_id(0), (uint)get_local_id(0));
#endif
}

#if TRACE
__kernel void gaps_walk(ARGUMENTS) {
  const GapsLanes a = LANES_OF_ARGUMENTS;
  gaps_walk_item(&a, (uint)get_global_id(0));
}
#endif
