// SPDX-License-Identifier: Apache-2.0
// lcs/strips.cl -- lengths of longest common subsequences of a query and many targets, by
// bit-sliced strips (step.h). The query has the rows, the targets the columns.
//
// A work-item has targets of its own and takes them through all blocks of the query's rows, or
// through those of one launch where all would take too long: strips.h, which has the buffers too.
// Work-items never meet, so nothing has to be kept in step; launches run in order on one queue.
//
//   tiles    one for each group (lanes.h)
//
//   WG      work-items a group                               tuned
//   LANES   lanes a work-item; WG = 1 where more than 1      tuned
//   K       rows a strip                                     follows the query, tuned
//   S       strips a target, 32 / S targets a lane         follows the lengths, tuned
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=64 -DLANES=1 -DK=4 -DS=32 -DPLANES=2 -DSETS=0
// check: -DWG=32 -DLANES=1 -DK=3 -DS=8 -DPLANES=1 -DSETS=0
// check: -DWG=1 -DLANES=16 -DK=8 -DS=32 -DPLANES=5 -DSETS=0
// check: -DWG=1 -DLANES=4 -DK=2 -DS=4 -DPLANES=4 -DSETS=1
#include "lcs/strips.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void lcs_strips_groups(
    __global const LcsTile* restrict tiles, __global const u32* restrict pattern,
    __global const u32* restrict text, __global u32* restrict stream,
    __global const u32* restrict lengths, __global u32* restrict found, const LcsRows rows) {
  const LcsTile tile = tiles[get_group_id(0)];
  const u32 lane = (u32)get_local_id(0) * LANES;
  if (lane >= tile.width) return;
  const LcsLaunch launch = {pattern + rows.at, text,     stream,     lengths, found,
                            rows.first,        rows.end, rows.blocks};
  lcs_strips(&launch, &tile, lane);
}
