// SPDX-License-Identifier: Apache-2.0
// corridor/far.cl -- windows far from a path: the least that paths pay for a block of rows which
// are far from the path before it, as bit-sliced strips (strip/step.h). Nothing of a window but
// that number leaves the device.
//
// The rows of a block are lanes of 32 * K rows, `team` of them, each a work-item two words of
// columns behind the one above. A window is all columns in which a path can be that leaves the
// block on the diagonals that are asked for and was not left of the window before: no column behind
// those where it leaves. A path begins anywhere above the block, far from the middle for nothing,
// else for what it takes to come from there. Down the left edge every row adds 1, so no value is
// less than what a path costs. (band.cl computes the same numbers as bands, in three times as many
// operations.)
//
//   rows     planes of the rows (planes.h, interleaved), without spare words, the first symbol of
//            a word at its top
//   columns  planes of the columns (planes.h, interleaved), column_words words and the spare ones
//   windows  BandFar of each
//   least    for each window what no path pays less
//
//   WG      work-items a group, each of WG / team windows
//   K       rows a strip                                     follows the rows of a block
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=32 -DK=8 -DPLANES=2 -DSETS=0
// check: -DWG=32 -DK=1 -DPLANES=8 -DSETS=0
// check: -DWG=32 -DK=2 -DPLANES=4 -DSETS=1
#define LANES 1
#include "corridor/band.h"
#include "planes.h"
#include "strip/step.h"

// Bits of a word that begins on diagonal `at`, lowest first, for the diagonals below `end`.
FN u32 far_below(i32 at, i32 end) {
  const i32 count = clamp(end - at, 0, 32);
  return count == 32 ? ~0u : ((u32)1 << count) - 1;
}

// Before the first column. Strips wait for their turn: dh = -1 from above leaves dv = +1.
FN void far_strip(Strip* s, GLOBAL const u32* rows, i32 row) {
  UNROLLED for (int r = 0; r < K; ++r) {
    s->pv[r] = ~0u;
    s->mv[r] = 0;
    UNROLLED for (int p = 0; p < PLANES; ++p) {
      u32 gathered = 0;
      for (i32 b = 0; b < 32; ++b) {
        const i32 at = row + b * K + r;
        gathered |= (rows[(at >> 5) * PLANES + p] >> (31 - (at & 31)) & 1u) << b;
      }
      s->symbols[r][p] = gathered;
    }
  }
  s->ph = 0;
  s->mh = ~0u;
}

// 32 columns, the first at the top of a word.
FN void far_text(u32* text, GLOBAL const u32* columns, i32 word, i32 words) {
  const i32 place = clamp(word, -1, words) + PLANES_FRONT;
  UNROLLED for (int p = 0; p < PLANES; ++p) text[p] = turned(columns[place * PLANES + p]);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void far_windows(
    __global const u32* restrict rows, __global const u32* restrict columns,
    __global const BandFar* restrict windows, __global i32* restrict least, const BandsFar all) {
  __local uint2 edge[2][WG];
  const i32 item = (i32)get_local_id(0), team = all.team, member = item % team;
  const u32 number = all.first + (u32)get_group_id(0) * (u32)(WG / team) + (u32)(item / team);
  const BandFar window = windows[min_u32(number, all.count - 1)];
  const i32 steps = team * K, begin = window.block * steps + window.left;
  Strip s;
  far_strip(&s, rows, 32 * (window.block * steps + member * K));

  u32 now[PLANES], next[PLANES];
  far_text(now, columns, begin - 2 * member - 1, all.column_words);
  far_text(next, columns, begin - 2 * member, all.column_words);
  edge[0][item] = (uint2)(0u, ~0u);
  const i32 away = (i32)abs(32 * window.left - window.middle);
  i32 at = max(0, all.near_by + 1 - away) + 32 * steps, found = INT_MAX;  // of the last row
  for (i32 t = 0; t < all.words + 2 * team - 1; ++t) {
    const i32 q = t - 2 * member;  // word of the window's columns
    u32 ahead[PLANES];
    far_text(ahead, columns, begin + q + 1, all.column_words);
    barrier(CLK_LOCAL_MEM_FENCE);
    u32 ph = 0, mh = ~0u;
    if (q >= 0 && member > 0) {
      ph = edge[t & 1][item - 1].x;
      mh = edge[t & 1][item - 1].y;
    } else if (q >= 0) {
      const i32 diagonal = 32 * (window.left + q);
      const u32 before = far_below(diagonal, window.middle);
      ph = turned(before & ~far_below(diagonal, window.middle - all.near_by - 1));
      mh = turned(far_below(diagonal, window.middle + all.near_by + 1) & ~before);
    }
    strip_chunk(&s, &ph, &mh, now, next);
    UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = ahead[p];
    edge[(t + 1) & 1][item] = (uint2)(ph, mh);

    // What it put out is the last row in the word before.
    const i32 w = q - 1 - steps;  // its word of diagonals
    if (member == team - 1 && q > 0) {
      // A path that leaves the window pays for its way back.
      const i32 back = 32 * min(w, window.end - window.left + BAND_FAR_MARGIN - 1 - w);
      if (w >= window.first - window.left && w < window.end - window.left &&
          min(at - (i32)popcount(mh), back) < found) {
        i32 lowest = at, here = at;
        for (i32 bit = 31; bit >= 0; --bit) {
          here += (i32)(ph >> bit & 1) - (i32)(mh >> bit & 1);
          lowest = min(lowest, here);
        }
        found = min(found, min(lowest, back));
      }
      at += (i32)popcount(ph) - (i32)popcount(mh);
    }
  }
  if (member == team - 1 && number < all.count) least[number] = found;
}
