// SPDX-License-Identifier: Apache-2.0
// strip/several.cl -- edit distances of several pairs of long texts by bit-sliced strips, whose
// words flow (flow.h). A pair alone has fewer lanes than a device, and the last of them wait for
// the first; those of several fill both.
//
// A launch does everything: the ring has room for all words, so no group waits for a later launch.
// Groups of a pair begin one after the other, all of it before those of the next pair: a group that
// waits for its words keeps nobody out who could give them.
//
//   pattern, text, state, ring, last, tickets   as in flow.cl, of all pairs; tickets 0 at the start
//   ones     what is told of each pair
//   pair_of  for each OpenCL group, in the order in which they begin: its pair
//
//   WG, TEAM, LANES, K, PLANES, SETS   as in flow.cl
//
// check: -DWG=1 -DLANES=1 -DK=4 -DPLANES=2 -DSETS=0 -DTEAM=1
// check: -DWG=1 -DLANES=8 -DK=1 -DPLANES=8 -DSETS=0 -DTEAM=1
// check: -DWG=1 -DLANES=16 -DK=2 -DPLANES=4 -DSETS=1 -DTEAM=1
#include "strip/flow.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void strip_several(
    __global const u32* pattern, __global const u32* text, __global u32* state,
    __global volatile u64* ring, __global u32* last, __global u32* tickets,
    __global const StripOne* ones, __global const u32* pair_of) {
  __local u32 drawn[1];
  if (get_local_id(0) == 0) drawn[0] = atomic_inc(tickets);
  barrier(CLK_LOCAL_MEM_FENCE);
  __global const StripOne* one = ones + pair_of[drawn[0]];
  const StripLaunch launch = one->launch;
  const FlowBuffers buffers = {pattern + one->pattern, text + one->text, state + one->state,
                               ring + one->ring, last + one->last};
  strip_flow_block(&buffers, &launch, drawn[0] - launch.first_ticket, (u32)get_local_id(0));
}
