// SPDX-License-Identifier: Apache-2.0
// strip/drift.h -- one step of a guide (guide.h): from a place of a row to that of the kept row
// above where the cost along the row, and what it takes to drift there, are least together.
#ifndef RHOMB_CL_STRIP_DRIFT_H
#define RHOMB_CL_STRIP_DRIFT_H

#include "strip/band.h"
#include "strip/launch.h"

#define GUIDE_GROUP STRIP_GUIDE_GROUP(WG)
#define ITEM_WORDS (STRIP_GUIDE_WORDS / GUIDE_GROUP)

// What it takes to come from `columns` further right in `rows` rows, in eighths.
static i32 drift_cost(i64 columns, float rows, float tilt) {
  const float x = (float)columns;
  return (i32)(8.0f * (x * x / (fabs(x) + rows) - tilt * x));
}

// Where kept row `number` of a direction would have word 0, and which words it has.
FN i64 kept_at(const StripKept* l, u32 direction, i64 number, i64* begin, i64* end) {
  const i64 lane = (number + 1) * l->apart - 1;
  *begin = band_first(lane, l->rows, l->below);
  *end = band_end(lane, l->rows, l->above, l->columns);
  return l->kept + 2 * ((direction * (l->lanes_0 / l->apart) + number) * l->pitch - *begin);
}

// From `place`, `rows` rows below kept row `number` of a direction. The group's items call
// together. `first`: the first of the words about the place.
FN i64 guide_next(const StripKept* l, __global const u32* last, u32 direction, i64 number,
                  i64 place, i64 rows, int item, __local i32* sums, __local i32* costs,
                  __local i32* bests, i64* first) {
  i64 begin, end;
  __global const u32* const kept = last + kept_at(l, direction, number, &begin, &end);
  place = clamp(place - rows, 32 * begin, 32 * end);
  const i64 rows_apart = (i64)l->apart * l->rows;
  // Where the best place is not well inside of what was looked at, it may be further on.
  for (int moved = 1; moved;) {
    *first = max(begin, min(place / 32 - STRIP_GUIDE_WORDS / 2, end - STRIP_GUIDE_WORDS));
    u32 ph[ITEM_WORDS], mh[ITEM_WORDS];
    i32 sum = 0;
    for (int i = 0; i < ITEM_WORDS; ++i) {
      const i64 w = *first + item * ITEM_WORDS + i;
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
      const i64 at = 32 * (*first + item * ITEM_WORDS) + 8 * i;
      const i32 here = 8 * cost + drift_cost(at - place, (float)rows_apart, l->tilt);
      if (at <= 32 * end && here < least) {
        least = here;
        best = (i32)(at - 32 * *first);
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
    const i64 found = 32 * *first + best;
    moved = found < place - 8 * STRIP_GUIDE_WORDS || found > place + 8 * STRIP_GUIDE_WORDS;
    place = found;
  }
  return place;
}

#endif
