// SPDX-License-Identifier: Apache-2.0
// wfa/tiled.cl -- edit distance by a wavefront in tiles, one work-item a tile (Castells-Rufas 2023,
// 4.2.2).
//
// A launch computes a band of tiles (wfa/tiles.h), which takes 2 T costs in one go. While a
// work-item is at it, the newest cell of each diagonal of its tile is kept in
//   STORE 0  global memory, the row `last` itself
//   STORE 1  registers: loops over them are unrolled, and a cell outside of the column is skipped
//   STORE 2  local memory, the cells of a group's work-items side by side
// A column is computed from the lowest diagonal up, in place: the old cell of the diagonal below is
// carried along. (The paper keeps all cells of the tile. Only the newest are ever read again.)
//
// The host may enqueue several bands before it reads the answer. A work-item that sees an answer of
// an earlier band returns, so a late read costs a few empty launches and never a wrong result.
//
//   a, b    packed pattern and text (text.h)
//   last, before   two rows of biased positions (wfa/front.h); diagonal k is at k - lowest
//   status  wfa/tiles.h
//   first, tiles   centre of the band's first tile, and how many there are
//
//   T       tile length              tuned
//   WG      work-group size          tuned
//   STORE   see above                follows the variant
//   BITS, SETS   text.h              follow the texts
//
// check: -DT=2 -DWG=128 -DSTORE=0 -DBITS=2 -DSETS=0
// check: -DT=3 -DWG=64 -DSTORE=1 -DBITS=8 -DSETS=0
// check: -DT=31 -DWG=32 -DSTORE=2 -DBITS=8 -DSETS=1
// check: -DT=1 -DWG=1 -DSTORE=1 -DBITS=2 -DSETS=0
#include "wfa/reach.h"
#include "wfa/tiles.h"

#if STORE == 0
#define CELL(e) last[at + (e)]
#define EACH_CELL(e, reach) for (int e = -(reach); e <= (reach); ++e)
#elif STORE == 1
#define CELL(e) cells[(e) + T]
#define EACH_CELL(e, reach) \
  UNROLLED for (int e = 1 - T; e < T; ++e) if (e >= -(reach) && e <= (reach))
#else
#define CELL(e) cells[((e) + T) * WG + item]
#define EACH_CELL(e, reach) for (int e = -(reach); e <= (reach); ++e)
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_tiled(
    __global const u32* restrict a, u32 m, __global const u32* restrict b, u32 n,
    __global int* restrict last, __global int* restrict before, int lowest,
    __global int* restrict status, int cost, int first, int tiles) {
  const int tile = (int)get_global_id(0);
#if STORE == 2
  const int item = (int)get_local_id(0);
  __local i32 cells[(2 * T + 1) * WG];
#elif STORE == 1
  i32 cells[2 * T + 1];
#endif
  if (tile >= tiles || status[TILES_ANSWER] < cost) return;
  const int centre = first + 2 * T * tile;
  const int at = centre - lowest;
  const int end = (int)n - (int)m - centre;  // the last diagonal, as seen from the centre
#if STORE == 1
  UNROLLED for (int e = -T; e <= T; ++e) CELL(e) = last[at + e];
#elif STORE == 2
  for (int e = -T; e <= T; ++e) CELL(e) = last[at + e];
#endif

  for (int c = 0; c < 2 * T; ++c) {
    const int reach = tile_reach(T, c);
    const bool grows = c < T;
    // While the tile grows, the newest cells beside the column are already of this column's cost.
#if STORE == 1
    i32 below = WFA_UNREACHED;
    UNROLLED for (int e = -T; e < T; ++e) {
      if (e == -reach - 1) below = grows ? before[at + e] : CELL(e);
    }
#else
    i32 below = grows ? before[at - reach - 1] : CELL(-reach - 1);
#endif
    EACH_CELL(e, reach) {
      const i32 same = CELL(e);
      const i32 above = grows && e == reach ? before[at + e + 1] : CELL(e + 1);
      const u32 j = reach_from(a, m, b, n, centre + e, wfa_step(below, same, above));
      if (e == end && at_the_end(j, n)) atomic_min(&status[TILES_ANSWER], cost + c);
      if (!grows && (e == reach || e == -reach)) before[at + e] = same;
      CELL(e) = (i32)(j - WFA_BIAS);
      below = same;
    }
  }

#if STORE == 1
  UNROLLED for (int e = 1 - T; e < T; ++e) last[at + e] = CELL(e);
#elif STORE == 2
  for (int e = 1 - T; e < T; ++e) last[at + e] = CELL(e);
#endif
}
