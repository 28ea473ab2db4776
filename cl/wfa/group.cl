// SPDX-License-Identifier: Apache-2.0
// wfa/group.cl -- edit distance by a wavefront in tiles, a work-group a tile (Castells-Rufas 2023,
// 4.2.3), and with the range of tiles narrowed as the end comes into sight (4.3).
//
// A launch computes a band of tiles (wfa/tiles.h). Each work-item of a group has one diagonal of
// the tile, the outermost two only to hand their cells on: 2 T + 1 work-items, more where a team
// must be whole. They take the 2 T columns in step, a barrier each, tell each other their cells
// through local memory and extend them as wfa/extend.h does.
//
// With DYNAMIC, `bound` is kept: a cell of cost r at (i, j) is at most max(m - i, n - j) edits from
// the end, so the distance is at most r plus that. A path of cost d crosses cells (k, r) with
// r + |k_end - k| <= d only, so a tile without such cells for the bound so far is left out.
//
// The host may enqueue several bands before it reads `status`. Groups that see an answer of an
// earlier band do nothing, all of their work-items alike, because their own band writes none so
// small. (They do not return before a barrier: some compilers, PoCL 3.1, lose values then.)
//
//   a, b    planes of pattern and text (planes.h)
//   last, before   two rows of biased positions (wfa/front.h); diagonal k is at k - lowest
//   status  wfa/tiles.h
//   first   centre of the band's first tile; the others follow 2 T apart
//
//   T        tile length                              tuned
//   WG       2 T + 1, or the next multiple of a team  follows T
//   TEAM     team.h                                   follows the device
//   DYNAMIC  1: with the bound                        follows the variant
//   PLANES, SETS   planes.h                           follow the texts
//
// check: -DT=1 -DWG=3 -DDYNAMIC=0 -DPLANES=2 -DSETS=0 -DTEAM=1
// check: -DT=31 -DWG=64 -DDYNAMIC=1 -DPLANES=8 -DSETS=0 -DTEAM=1
// check: -DT=127 -DWG=255 -DDYNAMIC=1 -DPLANES=4 -DSETS=1 -DTEAM=1
#define VEC 1
#define DIAGS 1
#include "wfa/extend.h"
#include "wfa/tiles.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_group(
    __global const u32* restrict a, u32 m, __global const u32* restrict b, u32 n,
    __global int* restrict last, __global int* restrict before, int lowest,
    __global int* restrict status, int cost, int first) {
  bool needed = status[TILES_ANSWER] >= cost;
  const int centre = first + 2 * T * (int)get_group_id(0);
  const int item = (int)get_local_id(0);
  const int e = item - T;
  const int k = centre + e;
  const int k_end = (int)n - (int)m;
  const int away = e < 0 ? -e : e;

#if DYNAMIC
  // One work-item looks, so that all do the same: others may narrow the bound meanwhile.
  __local int bound[1];  // at first the one so far, then the tile's own
  if (item == 0) bound[0] = status[TILES_BOUND];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int aside = centre < k_end ? k_end - centre : centre - k_end;
  needed = needed && aside <= bound[0] - cost;
  if (needed && item == 0) atomic_inc(&status[TILES_DONE]);
  barrier(CLK_LOCAL_MEM_FENCE);  // before the tile's own bound is put there
#endif

  Texts texts;
  texts.a = a;
  texts.b = b;
  texts.m = m;
  texts.n = n;
  i32 x = WFA_UNREACHED;  // the newest cell of the diagonal, and the one of a cost less
  i32 old = WFA_UNREACHED;
  if (away <= T) {
    x = last[k - lowest];
    old = before[k - lowest];
  }
  i32 base[1] = {x};
  u32 window[1] = {0};  // counts as used up: the first step fills it
  Seen seen = {WFA_OPEN, 0, 0, 0};

  // Double-buffered: a work-item may write its next cell while others still read this one.
  __local i32 row[2][WG + 2];
  const int columns = needed ? 2 * T : 0;
  for (int c = 0; c < columns; ++c) {
    const int reach = tile_reach(T, c);
    const int side = c & 1;
    // While the tile grows, the newest cells beside the column are already of this column's cost.
    row[side][item + 1] = away == c + 1 ? old : x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool active = away <= reach;
    if (team_ballot(active) == 0) continue;
    i32 far[1] = {WFA_UNREACHED};  // does not match anything
    u32 left[1] = {0xffffffffu};
    if (active) {
      far[0] = wfa_step(row[side][item], x, row[side][item + 2]);
      left[0] = window_from(window[0], (u32)(far[0] - base[0]));
    }
    extend_cells(&texts, item, k, far, base, window, left, WFA_OPEN, &seen);
    if (active) {
      old = x;
      x = far[0];
      if (k == k_end && (u32)x + WFA_BIAS >= n && (u32)x + WFA_BIAS < 0x80000000u)
        atomic_min(&status[TILES_ANSWER], cost + c);
    }
  }

  if (needed && away < T) {
    last[k - lowest] = x;
    before[k - lowest] = old;
  }
#if DYNAMIC
  const u32 j = (u32)x + WFA_BIAS, i = j - (u32)k;
  if (needed && away < T && i <= m && j <= n) {
    const i64 here = (i64)(cost + 2 * T - 1 - away) + (m - i > n - j ? m - i : n - j);
    if (here < WFA_OPEN) atomic_min(&bound[0], (int)here);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && bound[0] < status[TILES_BOUND]) atomic_min(&status[TILES_BOUND], bound[0]);
#endif
}
