// SPDX-License-Identifier: Apache-2.0
// lcs/rows.h -- what a work-item does: all columns of its target, one block of W words of the row
// vector after another, which it keeps in registers.
//
//   text     codes of the target's symbols, little end first, ROW_BITS bits each (lanes.h):
//            ROW_BITS words a unit
//   stream   carries out of the block above (row.h): ROW_STREAMS words a unit. A work-item reads
//            what it has written itself, in this launch or an earlier one
//   lengths  of the targets
//   found    lengths of the longest common subsequences with the part of the query so far
//
//   W, ALLISON   row.h
//   PLANES   bits of a code, 1..8: an alphabet string for each of 1 << PLANES codes
#ifndef RHOMB_CL_LCS_ROWS_H
#define RHOMB_CL_LCS_ROWS_H

#include "lcs/lanes.h"
#include "lcs/row.h"

#define ROW_BITS (PLANES <= 2 ? 2 : PLANES <= 4 ? 4 : 8)
#define ROW_CODES (1 << PLANES)
// Words of a block's alphabet strings: the words of all codes at one place of the query side by
// side, so that work-items with different symbols read different banks of local memory.
#define ROW_STRINGS (W * ROW_CODES)

// Where alphabet strings are read from.
#ifndef ROW_MEMORY
#define ROW_MEMORY
#endif

// One target and one block. `text`, `stream`: of the lane. Returns how many positions count, of
// the `m` that the query has from this block on.
FN u32 lcs_row_block(GLOBAL const u32* text, GLOBAL u32* stream, u32 width, u32 length, i64 m,
                     ROW_MEMORY const u32* strings, bool takes, bool puts) {
  u32 row[W];
  UNROLLED for (int w = 0; w < W; ++w) row[w] = ROW_START;
  u32 next = length > 0 ? text[0] : 0;
  for (u32 column = 0; column < length;) {
    const u64 unit = column / 32;
    u32 carried[ROW_STREAMS];
    UNROLLED for (int i = 0; i < ROW_STREAMS; ++i) carried[i] =
        takes    ? stream[(unit * ROW_STREAMS + i) * width]
        : i == 0 ? 0u
                 : ~0u;
    const u32 stop = length - column < 32 ? length : column + 32;
    for (u32 word = column / (32 / ROW_BITS); column < stop;) {
      u32 codes = next;
      // Loaded a word ahead, because a load takes as long as some columns.
      ++word;
      if (word * (32 / ROW_BITS) < length) next = text[(u64)word * width];
      const u32 end = word * (32 / ROW_BITS) < stop ? word * (32 / ROW_BITS) : stop;
      for (; column < end; ++column) {
        ROW_MEMORY const u32* of_symbol = strings + (codes & (ROW_CODES - 1));
        codes >>= ROW_BITS;
        u32 matches[W];
        UNROLLED for (int w = 0; w < W; ++w) matches[w] = of_symbol[w * ROW_CODES];
        row_column(row, matches, carried);
      }
    }
    // The last column of a word stands at its lowest bit, also where there are fewer than 32.
    if (puts) {
      UNROLLED for (int i = 0; i < ROW_STREAMS; ++i) stream[(unit * ROW_STREAMS + i) * width] =
          carried[i] << ((32 - column % 32) % 32);
    }
  }
  u32 counted = 0;
  UNROLLED for (int w = 0; w < W; ++w) {
    const i64 there = m - 32 * w;
    const u32 rows = there >= 32 ? ~0u : there <= 0 ? 0u : (1u << there) - 1u;
    counted += POPCOUNT((ALLISON ? row[w] : ~row[w]) & rows);
  }
  return counted;
}

#endif
