// SPDX-License-Identifier: Apache-2.0
// gaps/lanes.cl -- best scores of alignments with at most GAPS gaps: lanes.h, which says how it
// works and what its macros and buffers are. Groups know nothing of each other. With TRACE the
// alignments, too: walk.h.
//
// check: -DGAPS=2 -DCOLS=4 -DSPAN=1 -DWG=1 -DSCORES=0 -DPAIRS=16 -DWIDE=0 -DRULES=0 -DTRACE=0
// check: -DGAPS=3 -DCOLS=3 -DSPAN=4 -DWG=8 -DSCORES=1 -DPAIRS=2 -DWIDE=0 -DRULES=3 -DTRACE=1
// check: -DGAPS=0 -DCOLS=2 -DSPAN=2 -DWG=2 -DSCORES=1 -DPAIRS=1 -DWIDE=1 -DRULES=12 -DTRACE=0
// check: -DGAPS=1 -DCOLS=2 -DSPAN=1 -DWG=1 -DSCORES=1 -DPAIRS=8 -DWIDE=1 -DRULES=9 -DTRACE=1
#include "gaps/lanes.h"
#if TRACE
#include "gaps/walk.h"
#endif

// slots, all_groups, table_at: where those of this program begin; first: of the launch's groups.
#define ARGUMENTS                                                                                 \
  __global const uchar *queries, __global const uchar *targets, __global const GapsTask *tasks,   \
      __global const GapsGroup *groups, __global const int *table, __global WORD *records,        \
      __global WORD *values, __global GapsAnswer *answers, uint slots, uint all_groups,           \
      uint table_at, uint first, int open, int extend, int zero, int never, int least, int match, \
      int mismatch, uint symbols, uint pad, uint band
#define ARGUMENTS_AS_ONE                                                                     \
  {                                                                                          \
    queries, targets, tasks + slots, groups + all_groups, table + table_at, records, values, \
        answers, open, extend, zero, never, least, match, mismatch, symbols, pad, band       \
  }

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void gaps_lanes(ARGUMENTS) {
  const GapsLanes a = ARGUMENTS_AS_ONE;
#if SPAN > 1 && !HAVE_PTX
  __local WORD shared[WG * 3 * LAYERS];
  gaps_item(&a, shared, first + (uint)get_group_id(0), (uint)get_local_id(0));
#else
  gaps_item(&a, 0, first + (uint)get_group_id(0), (uint)get_local_id(0));
#endif
}

#if TRACE
// A work-item a task of the groups from `first` on. runs: task.h.
__kernel void gaps_walk(ARGUMENTS, uint count, __global uint *runs) {
  if (get_global_id(0) < count) {
    const GapsLanes a = ARGUMENTS_AS_ONE;
    gaps_walk_item(&a, runs, first, (uint)get_global_id(0));
  }
}
#endif
