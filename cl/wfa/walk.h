// SPDX-License-Identifier: Apache-2.0
// wfa/walk.h -- very long matches, walked by all work-items of a group together.
//
// Where genomes are close, one diagonal matches for tens of thousands of symbols while all others
// wait. Who finds such a match asks (extend_cells), and at the group's next barrier all walk the
// matches asked for, one after another, 64 symbols a work-item and round. A match of tens of
// thousands of symbols then takes a few rounds.
//
//   WG, DIAGS   wfa/extend.h
#ifndef RHOMB_CL_WFA_WALK_H
#define RHOMB_CL_WFA_WALK_H

#include "wfa/extend.h"

// What a group shares: who is served, where that is, where its match ends, and in which of three
// rounds someone saw the end.
typedef struct {
  int asker;
  int k;
  int reach;
  u32 window;
  int more;
  int ends[3];
} Walk;

// Serves every work-item of the group: `asking` has a bit for each of its diagonals whose match has
// reached x but goes on. Begins and ends with a barrier; all must call together, and one must ask.
// (Loops end in one place, at their end: PoCL 3.1 hangs where a barrier follows a break.)
FN void walk_together(const Texts* texts, int item, i32 k_item, i32* x, i32* base, u32* window,
                      u32 asking, __local Walk* walk) {
  int more;
  do {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) walk->asker = WG;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (asking != 0) atomic_min(&walk->asker, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int asker = walk->asker;
    const u32 mine = asking & (0u - asking);  // its lowest diagonal
    if (item == asker) {
      EACH_DIAG {
        if ((mine >> v & 1u) != 0) {
          walk->k = k_item + v;
          walk->reach = x[v];
        }
      }
      walk->ends[0] = walk->ends[1] = walk->ends[2] = WG;
      walk->more = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const i32 k = walk->k;
    i32 reach = walk->reach + 64 * item - 64 * WG;
    u32 fresh, later;
    int round = 2, end;
    do {
      reach += 64 * WG;
      round = round == 2 ? 0 : round + 1;
      fresh = window_at(texts, k, reach);
      later = window_at(texts, k, reach + 32);
      if ((fresh | later) != 0) atomic_min(&walk->ends[round], item);
      if (item == 0) walk->ends[round == 2 ? 0 : round + 1] = WG;  // of the next round
      barrier(CLK_LOCAL_MEM_FENCE);
      end = walk->ends[round];
    } while (end == WG);
    if (item == end) {
      walk->reach = reach + (fresh == 0 ? 32 : 0);
      walk->window = fresh == 0 ? later : fresh;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == asker) {
      EACH_DIAG {
        if ((mine >> v & 1u) != 0) {
          base[v] = walk->reach;
          window[v] = walk->window;
          x[v] = base[v] + window_run(window[v]);
        }
      }
      asking ^= mine;
    }
    if (asking != 0) atomic_max(&walk->more, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    more = walk->more;
  } while (more != 0);
}

#endif
