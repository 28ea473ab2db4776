// SPDX-License-Identifier: Apache-2.0
// strip/bands.cl -- the edit distances of many pairs of about one length, each within a band of
// diagonals: a pair a bit.
//
// A work-item has 32 * LANES pairs, of which bit k of lane e is pair 32 e + k. Cells of different
// pairs do not depend on each other, so a band is gone through cell by cell, K rows at a time, and
// an operation computes the same cell of all pairs (cell.h). K rows go along the columns of their
// part of the band. What leaves it on the left or above comes from cells outside as if each step
// there cost one: these are real paths, so a sum never is less than the distance; and it is the
// distance, unless that exceeds what a path to the band's border costs, which the host looks at.
//
// Pairs of different lengths are brought to one number of rows by the same symbols in front of both
// texts, which leaves the distance as it is. So all end in the last row.
//
// Distances are sums of horizontal differences along the left border of the band, and then of the
// last row, as far as each pair's last column; they are kept as numbers of `bits` bits, a word a
// bit. A difference and one is added, which is never negative.
//
//   a, b      planes of all packed texts
//   pairs     32 * LANES a work-item, from group launch.first on
//   groups    a work-item each
//   answers   of each pair the sum, which is columns - rows more than the distance
//   kept      launch.room words a work-item, for BANDS_COLUMNS(wide) columns: their symbols, and ph
//             and mh of the row above
//
//   K       rows at a time, a divisor of 32   tuned
//   LANES   cell.h                            tuned
//   PLANES, SETS   planes.h                   follow the texts
//
// check: -DK=4 -DLANES=4 -DPLANES=2 -DSETS=0
// check: -DK=1 -DLANES=1 -DPLANES=8 -DSETS=0
// check: -DK=2 -DLANES=16 -DPLANES=4 -DSETS=1
// check: -DK=8 -DLANES=8 -DPLANES=1 -DSETS=0
#include "strip/bands.h"

#include "planes.h"
#include "word.h"

// Symbols in front of a text, which match each other.
#if SETS
#define IN_FRONT (~0u)
#else
#define IN_FRONT 0u
#endif

// 32 symbols of a text, in one plane, from symbol `at` on; `last` is its last word.
FN u32 bands_word(GLOBAL const u32* text, i32 last, i32 at) {
  const i32 i = at >> 5;
  const u32 low = i < 0 ? IN_FRONT : text[min(i, last) * PLANES];
  const u32 high = i < -1 ? IN_FRONT : text[min(i + 1, last) * PLANES];
  return funnel_right(low, high, (u32)at);
}

// Bit i of word k becomes bit k of word i.
FN void bands_turn(WORD* words) {
  u32 mask = 0x0000ffff;
  for (u32 j = 16; j > 0; j >>= 1, mask ^= mask << j)
    for (u32 k = 0; k < 32; k = (k + j + 1) & ~j) {
      const WORD swapped = ((words[k] >> j) ^ words[k + j]) & mask;
      words[k] ^= swapped << j;
      words[k + j] ^= swapped;
    }
}

// Symbols `from` to `from` + 31 of one of each pair's texts, in one plane, a word a symbol.
#define BANDS_DEAL(words, texts, start, length)                                              \
  for (u32 k = 0; k < 32; ++k) {                                                             \
    u32 each[LANES];                                                                         \
    for (u32 e = 0; e < LANES; ++e) {                                                        \
      GLOBAL const BandPair* const pair = pairs + 32 * e + k;                                \
      each[e] = bands_word(texts + ((pair->start >> 5) + PLANES_FRONT) * PLANES + p,         \
                           (i32)((pair->length - 1) >> 5), from - (i32)(rows - pair->rows)); \
    }                                                                                        \
    words[k] = LOAD(each);                                                                   \
  }                                                                                          \
  bands_turn(words)

FN void bands_rows(GLOBAL const u32* a, GLOBAL const BandPair* pairs, u32 rows, i32 from,
                   WORD made[PLANES][32]) {
  for (u32 p = 0; p < PLANES; ++p) {
    BANDS_DEAL(made[p], a, a, rows);
  }
}

FN void bands_columns(GLOBAL const u32* b, GLOBAL const BandPair* pairs, u32 rows, i32 from,
                      GLOBAL u32* text, GLOBAL u32* ph, GLOBAL u32* mh) {
  WORD made[32];
  for (u32 p = 0; p < PLANES; ++p) {
    BANDS_DEAL(made, b, b, columns);
    for (u32 k = 0; k < 32; ++k) STORE(made[k], text + (k * PLANES + p) * LANES);
  }
  // Above these there is nothing of the band.
  for (u32 k = 0; k < 32; ++k) {
    STORE(ALL_ONES, ph + k * LANES);
    STORE((WORD)(0u), mh + k * LANES);
  }
}

// Adds a difference and one for each pair.
FN void bands_add(WORD* sum, u32 bits, WORD one, WORD two) {
  WORD carry = (sum[0] & one) | two;
  sum[0] ^= one;
  for (u32 i = 1; i < bits; ++i) {
    const WORD next = sum[i] & carry;
    sum[i] ^= carry;
    carry = next;
  }
}

__kernel void strip_bands(GLOBAL const u32* RESTRICT a, GLOBAL const u32* RESTRICT b,
                          GLOBAL const BandPair* RESTRICT all_pairs,
                          GLOBAL const BandGroup* RESTRICT groups, GLOBAL u32* RESTRICT answers,
                          GLOBAL u32* RESTRICT kept, BandsLaunch launch) {
  const u32 number = launch.first + (u32)get_global_id(0);
  const BandGroup group = groups[number];
  GLOBAL const BandPair* const pairs = all_pairs + (u64)number * (32 * LANES);
  const u32 rows = group.rows, places = BANDS_COLUMNS(group.wide);
  GLOBAL u32* const text = kept + (u64)get_global_id(0) * launch.room;
  GLOBAL u32* const ph = text + places * PLANES * LANES;
  GLOBAL u32* const mh = ph + places * LANES;
  WORD sum[32];
  for (u32 i = 0; i < 32; ++i) sum[i] = (WORD)(0u);

  // Place x of what is kept is column `base` + x; columns and rows are counted from 1.
  i32 base = group.low + 1;
  for (u32 x = 0; x < places; x += 32)
    bands_columns(b, pairs, rows, base - 1 + (i32)x, text + x * PLANES * LANES, ph + x * LANES,
                  mh + x * LANES);
  for (u32 row = 0; row < rows; row += 32) {
    if (row > 0) {
      base += 32;
      for (u32 i = 0; i < (places - 32) * PLANES; ++i)
        STORE(LOAD(text + (i + 32 * PLANES) * LANES), text + i * LANES);
      for (u32 i = 0; i < places - 32; ++i) {
        STORE(LOAD(ph + (i + 32) * LANES), ph + i * LANES);
        STORE(LOAD(mh + (i + 32) * LANES), mh + i * LANES);
      }
      const u32 x = places - 32;
      bands_columns(b, pairs, rows, base - 1 + (i32)x, text + x * PLANES * LANES, ph + x * LANES,
                    mh + x * LANES);
    }
    WORD symbols[PLANES][32];
    bands_rows(a, pairs, rows, (i32)row, symbols);

    for (u32 s = 0; s < 32 && row + s < rows; s += K) {
      WORD pv[K], mv[K], own[K][PLANES];
      UNROLLED for (u32 r = 0; r < K; ++r) {
        pv[r] = ALL_ONES;
        mv[r] = (WORD)(0u);
        UNROLLED for (u32 p = 0; p < PLANES; ++p) own[r][p] = symbols[p][s + r];
      }
      const i32 first = max((i32)s, 1 - base);
      const i32 end = min((i32)(s + K + group.wide), (i32)group.columns + 1 - base);
      for (i32 x = first; x < end; ++x) {
        WORD window[PLANES], hp = LOAD(ph + x * LANES), hm = LOAD(mh + x * LANES);
        UNROLLED for (u32 p = 0; p < PLANES; ++p) window[p] =
            LOAD(text + (x * PLANES + (i32)p) * LANES);
        UNROLLED for (u32 r = 0; r < K; ++r)
            cell_edit(cell_match(own[r], window), &pv[r], &mv[r], &hp, &hm);
        STORE(hp, ph + x * LANES);
        STORE(hm, mh + x * LANES);
      }
      // The left border moves on.
      for (i32 x = first; x < (i32)(s + K); ++x) {
        const WORD up = LOAD(ph + x * LANES), down = LOAD(mh + x * LANES);
        bands_add(sum, launch.bits, ~(up | down), up);
      }
    }
  }

  // Each pair has so many columns of the last row behind the border. Down, one at a time.
  const i32 border = max((i32)rows + group.low, 0);
  WORD left[32];
  for (u32 k = 0; k < 32; ++k) {
    u32 each[LANES];
    for (u32 e = 0; e < LANES; ++e) {
      GLOBAL const BandPair* const pair = pairs + 32 * e + k;
      each[e] = pair->columns + (rows - pair->rows) - (u32)border;
    }
    left[k] = LOAD(each);
  }
  bands_turn(left);
  for (i32 x = border + 1 - base; x <= (i32)group.columns - base; ++x) {
    WORD some = left[0];
    for (u32 i = 1; i < launch.bits; ++i) some |= left[i];
    const WORD up = LOAD(ph + x * LANES), down = LOAD(mh + x * LANES);
    bands_add(sum, launch.bits, some & ~(up | down), some & up);
    WORD borrow = some;
    for (u32 i = 0; i < launch.bits; ++i) {
      left[i] ^= borrow;
      borrow &= left[i];
    }
  }
  bands_turn(sum);
  for (u32 k = 0; k < 32; ++k) {
    u32 each[LANES];
    STORE(sum[k], each);
    for (u32 e = 0; e < LANES; ++e) answers[(u64)number * (32 * LANES) + 32 * e + k] = each[e];
  }
}
