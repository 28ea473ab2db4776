// SPDX-License-Identifier: Apache-2.0
// wfa/stepped.cl -- edit distance by a wavefront, one launch a cost (Castells-Rufas 2023, 4.1).
//
// Launch s turns the row of cost s - 1 into the row of cost s, a work-item for each diagonal.
// Launches run in order on one queue, so no work-item ever waits for another. Who lies outside the
// triangle |k| <= s or the matrix -m <= k <= n returns at once; the host decides how many
// work-items it starts: always m + n + 1 (baseline) or those of the triangle (dynamic, batched).
//
// The host may enqueue several launches before it reads `answer`. A work-item that sees the answer
// returns, so a late read costs a few empty launches and never a wrong result.
//
//   a, b    packed pattern and text (text.h)
//   rows    two rows of `row` = m + n + 3 biased positions (wfa/front.h), diagonal k at k + m + 1;
//           WFA_UNREACHED at the start; row s & 1 is written by launch s
//   answer  WFA_OPEN until the wavefront reaches the end of both texts, then the distance
//
//   WG    work-group size        tuned
//   BITS, SETS   text.h          follow the texts
//
// check: -DWG=64 -DBITS=2 -DSETS=0
// check: -DWG=128 -DBITS=8 -DSETS=0
// check: -DWG=32 -DBITS=8 -DSETS=1
#include "wfa/reach.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_stepped(
    __global const u32* restrict a, u32 m, __global const u32* restrict b, u32 n,
    __global int* restrict rows, u32 row, __global int* restrict answer, int s, int first) {
  const int k = first + (int)get_global_id(0);
  if (k < -s || k > s || k < -(int)m || k > (int)n || *answer < s) return;
  __global const int* from = rows + (u32)((s + 1) & 1) * row + m + 1;
  __global int* to = rows + (u32)(s & 1) * row + m + 1;

  const i32 x = s == 0 ? -WFA_BIAS : wfa_step(from[k - 1], from[k], from[k + 1]);
  const u32 j = reach_from(a, m, b, n, k, x);
  to[k] = (i32)(j - WFA_BIAS);
  if (k == (int)n - (int)m && at_the_end(j, n)) *answer = s;
}
