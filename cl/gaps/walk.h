// SPDX-License-Identifier: Apache-2.0
// gaps/walk.h -- alignments, walked back through the values of all cells that lanes.h has kept.
//
// A work-item walks for one task. It is at a cell and a layer, with the value that the best way
// there has. If the cell's pair of symbols comes to that value, the way is along the diagonal; else
// a gap ends here, and began at the nearest cell of the layer below, on the left or then above,
// whose value and a gap come to it. (To walk through one layer alone, as the paper has it, finds
// ways with more gaps or another score.) There are never more than GAPS gaps, so the search for
// their other ends costs no more than a few walks along row and column.
//
// With TRACE 2 eight bits tell whether a value comes from its pair: a cell and the one before it on
// the diagonal differ by no more than the scores of pairs do. For the other end of a gap they are
// not enough; there layers in between are kept whole, and the value of layer 1 is computed again.
//
// It takes from the end on a pair before a gap in the target (what only the query has), that before
// a gap in the query, and the shortest gap that will do.
//
// Macros and buffers: lanes.h, with TRACE.
#ifndef RHOMB_CL_GAPS_WALK_H
#define RHOMB_CL_GAPS_WALK_H

#include "gaps/lanes.h"

// A task, and where the values of its cells are.
typedef struct {
  GapsTask task;
  u64 values;
  u32 steps;  // a pass
  u32 front, item, pair;
} GapsWalk;

// Of a symbol of the query and one of the target, as kept.
FN i32 gaps_pair(const GapsLanes* a, const GapsWalk* w, u32 i, u32 j) {
  const u32 x = a->queries[w->task.query + j - 1], t = a->targets[w->task.target + i - 1];
#if SCORES == 0
  return x == t ? a->launch.match : a->launch.mismatch;
#elif SCORES == 1
  return a->table[t * a->launch.symbols + x];
#else
  const u32 word = (u32)a->table[SCORES == 2 ? t : 2 * t + x / 4];
  return (i32)(signed char)(word >> (x % 4 * 8));
#endif
}

// Whether `value` is what gaps open from at i symbols of the target and j of the query; with
// STRICT, what ends with a pair. Where only eight bits are kept, whether they are the same.
FN int gaps_is(const GapsLanes* a, const GapsWalk* w, u32 q, u32 i, u32 j, i32 value) {
  if (BAND && (i > j ? i - j : j - i) > a->launch.band) return 0;
  if (i == 0 && j == 0) return value == a->launch.zero;
  if (j == 0 && INFIX) return value == a->launch.zero - a->launch.extend * (i32)i;
  if (i == 0 || j == 0) return (STRICT ? 0 : q > 0) && value == a->launch.zero + a->launch.open;
  if (q < FIRST_KEPT) return 0;
  value -= (i32)q * a->launch.open;  // as kept
  const u32 c = w->front + j - 1;
  const u32 lane = c / COLS % SPAN;
  const u64 step = (u64)(c / (COLS * SPAN)) * w->steps + (i - 1 + lane);
  GLOBAL const WORD* const kept =
      a->values + w->values + (step * KEPT_WORDS + KEPT_AT(q)) * WG + lane;
#if TRACE == 2
  if (IS_BYTES(q)) {
    const u32 shift = (c % COLS % 2 * 2 + w->pair) * 8;
    return ((kept[c % COLS / 2 * WG] >> shift ^ (u32)value) & 255u) == 0;
  }
#endif
  return word_get(kept[c % COLS * WG], (int)w->pair) == value;
}

#if TRACE == 2
// The value in layer 1 of a cell within the band: pairs along the diagonal from the start, one gap,
// pairs.
FN i32 gaps_of_one(const GapsLanes* a, const GapsWalk* w, u32 i, u32 j) {
  const u32 pairs = i < j ? i : j;
  i32 before = a->launch.zero, best = a->launch.never;
  for (u32 p = 0; p < pairs; ++p) {
    if (best < before + a->launch.open) best = before + a->launch.open;
    best += gaps_pair(a, w, i - pairs + p + 1, j - pairs + p + 1);
    before += gaps_pair(a, w, p + 1, p + 1);
  }
  if (i == j) return before;
  return best < before + a->launch.open ? before + a->launch.open : best;
}
#endif

typedef struct {
  GLOBAL u32* runs;
  u32 count, what, length;
} GapsWriter;

FN void gaps_write(GapsWriter* out, u32 what, u32 length) {
  if (length == 0) return;
  if (out->length > 0 && out->what != what) {
    out->runs[2 + out->count++] = out->length << 2 | out->what;
    out->length = 0;
  }
  out->what = what;
  out->length += length;
}

// The nearest cell of layer q that has `value`, which a gap may have begun with; the symbols of the
// gap, 0 where there is none. `down` cells above, else on the left.
FN u32 gaps_search(const GapsLanes* a, const GapsWalk* w, u32 q, u32 i, u32 j, i32 value,
                   int down) {
  const u32 most = down ? i : j;
  for (u32 r = 1; r <= most; ++r) {
    const u32 from_i = down ? i - r : i, from_j = down ? j : j - r;
    if (!gaps_is(a, w, q, from_i, from_j, value)) continue;
#if TRACE == 2
    // Far cells may have the same eight bits, near ones along a diagonal do not.
    if (q == 1 && gaps_of_one(a, w, from_i, from_j) != value) continue;
#endif
    return r;
  }
  return 0;
}

// Work-item `item` of all, one a task of the launch's groups.
FN void gaps_walk_item(const GapsLanes* a, u32 item) {
  if (item >= a->launch.count) return;
  const u32 group = a->launch.first + item / (TEAMS * PAIRS), slot = item % (TEAMS * PAIRS);
  const GapsGroup own = a->groups[group];
  GapsWalk w;
  w.task = a->tasks[group * TEAMS * PAIRS + slot];
  if (w.task.number == GAPS_NOBODY) return;
  w.values = own.values + slot / PAIRS * SPAN;
  w.steps = own.rows + SPAN - 1;
  w.front = own.passes * SPAN * COLS - w.task.m;
  w.pair = slot % PAIRS;

  GLOBAL const GapsAnswer* const answers = a->answers + (u64)w.task.number * LAYERS;
  GapsWriter out = {a->runs + (u64)w.task.number * GAPS_RUNS(GAPS), 0, 0, 0};
  out.runs[0] = 0;
  const i32 score = answers[GAPS].score;
  if (score == GAPS_NONE) return;
  u32 q = 0;
  while (answers[q].score != score) ++q;
  u32 i = answers[q].end, j = w.task.m;
  i32 value = score + a->launch.zero - a->launch.extend * (i32)(i + j);
  int pair = STRICT;  // what is next must be one
  while (j > 0) {
    if (i == 0) {
      gaps_write(&out, GAPS_INSERT, j);
      j = 0;
    } else if (q == 0) {
      gaps_write(&out, GAPS_PAIR, j);
      i -= j;
      j = 0;
    } else {
      const i32 before = value - gaps_pair(a, &w, i, j);
#if STRICT
      if (!pair) pair = gaps_is(a, &w, q, i, j, value);
#else
      pair = gaps_is(a, &w, q, i - 1, j - 1, before);
#endif
      if (pair) {
        gaps_write(&out, GAPS_PAIR, 1);
        --i, --j;
        value = before;
        pair = 0;
        continue;
      }
      --q;
      value -= a->launch.open;
      pair = STRICT;
      int down = 0;
      u32 length;
      if (q < FIRST_KEPT) {
        // Only the diagonal from the start is left.
        down = i > j;
        length = down ? i - j : j - i;
      } else {
        length = gaps_search(a, &w, q, i, j, value, 0);
        down = length == 0;
        if (down) length = gaps_search(a, &w, q, i, j, value, 1);
      }
      if (length == 0) break;  // impossible; the host finds that the query is not all there
      gaps_write(&out, down ? GAPS_DELETE : GAPS_INSERT, length);
      if (down)
        i -= length;
      else
        j -= length;
    }
  }
  if (!INFIX) {
    gaps_write(&out, GAPS_DELETE, i);
    i = 0;
  }
  gaps_write(&out, 3u, 1);  // writes the last run
  out.runs[0] = out.count;
  out.runs[1] = i;
}

#endif
