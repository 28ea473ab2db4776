// SPDX-License-Identifier: Apache-2.0
// corridor/tile.h -- 32 x 32 cells of the edit-distance matrix in a lane, row by row.
//
// Myers' bit-vector step (1999, in Hyyro's form with carries) with the vector along the row: bit c
// of (plus, minus) is the difference +1 or -1 of column c from the one to its left, so that a tile
// that follows the diagonal only has to drop words on its left and to append some on its right.
// The differences down the left edge come in and those down the right edge go out as one word each:
// a row takes the highest bit and puts its own in at the bottom.
//
//   LANES, PLANES, SETS   cell.h, planes.h
#ifndef RHOMB_CL_CORRIDOR_TILE_H
#define RHOMB_CL_CORRIDOR_TILE_H

#include "cell.h"
#include "word.h"

// rows: planes of 32 symbols of the rows, the first symbol at the top of a word; they are used up.
// columns: planes of 32 symbols of the columns, the first at the bottom of a word.
FN void tile_edit(WORD* rows, const WORD* columns, WORD* plus, WORD* minus, WORD* left_plus,
                  WORD* left_minus) {
  WORD p = *plus, m = *minus, lp = *left_plus, lm = *left_minus;
  for (int r = 0; r < 32; ++r) {
    WORD symbol[PLANES];
    UNROLLED for (int k = 0; k < PLANES; ++k) {
      symbol[k] = AS_WORD(AS_COUNT(rows[k]) >> 31);  // the symbol's bit in all columns
      rows[k] <<= 1;
    }
    const WORD match = cell_match(symbol, columns);
    const WORD start = match | lm >> 31;
    const WORD zero = (((start & p) + p) ^ p) | start;  // the difference along the diagonal is 0
    const WORD down_plus = m | ~(zero | p);
    const WORD down_minus = p & zero;
    const WORD from_plus = FUNNEL_LEFT(down_plus, lp, 1), out_plus = FUNNEL_LEFT(lp, down_plus, 1);
    const WORD from_minus = FUNNEL_LEFT(down_minus, lm, 1);
    lm = FUNNEL_LEFT(lm, down_minus, 1);
    lp = out_plus;
    const WORD keep = match | m;
    p = from_minus | ~(keep | from_plus);
    m = from_plus & keep;
  }
  *plus = p;
  *minus = m;
  *left_plus = lp;
  *left_minus = lm;
}

#endif
