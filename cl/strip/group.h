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
  i32 end;          // where the first lane ends
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
  p->end = band_end(p->first, ROWS, l->above, l->columns);
  p->from = p->begin < p->starts ? p->starts : p->begin;
  p->to = p->begin + l->slab < ends ? p->begin + l->slab : ends;
  return p->from < p->to;
}

// The state of a work-item's lanes from `lane` on, in its first launch a new one, and its columns.
// `mine`: the direction's state, from this lane on; `pattern`: the direction's.
FN void item_begin(State* s, Columns* range, const Part* p, const StripLaunch* l, i32 lane,
                   GLOBAL u32* mine, GLOBAL const u32* pattern) {
  if (p->begin <= p->starts) state_begin(mine, l->stride, lane, p->lanes, pattern);
  state_load(s, mine, l->stride);
  columns_of(range, lane, l->below, l->above, l->columns);
}

// The text's words of the chunk before q and of that at q, for the lanes from `item` * LANES on.
FN void item_text(WORD* now, WORD* next, GLOBAL const u32* text, u32 text_plane, i32 q, i32 item) {
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    GLOBAL const u32* plane = text + (u64)p * text_plane;
    EACH_LANE(now[p], plane[q - 1 - 2 * (item * LANES + e)]);
    EACH_LANE(next[p], plane[q - 2 * (item * LANES + e)]);
  }
}

// What leaves the last row of some lanes is kept in `last`: that of the last lane of all, all words
// of columns, [direction][text_plane] of (ph, mh); then that of every lane of number l->apart - 1,
// 2 l->apart - 1, ..., from the band's first word in its row on: [direction][lanes_0 /
// apart][pitch] of (ph, mh).
typedef struct {
  i32 first[LANES], end[LANES];  // words of columns
  i64 at[LANES];                 // of word 0
} Keep;

// What a work-item's lanes from `lane` on keep, of `lanes` and `words` of columns. False: nothing.
FN bool keep_of(Keep* keep, const StripLaunch* l, u32 direction, i32 lane, i32 lanes, i32 words) {
  bool any = false;
  for (int e = 0; e < LANES; ++e) {
    const i32 own = lane + e;
    const bool bottom = own == lanes - 1;
    const bool kept =
        l->apart > 0 && own < lanes - 1 && (u32)(own + 1) % (l->apart > 0 ? l->apart : 1u) == 0;
    keep->first[e] = 0;
    keep->end[e] = bottom ? words : 0;
    keep->at[e] = (i64)direction * l->text_plane * 2;
    if (kept) {
      const i64 row = (i64)direction * (l->lanes_0 / l->apart) + (u32)own / l->apart;
      keep->first[e] = band_first(own, ROWS, l->below);
      keep->end[e] = band_end(own, ROWS, l->above, l->columns);
      keep->at[e] = l->kept + 2 * (row * (i64)l->pitch - keep->first[e]);
    }
    any |= bottom || kept;
  }
  return any;
}

// `word`: what the lanes have taken in; those of the first lane of `item` of its group at q. (A
// lane alone knows its own word; to compute it again costs a third of the time of thin strips on
// NVIDIA's devices.)
FN void keep_put(GLOBAL u32* last, const Keep* keep, WORD ph, WORD mh, COUNT word, i32 q,
                 i32 item) {
#if LANES == 1
  (void)q, (void)item;
  const i32 w = word - 1;
  if (w >= keep->first[0] && w < keep->end[0]) {
    last[keep->at[0] + 2 * w] = ph;
    last[keep->at[0] + 2 * w + 1] = mh;
  }
#else
  u32 both[2 * LANES];
  STORE(ph, both);
  STORE(mh, both + LANES);
  for (int e = 0; e < LANES; ++e) {
    const i32 w = q - 2 * (item * LANES + e) - 1;
    if (w >= keep->first[e] && w < keep->end[e]) {
      last[keep->at[e] + 2 * w] = both[e];
      last[keep->at[e] + 2 * w + 1] = both[LANES + e];
    }
  }
#endif
}

#endif
