// SPDX-License-Identifier: Apache-2.0
// strip/flow.cl -- edit distance of two long texts by bit-sliced strips, words flowing from group
// to group while they run: flow.h.
//
//   WG      work-items an OpenCL group; each TEAM of them (team.h) is a group of its own. Several
//           spread evenly over a multiprocessor's schedulers, and the slowest sets the pace for all
//   TEAM    team.h                                           follows the device
//   LANES, K   as in pair.cl                                 tuned
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=1 -DLANES=1 -DK=4 -DPLANES=2 -DSETS=0 -DTEAM=1
// check: -DWG=1 -DLANES=8 -DK=1 -DPLANES=8 -DSETS=0 -DTEAM=1
// check: -DWG=1 -DLANES=16 -DK=3 -DPLANES=4 -DSETS=1 -DTEAM=1
#include "strip/flow.h"

#include "strip/guide.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void strip_flow(
    __global const u32* pattern, __global const u32* text, __global u32* state,
    __global volatile u64* ring, __global u32* last, __global u32* tickets,
    const StripLaunch launch) {
  __local u32 drawn[1];
  if (get_local_id(0) == 0) drawn[0] = atomic_inc(tickets) - launch.first_ticket;
  barrier(CLK_LOCAL_MEM_FENCE);
  const u32 both = launch.directions - 1;  // 1 or 0
  const u32 direction = launch.first_direction + (drawn[0] & both);
  const u32 group =
      launch.first_group + (drawn[0] >> both) * (WG / TEAM) + (u32)get_local_id(0) / TEAM;
  const FlowBuffers buffers = {pattern, text, state, ring, last};
  strip_flow_group(&buffers, &launch, direction, group, (i32)get_local_id(0) % TEAM);
}
