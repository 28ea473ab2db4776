// SPDX-License-Identifier: Apache-2.0
// search/coop.cl -- many short queries, each looked for in its piece of a text, by lanes that work
// together. coop.h says how.
//
//   WG         work-items a group                            tuned
//   R, W       tasks a team and words a lane                 tuned, and follow the queries
//   HEAD       coop.h                                        follows the queries
//   TEAM       team.h                                        follows the device
//   VIA, PROFILE   coop.h                                    tuned
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=64 -DR=32 -DW=4 -DHEAD=1 -DVIA=0 -DPROFILE=0 -DPLANES=2 -DSETS=0 -DTEAM=1
// check: -DWG=32 -DR=4 -DW=2 -DHEAD=2 -DVIA=0 -DPROFILE=0 -DPLANES=1 -DSETS=0 -DTEAM=1
// check: -DWG=64 -DR=3 -DW=1 -DHEAD=0 -DVIA=3 -DPROFILE=0 -DPLANES=4 -DSETS=1 -DTEAM=1
// check: -DWG=64 -DR=1 -DW=2 -DHEAD=1 -DVIA=3 -DPROFILE=1 -DPLANES=8 -DSETS=0 -DTEAM=1
#include "search/coop.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void search_coop(
    __global const u32* restrict queries, __global const u32* restrict texts,
    __global const SearchTask* restrict tasks, __global SearchAnswer* restrict answers,
    __global u32* restrict unused, const SearchLaunch launch) {
  const Coop coop = {queries, texts, tasks + launch.first, launch.count, answers};
#if MEETS
  __local u32 shared[SHARED_WORDS];
#else
  __local u32* shared = 0;
#endif
  coop_item(&coop, (u32)get_group_id(0), (u32)get_local_id(0), shared);
}
