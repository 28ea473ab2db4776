// SPDX-License-Identifier: Apache-2.0
// gaps/paper.cl -- alignments with at most `gaps` gaps as Carroll, Ojiaku and Wong (2019, algorithm
// 1) compute them: a group has a pair of texts and fills one layer's matrix after the other, row by
// row, its work-items side by side along the query. Two matrices in global memory hold the layer
// and the one before; rows and what the best gaps begin with are in local memory. The best
// beginning of a gap along a row is found by a scan over the row, by doubling distances.
//
// H has for each cell of a layer 0 for a pair, -r for a gap of r symbols that only the query has,
// or r for one that only the target has. The paper keeps that of the last layer alone, and walks
// through it; that finds alignments with too many gaps or another score, since what stands before a
// gap is of the layer below. So here H is kept of every layer, and the walk goes down with each
// gap.
//
// Where several come to the same score a pair is taken before a gap in the target, that before one
// in the query, and short gaps before long ones. Layers are from 0; cell (i, j) has i symbols of
// the target and j of the query.
//
//   queries, targets, tasks, answers, runs   task.h
//   table     score of (target, query), `symbols` a row
//   layers    two matrices of `cells` ints for each group
//   h         with BACK, one of them for each group and layer from 1 on
//   local     row, before, down, from: `columns` ints each
//
//   WG     work-items a group                                                      tuned
//   BACK   0: scores; 1: this kernel walks back; 2: H is kept for the host to walk   the variant
//
// check: -DWG=64 -DBACK=0
// check: -DWG=32 -DBACK=1
// check: -DWG=128 -DBACK=2
#include "gaps/task.h"

#define NEVER (-(1 << 30))
#define POSSIBLE (-(1 << 29))

// The best of what stands before column j in a row, each less extend times its column, and where:
// the last such column.
typedef struct {
  int value, place;
} Start;

static Start later(Start left, Start right) { return right.value >= left.value ? right : left; }

#if BACK == 1
static void walk(__global const int* h, uint cells, uint m, uint gaps,
                 __global const GapsAnswer* answers, __global uint* runs) {
  uint count = 0;
  runs[0] = runs[1] = 0;
  if (answers[gaps].score == GAPS_NONE) return;
  uint q = 0;
  while (answers[q].score != answers[gaps].score) ++q;
  uint i = answers[q].end, j = m, pairs = 0;
  while (i > 0 || j > 0) {
    const int gap = q > 0 ? h[(size_t)(q - 1) * cells + (size_t)i * (m + 1) + j] : 0;
    if (gap == 0) {
      ++pairs;
      --i;
      --j;
      continue;
    }
    if (pairs > 0) runs[2 + count++] = pairs << 2 | GAPS_PAIR;
    pairs = 0;
    runs[2 + count++] = gap < 0 ? (uint)-gap << 2 | GAPS_INSERT : (uint)gap << 2 | GAPS_DELETE;
    if (gap < 0)
      j -= (uint)-gap;
    else
      i -= (uint)gap;
    --q;
  }
  if (pairs > 0) runs[2 + count++] = pairs << 2 | GAPS_PAIR;
  runs[0] = count;
}
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void gaps_paper(
    __global const uchar* queries, __global const uchar* targets, __global const GapsTask* tasks,
    __global const int* table, __global int* layers, __global int* h, __global GapsAnswer* answers,
    __global uint* runs, uint first, uint gaps, uint cells, uint symbols, int open, int extend,
    uint global_ends, __local int* rows, uint columns) {
  __local Start scan[2][WG];
  __local Start carried;
  const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
  const GapsTask task = tasks[first + group];
  const uint m = task.m, n = task.n, width = m + 1;
  __global const uchar* const x = queries + task.query;
  __global const uchar* const t = targets + task.target;
  __global int* const two = layers + (size_t)group * 2 * cells;
  __global GapsAnswer* const found = answers + (size_t)task.number * (gaps + 1);
  __local int* const down = rows;            // the best gap that ends here came from this value
  __local int* const from = down + columns;  // and from this row
  __local int* row = from + columns;         // of G_q
  __local int* before = row + columns;

  // G_0 has but the diagonal.
  for (uint cell = item; cell < (n + 1) * width; cell += WG) two[cell] = NEVER;
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    int score = 0;
    two[0] = 0;
    for (uint i = 1; i <= min(n, m); ++i)
      two[(size_t)i * width + i] = score += table[t[i - 1] * symbols + x[i - 1]];
    const bool whole = n >= m && (!global_ends || n == m);
    found[0].score = whole ? score : GAPS_NONE;
    found[0].end = m;
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);

  for (uint q = 1; q <= gaps; ++q) {
    __global const int* const below = two + (size_t)((q + 1) % 2) * cells;  // G_{q-1}
    __global int* const own = two + (size_t)(q % 2) * cells;
#if BACK
    __global int* const gap = h + ((size_t)group * gaps + (q - 1)) * cells;
#endif
    for (uint j = item; j <= m; j += WG) {
      before[j] = own[j] = j == 0 ? 0 : open + extend * (int)(j - 1);
      down[j] = below[j];
      from[j] = 0;
#if BACK
      gap[j] = -(int)j;
#endif
    }
    GapsAnswer best = {GAPS_NONE, 0};  // of work-item 0
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (item == 0 && (!global_ends || n == 0)) {
      best.score = before[m];
      best.end = 0;
    }
    for (uint i = 1; i <= n; ++i) {
      const uint row_at = i * width;
      if (item == 0) {
        row[0] = own[row_at] = open + extend * (int)(i - 1);
#if BACK
        gap[row_at] = (int)i;
#endif
        carried.value = below[row_at];
        carried.place = 0;
      }
      for (uint base = 1; base <= m; base += WG) {
        const uint j = base + item;
        // Of columns up to j - 1: carried, and those of this piece.
        Start start = {NEVER, 0};
        if (item > 0 && j <= m) {
          start.value = below[row_at + j - 1] - extend * (int)(j - 1);
          start.place = (int)j - 1;
        }
        scan[0][item] = start;
        uint now = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint distance = 1; distance < WG; distance *= 2) {
          start = scan[now][item];
          if (item >= distance) start = later(scan[now][item - distance], start);
          now = 1 - now;
          scan[now][item] = start;
          barrier(CLK_LOCAL_MEM_FENCE);
        }
        start = later(carried, scan[now][item]);
        if (j <= m) {
          const int above = below[row_at - width + j];
          if (down[j] + extend * ((int)i - 1 - from[j]) <= above) {
            down[j] = above;
            from[j] = (int)i - 1;
          }
          int score = before[j - 1] + table[t[i - 1] * symbols + x[j - 1]];
          const int along = start.value + open + extend * ((int)j - 1);
          const int upward = down[j] + open + extend * ((int)i - 1 - from[j]);
#if BACK
          gap[row_at + j] = score >= max(along, upward) ? 0
                            : along >= upward           ? start.place - (int)j
                                                        : (int)i - from[j];
#endif
          score = max(score, max(along, upward));
          row[j] = own[row_at + j] = score;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == WG - 1 && j <= m) {
          start.value = max(start.value, below[row_at + j] - extend * (int)j);
          if (start.value == below[row_at + j] - extend * (int)j) start.place = (int)j;
          carried = start;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
      if (item == 0 && (!global_ends || i == n) && row[m] > best.score) {
        best.score = row[m];
        best.end = i;
      }
      __local int* const other = row;
      row = before;
      before = other;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
      if (best.score < POSSIBLE) best.score = GAPS_NONE;
      found[q] = best;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // nobody begins the next layer's rows before
  }
#if BACK == 1
  if (item == 0)
    walk(h + (size_t)group * gaps * cells, cells, m, gaps, found,
         runs + (size_t)task.number * GAPS_RUNS(gaps));
#endif
}
