// SPDX-License-Identifier: Apache-2.0
// wfa/meet.h -- what the two kernels of meeting wavefronts share: texts, windows, the overlap.
#ifndef RHOMB_CL_WFA_MEET_H
#define RHOMB_CL_WFA_MEET_H

#include "planes.h"
#include "wfa/front.h"
#include "wfa/launch.h"

// The texts in the direction of a group.
typedef struct {
  GLOBAL const u32* a;
  GLOBAL const u32* b;
  u32 a_plane;  // words a plane, where planes stand apart
  u32 b_plane;
  u32 m;
  u32 n;
} Texts;

// The 32 mismatch bits from position x of diagonal k on. Past the ends (and for cells never
// reached, whose position is huge as an unsigned number) they lie in the spare words, which do not
// match.
FN u32 mismatch_at(const Texts* texts, i32 k, i32 x) {
  const u32 j = (u32)x + WFA_BIAS;
  const u32 i = j - (u32)k;
#if VEC == 1
  return planes_mismatch(texts->a, min_u32(i, texts->m), texts->b, min_u32(j, texts->n));
#else
  return planes_apart_mismatch(texts->a, texts->a_plane, min_u32(i, texts->m), texts->b,
                               texts->b_plane, min_u32(j, texts->n));
#endif
}

// Symbols of the text between a forward cell and a backward cell of the same diagonal; 0 or less
// when the wavefronts overlap there.
FN i64 gap_between(i32 forward, i32 backward, u32 n) {
  return (i64)n - ((i64)forward + (i64)backward + 2 * (i64)WFA_BIAS);
}

#if defined(__OPENCL_C_VERSION__)
// Keeps what a work-item found of rows of cost `cost` in both directions: the first launch with an
// overlap, and a bound of the distance, for a gap is closed by as many substitutions.
FN void report_gap(i64 gap, int cost, int launch, __global int* status) {
  if (gap <= 0) {
    atomic_min(&status[WFA_MET], launch);
    atomic_max(&status[WFA_MET + WFA_TWICE], ~launch);
  }
  const i64 bound = 2 * (i64)cost + (gap < 0 ? 0 : gap);
  if (gap < WFA_OPEN && bound < status[WFA_BOUND]) {
    atomic_min(&status[WFA_BOUND], (int)bound);
    atomic_max(&status[WFA_BOUND + WFA_TWICE], ~(int)bound);
  }
}

// Counts what a group has read and written of the rows of launch `number`.
FN void count_rows(u32 read, u32 written, int number, __global int* status) {
  atomic_add(&status[WFA_READ + (number & (WFA_SUMS - 1))], (int)read);
  atomic_add(&status[WFA_WRITTEN + (number + 1 & (WFA_SUMS - 1))], (int)written);
}
#endif

#endif
