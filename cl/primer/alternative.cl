// SPDX-License-Identifier: Apache-2.0
// primer/alternative.cl -- k-difference primers by furthest rows on diagonals, a group of work-
// items a start (Feuser and Moreano 2018: "alternative", figure 2b; Landau and Vishkin 1986).
//
// L[d][e] is the furthest row that e differences reach on diagonal d = column - row:
//
//   row = max(L[d-1][e-1], L[d+1][e-1] + 1, L[d][e-1] + 1), then on as long as symbols match
//
// The largest L[d][k-1] of all diagonals is the longest prefix of alpha[j..) with k - 1
// differences; one symbol more makes the primer. On diagonals below 0 it begins with
// L[d][-d-1] = -d-1 and L[d][-d-2] = -d-2, elsewhere with L[d][-1] = -1.
//
// With TILE a group takes WG diagonals at a time through all e. From one e to the next the tile
// moves a diagonal to the left, so that all it needs of other tiles are the last two diagonals of
// the tile before it, 2 k values. Tiles of a launch: tile .. tile + tiles - 1; between launches
// these values are in `saved`. Without TILE a launch takes all diagonals through some e: tile ..
// tile + tiles - 1 then counts differences, and two columns of L are in `saved`.
//
//   alpha, text  codes of symbols, a byte each
//   found    for each start the furthest row so far
//   saved    for each start 2 k values (TILE) or 2 (n + k + 2)
//   counts   for each start comparisons of symbols, those whose symbol of alpha was not in local
//            memory, those whose symbol of the text was not (COUNT)
//   first, rows, m, n, k, self   conventional.cl
//   near     symbols of alpha that are copied to local memory; local memory has near + (near + WG)
//            bytes, as far as they are used
//
//   WG        work-items a group
//   TILE      optimisation 4: 1 tiles of WG diagonals; 0 whole columns of L
//   STOP      optimisation 2: 1 ends when the rest of alpha occurs with less than k differences
//   REDUCE    optimisation 3: 1 each work-item keeps its own result; 0 all change one
//   NEAR      optimisations 5 and 6: 0 none; 1 alpha's first symbols are copied to local memory;
//             2 those of the text too, as far as a tile will probably need them (with TILE)
//   COUNT     1: comparisons are counted
//   SETS      1: codes match that share a bit
//
// check: -DWG=64 -DTILE=1 -DSTOP=0 -DREDUCE=1 -DNEAR=2 -DCOUNT=1 -DSETS=0
// check: -DWG=32 -DTILE=1 -DSTOP=1 -DREDUCE=0 -DNEAR=1 -DCOUNT=0 -DSETS=1
// check: -DWG=32 -DTILE=0 -DSTOP=1 -DREDUCE=1 -DNEAR=0 -DCOUNT=1 -DSETS=0
#include "primer/largest.h"
#include "primer/match.h"

typedef struct {
  __global const uchar* alpha;  // from the start on
  __global const uchar* text;
  i32 rows, n;
  i32 self;  // column of the text that row 0 stands for
#if NEAR
  __local const uchar* near_alpha;
  i32 near;
#endif
#if NEAR == 2
  __local const uchar* near_text;  // column c at c % (near + WG)
  i32 from;                        // columns from .. from + near + WG - 1 are there
#endif
#if COUNT
  ulong compared, alpha_missed, text_missed;
#endif
} Pair;

static bool pair_matches(Pair* p, i32 row, i32 column) {
  bool alpha_near = false, text_near = false;
  u32 x = 0, y = 0;
#if NEAR
  alpha_near = row < p->near;
  if (alpha_near) x = p->near_alpha[row];
#endif
#if NEAR == 2
  text_near = column >= p->from && column < p->from + p->near + WG;
  if (text_near) y = p->near_text[column % (p->near + WG)];
#endif
  if (!alpha_near) x = p->alpha[row];
  if (!text_near) y = p->text[column];
#if COUNT
  ++p->compared;
  p->alpha_missed += alpha_near ? 0 : 1;
  p->text_missed += text_near ? 0 : 1;
#endif
  return symbols_match(x, y) && column != p->self + row;
}

// The furthest row on diagonal d that begins at `row`.
static i32 pair_slide(Pair* p, i32 row, i32 d) {
  row = min(row, p->rows);
  while (row < p->rows && row + d < p->n && pair_matches(p, row, row + d)) ++row;
  return row;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void primer_alternative(
    __global const uchar* restrict alpha, __global const uchar* restrict text,
    __global i32* restrict found, __global i32* restrict saved, __global ulong* restrict counts,
    u32 first, u32 m, u32 rows, i32 n, i32 k, i32 self, u32 tile, u32 tiles, u32 near,
    __local uchar* restrict near_symbols) {
  const i32 t = (i32)get_local_id(0);
  const u32 g = (u32)get_group_id(0), start = first + g;
  __local i32 values[WG + 2], common;
  Pair p;
  p.alpha = alpha + start;
  p.text = text;
  p.rows = (i32)min_u32(rows, m - start);
  p.n = n;
  p.self = self + (i32)start;
#if COUNT
  p.compared = p.alpha_missed = p.text_missed = 0;
#endif
  if (found[g] >= p.rows) return;
#if NEAR
  for (i32 i = t; i < (i32)near && i < p.rows; i += WG) near_symbols[i] = p.alpha[i];
  p.near_alpha = near_symbols;
  p.near = (i32)near;
#endif
  if (t == 0) common = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  i32 best = 0;
#if TILE
  // What the tile before had on its last two diagonals with e differences, at 2 e and 2 e + 1.
  __global i32* edge = saved + (u64)g * 2 * (u32)k;
#if NEAR == 2
  __local uchar* near_text = near_symbols + near;
  p.near_text = near_text;
  const i32 ring = (i32)near + WG;
#endif
  for (u32 number = tile; number < tile + tiles; ++number) {
    const i32 base = (i32)number * WG;
#if NEAR == 2
    // The first tile of a launch copies all, others what is new.
    p.from = base;
    for (i32 c = base + (number == tile ? 0 : (i32)near) + t; c < base + ring && c < n; c += WG)
      near_text[c % ring] = text[c];
#endif
    values[t + 2] = -1;
    if (t < 2) values[t] = -1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (i32 e = 0; e < k; ++e) {
      const i32 d = base + t - e;
      // What this tile leaves there overwrites it.
      const i32 next = t < 2 && number > 0 ? edge[2 * e + t] : e;
      const i32 row = max(values[t], max(values[t + 1], values[t + 2]) + 1);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      const i32 reached = d < n ? pair_slide(&p, row, d) : -1;
      values[t + 2] = reached;
      if (t < 2) values[t] = next;
      if (t >= WG - 2) edge[2 * e + t - (WG - 2)] = reached;
      if (e == k - 1 || (reached == p.rows * STOP)) FIND(best, &common, reached);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
#if STOP
    if (largest(best, values, &common) >= p.rows) break;
#endif
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
#else
  // Diagonal d at d + k + 1.
  const u32 width = (u32)(n + k + 2);
  __global i32* columns = saved + (u64)g * 2 * width;
  for (i32 e = (i32)tile; e < (i32)(tile + tiles) && e < k; ++e) {
    __global i32* now = columns + (e & 1 ? width : 0) + k + 1;
    __global const i32* before = columns + (e & 1 ? 0 : width) + k + 1;
    for (i32 d = -e + t; d < n; d += WG) {
      const i32 a = e == 0 ? -1 : d - 1 <= -e ? e - 1 : before[d - 1];
      const i32 b = e == 0 || d + 1 >= n ? -1 : before[d + 1];
      const i32 c = e == 0 ? -1 : d <= -e ? e - 1 : before[d];
      const i32 reached = pair_slide(&p, max(a, max(b, c) + 1), d);
      now[d] = reached;
      if (e == k - 1 || (reached == p.rows * STOP)) FIND(best, &common, reached);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if STOP
    if (largest(best, values, &common) >= p.rows) break;
#endif
  }
#endif
  best = largest(best, values, &common);
  if (t == 0) found[g] = max(found[g], best);
#if COUNT
  // Sums of 32 bits and their carries would do, but this is not what is timed.
  __local ulong sums[3 * WG];
  sums[t] = p.compared;
  sums[WG + t] = p.alpha_missed;
  sums[2 * WG + t] = p.text_missed;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 3) {
    ulong sum = 0;
    for (u32 i = 0; i < WG; ++i) sum += sums[(u32)t * WG + i];
    counts[3 * g + (u32)t] += sum;
  }
#endif
}
