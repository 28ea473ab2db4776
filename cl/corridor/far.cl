// SPDX-License-Identifier: Apache-2.0
// corridor/far.cl -- windows far from a path: the least that paths pay for a block of rows which
// are far from the path before it, as bit-sliced strips (strip/step.h). Nothing of a window but
// that number leaves the device.
//
// The rows of a block are lanes of 32 * K rows, `team` of them, each two words of columns behind
// the one above. A window is all columns in which a path can be that leaves the block on the
// diagonals that are asked for and was not left of the window before: no column behind those where
// it leaves. A path begins anywhere above the block, far from the middle for nothing, else for what
// it takes to come from there. Down the left edge every row adds 1, so no value is less than what a
// path costs. (band.cl computes the same numbers as bands, in three times as many operations.)
//
//   rows     planes of the rows (planes.h, interleaved), without spare words, the first symbol of
//            a word at its top
//   columns  planes of the columns (planes.h, interleaved), column_words words and the spare ones
//   windows  BandFar of each
//   least    for each window what no path pays less
//
//   WG      work-items a group; 1 where LANES > 1
//   LANES   lanes a work-item: a vector register on CPUs     follows the device
//   K       rows a strip                                     follows the rows of a block
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=32 -DLANES=1 -DK=8 -DPLANES=2 -DSETS=0
// check: -DWG=32 -DLANES=1 -DK=1 -DPLANES=8 -DSETS=0
// check: -DWG=1 -DLANES=16 -DK=4 -DPLANES=2 -DSETS=0
// check: -DWG=1 -DLANES=8 -DK=2 -DPLANES=4 -DSETS=1
#include "corridor/band.h"
#include "planes.h"
#include "strip/step.h"
#include "word.h"

// Bits of a word that begins on diagonal `at`, lowest first, for the diagonals below `end`.
FN u32 far_below(i32 at, i32 end) {
  const i32 count = clamp(end - at, 0, 32);
  return count == 32 ? ~0u : ((u32)1 << count) - 1;
}

// A lane's window, and what is known of its last row so far.
typedef struct {
  BandFar window;
  i32 member;  // lane of the window
  i32 column;  // word of columns where the window begins
  i32 at, found;
} Far;

// Each lane's word of columns in step t, the first column at the top.
FN void far_text(WORD* text, GLOBAL const u32* columns, const Far* far, i32 t, i32 words) {
  i32 place[LANES];
  for (int e = 0; e < LANES; ++e)
    place[e] = clamp(far[e].column + t - 2 * far[e].member, -1, words) + PLANES_FRONT;
  UNROLLED for (int p = 0; p < PLANES; ++p)
      EACH_LANE(text[p], turned(columns[place[e] * PLANES + p]));
}

// One plane of a row's symbol.
FN u32 far_row(GLOBAL const u32* rows, i32 row, int p) {
  return rows[(row >> 5) * PLANES + p] >> (31 - (row & 31)) & 1u;
}

// Before the first column. Strips wait for their turn: dh = -1 from above leaves dv = +1. (Bit by
// bit of all rows: row by row NVIDIA's compiler takes a second for it.)
FN void far_strips(Strip* s, GLOBAL const u32* rows, const Far* far, i32 steps) {
  UNROLLED for (int r = 0; r < K; ++r) {
    s->pv[r] = ALL_ONES;
    s->mv[r] = (WORD)(0u);
    UNROLLED for (int p = 0; p < PLANES; ++p) s->symbols[r][p] = (WORD)(0u);
  }
  for (i32 b = 0; b < 32; ++b)
    UNROLLED for (int r = 0; r < K; ++r) UNROLLED for (int p = 0; p < PLANES; ++p) {
      WORD bits;
      EACH_LANE(bits,
                far_row(rows, 32 * (far[e].window.block * steps + far[e].member * K) + b * K + r, p)
                    << b);
      s->symbols[r][p] |= bits;
    }
  s->ph = (WORD)(0u);
  s->mh = ALL_ONES;
}

// What comes from above the window in its word q: dh of the costs to begin there.
FN void far_above(const BandFar* window, i32 q, i32 near_by, u32* ph, u32* mh) {
  const i32 at = 32 * (window->left + q), middle = window->middle;
  const u32 before = far_below(at, middle);
  *ph = turned(before & ~far_below(at, middle - near_by - 1));
  *mh = turned(far_below(at, middle + near_by + 1) & ~before);
}

// The last row goes on by word w of the window's diagonals.
FN void far_settle(Far* far, u32 ph, u32 mh, i32 w) {
  const BandFar* window = &far->window;
  // A path that leaves the window pays for its way back.
  const i32 back = 32 * min(w, window->end - window->left + BAND_FAR_MARGIN - 1 - w);
  if (w >= window->first - window->left && w < window->end - window->left &&
      min(far->at - (i32)popcount(mh), back) < far->found) {
    i32 lowest = far->at, here = far->at;
    for (i32 bit = 31; bit >= 0; --bit) {
      here += (i32)(ph >> bit & 1) - (i32)(mh >> bit & 1);
      lowest = min(lowest, here);
    }
    far->found = min(far->found, min(lowest, back));
  }
  far->at += (i32)popcount(ph) - (i32)popcount(mh);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void far_windows(
    __global const u32* restrict rows, __global const u32* restrict columns,
    __global const BandFar* restrict windows, __global i32* restrict least, const BandsFar all) {
  const i32 item = (i32)get_local_id(0), team = all.team, steps = team * K;
  const u32 first = all.first + (u32)get_group_id(0) * (u32)(WG * LANES / team);
  Far far[LANES];
  for (i32 e = 0; e < LANES; ++e) {
    const i32 lane = item * LANES + e;
    far[e].window = windows[min_u32(first + (u32)(lane / team), all.count - 1)];
    far[e].member = lane % team;
    far[e].column = far[e].window.block * steps + far[e].window.left;
    const i32 away = (i32)abs(32 * far[e].window.left - far[e].window.middle);
    far[e].at = max(0, all.near_by + 1 - away) + 32 * steps;
    far[e].found = INT_MAX;
  }
  Strip s;
  far_strips(&s, rows, far, steps);
  WORD now[PLANES], next[PLANES], ahead[PLANES], out_ph = (WORD)(0u), out_mh = ALL_ONES;
  far_text(now, columns, far, -1, all.column_words);
  far_text(next, columns, far, 0, all.column_words);
#if LANES == 1
  __local uint2 edge[2][WG];
#endif
  for (i32 t = 0; t < all.words + 2 * team - 1; ++t) {
    far_text(ahead, columns, far, t + 1, all.column_words);
    // What the lane above has put out.
#if LANES == 1
    edge[t & 1][item] = (uint2)(out_ph, out_mh);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint2 above = edge[t & 1][max(item - 1, 0)];
    u32 ph[1] = {above.x}, mh[1] = {above.y};
#else
    u32 ph[LANES], mh[LANES];
    STORE(NEXT_LANE(out_ph, 0u), ph);
    STORE(NEXT_LANE(out_mh, 0u), mh);
#endif
    for (i32 e = 0; e < LANES; ++e) {
      const i32 q = t - 2 * far[e].member;
      if (q < 0) {
        ph[e] = 0;
        mh[e] = ~0u;
      } else if (far[e].member == 0) {
        far_above(&far[e].window, q, all.near_by, &ph[e], &mh[e]);
      }
    }
    out_ph = LOAD(ph);
    out_mh = LOAD(mh);
    strip_chunk(&s, &out_ph, &out_mh, now, next);
    UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = ahead[p];

    // It is the word before.
    STORE(out_ph, ph);
    STORE(out_mh, mh);
    const i32 q = t - 2 * (team - 1);
    for (i32 e = 0; e < LANES; ++e)
      if (far[e].member == team - 1 && q > 0) far_settle(&far[e], ph[e], mh[e], q - 1 - steps);
  }
  for (i32 e = 0; e < LANES; ++e) {
    const u32 number = first + (u32)((item * LANES + e) / team);
    if (far[e].member == team - 1 && number < all.count) least[number] = far[e].found;
  }
}
