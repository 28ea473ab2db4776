// SPDX-License-Identifier: Apache-2.0
// strip/several.cl -- edit distances of several pairs of long texts by bit-sliced strips, whose
// words flow (flow.h). A pair alone has fewer lanes than a device, and the last of them wait for
// the first; those of several fill both.
//
// A launch does everything: the ring has room for all words, so no group waits for a later launch.
// Groups begin in the order in which they must if all pairs are to end at the same time, those of a
// pair one after the other. So few of them wait for words, and keep others out, and none waits for
// a group that has not begun.
//
//   pattern, text, state, ring, last, tickets   as in flow.cl, of all pairs; tickets 0 at the start
//            but `last` has the scores of all lanes behind each pair's words, [direction][stride]
//   ones     what is told of each pair
//   blocks   of each OpenCL group, in the order in which they begin: its pair, its number there
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
    __global const StripOne* ones, __global const u32* blocks) {
  __local u32 drawn[1];
  if (get_local_id(0) == 0) drawn[0] = atomic_inc(tickets);
  barrier(CLK_LOCAL_MEM_FENCE);
  __global const StripOne* one = ones + blocks[2 * drawn[0]];
  const StripLaunch launch = one->launch;
  const u32 block = blocks[2 * drawn[0] + 1];
  const u32 directions = launch.lanes_1 > 0 ? 2 : 1;
  const u32 direction = block % directions;
  const u32 group = block / directions * (WG / TEAM) + (u32)get_local_id(0) / TEAM;
  const u32 item = (u32)get_local_id(0) % TEAM;
  const FlowBuffers buffers = {pattern + one->pattern, text + one->text, state + one->state,
                               ring + one->ring, last + one->last};
  strip_flow_group(&buffers, &launch, direction, group, (i32)item);
  // The state is much more than the host needs to read.
  if (group < launch.groups) {
    const u32 lane = (group * TEAM + item) * LANES;
    __global const u32* scores =
        buffers.state + ((u64)direction * VALUES + STRIP_SCORE(K)) * launch.stride;
    __global u32* kept = buffers.last + 4 * (u64)launch.text_plane + direction * launch.stride;
    for (u32 e = 0; e < LANES; ++e) kept[lane + e] = scores[lane + e];
  }
}
