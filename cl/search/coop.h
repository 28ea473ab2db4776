// SPDX-License-Identifier: Apache-2.0
// search/coop.h -- many short queries, each looked for in its piece of a text, by lanes that work
// together (Chacon et al. 2014, 3.2).
//
// Thirty-two work-items side by side are the lanes of a team: a warp on NVIDIA's GPUs, elsewhere a
// part of a group, whose barriers all its teams then wait at together. A team has R tasks of 32 / R
// lanes each; what lanes are left over compute something that nobody asks for. Lane k of a task has
// words k * W .. k * W + W - 1 of the column (step.h), in registers. The last lane has the end of
// the query and so the bottom row of the matrix.
//
// From lane to lane go dh = -1, which is the carry of the addition, and dh = +1. VIA says by which
// way. With 0, 1 and 2 all lanes are in the same column, as in the paper:
//
//   0, 2  Each lane adds without a carry coming in. It says whether a carry goes out, bit k of G,
//         and whether one would if one came in, bit k of P: all its sum is ones. Both are never
//         true. The lanes that a carry comes into are then
//
//           C = ((G << 1) + P) ^ P
//
//         For let c be the carries of this addition: (G << 1) + P = (G << 1) ^ P ^ c, so
//         C = (G << 1) ^ c. A carry c comes into lane k + 1 only where P has bit k, and then
//         G << 1 has not bit k + 1; so no bit is in both, and C = (G << 1) | c. And c comes into
//         lane k + 1 where P has bit k and either G << 1 has bit k or c came into k: where lane k
//         would hand on a carry, and one comes into it. That is what C is to be. The last lane of
//         each task is left out of G and P, so that nothing leaves a task.
//         0 gathers G and P in local memory, 2 by ballots.
//   1     The paper's loop: lanes hand carries to the next lane and add what they are handed, until
//         no lane hands on any. Hardly ever more than twice.
//
// With 3 each lane is a column behind the one before. What a lane needs of that one was made a step
// ago, so both kinds of dh go over in one word, and nothing is added twice. As long as a lane waits
// for its first column it is handed dh = -1, which keeps dv at +1 and is handed on, whatever the
// symbols. The bottom row is 32 / R - 1 columns late, and the loop begins so many steps early.
//
//   queries   interleaved planes (planes.h); with PROFILE the profiles (profile.cl)
//   texts     interleaved planes
//   answers   for the task with that number, SEARCH_NOTHING and 0 where no end counts
//
//   WG       work-items a group, a multiple of 32
//   R        tasks a team, 1..32
//   W        words a lane
//   TEAM     team.h
//   HEAD     words of a task's first lanes that may have rows above the query, 0..W
//   VIA      0..3, of which 1 and 2 need HAVE_PTX; of no meaning with R = 32
//   PROFILE  0: matches are computed from the query's symbols, which lanes keep; 1: read
//   PLANES, SETS   planes.h
#ifndef RHOMB_CL_SEARCH_COOP_H
#define RHOMB_CL_SEARCH_COOP_H

#include "search/ends.h"
#include "search/step.h"
#include "team.h"

#define PARTS (32 / R)  // lanes a task
#define LATE (PARTS > 1 && VIA == 3 ? PARTS - 1 : 0)

// Whether lanes reach each other by barriers, which all of a group must come to.
#define MEETS (PARTS > 1 && (VIA == 0 || (VIA == 3 && TEAM == 1)))
#if MEETS
#define MEETING 32  // work-items whose loops must be of one length
#if WG > 32
#undef MEETING
#define MEETING WG
#endif
#if defined(__OPENCL_C_VERSION__)
#define MEET() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define MEET() ((void)0)
#endif
#define SHARED_WORDS (VIA == 0 ? WG + 4 * (WG / 32) : 2 * WG)
#elif PARTS > 1
#define MEETING 32
#else
#define MEETING 1
#endif

typedef struct {
  GLOBAL const u32* queries;
  GLOBAL const u32* texts;
  GLOBAL const SearchTask* tasks;
  u32 count;  // tasks
  GLOBAL SearchAnswer* answers;
} Coop;

typedef struct {
#if PROFILE
  GLOBAL const u32* profile;  // of this lane's first word
#else
  u32 symbols[W][PLANES];
#if HEAD > 0
  u32 above[HEAD];
#endif
#endif
  u32 pv[W], mv[W];
  u32 pluses, minuses;  // dh of the lane's last row in the last 32 columns, newest lowest
  u32 lane;             // in the team
  u32 inside;  // all ones, but in the first lane of a task: what comes from the lane before
#if VIA == 3 && PARTS > 1
  u32 handed;  // on to the next lane: dh = +1 in the top bit, dh = -1 in the lowest
#elif PARTS > 1
  u32 inner;  // lanes of the team that hand on anything
#endif
#if MEETS
  LOCAL u32* shared;
  u32 item;  // in the group
  u32 turn;  // 0 or 1
#endif
} Lane;

FN u32 lane_match(const Lane* l, int w, const u32* text, u32 at) {
#if PROFILE
  return l->profile[at + (u32)w] + 0u * text[0];
#elif HEAD > 0
  return step_match(l->symbols[w], text, w < HEAD ? l->above[w < HEAD ? w : 0] : 0u) + 0u * at;
#else
  return step_match(l->symbols[w], text, 0u) + 0u * at;
#endif
}

#if PARTS > 1 && VIA == 3
// What the lane before handed on.
FN u32 lane_handed(Lane* l) {
#if MEETS
  LOCAL u32* all = l->shared + l->turn * WG;
  all[l->item] = l->handed;
  MEET();
  l->turn ^= 1u;  // written to again when all have been at the next barrier
  return all[l->item > 0 ? l->item - 1 : 0] & l->inside;
#else
  return team_up(l->handed) & l->inside;
#endif
}
#endif

#if PARTS > 1 && VIA != 3
// `in` is added to the lane's sum; what leaves it, 0 or 1.
FN u32 lane_add(u32* sum, u32 in) {
  u32 carry;
  sum[0] = add_first(&carry, sum[0], in);
  UNROLLED for (int w = 1; w < W; ++w) sum[w] = add_word(&carry, sum[w], 0u);
  return add_end(&carry, 0u);
}

// The sum with what comes from other lanes. `out` is what leaves this one so far; what leaves it
// then.
FN u32 lane_carry(Lane* l, u32* sum, u32 out) {
#if VIA == 1
  u32 leaving = out;
  while (team_ballot((int)(leaving & l->inner >> l->lane & 1u)) != 0) {
    leaving = lane_add(sum, team_up(leaving) & l->inside);
    out |= leaving;
  }
  return out;
#else
  u32 ones = sum[0];
  UNROLLED for (int w = 1; w < W; ++w) ones &= sum[w];
#if VIA == 0
  LOCAL u32* all = l->shared + WG + 4 * (l->item / 32);
  LOCAL u32* now = all + 2 * l->turn;
  if (out != 0) atomic_or(&now[0], 1u << l->lane);
  if (ones == ~0u) atomic_or(&now[1], 1u << l->lane);
  MEET();
  const u32 made = now[0] & l->inner, through = now[1] & l->inner;
  l->turn ^= 1u;
  // Those of the next column, last read before the barrier that ended the column before this one.
  if (l->lane < 2) all[2 * l->turn + l->lane] = 0;
#else
  const u32 made = team_ballot((int)out) & l->inner;
  const u32 through = team_ballot(ones == ~0u) & l->inner;
#endif
  const u32 into = ((made << 1) + through) ^ through;
  return out | lane_add(sum, into >> l->lane & 1u);
#endif
}

// The word before, whose top bit is dh = +1.
FN u32 lane_plus(Lane* l, u32 up) {
#if VIA == 0
  l->shared[l->item] = up;
  MEET();
  return l->shared[l->item > 0 ? l->item - 1 : 0] & l->inside;
#else
  return team_up(up) & l->inside;
#endif
}
#endif

// One column more.
FN void lane_step(Lane* l, const u32* text, u32 at) {
  u32 match[W], sum[W];
  UNROLLED for (int w = 0; w < W; ++w) match[w] = lane_match(l, w, text, at);
  u32 carry, plus = 0;
#if PARTS > 1 && VIA == 3
  plus = lane_handed(l);
  add_begin(&carry, plus & 1u);
  UNROLLED for (int w = 0; w < W; ++w) sum[w] = add_word(&carry, match[w] & l->pv[w], l->pv[w]);
#else
  sum[0] = add_first(&carry, match[0] & l->pv[0], l->pv[0]);
  UNROLLED for (int w = 1; w < W; ++w) sum[w] = add_word(&carry, match[w] & l->pv[w], l->pv[w]);
#endif
#if PARTS > 1 && VIA != 3
  const u32 out = lane_carry(l, sum, add_end(&carry, 0u));
  l->minuses = l->minuses << 1 | out;
  // What leaves the last word does not depend on what comes into the first one, but through the
  // carries, and these are known.
  const u32 zero =
      logic_any(match[W - 1], l->mv[W - 1], logic_carries(sum[W - 1], l->pv[W - 1], match[W - 1]));
  plus = lane_plus(l, logic_or_neither(l->mv[W - 1], zero, l->pv[W - 1]));
#else
  l->minuses = add_end(&carry, l->minuses);
#endif
  UNROLLED for (int w = 0; w < W; ++w) step_word(match[w], sum[w], &l->pv[w], &l->mv[w], &plus);
  l->pluses = FUNNEL_LEFT(l->pluses, plus, 1);
#if PARTS > 1 && VIA == 3
  l->handed = (plus & ~1u) | (l->minuses & 1u);
#endif
}

// Before the first column. `part` is the lane's number in its task.
FN void lane_begin(Lane* l, const Coop* c, const SearchTask* task, u32 item, u32 part,
                   LOCAL u32* shared) {
#if PROFILE
  l->profile = c->queries + task->profile + part * W;
#else
  const i32 row = (i32)task->rows - 32 * (i32)((PARTS - part) * W);
  UNROLLED for (int w = 0; w < W; ++w) {
    load_rows(l->symbols[w], c->queries, task->query, row + 32 * w);
#if HEAD > 0
    if (w < HEAD) l->above[w < HEAD ? w : 0] = rows_above(row + 32 * w);
#endif
  }
#endif
  UNROLLED for (int w = 0; w < W; ++w) {
    l->pv[w] = ~0u;
    l->mv[w] = 0;
  }
  l->pluses = l->minuses = 0;
  l->lane = item & 31u;
  l->inside = part > 0 ? ~0u : 0u;
#if VIA == 3 && PARTS > 1
  l->handed = 1;
#elif PARTS > 1
  l->inner = ~0u;
  for (u32 k = PARTS - 1; k < 32; k += PARTS) l->inner &= ~(1u << k);
#endif
#if MEETS
  l->shared = shared;
  l->item = item;
  l->turn = 0;
#if VIA == 0
  if (l->lane < 4) shared[WG + 4 * (item / 32) + l->lane] = 0;
  MEET();
#endif
#endif
}

// `group` and `item` say which work-item this is.
FN void coop_item(const Coop* c, u32 group, u32 item, LOCAL u32* shared) {
  // Left-over lanes and those behind the last task compute one that there is.
  const u32 turn = min_u32((item & 31u) / PARTS, R - 1);
  const u32 part = min_u32((item & 31u) - turn * PARTS, PARTS - 1);
  const bool spare = (item & 31u) >= R * PARTS;
  const u32 number = (group * (WG / 32) + item / 32) * R + turn;
  const SearchTask task = c->tasks[min_u32(number, c->count - 1)];
  const bool last = part + 1 == PARTS && !spare;

  // The columns of those that this one's loop must be as long as.
  u32 most = task.columns;
#if MEETING > 1
  const u32 teams = MEETING / 32, begin = (group * (WG / 32) + item / 32 / teams * teams) * R;
  for (u32 i = 0; i < teams * R; ++i) {
    const u32 columns = c->tasks[min_u32(begin + i, c->count - 1)].columns;
    most = columns > most ? columns : most;
  }
#endif

  Lane lane;
  Ends ends;
  lane_begin(&lane, c, &task, item, part, shared);
  ends_begin(&ends, &task, last);
  for (i32 column = LATE > 0 ? -32 : 0; column < (i32)most; column += 32) {
    u32 columns[PLANES];
    load_columns(columns, c->texts, (i64)task.text + column + (LATE > 0 ? LATE - (i32)part : 0));
    i32 i = 0;
#if LATE > 0
    if (column < 0) {
      i = 32 - LATE;
      UNROLLED for (int p = 0; p < PLANES; ++p) columns[p] <<= i;
    }
#endif
    const i32 stop = (i32)most - column < 32 ? (i32)most - column : 32;
    for (; i < stop; ++i) {
      u32 text[PLANES];
      next_column(text, columns);
#if PROFILE
      lane_step(&lane, text, symbol_of(text) * (PARTS * W));
#else
      lane_step(&lane, text, 0u);
#endif
    }
    // Less than 32 columns come last of all.
    if (column >= 0)
      ends_settle(&ends, lane.pluses << (32 - stop), lane.minuses << (32 - stop), column);
  }
  if (last && number < c->count) ends_answer(&ends, &c->answers[task.answer]);
}

#endif
