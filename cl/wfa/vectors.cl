// SPDX-License-Identifier: Apache-2.0
// wfa/vectors.cl -- the kernel of wfa/fused.cl for CPUs: one work-item a tile, vectors of
// diagonals.
//
// What is computed, the arguments and the buffers are those of wfa/fused.cl, but that planes stand
// apart (planes.h); read it first. Here a
// tile is TILE = VEC * DIAGS diagonals of one work-item, in arrays that stay in the first-level
// cache. A vector holds VEC neighbouring diagonals, so that where texts are similar, and windows
// are used up fast, few vectors have to be filled anew. Neighbours are loads one element apart.
//
//   VEC    lanes of a vector: 4, 8, 16          follows the device
//   DIAGS  vectors a tile                       tuned
//   PLANES, SETS   planes.h                     follow the texts
//
// check: -DVEC=16 -DDIAGS=32 -DPLANES=2 -DSETS=0
// check: -DVEC=8 -DDIAGS=3 -DPLANES=8 -DSETS=0
// check: -DVEC=4 -DDIAGS=1 -DPLANES=4 -DSETS=1
#include "wfa/lanes.h"
#include "wfa/launch.h"
#include "wfa/meet.h"

#define TILE (VEC * DIAGS)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void wfa_fused(
    __global const u32* restrict a, __global const u32* restrict b, __global int* restrict rows,
    const WfaMeeting meeting, const WfaLaunch launch, __global int* restrict all_status) {
  __global int* restrict status = all_status + launch.status;
  if (status[WFA_MET] < launch.number) return;
  const u32 direction = (u32)get_group_id(1);
  Texts texts;
  texts.a = a + meeting.a + direction * meeting.a_reverse;
  texts.b = b + meeting.b + direction * meeting.b_reverse;
  texts.a_plane = meeting.a_reverse / PLANES;
  texts.b_plane = meeting.b_reverse / PLANES;
  texts.m = meeting.m;
  texts.n = meeting.n;
  const int in_lo = launch.in_lo, in_hi = launch.in_hi, steps = launch.steps;
  const int facing_lo = launch.facing_lo, facing_hi = launch.facing_hi;
  __global const int* restrict from = rows + launch.in + direction * launch.row;
  __global int* restrict to = rows + launch.out + direction * launch.row;

  const int written = launch.out_lo + (int)get_group_id(0) * (TILE - 2 * steps);
  const int first = written - steps;
  const int last = min(written + TILE - 2 * steps - 1, launch.out_hi);

  // Two rows used in turn, with a vector of unreached cells on both sides.
  int even[TILE + 2 * VEC];
  int odd[TILE + 2 * VEC];
  int base[TILE];
  u32 window[TILE];
  for (int i = 0; i < VEC; ++i)
    even[i] = odd[i] = even[TILE + VEC + i] = odd[TILE + VEC + i] = WFA_UNREACHED;
  int* x = even + VEC;
  int* next = odd + VEC;
  for (int i = 0; i < TILE; ++i) {
    const int k = first + i;
    x[i] = k >= in_lo && k <= in_hi ? from[k - in_lo] : WFA_UNREACHED;
    base[i] = x[i];
    window[i] = 0;  // counts as used up: the first step fills it
  }

  // What other groups read, too, is counted by the group that writes there.
  u32 read_sum = 0, written_sum = 0;
  const int own_lo = max(get_group_id(0) == 0 ? in_lo : written, in_lo);
  const int own_hi = min(last == launch.out_hi ? in_hi : last, in_hi);
  for (int k = own_lo; k <= own_hi; ++k) read_sum += (u32)x[k - first];

  if (direction == 0) {
    const int k_end = (int)texts.n - (int)texts.m;
    i64 gap = WFA_OPEN;
    const int lo = max(max(first, in_lo), k_end - facing_hi);
    const int hi = min(min(first + TILE - 1, in_hi), k_end - facing_lo);
    for (int k = lo; k <= hi; ++k) {
      const i64 here =
          gap_between(x[k - first], rows[launch.facing + (u32)(k_end - k - facing_lo)], texts.n);
      gap = here < gap ? here : gap;
    }
    report_gap(gap, launch.cost, launch.number, status);
  }

  for (int s = 0; s < steps; ++s) {
    for (int v = 0; v < TILE; v += VEC) {
      lanes far = lanes_step(LANES_LOAD(x + v - 1), LANES_LOAD(x + v), LANES_LOAD(x + v + 1));
      ulanes left = window_from(LANES_ULANES(LANES_LOAD((const int*)window + v)),
                                LANES_ULANES(far - LANES_LOAD(base + v)));
      if (lanes_any_zero(left)) {
        int reach[VEC];
        u32 fresh[VEC];
        LANES_STORE(far, reach);
        for (int e = 0; e < VEC; ++e) fresh[e] = mismatch_at(&texts, first + v + e, reach[e]);
        for (int e = 0; e < VEC; ++e) {
          while (fresh[e] == 0) {
            reach[e] += 32;
            fresh[e] = mismatch_at(&texts, first + v + e, reach[e]);
          }
        }
        far = LANES_LOAD(reach);
        left = LANES_ULANES(LANES_LOAD((const int*)fresh));
        LANES_STORE(far, base + v);
        LANES_STORE(LANES_LANES(left), (int*)window + v);
      }
      LANES_STORE(far + window_run(left), next + v);
    }
    int* const spare = x;
    x = next;
    next = spare;
  }

  for (int k = written; k <= last; ++k) {
    to[k - launch.out_lo] = x[k - first];
    written_sum += (u32)x[k - first];
  }
  count_rows(read_sum, written_sum, launch.number, status);
}
