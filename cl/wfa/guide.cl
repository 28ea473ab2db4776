// SPDX-License-Identifier: Apache-2.0
// wfa/guide.cl -- where cheapest paths probably cross the rows that wavefronts have kept.
//
// From a cell of a path back, row by row of less cost. `cost` edits before it, the path was on a
// diagonal no further away than that, and at none of the row's places that lie right of or below
// the cell. It is taken to have been at the nearest of them: the fewest symbols of both texts to
// go. (What a row has beyond the cell's own row or column is taken back to there.) That is a guess:
// what comes of it is proved by others. Each direction has a group.
//
//   rows      those of direction 1 begin `reverse` words behind those of direction 0
//   levels    of the rows, their costs ascending (wfa/guide.h)
//   paths     [direction] where the path is; afterwards, where it is on the lowest row
//   cells     [direction][levels] (diagonal, columns) of the path
//   windows   [direction][levels][WFA_GUIDE_WIDTH] of the row, from WFA_GUIDE_WIDTH / 2 diagonals
//             below that of the path before on
//
//   WG   work-items a group, a divisor of WFA_GUIDE_WIDTH          follows the device
//
// check: -DWG=64
// check: -DWG=1
#include "wfa/guide.h"

#include "wfa/front.h"

#define ITEMS (WFA_GUIDE_WIDTH / WG)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_guide(
    __global const int* restrict rows, u32 reverse, __global const int* restrict levels, int first,
    int end, int all, __global int* restrict paths, __global int* restrict cells,
    __global int* restrict windows) {
  __local i64 costs[WG];
  __local i32 bests[WG];
  const int item = (int)get_local_id(0);
  const int direction = (int)get_group_id(0);
  rows += direction * (size_t)reverse;
  paths += direction * WFA_PATH_INTS;
  i32 k = paths[0], x = paths[1], cost = paths[2];
  for (int level = end - 1; level >= first; --level) {
    __global const int* const about = levels + WFA_LEVEL_INTS * level;
    if (about[WFA_LEVEL_COST] >= cost) continue;
    const int lo = about[WFA_LEVEL_LO], hi = about[WFA_LEVEL_HI];
    const int number = direction * all + level;
    const i32 edits = cost - about[WFA_LEVEL_COST], begin = k - WFA_GUIDE_WIDTH / 2;
    i64 least = LONG_MAX;
    i32 best = 0;
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * WG + item, here = begin + at;
      const i32 far = here >= lo && here <= hi ? rows[(u32)about[WFA_LEVEL_AT] + (u32)(here - lo)]
                                               : WFA_UNREACHED;
      windows[(size_t)number * WFA_GUIDE_WIDTH + at] = far;
      if (far < -WFA_BIAS || (i32)abs(here - k) > edits) continue;
      const i64 columns = min(min((i64)far + WFA_BIAS, (i64)x), (i64)x - k + here);
      const i64 left = 2 * (x - columns) - ((i64)k - here);
      if (left < least) {
        least = left;
        best = at;
      }
    }
    costs[item] = least;
    bests[item] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int other = WG / 2; other > 0; other /= 2) {
      if (item < other && costs[item + other] < costs[item]) {
        costs[item] = costs[item + other];
        bests[item] = bests[item + other];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    least = costs[0];
    const i32 found = begin + bests[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (least != LONG_MAX) {
      x = (i32)(x - (least + k - found) / 2);
      k = found;
    }
    cost = about[WFA_LEVEL_COST];
    if (item == 0) {
      cells[2 * number] = k;
      cells[2 * number + 1] = x;
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    paths[0] = k;
    paths[1] = x;
    paths[2] = cost;
  }
}
