// SPDX-License-Identifier: Apache-2.0
// wfa/reach.h -- a cell's extension over packed texts, by a work-item alone.
//
//   BITS, SETS   text.h    follow the texts
#ifndef RHOMB_CL_WFA_REACH_H
#define RHOMB_CL_WFA_REACH_H

#include "text.h"
#include "wfa/front.h"

// The text position, not biased, that the cell of diagonal k at x reaches by matches. Past the ends
// nothing matches; unreached positions are huge as unsigned numbers.
FN u32 reach_from(GLOBAL const u32* a, u32 m, GLOBAL const u32* b, u32 n, i32 k, i32 x) {
  const u32 j = (u32)x + WFA_BIAS;
  const u32 i = j - (u32)k;
  if (i >= m || j >= n) return j;
  return j + text_match_length(a, i, b, j, min_u32(m - i, n - j));
}

// Whether a cell of the last diagonal has come to the end of both texts.
FN bool at_the_end(u32 j, u32 n) { return j >= n && j < 0x80000000u; }

#endif
