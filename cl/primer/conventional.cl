// SPDX-License-Identifier: Apache-2.0
// primer/conventional.cl -- k-difference primers by rows of Sellers' matrix, a group of work-items
// a start (Feuser and Moreano 2018: "conventional", figure 2a).
//
// D[i][c] is the least distance of alpha[j..j+i) and a substring of the text that ends at c. The
// last row with a cell below k is what is looked for: one symbol more makes the primer. Below a row
// without such a cell there is none.
//
// With TILE a launch computes WG rows of each start, a row a work-item, along anti-diagonals: work-
// item t is t columns behind the first. What the last row has is kept in `saved`, and is what the
// next launch finds above its first one; a column is read there long before it is written. Without
// TILE a launch computes some anti-diagonals of whole matrices, three of which are in `saved`.
// Work-items meet at a barrier after every step.
//
//   alpha, text  codes of symbols, a byte each
//   found   for each start the last row with a cell below k, at least what was found before
//   saved   for each start n + 1 values (TILE) or 3 (rows + 1) values
//   done    for each start the rows that were computed, or all, when nothing more is to be computed
//   first   start of the first group
//   rows    that a start has at most; m: symbols of alpha; n: of the text
//   self    place in the text of alpha's symbol 0, which then does not match itself; or less than
//   -m
//
//   WG        work-items a group
//   TILE      optimisation 4: 1 tiles of WG rows; 0 whole anti-diagonals
//   STOP      optimisation 1: 1 ends at the first tile whose last row has no cell below k
//   REDUCE    optimisation 3: 1 each work-item keeps its own result; 0 all change one
//   NEAR      optimisation 5: 1 the tile's symbols of alpha are copied to local memory
//   SETS      1: codes match that share a bit
//
// check: -DWG=64 -DTILE=1 -DSTOP=1 -DREDUCE=1 -DNEAR=1 -DSETS=0
// check: -DWG=32 -DTILE=1 -DSTOP=0 -DREDUCE=0 -DNEAR=0 -DSETS=1
// check: -DWG=32 -DTILE=0 -DSTOP=0 -DREDUCE=0 -DNEAR=0 -DSETS=0
#include "primer/largest.h"
#include "primer/match.h"

// Whether the symbols of row i and column c (both from 1 on) match.
static bool cell_matches(u32 x, __global const uchar* text, u32 start, u32 i, u32 c, i32 self) {
  return symbols_match(x, text[c - 1]) && (i32)(c - 1) != self + (i32)(start + i - 1);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void primer_conventional(
    __global const uchar* restrict alpha, __global const uchar* restrict text,
    __global u32* restrict found, __global u32* restrict saved, __global u32* restrict done,
    u32 first, u32 m, u32 rows, u32 n, u32 k, i32 self, u32 step, u32 steps) {
  const u32 t = (u32)get_local_id(0), g = (u32)get_group_id(0), start = first + g;
  __local u32 shared[2 * WG];
  __local i32 common;
  const u32 all = min_u32(rows, m - start);
  i32 best = 0;
  if (t == 0) common = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#if TILE
  // Rows above + 1 .. above + WG.
  __global u32* row = saved + (u64)g * (n + 1);
  const u32 above = step * WG;
  if (done[g] != above || above >= all) return;
  const u32 i = above + t + 1;
  const bool there = i <= all;
  const u32 last = min_u32(WG, all - above) - 1;
#if NEAR
  __local uchar near[WG];
  if (there) near[t] = alpha[start + i - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  u32 left = i, corner = i - 1;  // column 0
  if (there && left < k) FIND(best, &common, i);
  if (t == last) row[0] = i;
  shared[t] = shared[WG + t] = left;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (u32 s = 1; s < n + WG; ++s) {
    __local u32* before = shared + ((s & 1) ? 0 : WG);
    __local u32* now = shared + ((s & 1) ? WG : 0);
    if (there && s > t && s - t <= n) {
      const u32 c = s - t;
      const u32 up = t > 0 ? before[t - 1] : above > 0 ? row[c] : 0;
#if NEAR
      const u32 x = near[t];
#else
      const u32 x = alpha[start + i - 1];
#endif
      const u32 across = corner + (cell_matches(x, text, start, i, c, self) ? 0 : 1);
      corner = up;
      left = min(min(left, up) + 1, across);
      if (left < k) FIND(best, &common, i);
      now[t] = left;
      if (t == last) row[c] = left;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  const u32 reached = above + last + 1;
#else
  // Anti-diagonals step .. step + steps - 1; that of number s has cells (i, s - i).
  __global u32* lines = saved + (u64)g * 3 * (rows + 1);
  for (u32 s = step; s < step + steps && s <= all + n; ++s) {
    __global u32* now = lines + (u64)(s % 3) * (rows + 1);
    __global const u32* before = lines + (u64)((s + 2) % 3) * (rows + 1);
    __global const u32* two = lines + (u64)((s + 1) % 3) * (rows + 1);
    for (u32 i = (s > n ? s - n : 0) + t; i <= min_u32(s, all); i += WG) {
      const u32 c = s - i;
      u32 value;
      if (i == 0)
        value = 0;
      else if (c == 0)
        value = i;
      else
        value =
            min(min(before[i], before[i - 1]) + 1,
                two[i - 1] + (cell_matches(alpha[start + i - 1], text, start, i, c, self) ? 0 : 1));
      now[i] = value;
      if (value < k) FIND(best, &common, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
#endif
  best = largest(best, (__local i32*)shared, &common);
  if (t == 0) {
    found[g] = max(found[g], (u32)best);
#if TILE
    const bool goes_on = !STOP || best == (i32)reached;
    done[g] = goes_on && reached == above + WG ? reached : 0x80000000u | reached;
#else
    done[g] = all;
#endif
  }
}
