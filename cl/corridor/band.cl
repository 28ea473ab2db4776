// SPDX-License-Identifier: Apache-2.0
// corridor/band.cl -- many bands of the edit-distance matrix, independent of each other: the
// windows that prove what a block of rows costs at least, and the segments of the corridor.
//
// A band begins with the differences along a row that the host gives it, goes down whole blocks of
// rows, and leaves the differences along its last row. A window of `words` words of 32 columns is
// computed for 32 rows (tile.h), then moves right by a word, so a window stays on its diagonals;
// at the beginning of a block it moves to those of the block. Down the left edge every row adds 1;
// a word that is new on the right has differences +1, one that is new on the left -1. No value so
// can be less than what a path costs, and a path that stays in the band never costs more than its
// value says. The window reads as many spare symbols as it needs on either side of the columns'
// text; they are part of a longer text, whose matrix has the same values inside.
//
// A lane's score is the sum of the differences down the window's left edge and along the words that
// left the window there: what its lowest column differs by from that of the window it began with.
//
//   rows     planes of the rows (planes.h, interleaved), without spare words, the first symbol of
//            a word at its top
//   columns  planes of the columns (planes.h, interleaved), column_words words and the spare ones
//   lefts    for each band and block the window's first diagonal, in words of 32
//   starts   BandStart of each lane
//   groups   BandGroup of each group
//   state    for each group, word of the window, plus and minus, and lane of the group a word: in
//            the differences along the first row, out those along the last one
//   scores   of each lane
//   steps    blocks have so many times 32 rows
//
//   WG      work-items a group                               tuned
//   LANES   words a work-item: a vector register on CPUs     follows the device
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=32 -DLANES=1 -DPLANES=2 -DSETS=0
// check: -DWG=64 -DLANES=1 -DPLANES=8 -DSETS=0
// check: -DWG=1 -DLANES=16 -DPLANES=4 -DSETS=1
#include "corridor/band.h"

#include "corridor/tile.h"
#include "planes.h"

#define STRIDE (WG * LANES)

// The window of one lane moves by `by` words; `window` is its word 0. What it returns is what the
// score changes by.
static i32 move_window(__global u32* window, i32 words, i32 by) {
  i32 change = 0;
  for (i32 w = 0; w < by; ++w)
    change += w < words ? (i32)popcount(window[(u64)w * 2 * STRIDE]) -
                              (i32)popcount(window[((u64)w * 2 + 1) * STRIDE])
                        : 32;
  const i32 first = by < 0 ? words - 1 : 0, last = by < 0 ? -1 : words, next = by < 0 ? -1 : 1;
  for (i32 w = first; w != last; w += next) {
    const i32 from = w + by;
    const int inside = from >= 0 && from < words;
    window[(u64)w * 2 * STRIDE] = inside ? window[(u64)from * 2 * STRIDE] : from < 0 ? 0u : ~0u;
    window[((u64)w * 2 + 1) * STRIDE] = inside     ? window[((u64)from * 2 + 1) * STRIDE]
                                        : from < 0 ? ~0u
                                                   : 0u;
  }
  return by < 0 ? -32 * by : change;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void corridor_band(
    __global const u32* restrict rows, __global const u32* restrict columns,
    __global const i32* restrict lefts, __global const BandStart* restrict starts,
    __global const BandGroup* restrict groups, __global u32* restrict state,
    __global i32* restrict scores, const u32 steps, const i32 column_words) {
  const u32 number = (u32)get_group_id(0);
  const BandGroup group = groups[number];
  const u32 lane = (u32)get_local_id(0) * LANES;
  const u64 slot = (u64)number * STRIDE + lane;
  const i32 words = (i32)group.words;
  __global u32* window = state + group.state + lane;
  i32 score[LANES], row[LANES], column[LANES];  // in words; `column` is that of the window's word 0
  for (int e = 0; e < LANES; ++e) score[e] = 0;

  for (u32 b = 0; b < group.blocks; ++b) {
    for (int e = 0; e < LANES; ++e) {
      __global const i32* left = lefts + starts[slot + e].lefts + b;
      if (b > 0 && left[0] != left[-1])
        score[e] += move_window(window + e, words, left[0] - left[-1]);
      row[e] = (i32)((starts[slot + e].block + b) * steps);
      column[e] = row[e] + left[0];
    }
    for (i32 s = 0; s < (i32)steps; ++s) {
      WORD symbols[PLANES];
      for (int k = 0; k < PLANES; ++k) EACH_LANE(symbols[k], rows[(row[e] + s) * PLANES + k]);
      WORD left_plus = ALL_ONES, left_minus = 0;
      for (i32 w = 0; w < words; ++w) {
        i32 place[LANES];
        STORE(clamp(LOAD(column) + (s + w), (COUNT)(-1), (COUNT)(column_words)), place);
        WORD a[PLANES], t[PLANES];
        UNROLLED for (int k = 0; k < PLANES; ++k) {
          a[k] = symbols[k];
          EACH_LANE(t[k], columns[(place[e] + PLANES_FRONT) * PLANES + k]);
        }
        __global u32* word = window + (u64)w * 2 * STRIDE;
        WORD plus = LOAD(word), minus = LOAD(word + STRIDE);
        tile_edit(a, t, &plus, &minus, &left_plus, &left_minus);
        if (w > 0) {
          STORE(plus, word - 2 * STRIDE);
          STORE(minus, word - STRIDE);
        } else {
          const COUNT dropped = AS_COUNT(popcount(plus)) - AS_COUNT(popcount(minus)) + 32;
          STORE(LOAD(score) + dropped, score);
        }
      }
      __global u32* last = window + (u64)(words - 1) * 2 * STRIDE;
      STORE((WORD)ALL_ONES, last);
      STORE((WORD)(0u), last + STRIDE);
    }
  }
  for (int e = 0; e < LANES; ++e) scores[slot + e] = score[e];
}
