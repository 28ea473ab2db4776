// SPDX-License-Identifier: Apache-2.0
// strip/step.h -- a lane: 32 strips of K rows in the 32 bits of a word, 32 columns at a time.
//
// Bit b of register r is row b * K + r of the lane. Each bit's strip runs one column behind that of
// the bit below, so the cells of a register do not depend on each other. In a step the differences
// dh go down through the K registers; those that leave the last one are shifted up by one bit and
// enter the first one in the next step. Bit 0 then takes the top bit of the incoming word, and the
// bit that leaves at the top enters the outgoing word at its end: both are one word, `stream`,
// which after 32 steps has turned from the one into the other. First column of a stream word: top
// bit.
//
// A lane's chunk q takes in the dh of columns 32 q .. 32 q + 31 and puts out those of the 32
// columns before: it takes 32 steps from the lane's first strip to its last, and one more for the
// turn. So the next lane runs two words of columns behind.
//
//   K   rows a strip
#ifndef RHOMB_CL_STRIP_STEP_H
#define RHOMB_CL_STRIP_STEP_H

#include "cell.h"

typedef struct {
  WORD symbols[K][PLANES];  // of the rows
  WORD pv[K], mv[K];        // dv on the right edge of each row's last cell
  WORD ph, mh;              // dh that left the last register in the last step
} Strip;

// Steps in one unrolled piece, a power of two: many hide the loop, few compile quickly, which
// counts where a CPU's compiler has to schedule vectors.
#ifndef STRIP_PIECE
#if LANES == 1
#define STRIP_PIECE (K <= 2 ? 32 : K <= 4 ? 16 : 8)
#else
#define STRIP_PIECE (K <= 2 ? 8 : K <= 4 ? 4 : K <= 8 ? 2 : 1)
#endif
#endif

// One chunk. ph, mh: the stream, taken in and put out. text: the word of columns before the
// chunk's, becomes that of the chunk, whose word is `next`; first column at the top.
FN void strip_chunk(Strip* s, WORD* ph, WORD* mh, WORD* text, const WORD* next) {
  WORD low[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) low[p] = next[p];
  for (int piece = 0; piece < 32 / STRIP_PIECE; ++piece) {
    UNROLLED for (int i = 1; i <= STRIP_PIECE; ++i) {
      WORD window[PLANES];
      UNROLLED for (int p = 0; p < PLANES; ++p) window[p] =
          i < 32 ? FUNNEL_LEFT(text[p], low[p], i & 31) : low[p];
      WORD hp = FUNNEL_LEFT(s->ph, *ph, 1);
      WORD hm = FUNNEL_LEFT(s->mh, *mh, 1);
      *ph = FUNNEL_LEFT(*ph, s->ph, 1);
      *mh = FUNNEL_LEFT(*mh, s->mh, 1);
      UNROLLED for (int r = 0; r < K; ++r)
          cell_edit(cell_match(s->symbols[r], window), &s->pv[r], &s->mv[r], &hp, &hm);
      s->ph = hp;
      s->mh = hm;
    }
    UNROLLED for (int p = 0; p < PLANES; ++p) {
      text[p] = STRIP_PIECE < 32 ? FUNNEL_LEFT(text[p], low[p], STRIP_PIECE & 31) : low[p];
      low[p] = low[p] << (STRIP_PIECE & 31);
    }
  }
}

#endif
