// SPDX-License-Identifier: Apache-2.0
// strip/guide.h -- a second kernel of pair.cl and flow.cl: where cheapest paths probably cross the
// rows that a pass has kept.
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
#include "strip/launch.h"

#define GUIDE_GROUP STRIP_GUIDE_GROUP(WG)
#define ITEM_WORDS (STRIP_GUIDE_WORDS / GUIDE_GROUP)

// What it takes to come from `columns` further right in `rows` rows, in eighths.
static i32 drift_cost(i64 columns, float rows, float tilt) {
  const float x = (float)columns;
  return (i32)(8.0f * (x * x / (fabs(x) + rows) - tilt * x));
}

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
    i64 first = 0;
    // Where the best place is not well inside of what was looked at, it may be further on.
    for (int moved = 1; moved;) {
      first = max(begin, min(place / 32 - STRIP_GUIDE_WORDS / 2, end - STRIP_GUIDE_WORDS));
      u32 ph[ITEM_WORDS], mh[ITEM_WORDS];
      i32 sum = 0;
      for (int i = 0; i < ITEM_WORDS; ++i) {
        const i64 w = first + item * ITEM_WORDS + i;
        ph[i] = w < end ? kept[2 * w] : 0u;
        mh[i] = w < end ? kept[2 * w + 1] : 0u;
        sum += (i32)popcount(ph[i]) - (i32)popcount(mh[i]);
      }
      sums[item] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      i32 cost = 0;
      UNROLLED for (int other = 0; other < GUIDE_GROUP; ++other) cost +=
          other < item ? sums[other] : 0;
      // Every eighth place is enough.
      i32 least = INT_MAX, best = 0;
      for (int i = 0; i < 4 * ITEM_WORDS; ++i) {
        const i64 at = 32 * (first + item * ITEM_WORDS) + 8 * i;
        const i32 here = 8 * cost + drift_cost(at - place, (float)rows_apart, guide.tilt);
        if (at <= 32 * end && here < least) {
          least = here;
          best = (i32)(at - 32 * first);
        }
        const u32 part = 0xff000000u >> 8 * (i % 4);
        cost += (i32)popcount(ph[i / 4] & part) - (i32)popcount(mh[i / 4] & part);
      }
      costs[item] = least;
      bests[item] = best;
      barrier(CLK_LOCAL_MEM_FENCE);
      least = INT_MAX;
      UNROLLED for (int other = 0; other < GUIDE_GROUP; ++other) if (costs[other] < least) {
        least = costs[other];
        best = bests[other];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const i64 found = 32 * first + best;
      moved = found < place - 8 * STRIP_GUIDE_WORDS || found > place + 8 * STRIP_GUIDE_WORDS;
      place = found;
    }
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

#endif
