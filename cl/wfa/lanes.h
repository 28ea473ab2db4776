// SPDX-License-Identifier: Apache-2.0
// wfa/lanes.h -- a work-item's lanes: VEC diagonals advance in one operation.
//
// On a GPU VEC is 1 and a lane is an int. On a CPU one work-item fills a vector register. Each
// diagonal has a window: 32 mismatch bits from position `base` on. The run of matches from a
// position at distance `off` into the window is found by shifting and counting zeros.
//
//   VEC  lanes a work-item: 1, 4, 8, 16   follows the device
#ifndef RHOMB_CL_WFA_LANES_H
#define RHOMB_CL_WFA_LANES_H

#include "common.h"
#include "wfa/front.h"

#define LANES_PASTE(a, b) a##b
#define LANES_NAME(a, b) LANES_PASTE(a, b)

// Lane e of a variable, to read or to write. With one lane no address is taken: that would move
// the registers to memory.
#if VEC == 1
#define LANE_I(x, e) (x)
#define LANE_U(x, e) (x)
#else
#define LANE_I(x, e) ((i32*)&(x))[e]
#define LANE_U(x, e) ((u32*)&(x))[e]
#endif

#if VEC == 1
typedef i32 lanes;
typedef u32 ulanes;
#define LANES_ULANES(x) ((u32)(x))
#define LANES_LANES(x) ((i32)(x))
FN lanes lanes_shift_up(lanes x, i32 in) { return in + 0 * x; }
FN lanes lanes_shift_down(lanes x, i32 in) { return in + 0 * x; }
FN i32 lanes_first(lanes x) { return x; }
FN i32 lanes_last(lanes x) { return x; }
FN lanes lanes_step(lanes below, lanes same, lanes above) { return wfa_step(below, same, above); }
#else
typedef LANES_NAME(int, VEC) lanes;
typedef LANES_NAME(uint, VEC) ulanes;
#define LANES_ULANES(x) LANES_NAME(as_uint, VEC)(x)
#define LANES_LANES(x) LANES_NAME(as_int, VEC)(x)
#define LANES_FLOAT(x) LANES_NAME(convert_float, VEC)(x)
FN lanes lanes_step(lanes below, lanes same, lanes above) {
  return max(max(below, same) + 1, above);
}
FN int lanes_any_zero(ulanes x) { return any(x == 0u); }
#if VEC == 4
FN lanes lanes_shift_up(lanes x, i32 in) { return (lanes)(in, x.s012); }
FN lanes lanes_shift_down(lanes x, i32 in) { return (lanes)(x.s123, in); }
FN i32 lanes_last(lanes x) { return x.s3; }
#elif VEC == 8
FN lanes lanes_shift_up(lanes x, i32 in) { return (lanes)(in, x.s0123, x.s456); }
FN lanes lanes_shift_down(lanes x, i32 in) { return (lanes)(x.s1234, x.s567, in); }
FN i32 lanes_last(lanes x) { return x.s7; }
#elif VEC == 16
FN lanes lanes_shift_up(lanes x, i32 in) { return (lanes)(in, x.s01234567, x.s89ab, x.scde); }
FN lanes lanes_shift_down(lanes x, i32 in) { return (lanes)(x.s12345678, x.s9abc, x.sdef, in); }
FN i32 lanes_last(lanes x) { return x.sf; }
#endif
FN i32 lanes_first(lanes x) { return x.s0; }
#endif

// A window as the device counts best: first symbol in the highest bit where one instruction counts
// leading zeros and another turns a word round, else first symbol in the lowest bit.
#if HAVE_PTX && VEC == 1
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
// Matches before the first mismatch; 32 when there is none.
FN i32 window_run(u32 left) {
  i32 zeros;
  asm("clz.b32 %0, %1;" : "=r"(zeros) : "r"(left));
  return zeros;
}
#elif VEC == 1
FN u32 window_of(u32 mismatch) { return mismatch; }
FN u32 window_from(u32 window, u32 off) { return off < 32u ? window >> off : 0u; }
FN i32 window_run(u32 left) {
  // Counts trailing zeros: OpenCL C 1.2 has only the count of leading ones.
#if defined(__OPENCL_C_VERSION__)
  return left == 0 ? 32 : 31 - (i32)clz(left & (0u - left));
#else
  return left == 0 ? 32 : __builtin_ctz(left);
#endif
}
#else
FN u32 window_of(u32 mismatch) { return mismatch; }
FN ulanes window_from(ulanes window, ulanes off) {
  // A vector comparison is all ones where it holds.
  return (window >> (off & 31u)) & LANES_ULANES(off < 32u);
}
FN lanes window_run(ulanes left) {
  // The lowest one bit is a power of two, so its float is exact and the exponent is its place.
  // Nothing left: the exponent wraps to a huge value, which the minimum brings to 32.
  const ulanes lowest = left & (0u - left);
  const ulanes place = (LANES_ULANES(LANES_FLOAT(lowest)) >> 23) - 127u;
  return LANES_LANES(min(place, (ulanes)(32u)));
}
#endif

#endif
