// SPDX-License-Identifier: Apache-2.0
// cell.h -- the bit-sliced cell: one bit of each word is a cell of its own.
//
// D is the matrix of edit distances. A cell knows dv = D[i][j] - D[i-1][j] on its right edge and
// dh = D[i][j] - D[i][j-1] on its bottom edge, each in {-1, 0, +1} and kept as two bits: (pv, mv),
// (ph, mh). From the differences on its left and top edges and from whether its symbols match it
// computes those on the right and bottom ones, in five operations of three inputs: one instruction
// each on GPUs (LOP3) and with AVX-512 (vpternlog).
//
// The words may be of any integer or vector type: WORD.
#ifndef RHOMB_CL_CELL_H
#define RHOMB_CL_CELL_H

#include "common.h"

// A work-item's word: LANES 32-bit words side by side, each of them the word of one lane.
//
//   LANES   1 on GPUs; a vector register on CPUs: 4, 8 or 16
#if LANES == 1
typedef u32 WORD;
typedef i32 COUNT;
#define ALL_ONES (~0u)
#define MASK(truth) ((truth) ? ~0u : 0u)
#elif LANES == 4
typedef uint4 WORD;
typedef int4 COUNT;
#elif LANES == 8
typedef uint8 WORD;
typedef int8 COUNT;
#else
typedef uint16 WORD;
typedef int16 COUNT;
#endif
#if LANES > 1
#define ALL_ONES ((WORD)(~0u))
// Vectors compare to all ones or none.
#define MASK(truth) __builtin_astype(truth, WORD)
#endif

// 0 < by < 32: `high` moves up by `by` bits, the top bits of `low` follow.
//
// NVIDIA's compilers fuse most of this by themselves, but not all: they merge the halves of a
// funnel shift into the logic that follows, which costs an instruction a plane and a cell. Hence
// the PTX.
#if LANES == 1 && HAVE_PTX
FN u32 funnel_left(u32 high, u32 low, u32 by) {
  u32 made;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(made) : "r"(low), "r"(high), "r"(by));
  return made;
}
#define FUNNEL_LEFT(high, low, by) funnel_left(high, low, by)
#define LOGIC(name, table, expression)                                                \
  FN u32 name(u32 x, u32 y, u32 z) {                                                  \
    u32 made;                                                                         \
    asm("lop3.b32 %0, %1, %2, %3, " table ";" : "=r"(made) : "r"(x), "r"(y), "r"(z)); \
    return made;                                                                      \
  }
#else
#define FUNNEL_LEFT(high, low, by) ((WORD)((high) << (by)) | (WORD)((low) >> (32 - (by))))
#define LOGIC(name, table, expression) \
  FN WORD name(WORD x, WORD y, WORD z) { return expression; }
#endif

LOGIC(logic_any, "0xfe", x | y | z)
LOGIC(logic_or_neither, "0xf1", x | ~(y | z))
LOGIC(logic_or_differ, "0xf6", x | (y ^ z))
LOGIC(logic_same, "0x09", ~(x | (y ^ z)))
LOGIC(logic_or_both, "0xf8", x | (y & z))

// pv, mv: left edge in, right edge out; ph, mh: top edge in, bottom edge out.
FN void cell_edit(WORD match, WORD* pv, WORD* mv, WORD* ph, WORD* mh) {
  const WORD zero = logic_any(match, *mv, *mh);  // the difference along the diagonal is 0
  const WORD ph_out = logic_or_neither(*mv, zero, *pv);
  const WORD mh_out = *pv & zero;
  *pv = logic_or_neither(*mh, zero, *ph);
  *mv = *ph & zero;
  *ph = ph_out;
  *mh = mh_out;
}

// Where 1 the symbols match, given one word of each of PLANES planes of both texts.
//
//   PLANES, SETS   planes.h
FN WORD cell_match(const WORD* a, const WORD* b) {
#if SETS
  WORD common = a[0] & b[0];
  UNROLLED for (int p = 1; p < PLANES; ++p) common = logic_or_both(common, a[p], b[p]);
  return common;
#elif PLANES == 1
  return ~(a[0] ^ b[0]);
#else
  WORD differ = a[0] ^ b[0];
  UNROLLED for (int p = 1; p < PLANES - 1; ++p) differ = logic_or_differ(differ, a[p], b[p]);
  return logic_same(differ, a[PLANES - 1], b[PLANES - 1]);
#endif
}

#endif
