// SPDX-License-Identifier: Apache-2.0
// strip/group.h -- what a group does in a launch before and behind its chunks, whichever way words
// go from group to group (pair.cl, flow.h).
#ifndef RHOMB_CL_STRIP_GROUP_H
#define RHOMB_CL_STRIP_GROUP_H

#include "strip/launch.h"
#include "strip/state.h"

// A group's part of a launch, in words of columns of its first lane.
typedef struct {
  i32 lanes;        // of its direction
  i32 first, last;  // its own ones
  i32 begin;        // of the launch
  i32 starts;       // where the group has something to do
  i32 from, to;     // what there is to do in this launch
} Part;

// False: nothing.
FN bool part_of(Part* p, const StripLaunch* l, u32 direction, u32 group) {
  p->lanes = (i32)(direction == 0 ? l->lanes_0 : l->lanes_1);
  p->first = (i32)(group * GROUP_LANES);
  if (p->first >= p->lanes) return false;
  p->last = (p->first + GROUP_LANES < p->lanes ? p->first + GROUP_LANES : p->lanes) - 1;
  p->begin = l->time - (i32)group * l->delay;
  p->starts = band_first(p->first, ROWS, l->below);
  const i32 ends = band_end(p->last, ROWS, l->above, l->columns) + 2 * (GROUP_LANES - 1) + 1;
  p->from = p->begin < p->starts ? p->starts : p->begin;
  p->to = p->begin + l->slab < ends ? p->begin + l->slab : ends;
  return p->from < p->to;
}

// The state of a work-item's lanes from `lane` on, in its first launch a new one, and its columns.
// `mine`: the direction's state, from this lane on; `pattern`: the direction's.
FN void item_begin(State* s, Columns* range, const Part* p, const StripLaunch* l, u32 direction,
                   i32 lane, GLOBAL u32* mine, GLOBAL const u32* pattern) {
  if (p->begin <= p->starts) state_begin(mine, l->stride, lane, p->lanes, pattern);
  state_load(s, mine, l->stride);
  columns_of(range, lane, (i32)l->top_words[direction], l->below, l->above, l->columns);
}

// The text's words of the chunk before q and of that at q, for the lanes from `item` * LANES on.
FN void item_text(WORD* now, WORD* next, GLOBAL const u32* text, u32 text_plane, i32 q, i32 item) {
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    GLOBAL const u32* plane = text + (u64)p * text_plane;
    EACH_LANE(now[p], plane[q - 1 - 2 * (item * LANES + e)]);
    EACH_LANE(next[p], plane[q - 2 * (item * LANES + e)]);
  }
}

// Keeps what the last lane of all put out, if this work-item has it; it is lane `at` of its group.
// `word`: what its lanes have taken in, of `words`. (One lane knows its own word; to compute it
// again from `at` costs a third of the time of thin strips on NVIDIA's devices.)
FN void last_put(GLOBAL u32* last, WORD ph, WORD mh, COUNT word, i32 q, i32 at, i32 words) {
#if LANES == 1
  (void)q, (void)at;
  const i32 w = word - 1;
  const u32 last_ph = ph, last_mh = mh;
#else
  const i32 w = q - 2 * at - 1;
  u32 both[2 * LANES];
  STORE(ph, both);
  STORE(mh, both + LANES);
  const u32 last_ph = both[at % LANES], last_mh = both[LANES + at % LANES];
#endif
  if (w >= 0 && w < words) {
    last[2 * w] = last_ph;
    last[2 * w + 1] = last_mh;
  }
}

#endif
