// SPDX-License-Identifier: Apache-2.0
// strip/guide.h -- more kernels of pair.cl and flow.cl: where cheapest paths probably cross the
// rows that a pass has kept, and what these are there.
//
// From the end of each half to its beginning, row by row. From the place where the path is below,
// a path goes up along its diagonal or drifts away, which costs nearly nothing for a few columns
// (in texts that are unlike) and nearly one a column for many. So the next place is where the cost
// along the row, and what it takes to drift there, are least together. That is a guess: what comes
// of it is proved by others.
//
//   last     what the pass left (group.h)
//   words    [direction][kept rows of the upper half][STRIP_GUIDE_WORDS] of (ph, mh), around the
//            path
//   places   [direction][kept rows of the upper half] of (place, first one of those words)
//
// Each direction has a group.
#ifndef RHOMB_CL_STRIP_GUIDE_H
#define RHOMB_CL_STRIP_GUIDE_H

#include "strip/band.h"
#include "strip/drift.h"

__kernel __attribute__((reqd_work_group_size(GUIDE_GROUP, 1, 1))) void strip_guide(
    __global const u32* last, __global u32* words, __global i32* places, const StripKept launch) {
  __local int4 sums[(GUIDE_GROUP + 3) / 4], bests[(GUIDE_GROUP + 3) / 4];
  const int item = (int)get_local_id(0);
  const u32 direction = (u32)get_group_id(0);
  const u32 lanes = direction == 0 ? launch.lanes_0 : launch.lanes_1;
  const i64 rows_apart = (i64)launch.apart * launch.rows;
  i64 row = (i64)lanes * launch.rows, place = launch.exits[2 * direction];
  for (i64 k = ((i64)lanes - 1) / launch.apart - 1; k >= 0; --k) {
    i64 first, begin, end;
    place = guide_next(&launch, last, direction, k, place, row - (k + 1) * rows_apart, item, sums,
                       bests, &first);
    row = (k + 1) * rows_apart;
    __global const u32* const kept = last + kept_at(&launch, direction, k, &begin, &end);
    const i64 number = direction * (launch.lanes_0 / launch.apart) + k;
    for (int i = 0; i < ITEM_WORDS; ++i) {
      const i64 w = first + item * ITEM_WORDS + i;
      const i64 to = 2 * (number * STRIP_GUIDE_WORDS + item * ITEM_WORDS + i);
      words[to] = w < end ? kept[2 * w] : 0u;
      words[to + 1] = w < end ? kept[2 * w + 1] : 0u;
    }
    if (item == 0) {
      places[2 * number] = (i32)place;
      places[2 * number + 1] = (i32)first;
    }
  }
}

// Parts of kept rows, side by side: `parts` has where each begins in `last` and in `words`, and at
// last where the words end. A group each.
__kernel __attribute__((reqd_work_group_size(GUIDE_GROUP, 1, 1))) void strip_rows(
    __global const u32* last, __global const ulong* parts, __global u32* words) {
  parts += 2 * get_group_id(0);
  for (u64 at = parts[1] + get_local_id(0); at < parts[3]; at += GUIDE_GROUP)
    words[at] = last[parts[0] + at - parts[1]];
}

#endif
