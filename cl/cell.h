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
#define FUNNEL_LEFT(high, low, by) ((WORD)((high) << (by)) | (WORD)((low) >> (32 - (by))))

// pv, mv: left edge in, right edge out; ph, mh: top edge in, bottom edge out.
FN void cell_edit(WORD match, WORD* pv, WORD* mv, WORD* ph, WORD* mh) {
  const WORD zero = match | *mv | *mh;  // the difference along the diagonal is 0
  const WORD ph_out = *mv | ~(zero | *pv);
  const WORD mh_out = *pv & zero;
  *pv = *mh | ~(zero | *ph);
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
  UNROLLED for (int p = 1; p < PLANES; ++p) common |= a[p] & b[p];
  return common;
#else
  WORD differ = a[0] ^ b[0];
  UNROLLED for (int p = 1; p < PLANES; ++p) differ |= a[p] ^ b[p];
  return ~differ;
#endif
}

#endif
