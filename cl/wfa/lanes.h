// SPDX-License-Identifier: Apache-2.0
// wfa/lanes.h -- windows of mismatch bits, for a scalar (VEC 1) or for vectors of VEC lanes.
//
// Each diagonal has a window: 32 mismatch bits from position `base` on. The run of matches from a
// position at distance `off` into the window is found by shifting and counting zeros.
//
//   VEC  lanes of a variable: 1 on GPUs, 4, 8 or 16 on CPUs   follows the device
#ifndef RHOMB_CL_WFA_LANES_H
#define RHOMB_CL_WFA_LANES_H

#include "common.h"
#include "wfa/front.h"

#if VEC == 1
// A window as the device counts best: first symbol in the highest bit where one instruction counts
// leading zeros and another turns a word round, else first symbol in the lowest bit.
#if HAVE_PTX
FN u32 window_of(u32 mismatch) {
  u32 turned;
  asm("brev.b32 %0, %1;" : "=r"(turned) : "r"(mismatch));
  return turned;
}
// What is left of the window `off` symbols in; 0 when it is used up. PTX shifts do not wrap.
FN u32 window_from(u32 window, u32 off) {
  u32 left;
  asm("shl.b32 %0, %1, %2;" : "=r"(left) : "r"(window), "r"(off));
  return left;
}
// A window without the mismatches of its first `off` symbols.
FN u32 window_after(u32 window, u32 off) {
  u32 kept;
  asm("shr.b32 %0, %1, %2;" : "=r"(kept) : "r"(0xffffffffu), "r"(off));
  return window & kept;
}
// Matches before the first mismatch; 32 when there is none.
FN i32 window_run(u32 left) {
  i32 zeros;
  asm("clz.b32 %0, %1;" : "=r"(zeros) : "r"(left));
  return zeros;
}
#else
FN u32 window_of(u32 mismatch) { return mismatch; }
FN u32 window_from(u32 window, u32 off) { return off < 32u ? window >> off : 0u; }
FN u32 window_after(u32 window, u32 off) { return off < 32u ? window & 0xffffffffu << off : 0u; }
FN i32 window_run(u32 left) {
#if defined(__OPENCL_C_VERSION__)
  // OpenCL C 1.2 counts only leading zeros, so the lowest one bit is cut out first.
  return left == 0 ? 32 : 31 - (i32)clz(left & (0u - left));
#else
  return left == 0 ? 32 : __builtin_ctz(left);
#endif
}
#endif

#else
#define LANES_PASTE(a, b) a##b
#define LANES_NAME(a, b) LANES_PASTE(a, b)
typedef LANES_NAME(int, VEC) lanes;
typedef LANES_NAME(uint, VEC) ulanes;
#define LANES_ULANES(x) LANES_NAME(as_uint, VEC)(x)
#define LANES_LANES(x) LANES_NAME(as_int, VEC)(x)
#define LANES_FLOAT(x) LANES_NAME(convert_float, VEC)(x)
#define LANES_LOAD(p) LANES_NAME(vload, VEC)(0, p)
#define LANES_STORE(x, p) LANES_NAME(vstore, VEC)(x, 0, p)

FN lanes lanes_step(lanes below, lanes same, lanes above) {
  return max(max(below, same) + 1, above);
}

// By halves: any() makes a branch a lane of it on some compilers.
FN int lanes_any_zero(ulanes x) {
  const lanes zero = x == 0u;
#if VEC == 16
  const int8 eight = zero.lo | zero.hi;
  const int4 four = eight.lo | eight.hi;
#elif VEC == 8
  const int4 four = zero.lo | zero.hi;
#else
  const int4 four = zero;
#endif
  const int2 two = four.lo | four.hi;
  return (two.x | two.y) != 0;
}

FN ulanes window_from(ulanes window, ulanes off) {
  // A vector comparison is all ones where it holds.
  return (window >> (off & 31u)) & LANES_ULANES(off < 32u);
}

FN lanes window_run(ulanes left) {
  // The lowest one bit is a power of two, so its float is exact and the exponent is its place.
  const ulanes lowest = left & (0u - left);
  return LANES_LANES((LANES_ULANES(LANES_FLOAT(lowest)) >> 23) - 127u);
}
#endif

#endif
