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
// Rows are divided into segments, all of which are begun at once: but for the last one some rows
// further down, on the line to the half's end, since guides soon are the same wherever they begin.
// Then a second launch (`join`) goes from segment to segment, and on where one has begun elsewhere
// until it is where that one came by. So the places are those of one guide through all rows.
//
//   last     what the pass left (group.h)
//   words    [direction][kept rows of the upper half][STRIP_GUIDE_WORDS] of (ph, mh), around the
//            path, first column at the bottom, as KeptRow has them
//   places   [direction][kept rows of the upper half] of (place, first one of those words)
//
// Each segment of each direction has a group, or each direction to join them.
#ifndef RHOMB_CL_STRIP_GUIDE_H
#define RHOMB_CL_STRIP_GUIDE_H

#include "strip/band.h"
#include "strip/drift.h"

__kernel __attribute__((reqd_work_group_size(GUIDE_GROUP, 1, 1))) void strip_guide(
    __global const u32* last, __global u32* words, __global i32* places, i32 segments, i32 join,
    const StripKept launch) {
  __local int4 sums[(GUIDE_GROUP + 3) / 4], bests[(GUIDE_GROUP + 3) / 4];
  const int item = (int)get_local_id(0);
  const i32 group = (i32)get_group_id(0);
  const u32 direction = launch.first_direction + (u32)(join ? group : group / segments);
  const u32 lanes = direction == 0 ? launch.lanes_0 : launch.lanes_1;
  const i64 rows_apart = (i64)launch.apart * launch.rows, rows = (i64)lanes * launch.rows;
  const i64 kept_rows = ((i64)lanes - 1) / launch.apart, end = launch.exits[2 * direction];
  const i64 first_number = direction * (launch.lanes_0 / launch.apart);
  if (kept_rows == 0) return;
  i32 segment = join ? segments - 2 : group % segments;
  const i32 last_segment = join ? 0 : segment;
  i64 place = 0;
  bool met = true;
  for (; segment >= last_segment; --segment) {
    const i64 low = kept_rows * segment / segments, high = kept_rows * (segment + 1) / segments;
    i64 k = high - 1;
    if (!join && high < kept_rows) k = min(kept_rows - 1, k + STRIP_GUIDE_LEAD);
    i64 row = k + 1 < kept_rows ? (k + 2) * rows_apart : rows;
    if (!join)
      place = end * row / rows;
    else if (met)
      place = places[2 * (first_number + high)];
    met = false;
    for (; k >= low && !met; --k) {
      i64 first, begin, behind;
      place = guide_next(&launch, last, direction, k, place, row - (k + 1) * rows_apart, item, sums,
                         bests, &first);
      row = (k + 1) * rows_apart;
      if (k >= high) continue;
      __global const u32* const kept = last + kept_at(&launch, direction, k, &begin, &behind);
      const i64 number = first_number + k;
      for (int i = 0; i < ITEM_WORDS; ++i) {
        const i64 w = first + item * ITEM_WORDS + i;
        const i64 to = 2 * (number * STRIP_GUIDE_WORDS + item * ITEM_WORDS + i);
        words[to] = w < behind ? turned(kept[2 * w]) : 0u;
        words[to + 1] = w < behind ? turned(kept[2 * w + 1]) : 0u;
      }
      met = join && places[2 * number] == (i32)place;
      barrier(CLK_GLOBAL_MEM_FENCE);  // all have read it
      if (item == 0) {
        places[2 * number] = (i32)place;
        places[2 * number + 1] = (i32)first;
      }
    }
  }
}

// Parts of kept rows, side by side, words as above: `parts` has where each begins in `last` and in
// `words`, and at last where the words end. A group each.
__kernel __attribute__((reqd_work_group_size(GUIDE_GROUP, 1, 1))) void strip_rows(
    __global const u32* last, __global const ulong* parts, __global u32* words) {
  parts += 2 * get_group_id(0);
  for (u64 at = parts[1] + get_local_id(0); at < parts[3]; at += GUIDE_GROUP)
    words[at] = turned(last[parts[0] + at - parts[1]]);
}

#endif
