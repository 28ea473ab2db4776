// SPDX-License-Identifier: Apache-2.0
// lcs/step.h -- strips of K rows for longest common subsequences, one column behind each other in
// the bits of a word.
//
// L is the matrix of lengths. A cell knows v = L[i][j] - L[i-1][j] on its right edge and
// h = L[i][j] - L[i][j-1] on its bottom edge, each 0 or 1. With e, whether its symbols match:
//
//   v' = (v | e) & ~h,  h' = (h | e) & ~v
//
// A 32-bit word has slots of S bits, each for a target of its own. Bit s of a slot is strip s of
// the query's block of S * K rows: register r holds row s * K + r. Each strip runs one column
// behind that of the bit below, so the cells of a register do not depend on each other. In a step h
// goes down through the K registers; what leaves the last one moves up by a bit within its slot and
// enters the first one in the next step. A slot's lowest bit then takes the top bit of the stream's
// slot, and what leaves at a slot's top enters the stream at its end: after S steps the stream's
// word has turned from what the rows above have put out into what the rows below take in. First
// column: top bit of a slot.
//
// Strips that wait for their first column or are behind the target's last one are idle: e is 0
// there, and so is h, because it comes from the same column further up, where that holds as well,
// or from above the matrix. Then v stays as it is, and what is put out is 0. So at the end the sum
// of v over the rows is the length.
//
//   S        strips a target: 4, 8, 16 or 32
//   K        rows a strip
//   PLANES, SETS   planes.h; a set without members matches nothing
//   LANES    cell.h
#ifndef RHOMB_CL_LCS_STEP_H
#define RHOMB_CL_LCS_STEP_H

#include "cell.h"

typedef struct {
  u32 symbols[K][PLANES];  // of the rows, the same in each lane
  WORD v[K];               // on the right edge of each row's last cell
  WORD h;                  // that left the last register in the last step
} LcsStrips;

// 0 < by < S: each slot of `high` moves up by `by` bits, the top bits of the slot of `low` follow.
#if S == 32
#define SLOT_ONES (~0u)
#define SLOT_LEFT(high, low, by) FUNNEL_LEFT(high, low, by)
#else
#define SLOT_ONES ((1u << S) - 1u)
#define SLOT_MOVED(by) (~0u / SLOT_ONES * (SLOT_ONES & ~((1u << (by)) - 1u)))
#define SLOT_LEFT(high, low, by) \
  ((WORD)(((high) << (by)) & SLOT_MOVED(by)) | (WORD)(((low) >> (S - (by))) & ~SLOT_MOVED(by)))
#endif

// Steps in one unrolled piece, a power of two: many hide the loop, few compile quickly.
#if LANES == 1
#define LCS_MOST_STEPS (K <= 2 ? 32 : K <= 4 ? 16 : 8)
#else
#define LCS_MOST_STEPS (K <= 2 ? 8 : K <= 4 ? 4 : K <= 8 ? 2 : 1)
#endif
#define LCS_PIECE (LCS_MOST_STEPS < S ? LCS_MOST_STEPS : S)

LOGIC(logic_either_unless, "0x54", (x | y) & ~z)

// v: left edge in, right edge out; h: top edge in, bottom edge out.
FN void cell_lcs(WORD match, WORD* v, WORD* h) {
  const WORD v_in = *v;
  *v = logic_either_unless(v_in, match, *h);
  *h = logic_either_unless(*h, match, v_in);
}

// Where 1 the symbols match, except where `idle` is 1. Costs no more than without idle, because
// the first operation has an input to spare.
FN WORD lcs_match(const u32* a, const WORD* b, WORD idle) {
#if SETS
  WORD common = a[0] & b[0];
  UNROLLED for (int p = 1; p < PLANES; ++p) common = logic_or_both(common, a[p], b[p]);
  return common;
#else
  WORD differ = idle;
  UNROLLED for (int p = 0; p < PLANES - 1; ++p) differ = logic_or_differ(differ, a[p], b[p]);
  return logic_same(differ, a[PLANES - 1], b[PLANES - 1]);
#endif
}

// S steps. stream: taken in and put out. text, idle: of the S columns before these, become those of
// these columns, given in `next` and `next_idle`.
FN void lcs_chunk(LcsStrips* s, WORD* stream, WORD* text, const WORD* next, WORD* idle,
                  WORD next_idle) {
  WORD low[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) low[p] = next[p];
  for (int piece = 0; piece < S / LCS_PIECE; ++piece) {
    UNROLLED for (int i = 1; i <= LCS_PIECE; ++i) {
      WORD window[PLANES];
      UNROLLED for (int p = 0; p < PLANES; ++p) window[p] =
          i < S ? SLOT_LEFT(text[p], low[p], i % S) : low[p];
      const WORD waits = i < S ? SLOT_LEFT(*idle, next_idle, i % S) : next_idle;
      WORD h = SLOT_LEFT(s->h, *stream, 1);
      *stream = SLOT_LEFT(*stream, s->h, 1);
      UNROLLED for (int r = 0; r < K; ++r)
          cell_lcs(lcs_match(s->symbols[r], window, waits), &s->v[r], &h);
      s->h = h;
    }
    UNROLLED for (int p = 0; p < PLANES; ++p) {
      text[p] = LCS_PIECE < S ? SLOT_LEFT(text[p], low[p], LCS_PIECE % S) : low[p];
      low[p] = low[p] << (LCS_PIECE % 32);
    }
    *idle = LCS_PIECE < S ? SLOT_LEFT(*idle, next_idle, LCS_PIECE % S) : next_idle;
    next_idle = next_idle << (LCS_PIECE % 32);
  }
}

#endif
