// SPDX-License-Identifier: Apache-2.0
// wfa/prefetch.cl -- wfa/stepped.cl with the row before fetched into local memory
// (Castells-Rufas 2023, 4.2.1).
//
// A work-item reads one cell of the row of cost s - 1, its own, and finds those of its neighbours
// in local memory; only the first and the last of a group read a second one. The arguments, the
// buffers and what the host may do are those of wfa/stepped.cl: read it first. Nobody returns
// before the barrier: some compilers (PoCL 3.1) lose values when a whole group does.
//
//   WG    work-group size        tuned
//   BITS, SETS   text.h          follow the texts
//
// check: -DWG=64 -DBITS=2 -DSETS=0
// check: -DWG=1 -DBITS=8 -DSETS=1
#include "wfa/reach.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_prefetch(
    __global const u32* restrict a, u32 m, __global const u32* restrict b, u32 n,
    __global int* restrict rows, u32 row, __global int* restrict answer, int s, int first) {
  const bool over = *answer < s;
  const int k = first + (int)get_global_id(0);
  const int item = (int)get_local_id(0);
  __global const int* from = rows + (u32)((s + 1) & 1) * row + m + 1;
  __global int* to = rows + (u32)(s & 1) * row + m + 1;

  // Rows have a spare cell on both sides of -m to n.
  __local i32 near[WG + 2];
  if (k <= (int)n + 1) near[item + 1] = from[k];
  if (item == 0) near[0] = from[k - 1];
  if (item == WG - 1 && k <= (int)n) near[WG + 1] = from[k + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (over || k < -s || k > s || k < -(int)m || k > (int)n) return;

  const i32 x = s == 0 ? -WFA_BIAS : wfa_step(near[item], near[item + 1], near[item + 2]);
  const u32 j = reach_from(a, m, b, n, k, x);
  to[k] = (i32)(j - WFA_BIAS);
  if (k == (int)n - (int)m && at_the_end(j, n)) *answer = s;
}
