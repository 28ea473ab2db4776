// SPDX-License-Identifier: Apache-2.0
// gaps/walk.h -- alignments, walked back through the values of all cells that lanes.h has kept.
//
// A team (team.h: on NVIDIA GPUs a warp, elsewhere one work-item) walks for one task. It is at a
// cell and a layer, with the value that the best way there has. If the cell's pair of symbols comes
// to that value, the way is along the diagonal; else a gap ends here, and began at the nearest cell
// of the layer below, on the left or then above, whose value and a gap come to it. (To walk through
// one layer alone, as the paper has it, finds ways with more gaps or another score.) There are
// never more than GAPS gaps, so the search for their other ends costs no more than a few walks
// along row and column.
//
// A member looks at one of the cells that come next, on the diagonal or along the row, because what
// takes time is to wait for memory. The value that a cell of the diagonal would have follows from
// the pairs up to it, and holds if all cells before have theirs.
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
  u32 front, pair;
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

// The sum of what the members before have, and the own.
FN i32 gaps_sum_up(i32 value, u32 member) {
  for (u32 far = 1; far < TEAM; far *= 2) {
    const i32 other = (i32)team_get((u32)value, member < far ? member : member - far);
    if (member >= far) value += other;
  }
  return value;
}

#if TRACE == 2
// The value in layer 1 of a cell within the band: pairs along the diagonal from the start, one gap,
// pairs along the diagonal of the cell. Each member goes through a part of both diagonals.
FN i32 gaps_of_one(const GapsLanes* a, const GapsWalk* w, u32 i, u32 j, u32 member) {
  const u32 pairs = i < j ? i : j, each = (pairs + TEAM - 1) / TEAM;
  const u32 first = min_u32(member * each, pairs), last = min_u32(first + each, pairs);
  // How much more the start's diagonal has than the cell's, at the end of the part and at most.
  i32 more = 0, most = 0, own = 0;
  for (u32 p = first; p < last; ++p) {
    const i32 pair = gaps_pair(a, w, i - pairs + p + 1, j - pairs + p + 1);
    own += pair;
    more += gaps_pair(a, w, p + 1, p + 1) - pair;
    if (most < more) most = more;
  }
  i32 best = 0, before = 0, all = a->launch.zero;
  for (u32 one = 0; one < TEAM; ++one) {
    const i32 here = before + (i32)team_get((u32)most, one);
    if (best < here) best = here;
    before += (i32)team_get((u32)more, one);
    all += (i32)team_get((u32)own, one);
  }
  return all + (i == j ? before : best + a->launch.open);
}
#endif

typedef struct {
  GLOBAL u32* runs;
  u32 count, what, length;
  int writes;  // one member does
} GapsWriter;

FN void gaps_write(GapsWriter* out, u32 what, u32 length) {
  if (length == 0) return;
  if (out->length > 0 && out->what != what) {
    if (out->writes) out->runs[2 + out->count] = out->length << 2 | out->what;
    ++out->count;
    out->length = 0;
  }
  out->what = what;
  out->length += length;
}

// The nearest cell of layer q that has `value`, which a gap may have begun with; the symbols of the
// gap, 0 where there is none. `down` cells above, else on the left.
FN u32 gaps_search(const GapsLanes* a, const GapsWalk* w, u32 q, u32 i, u32 j, i32 value, int down,
                   u32 member) {
  const u32 most = down ? i : j;
  for (u32 before = 0; before < most; before += TEAM) {
    const u32 r = before + member + 1;
    u32 found =
        team_ballot(r <= most && gaps_is(a, w, q, down ? i - r : i, down ? j : j - r, value));
    for (; found != 0; found &= found - 1) {
      const u32 nearest = before + team_first(found) + 1;
#if TRACE == 2
      // Far cells may have the same eight bits, near ones along a diagonal do not.
      if (q == 1 &&
          gaps_of_one(a, w, down ? i - nearest : i, down ? j : j - nearest, member) != value)
        continue;
#endif
      return nearest;
    }
  }
  return 0;
}

// So many of the next cells on the diagonal are reached by a pair each, TEAM at the most. `pair`:
// the first is, for sure. Takes off the value what they score.
FN u32 gaps_pairs(const GapsLanes* a, const GapsWalk* w, u32 q, u32 i, u32 j, int pair, i32* value,
                  u32 member) {
  const int inside = member < i && member < j;
  const u32 at_i = i - member, at_j = j - member;
  const i32 score = inside ? gaps_pair(a, w, at_i, at_j) : 0;
  const i32 before = *value - gaps_sum_up(score, member);
#if STRICT
  const int is = inside && ((pair && member == 0) || gaps_is(a, w, q, at_i, at_j, before + score));
#else
  const int is = inside && gaps_is(a, w, q, at_i - 1, at_j - 1, before);
#endif
  const u32 all = team_ballot(is);
#if TEAM > 1
  const u32 count = team_first(~all);
#else
  const u32 count = all;
#endif
  if (count > 0) *value = (i32)team_get((u32)before, count - 1);
  return count;
}

// Work-item `item` of all, TEAM for each task of the launch's groups.
FN void gaps_walk_item(const GapsLanes* a, u32 item) {
  const u32 member = item % TEAM;
  item /= TEAM;
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
  GapsWriter out = {a->runs + (u64)w.task.number * GAPS_RUNS(GAPS), 0, 0, 0, member == 0};
  const i32 score = answers[GAPS].score;
  if (score == GAPS_NONE) {
    if (out.writes) out.runs[0] = 0;
    return;
  }
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
      const u32 count = gaps_pairs(a, &w, q, i, j, pair, &value, member);
      gaps_write(&out, GAPS_PAIR, count);
      i -= count;
      j -= count;
      if (count > 0) pair = 0;
      if (count == TEAM || i == 0 || j == 0) continue;
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
        length = gaps_search(a, &w, q, i, j, value, 0, member);
        down = length == 0;
        if (down) length = gaps_search(a, &w, q, i, j, value, 1, member);
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
  if (!out.writes) return;
  out.runs[0] = out.count;
  out.runs[1] = i;
}

#endif
