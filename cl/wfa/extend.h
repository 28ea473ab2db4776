// SPDX-License-Identifier: Apache-2.0
// wfa/extend.h -- the extension of cells that stay with a work-item from cost to cost.
//
// A diagonal does not read the texts in each step. It keeps a window of 32 mismatch bits from some
// position on; an extension is then a shift and a count of zeros. When a window of a team (team.h)
// is used up, all windows of the team are read again at the positions reached. A match that goes on
// beyond a fresh window is walked by the team together, 64 symbols a member. What it has read then
// stays with it: most matches of that diagonal that follow end in there, so nothing is read for
// them.
//
//   WG      work-items a group               tuned
//   DIAGS   diagonals a work-item            tuned
//   PLANES, SETS, VEC=1   planes.h, lanes.h  follow the texts
#ifndef RHOMB_CL_WFA_EXTEND_H
#define RHOMB_CL_WFA_EXTEND_H

#include "team.h"
#include "wfa/lanes.h"
#include "wfa/meet.h"

// Registers must be named when the program is compiled, so loops over them are unrolled.
#define EACH_DIAG UNROLLED for (int v = 0; v < DIAGS; ++v)

FN u32 window_at(const Texts* texts, i32 k, i32 x) { return window_of(mismatch_at(texts, k, x)); }

// What is least of some windows' rests: 0 if any is used up.
FN u32 least_left(const u32* left) {
  u32 least = 0xffffffffu;
  EACH_DIAG { least = min_u32(least, left[v]); }
  return least;
}

// Where a team that has 64 symbols a member before it, from `reach` on, sees a mismatch first, in a
// window of one of `ends`: moves `reach` there and returns that window.
FN u32 first_end(u32 ends, u32 fresh, u32 later, i32* reach) {
  const u32 end = team_first(ends);
  *reach += 64 * (i32)end + (i32)team_get(fresh == 0 ? 32u : 0u, end);
  return team_get(fresh == 0 ? later : fresh, end);
}

// The mismatches that a team saw last: 64 symbols a member of diagonal k, from `base` on.
typedef struct {
  i32 k;  // WFA_OPEN: none
  i32 base;
  u32 fresh, later;  // a member's first 32, and the next
} Seen;

// Extends the cell on the diagonal that was seen, if its window is used up and its match ends
// there. All members of a team call together.
FN void extend_in_seen(const Seen* seen, int item, i32 k_item, i32* far, i32* base, u32* window,
                       u32* left) {
  u32 mine = 0;
  u32 on = 0;  // symbols from the first one seen on
  EACH_DIAG {
    if (left[v] == 0 && k_item + v == seen->k) {
      mine = 1u << v;
      on = (u32)(far[v] - seen->base);
    }
  }
  const u32 asker = team_ballot(mine != 0);
  if (asker == 0) return;
  on = team_get(on, team_first(asker));
  const u32 before = 64u * (u32)(item & (TEAM - 1));
  const u32 passed = on > before ? on - before : 0;
  const u32 fresh = window_after(seen->fresh, passed);
  const u32 later = window_after(seen->later, passed > 32 ? passed - 32 : 0);
  const u32 ends = team_ballot((fresh | later) != 0);
  if (ends == 0) return;  // so, too, if it is behind what was seen, or before it
  i32 at = seen->base;
  const u32 found = first_end(ends, fresh, later, &at);
  EACH_DIAG {
    if ((mine >> v & 1u) != 0) {
      base[v] = at;
      window[v] = found;
      far[v] = at + window_run(found);
      left[v] = window_from(found, (u32)window_run(found));
    }
  }
}

// Extends `far`, the cells of diagonals k_item to k_item + DIAGS - 1 before their extension. `left`
// is what is left of their windows there, 0xffffffff where a cell does not take part. All members
// of a team call together. A match is walked for `patience` rounds at most; one that goes on is
// left where it is, and its bit is set in what is returned.
FN u32 extend_cells(const Texts* texts, int item, i32 k_item, i32* far, i32* base, u32* window,
                    u32* left, int patience, Seen* seen) {
  u32 asking = 0;
  u32 used_up = team_ballot(least_left(left) == 0);
  if (used_up != 0 && seen->k != WFA_OPEN) {
    extend_in_seen(seen, item, k_item, far, base, window, left);
    used_up = team_ballot(least_left(left) == 0);
  }
  if (used_up != 0) {
    EACH_DIAG {
      base[v] = far[v];
      window[v] = left[v] = window_at(texts, k_item + v, far[v]);
    }
    // Matches of more than 32: one after another, the whole team on each.
    for (u32 votes = team_ballot(least_left(left) == 0); votes != 0;
         votes = team_ballot(least_left(left) == 0)) {
      // One bit for the register, not its number: a compiler that sees v == number indexes the
      // arrays with it, and they leave the registers.
      u32 mine = 0;
      i32 k = 0, reach = 0;
      EACH_DIAG {
        if (left[v] == 0) {
          mine = 1u << v;
          k = k_item + v;
          reach = far[v];
        }
      }
      const u32 asker = team_first(votes);
      k = (i32)team_get((u32)k, asker);
      reach = (i32)team_get((u32)reach, asker) + 32;
      const int member = item & (TEAM - 1);
      // Two windows a member, so that two loads are under way at a time.
      u32 fresh = 0, later = 0, ends = 0;
      for (int round = 0; ends == 0 && round < patience; ++round) {
        fresh = window_at(texts, k, reach + 64 * member);
        later = window_at(texts, k, reach + 64 * member + 32);
        ends = team_ballot((fresh | later) != 0);
        if (ends == 0) reach += 64 * TEAM;
      }
      if (ends == 0) {
        fresh = 0xffffffffu;  // nothing more to extend for now
        if (member == (int)asker) asking |= mine;
      } else {
        seen->k = k;
        seen->base = reach;
        seen->fresh = fresh;
        seen->later = later;
        fresh = first_end(ends, fresh, later, &reach);
      }
      EACH_DIAG {
        if ((mine >> v & 1u) != 0 && member == (int)asker) {
          base[v] = far[v] = reach;
          window[v] = left[v] = fresh;
        }
      }
    }
  }
  EACH_DIAG { far[v] += window_run(left[v]); }
  return asking;
}

#endif
