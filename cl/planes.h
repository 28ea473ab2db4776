// SPDX-License-Identifier: Apache-2.0
// planes.h -- texts as bit-planes: where do 32 symbols of one differ from 32 of the other?
//
// Bit p of symbol i's code is bit i & 31 of a word of plane p; PLANES_FRONT spare words stand
// before those of symbol 0 in each plane (host: seq::Planes). GPUs read planes interleaved, the
// words of symbol i side by side, so that a window costs two short loads a text. CPUs read them
// apart, one plane after another, because they can load eight bytes from any address: a load a
// plane and text.
//
//   PLANES  bits of a code, 1..8                             follows the alphabet
//   SETS    1: codes are sets of bases that match when they
//           share one; 0: codes match when they are equal    follows --ambiguous
#ifndef RHOMB_CL_PLANES_H
#define RHOMB_CL_PLANES_H

#include "common.h"

#define PLANES_FRONT 2

#if SETS
#define PLANES_FOUND(x, y) ((x) & (y))
#define PLANES_MISMATCH(found) (~(found))
#else
#define PLANES_FOUND(x, y) ((x) ^ (y))
#define PLANES_MISMATCH(found) (found)
#endif

// Interleaved planes: bit b is 1 when symbol i + b of `a` does not match symbol j + b of `b`.
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
  UNROLLED for (int k = 0; k < PLANES; ++k) {
    const u32 x = funnel_right(p[k], p[PLANES + k], i);
    const u32 y = funnel_right(t[k], t[PLANES + k], j);
    found |= PLANES_FOUND(x, y);
  }
  return PLANES_MISMATCH(found);
#endif
}

// The same for planes that stand apart, `a_plane` and `b_plane` words each.
FN u32 planes_apart_mismatch(GLOBAL const u32* a, u32 a_plane, u32 i, GLOBAL const u32* b,
                             u32 b_plane, u32 j) {
  GLOBAL const unsigned char* p = (GLOBAL const unsigned char*)(a + PLANES_FRONT) + (i >> 3);
  GLOBAL const unsigned char* t = (GLOBAL const unsigned char*)(b + PLANES_FRONT) + (j >> 3);
  u64 found = 0;
  UNROLLED for (int k = 0; k < PLANES; ++k) {
    const u64 x = load_u64(p + (u64)k * 4 * a_plane) >> (i & 7u);
    const u64 y = load_u64(t + (u64)k * 4 * b_plane) >> (j & 7u);
    found |= PLANES_FOUND(x, y);
  }
  return (u32)PLANES_MISMATCH(found);
}

#endif
