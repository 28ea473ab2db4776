// SPDX-License-Identifier: Apache-2.0
// primer/largest.h -- the largest of what the work-items of a group have found.
//
//   WG   work-items a group
#ifndef RHOMB_CL_PRIMER_LARGEST_H
#define RHOMB_CL_PRIMER_LARGEST_H

#include "common.h"

// The same in all work-items, which all call it. `values`: WG of them, for its own use.
static i32 largest(i32 mine, __local i32* values) {
  const u32 t = (u32)get_local_id(0);
  values[t] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 left = WG; left > 1;) {
    const u32 rest = (left + 1) / 2;
    if (t + rest < left) values[t] = max(values[t], values[t + rest]);
    left = rest;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const i32 all = values[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

#endif
