// SPDX-License-Identifier: Apache-2.0
// primer/largest.h -- the largest row that the work-items of a group have found (optimisation 3).
//
//   WG       work-items a group
//   REDUCE   1: each work-item keeps its own largest; 0: all change one in local memory
#ifndef RHOMB_CL_PRIMER_LARGEST_H
#define RHOMB_CL_PRIMER_LARGEST_H

#include "common.h"

// A work-item has found `row`: its own largest so far, or that of all. A macro, because PoCL 3.1
// loses functions that touch local memory where not all work-items call them.
#if REDUCE
#define FIND(own, common, row) ((own) = max(own, (i32)(row)))
#else
#define FIND(own, common, row) atomic_max(common, (i32)(row))
#endif

// The same in all work-items, which all call it. `values`: WG of them, for its own use.
static i32 largest(i32 own, __local i32* values, __local const i32* common) {
#if REDUCE
  const u32 t = (u32)get_local_id(0);
  values[t] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 left = WG; left > 1;) {
    const u32 rest = (left + 1) / 2;
    if (t + rest < left) values[t] = max(values[t], values[t + rest]);
    left = rest;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const i32 all = values[0];
#else
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 all = *common;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

#endif
