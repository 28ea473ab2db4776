// SPDX-License-Identifier: Apache-2.0
// wfa/paths.cl -- the alignments of many pairs of texts whose distances are known, a work-group a
// pair after another.
//
// A forward wavefront goes from cost 0 to d - 1, d the distance. A cell (s, k), cost and diagonal,
// is on a path of cost d only if |k| <= s and |k_end - k| <= d - s: half of the cells that there
// are. All these are kept. What they say of a place is what some path costs, and of places on
// cheapest paths it is what these cost, because all cheapest paths are among them.
//
// Then the path is walked back from the ends of both texts. At (i, j), which costs s, symbols that
// match are passed first. If then j - 1 is where cost s - 1 came to on this diagonal, a mismatch is
// on a cheapest path; otherwise, if cost s - 1 came to j or further on the diagonal above, a symbol
// of a alone is; otherwise one of b alone is. That is the canonical path (host/align/README.md). A
// walk takes d steps, each with one access to the cells and one to the texts; the first team of a
// group does it.
//
// A cell is kept as the text position that is reached and one more; 0: none is. Past the ends of
// the texts it is as if symbols followed that never match.
//
//   a, b       planes of all packed texts (planes.h, interleaved)
//   a_texts, b_texts   where each begins, and its length
//   paths      a WfaPath a pair; those of a launch from launch.first on
//   edits      see wfa/paths.h, in the order of the texts
//   cells      launch.room a group: rows of cost -1, 0, ... d - 1 with their margins
//
//   WG      work-group size                                      follows the distance
//   WIDE    cells have 0: 16, 1: 32 bits                         follows the texts' lengths
//   TEAM    team.h                                               follows the device
//   PLANES, SETS   planes.h                                      follow the texts
//
// check: -DWG=32 -DWIDE=0 -DTEAM=1 -DPLANES=2 -DSETS=0
// check: -DWG=1 -DWIDE=0 -DTEAM=1 -DPLANES=8 -DSETS=0
// check: -DWG=64 -DWIDE=1 -DTEAM=1 -DPLANES=4 -DSETS=1
#include "wfa/paths.h"

#include "wfa/front.h"
#include "wfa/runs.h"

#if WIDE
typedef uint Cell;
#else
typedef ushort Cell;
#endif

// What was written to cells can be read by the whole group.
FN void group_wait(void) {
#if WG > TEAM
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
  team_wait();
#endif
}

// Cells of the row of cost s on either side of diagonal 0.
FN i32 cells_down(i32 s, i32 d, i32 k_end) { return min(s, d - s - k_end); }
FN i32 cells_up(i32 s, i32 d, i32 k_end) { return min(s, d - s + k_end); }

// Computes the row of cost s, diagonals -down to up. `before` is the cell of diagonal 0 in the row
// before, whether that has one or not, and `now` in this row.
FN void next_row(const Pair* pair, int item, __global const Cell* before, __global Cell* now,
                 i32 down, i32 up) {
  const i32 count = down + up + 1;
  for (i32 first = 0; first < count; first += WG) {
    const i32 k = min(first + item, count - 1) - down;
    i32 x = wfa_step((i32)before[k - 1], (i32)before[k], (i32)before[k + 1]) - 1;
    const i32 left = min(pair->m - (x - k), pair->n - x);
    const int inside = (first + item < count) & (left > 0);
    const i32 run = run_at(pair, 0, inside, x - k, x, left);
    x += run;
    const int on = (run == 32) & (left > 32);
#if TEAM > 1
    for (u32 asking = team_ballot(on); asking != 0; asking &= asking - 1) {
      const u32 asker = team_first(asking);
      const i32 more = walk(pair, 0, item, (i32)team_get((u32)k, asker),
                            (i32)team_get((u32)x, asker), (i32)team_get((u32)(left - run), asker));
      x += (item & (TEAM - 1)) == (int)asker ? more : 0;
    }
#else
    if (on) x += walk(pair, 0, item, k, x, left - run);
#endif
    if (first + item < count) now[k] = (Cell)(x + 1);
  }
  if (item < WFA_PATHS_MARGIN) {
    now[-down - 1 - item] = 0;
    now[up + 1 + item] = 0;
  }
#if WG < WFA_PATHS_MARGIN
  now[-down - 2] = 0;
  now[up + 2] = 0;
#endif
}

// Walks back through the rows, from the one of cost d - 1 on, whose cell of diagonal 0 is at `row`.
FN void walk_back(const Pair* pair, int item, __global const Cell* row, i32 d,
                  __global u32* restrict edits) {
  const i32 k_end = pair->n - pair->m;
  i32 i = pair->m, j = pair->n;
  for (i32 s = d - 1; s >= 0; --s) {
    const i32 down = cells_down(s, d, k_end), up = cells_up(s, d, k_end);
    const i32 k = j - i;
    // (No path leaves the cells that there are; what a wrong distance leads to does not, either.)
    const i32 at = max(min(k, up + 1), -down - 1);
    const i32 same = (i32)row[at], above = (i32)row[at + 1];
    const i32 left = min(i, j);
    const i32 run = left > 0 ? walk(pair, 1, item, k_end - k, pair->n - j, left) : 0;
    i -= run;
    j -= run;
    const int mismatch = (i > 0) & (j > 0) & (same == j);
    const int only_a = !mismatch & (i > 0) & (above > j);
    i -= mismatch | only_a;
    j -= !only_a;
    const u32 edit = mismatch ? WFA_EDIT_MISMATCH : only_a ? WFA_EDIT_A : WFA_EDIT_B;
    if ((item & (TEAM - 1)) == 0) edits[s] = edit << WFA_EDIT_SHIFT | (u32)run;
    // Cells above in the row before, margins, cells below in this one.
    row -= cells_up(s - 1, d, k_end) + 2 * WFA_PATHS_MARGIN + down + 1;
  }
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_paths(
    __global const u32* restrict a, __global const u32* restrict b,
    __global const WfaText* restrict a_texts, __global const WfaText* restrict b_texts,
    __global const WfaPath* restrict paths, __global u32* restrict edits, __global Cell* cells,
    const WfaPathsLaunch launch) {
  const int item = (int)get_local_id(0);
  const u32 groups = (u32)get_num_groups(0);
  __global Cell* const kept = cells + (u64)get_group_id(0) * launch.room;
  for (u32 number = (u32)get_group_id(0); number < launch.count; number += groups) {
    const WfaPath asked = paths[launch.first + number];
    const Pair pair = pair_of(a, b, a_texts[asked.a], b_texts[asked.b]);
    const i32 d = (i32)asked.distance;
    const i32 k_end = pair.n - pair.m;
    // As if cost -1 had come to just before the start.
    for (i32 p = item; p < WFA_PATHS_BEFORE; p += WG) kept[p] = 0;
    __global Cell* row = kept + WFA_PATHS_MARGIN;
    i32 up_before = 0;
    group_wait();
    for (i32 s = 0; s < d; ++s) {
      const i32 down = cells_down(s, d, k_end), up = cells_up(s, d, k_end);
      __global Cell* const now = row + (up_before + 2 * WFA_PATHS_MARGIN + down + 1);
      next_row(&pair, item, row, now, down, up);
      group_wait();
      row = now;
      up_before = up;
    }
    if (item < TEAM) walk_back(&pair, item, row, d, edits + asked.first);
    group_wait();
  }
}
