// SPDX-License-Identifier: Apache-2.0
// planes.h -- texts as bit-planes: where do 32 symbols of one differ from 32 of the other?
//
// Bit (i & 31) of word (FRONT + i / 32) * PLANES + p is bit p of symbol i's code; the host's
// seq::Planes has the layout and the spare words. Planes of one word stand side by side, so a
// window costs two short loads a text.
//
//   PLANES  bits of a code, 1..8                             follows the alphabet
//   SETS    1: codes are sets of bases that match when they
//           share one; 0: codes match when they are equal    follows --ambiguous
#ifndef RHOMB_CL_PLANES_H
#define RHOMB_CL_PLANES_H

#include "common.h"

#define PLANES_FRONT 2

// Bit b is 1 when symbol i + b of `a` does not match symbol j + b of `b`.
FN u32 planes_mismatch(GLOBAL const u32* a, u32 i, GLOBAL const u32* b, u32 j) {
  GLOBAL const u32* p = a + ((i >> 5) + PLANES_FRONT) * PLANES;
  GLOBAL const u32* t = b + ((j >> 5) + PLANES_FRONT) * PLANES;
#if PLANES == 2 && !SETS && defined(__OPENCL_C_VERSION__)
  // Both planes of a word in one load.
  const uint2 p0 = *(GLOBAL const uint2*)p, p1 = *(GLOBAL const uint2*)(p + 2);
  const uint2 t0 = *(GLOBAL const uint2*)t, t1 = *(GLOBAL const uint2*)(t + 2);
  const u32 x0 = funnel_right(p0.x, p1.x, i), y0 = funnel_right(t0.x, t1.x, j);
  const u32 x1 = funnel_right(p0.y, p1.y, i), y1 = funnel_right(t0.y, t1.y, j);
  return (x0 ^ y0) | (x1 ^ y1);
#else
  u32 found = 0;
  for (int k = 0; k < PLANES; ++k) {
    const u32 x = funnel_right(p[k], p[PLANES + k], i);
    const u32 y = funnel_right(t[k], t[PLANES + k], j);
#if SETS
    found |= x & y;
#else
    found |= x ^ y;
#endif
  }
  return SETS ? ~found : found;
#endif
}

#endif
