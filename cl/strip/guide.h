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
    __global const u32* last, __global u32* words, __global i32* places, const StripGuide guide) {
  __local i32 sums[GUIDE_GROUP];
  __local i32 costs[GUIDE_GROUP];
  __local i32 bests[GUIDE_GROUP];
  const int item = (int)get_local_id(0);
  const u32 direction = (u32)get_group_id(0);
  const u32 lanes = direction == 0 ? guide.lanes_0 : guide.lanes_1;
  const i64 kept_rows = guide.lanes_0 / guide.apart;
  const i64 rows_apart = (i64)guide.apart * guide.rows;
  i64 row = (i64)lanes * guide.rows;
  i64 place = direction == 0 ? guide.exit_0 : guide.exit_1;
  for (i64 k = ((i64)lanes - 1) / guide.apart - 1; k >= 0; --k) {
    const i64 lane = (k + 1) * guide.apart - 1, number = direction * kept_rows + k;
    const i64 begin = band_first(lane, guide.rows, guide.below);
    const i64 end = band_end(lane, guide.rows, guide.above, guide.columns);
    __global const u32* kept = last + guide.kept + 2 * (number * guide.pitch - begin);
    place = clamp(place - (row - (k + 1) * rows_apart), 32 * begin, 32 * end);
    row = (k + 1) * rows_apart;
    i64 first;
    place = guide_next(kept, begin, end, place, (float)rows_apart, guide.tilt, item, sums, costs,
                       bests, &first);
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
