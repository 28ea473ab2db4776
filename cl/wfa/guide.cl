// SPDX-License-Identifier: Apache-2.0
// wfa/guide.cl -- where cheapest paths probably cross the rows that wavefronts have kept.
//
// From a cell of a path back, row by row of less cost. `cost` edits before it, the path was on a
// diagonal no further away than that, and at none of the row's places that lie right of or below
// the cell. It is taken to have been at the nearest of them: the fewest symbols of both texts to
// go. (What a row has beyond the cell's own row or column is taken back to there.) But in a gap,
// where nothing but columns leads to the cell, the leftmost path goes straight on, and where
// nothing but rows does, the rightmost. That is a guess: what comes of it is proved by others.
// Each path has a group.
//
//   rows      those of direction 1 begin `reverse` words behind those of direction 0
//   levels    of the rows, their costs ascending (wfa/guide.h); those from `first` to `end` are in
//             `rows`
//   paths     (wfa/guide.h); afterwards, where they are on the lowest row
//   width     diagonals of a row that are copied, a multiple of WG
//   records   [row that is crossed][WFA_GUIDE_CELL_INTS + width]; the row's diagonals begin half of
//             the width below that of the cell before
//
//   WG   work-items a group          follows the device
//
// check: -DWG=64
// check: -DWG=1
#include "wfa/guide.h"

#include "wfa/front.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_guide(
    __global const int* restrict rows, u32 reverse, __global const int* restrict levels, int first,
    int end, __global int* restrict paths, int width, __global int* restrict records) {
  __local i64 costs[WG];
  __local i32 bests[WG];
  const int item = (int)get_local_id(0);
  paths += get_group_id(0) * WFA_PATH_INTS;
  rows += paths[WFA_PATH_DIRECTION] * (size_t)reverse;
  const i32 right = paths[WFA_PATH_RIGHT];
  const int lowest = paths[WFA_PATH_FIRST];
  const size_t ints = WFA_GUIDE_CELL_INTS + (size_t)width;
  records += paths[WFA_PATH_RECORD] * ints;
  i32 k = paths[WFA_PATH_DIAGONAL], x = paths[WFA_PATH_COLUMN], cost = paths[WFA_PATH_COST];
  for (int level = min(end, paths[WFA_PATH_END]) - 1; level >= max(first, lowest); --level) {
    __global const int* const about = levels + WFA_LEVEL_INTS * level;
    const int lo = about[WFA_LEVEL_LO], hi = about[WFA_LEVEL_HI];
    __global int* const record = records + (level - lowest) * ints;
    const i32 edits = cost - about[WFA_LEVEL_COST], begin = k - width / 2;
    const i32 straight = right ? k + edits : k - edits;
    i64 least = LONG_MAX;
    i32 best = 0;
    for (int at = item; at < width; at += WG) {
      const int here = begin + at;
      const i32 far = here >= lo && here <= hi ? rows[(u32)about[WFA_LEVEL_AT] + (u32)(here - lo)]
                                               : WFA_UNREACHED;
      record[WFA_GUIDE_CELL_INTS + at] = far;
      if (far < -WFA_BIAS || (i32)abs(here - k) > edits) continue;
      const i64 columns = min(min((i64)far + WFA_BIAS, (i64)x), (i64)x - k + here);
      i64 left = 2 * (x - columns) - ((i64)k - here);
      if (here == straight && left == edits && (right ? x - k : x) >= edits) left = LONG_MIN;
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
    if (least == LONG_MIN) least = edits;
    if (least != LONG_MAX) {
      x = (i32)(x - (least + k - found) / 2);
      k = found;
    }
    cost = about[WFA_LEVEL_COST];
    if (item == 0) {
      record[0] = k;
      record[1] = x;
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    paths[WFA_PATH_DIAGONAL] = k;
    paths[WFA_PATH_COLUMN] = x;
    paths[WFA_PATH_COST] = cost;
  }
}
