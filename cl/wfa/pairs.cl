// SPDX-License-Identifier: Apache-2.0
// wfa/pairs.cl -- the edit distances of many pairs of texts that are close, a work-group a pair.
//
// A forward and a backward wavefront take turns until they overlap (wfa/fused.cl says why that is
// exact). Half step h brings one of them to the next cost: the forward one with h even, the
// backward one with h odd. After it their costs add up to h - 1, so the first h that shows an
// overlap gives the distance.
//
// Both rows stay in local memory. The cell of diagonal k and cost s stands at place
// base - s + k of its row: what cost s + 1 makes of places p - 1, p and p + 1 goes to p - 1, so a
// row is changed in place, and a group that goes through it in ascending order has to wait only
// between reading and writing. What stands outside of the diagonals of interest is either
// WFA_PAIRS_UNREACHED or a cell that a path of that cost reaches too: it does no harm.
//
// A cell reads both texts; 32 symbols are compared at a time, backwards as well as forwards, so
// there is no reversed copy. Longer matches are walked by the team together (team.h), 32 symbols a
// member. Texts are followed by others, so a match ends where the first of both texts does; values
// may run past that end, as if symbols followed that never match.
//
// With SPILL the rows are in global memory, for costs that local memory has no room for, and a
// launch takes so many half steps only; the next one goes on.
//
//   a, b       planes of all packed texts (planes.h, interleaved)
//   a_texts, b_texts   where each begins, and its length
//   pairs      a WfaPair a group, from launch.first on
//   answers    the distance, or why there is none (wfa/pairs.h); in step with the pairs
//   rows       two rows of launch.room cells: the group's, or with SPILL a group
//   halves     with SPILL the half step that each group comes to next, 0 at the start
//
//   WG      work-group size                                      tuned
//   DIAGS   diagonals that a work-item has at a time             tuned
//   SPILL   1: rows in global memory                             follows the distance
//   TEAM    team.h                                               follows the device
//   PLANES, SETS   planes.h                                      follow the texts
//
// check: -DWG=32 -DDIAGS=1 -DSPILL=0 -DTEAM=1 -DPLANES=2 -DSETS=0
// check: -DWG=1 -DDIAGS=1 -DSPILL=0 -DTEAM=1 -DPLANES=8 -DSETS=0
// check: -DWG=64 -DDIAGS=4 -DSPILL=0 -DTEAM=1 -DPLANES=4 -DSETS=1
// check: -DWG=64 -DDIAGS=2 -DSPILL=1 -DTEAM=1 -DPLANES=1 -DSETS=0
#include "wfa/pairs.h"

#include "wfa/front.h"
#include "wfa/runs.h"

// Texts are short enough for positions without a bias.
#define WFA_PAIRS_UNREACHED (-0x40000000)

#if SPILL
#define ROWS __global
#define ROWS_FENCE CLK_GLOBAL_MEM_FENCE
#else
#define ROWS __local
#define ROWS_FENCE CLK_LOCAL_MEM_FENCE
#endif

// What was written to rows can be read by the whole group.
FN void group_wait(void) {
#if WG > TEAM
  barrier(CLK_LOCAL_MEM_FENCE | ROWS_FENCE);
#else
  team_wait();
#endif
}

// The same, and whether a work-item of the group says yes. `turn` counts the calls, from 0.
FN int group_any(int yes, int item, int turn, __local int* flags) {
#if WG > TEAM
#if SPILL
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  return barrier_any(yes, item, turn, flags);
#else
  team_wait();
  return team_ballot(yes) != 0;
#endif
}

// Brings a row to `cost`, from the one before, on diagonals -down to up. Returns whether a cell of
// this work-item overlaps with the row of the other direction, of cost `facing_cost`; -1 if there
// is none yet.
FN int advance(const Pair* pair, const int back, int item, ROWS i32* row, ROWS const i32* facing,
               i32 base, i32 cost, i32 facing_cost, i32 down, i32 up) {
  const i32 k_end = pair->n - pair->m;
  int met = 0;
  const i32 count = down + up + 1;
  for (i32 first = 0; first < count; first += WG * DIAGS) {
    i32 x[DIAGS];
    UNROLLED for (int v = 0; v < DIAGS; ++v) {
      const i32 k = min(first + v * WG + item, count - 1) - down;
      ROWS const i32* before = row + (base - cost + 1 + k);
      x[v] = wfa_step(before[-1], before[0], before[1]);
      const i32 left = min(pair->m - (x[v] - k), pair->n - x[v]);
      const int inside = (first + v * WG + item < count) & (x[v] >= 0) & (left > 0);
      const i32 run = run_at(pair, back, inside, x[v] - k, x[v], left);
      x[v] += run;
      const int on = (run == 32) & (left > 32);
#if TEAM > 1
      for (u32 asking = team_ballot(on); asking != 0; asking &= asking - 1) {
        const u32 asker = team_first(asking);
        const i32 more =
            walk(pair, back, item, (i32)team_get((u32)k, asker), (i32)team_get((u32)x[v], asker),
                 (i32)team_get((u32)(left - run), asker));
        x[v] += (item & (TEAM - 1)) == (int)asker ? more : 0;
      }
#else
      if (on) x[v] += walk(pair, back, item, k, x[v], left - run);
#endif
    }
    group_wait();
    UNROLLED for (int v = 0; v < DIAGS; ++v) {
      const i32 k = first + v * WG + item - down;
      if (k <= up) row[base - cost + k] = x[v];
      const i32 opposite = k_end - k;
      const int faced = (k <= up) & (opposite + facing_cost >= 0) & (opposite <= facing_cost);
      const i32 from_there = facing[base - facing_cost + (faced ? opposite : 0)];
      met |= faced & (x[v] + from_there >= pair->n);
    }
  }
  if (item == 0) row[base - 2 * cost - 2] = row[base - 2 * cost - 1] = WFA_PAIRS_UNREACHED;
  return met;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_pairs(
    __global const u32* restrict a, __global const u32* restrict b,
    __global const WfaText* restrict a_texts, __global const WfaText* restrict b_texts,
    __global const WfaPair* restrict pairs, __global u32* restrict answers, ROWS i32* rows,
    __global u32* restrict halves, const WfaPairsLaunch launch) {
  const int item = (int)get_local_id(0);
  const u32 group = (u32)get_group_id(0);
  const WfaPair asked = pairs[launch.first + group];
  const Pair pair = pair_of(a, b, a_texts[asked.a], b_texts[asked.b]);
  const i32 most = (i32)asked.most;
  const i32 k_end = pair.n - pair.m;
  __local int flags[3];
  const i32 room = (i32)launch.room;
#if SPILL
  const int open = answers[launch.first + group] == WFA_UNDECIDED;
  ROWS i32* const forward = rows + (ulong)group * 2 * launch.room;
  i32 taken = (i32)halves[group];
  const i32 stop = min(taken + (i32)launch.steps, most + 2);
#else
  int open = 1;
  ROWS i32* const forward = rows;
  i32 taken = 0;
  const i32 stop = most + 2;
#endif
  ROWS i32* const backward = forward + room;
  const i32 base = room - 3;
  if (item == 0) {
    flags[0] = flags[1] = flags[2] = 0;
    if (taken == 0) {
      // As if cost -1 had come to just before the start.
      forward[base + 1] = backward[base + 1] = -1;
      forward[base] = backward[base] = WFA_PAIRS_UNREACHED;
      forward[base + 2] = backward[base + 2] = WFA_PAIRS_UNREACHED;
    }
  }
  group_wait();

  u32 answer = WFA_BEYOND;
  // (With abs(), and the least diagonal as a maximum of negative numbers, NVIDIA's compiler of
  // driver 580 makes a kernel that goes through one diagonal only.)
  int going = open && k_end <= most && k_end + most >= 0;
  int turn = 0;
  while (going && taken < stop) {
    const i32 cost = taken >> 1;
    // A path of `most` has most - cost left for the diagonals that are missing to the last one.
    const i32 down = min(min(cost, most - cost - k_end), pair.m);
    const i32 up = min(min(cost, most - cost + k_end), pair.n);
    const int met =
        taken & 1 ? advance(&pair, 1, item, backward, forward, base, cost, cost, down, up)
                  : advance(&pair, 0, item, forward, backward, base, cost, cost - 1, down, up);
    if (group_any(met, item, turn++, flags)) {
      answer = (u32)(taken - 1);
      going = 0;
    }
#if !SPILL
    if (going && asked.look > 0 && taken == (i32)asked.look + 1) {
      int ahead = 0;
      for (i32 p = base - 2 * cost + item; p <= base; p += WG)
        ahead |= forward[p] >= (i32)asked.ahead || backward[p] >= (i32)asked.ahead;
      if (!group_any(ahead, item, turn++, flags)) {
        answer = WFA_GIVEN_UP;
        going = 0;
      }
    }
#endif
    ++taken;
  }
#if SPILL
  if (going && taken < most + 2) answer = WFA_UNDECIDED;
  if (item == 0) halves[group] = (u32)taken;
#endif
  if (item == 0 && open) answers[launch.first + group] = answer;
}
