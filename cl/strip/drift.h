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
FN i32 drift_cost(i32 columns, float rows, float tilt) {
  const float x = (float)columns;
  return (i32)(8.0f * (native_divide(x * x, fabs(x) + rows) - tilt * x));
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
                  i64 place, i64 rows, int item, __local int4* sums, __local int4* bests,
                  i64* first) {
  i64 begin, end;
  __global const u32* const kept = last + kept_at(l, direction, number, &begin, &end);
  place = clamp(place - rows, 32 * begin, 32 * end);
  const float rows_apart = (float)(l->apart * l->rows);
  // Where the best place is not well inside of what was looked at, it may be further on.
  for (int moved = 1; moved;) {
    *first = max(begin, min(place / 32 - STRIP_GUIDE_WORDS / 2, end - STRIP_GUIDE_WORDS));
    const i64 own = *first + item * ITEM_WORDS;
    u32 ph[ITEM_WORDS], mh[ITEM_WORDS];
    i32 sum = 0;
    for (int i = 0; i < ITEM_WORDS; ++i) {
      ph[i] = own + i < end ? kept[2 * (own + i)] : 0u;
      mh[i] = own + i < end ? kept[2 * (own + i) + 1] : 0u;
      sum += (i32)popcount(ph[i]) - (i32)popcount(mh[i]);
    }
    ((__local i32*)sums)[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 before = 0;
    UNROLLED for (int four = 0; four < GUIDE_GROUP / 4; ++four) before +=
        select((int4)(0), sums[four], 4 * four + (int4)(0, 1, 2, 3) < item);
    i32 cost = before.x + before.y + before.z + before.w;
    // Every eighth place is enough. A price and its place, counted from `first`, in one number.
    const i32 from = (i32)(32 * own - place), behind = (i32)min(32 * (end - own), (i64)INT_MAX);
    i32 best = INT_MAX;
    for (int i = 0; i < 4 * ITEM_WORDS; ++i) {
      const i32 price = 8 * cost + drift_cost(from + 8 * i, rows_apart, l->tilt);
      if (8 * i <= behind)
        best = min(best, price * (4 * STRIP_GUIDE_WORDS) + 4 * ITEM_WORDS * item + i);
      const u32 part = 0xff000000u >> 8 * (i % 4);
      cost += (i32)popcount(ph[i / 4] & part) - (i32)popcount(mh[i / 4] & part);
    }
    if (GUIDE_GROUP > 1) {
      ((__local i32*)bests)[item] = best;
      barrier(CLK_LOCAL_MEM_FENCE);
      int4 least = INT_MAX;
      UNROLLED for (int four = 0; four < GUIDE_GROUP / 4; ++four) least = min(least, bests[four]);
      best = min(min(least.x, least.y), min(least.z, least.w));
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const i64 found = 32 * *first + 8 * (best & (4 * STRIP_GUIDE_WORDS - 1));
    moved = found < place - 8 * STRIP_GUIDE_WORDS || found > place + 8 * STRIP_GUIDE_WORDS;
    place = found;
  }
  return place;
}

#endif
