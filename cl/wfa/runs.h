// SPDX-License-Identifier: Apache-2.0
// wfa/runs.h -- how far two of many packed texts match, from a place on, forwards or backwards.
//
// Texts lie in packed planes (planes.h, interleaved), one after another, so a match ends where the
// first of both texts does. 32 symbols are compared at a time; the team (team.h) walks a longer
// match together, 32 symbols a member.
//
//   TEAM   team.h                follows the device
//   PLANES, SETS   planes.h      follow the texts
#ifndef RHOMB_CL_WFA_RUNS_H
#define RHOMB_CL_WFA_RUNS_H

#include "planes.h"
#include "team.h"
#include "wfa/pairs.h"

typedef struct {
  __global const u32* a;
  __global const u32* b;
  u32 a_start, b_start;
  i32 m, n;
} Pair;

FN Pair pair_of(__global const u32* a, __global const u32* b, const WfaText a_text,
                const WfaText b_text) {
  Pair pair;
  pair.a = a;
  pair.b = b;
  pair.a_start = a_text.start;
  pair.b_start = b_text.start;
  pair.m = (i32)a_text.length;
  pair.n = (i32)b_text.length;
  return pair;
}

// Matches of the 32 symbols from (i, j) on, symbols counted from the other end of both texts if
// `back`; at most `left`, and none unless `inside`.
//
// There are no branches here, nor in what follows: a compiler that sees a value that is known on
// one side of a branch makes copies of what comes after for both, and a team that is torn apart
// cannot vote.
FN i32 run_at(const Pair* pair, const int back, int inside, i32 i, i32 j, i32 left) {
  i = inside ? i : 0;
  j = inside ? j : 0;
  i32 run;
  if (back) {  // known to the compiler
    // The 32 symbols before a place begin a word earlier, as many symbols into it.
    const u32 mismatch = planes_mismatch(pair->a - PLANES, pair->a_start + (u32)(pair->m - i),
                                         pair->b - PLANES, pair->b_start + (u32)(pair->n - j));
    run = mismatch == 0 ? 32 : (i32)clz(mismatch);
  } else {
    const u32 mismatch =
        planes_mismatch(pair->a, pair->a_start + (u32)i, pair->b, pair->b_start + (u32)j);
    run = mismatch == 0 ? 32 : 31 - (i32)clz(mismatch & (0u - mismatch));
  }
  return inside ? min(run, left) : 0;
}

// What a match that goes on at (x - k, x) adds, at most `left` symbols, which are more than none.
FN i32 walk(const Pair* pair, const int back, int item, i32 k, i32 x, i32 left) {
  i32 come = 0;
#if TEAM > 1
  i32 run;
  u32 ends;
  do {
    const i32 before = come + 32 * (item & (TEAM - 1));
    run = run_at(pair, back, before < left, x - k + before, x + before, left - before);
    ends = team_ballot(run < 32);
    come += ends == 0 ? 32 * TEAM : 0;
  } while (ends == 0);
  const u32 end = team_first(ends);
  return come + 32 * (i32)end + (i32)team_get((u32)run, end);
#else
  i32 run;
  do {
    run = run_at(pair, back, 1, x - k + come, x + come, left - come);
    come += run;
  } while (run == 32 && come < left);
  return come;
#endif
}

#endif
