// SPDX-License-Identifier: Apache-2.0
// corridor/far.cl -- before and after band.cl computes windows far from a path: their first rows
// say how far a path has to come, and the least that their last rows say is looked for. So nothing
// of them but a number each leaves the device.
//
//   windows  BandFar of each, all of `words` words
//   state    as in band.cl; groups have `bands` bands
//   near     paths begin more than so many diagonals from the middle
//   scores   of each window, as band.cl leaves them
//   least    for each window what no path pays less
//
//   WG      work-items a group; each has a window            as band.cl's
//
// check: -DWG=32
// check: -DWG=1
#include "corridor/band.h"

// Bits of a word that begins on diagonal `at` for the diagonals below `end`.
static u32 far_below(i32 at, i32 end) {
  const i32 count = clamp(end - at, 0, 32);
  return count == 32 ? ~0u : ((u32)1 << count) - 1;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void far_begin(
    __global const BandFar* restrict windows, __global u32* restrict state, const u32 count,
    const u32 words, const u32 bands, const i32 near_by) {
  const u32 i = (u32)get_global_id(0);
  if (i >= count) return;
  const BandFar window = windows[i];
  __global u32* word = state + (u64)(i / bands) * words * 2 * bands + i % bands;
  const i32 middle = window.middle;
  for (u32 w = 0; w < words; ++w, word += 2 * bands) {
    const i32 at = 32 * (window.left + (i32)w);
    const u32 before = far_below(at, middle);
    word[0] = before & ~far_below(at, middle - near_by - 1);
    word[bands] = far_below(at, middle + near_by + 1) & ~before;
  }
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void far_least(
    __global const BandFar* restrict windows, __global const u32* restrict state,
    __global const i32* restrict scores, __global i32* restrict least, const u32 count,
    const u32 words, const u32 bands, const i32 near_by) {
  const u32 i = (u32)get_global_id(0);
  if (i >= count) return;
  const BandFar window = windows[i];
  __global const u32* word = state + (u64)(i / bands) * words * 2 * bands + i % bands;
  const i32 away = (i32)abs(32 * window.left - window.middle);
  i32 at = scores[i] + max(0, near_by + 1 - away), found = INT_MAX;
  for (i32 w = 0; w < window.end - window.left; ++w, word += 2 * bands) {
    const u32 plus = word[0], minus = word[bands];
    if (w >= window.first - window.left) {
      // A path that leaves the window pays for its way back.
      const i32 back = 32 * min(w, (i32)words - 2 - w);
      i32 lowest = at, here = at;
      for (u32 bit = 0; bit < 32; ++bit) {
        here += (i32)(plus >> bit & 1) - (i32)(minus >> bit & 1);
        lowest = min(lowest, here);
      }
      found = min(found, min(lowest, back));
    }
    at += (i32)popcount(plus) - (i32)popcount(minus);
  }
  least[i] = found;
}
