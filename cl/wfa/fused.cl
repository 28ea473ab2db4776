// SPDX-License-Identifier: Apache-2.0
// wfa/fused.cl -- edit distance by two wavefronts that meet, many costs a launch.
//
// One wavefront runs forward from (0, 0), one backward from (m, n) as a forward one over the
// reversed texts. With rows of cost s on both sides that do not overlap the distance is larger than
// 2 s; rows of costs s and t that do overlap on a diagonal show a path of cost s + t. So the
// distance is the least s + t with an overlap, whatever the texts.
//
// A group keeps TILE = WG * DIAGS neighbouring diagonals in registers and takes `steps` costs with
// them. Its outermost cells go wrong by one diagonal a step, because nobody tells them their
// neighbours; so a group writes only the TILE - 2 * steps in the middle and neighbouring groups
// compute the rest again. Groups never wait for each other; launches run in order on one queue.
//
// A cell is two maxima, a shift and a count of zeros (wfa/extend.h). With WALK very long matches
// are walked by the whole group (wfa/walk.h), so that close genomes cost little more than reading
// them.
//
// A launch reads rows of cost s, writes rows of cost s + steps, and checks the forward row
// it reads for overlap with a backward row. The first launch that finds one is kept
// in the status, and later launches return at once: with three rows used in turn, the row before
// the overlapping one is then still there.
//
// Where a pair is alone, each group adds what it reads of its own part of the row, and what it
// writes, to sums in the status: a row that does not add up to the same when it is read was not
// kept (host/wfa/sums.h). All of a row is read, since no launch leaves out more than `steps`
// diagonals on a side.
//
// Many pairs share launches where MANY is 1. Then each group looks up which pair's it is, and in
// which of the launches that the pairs want at a time. Where rows are kept that are less far apart
// than launches are long, a launch writes one on the way, which is right in more cells than the
// last.
//
//   a, b      planes of pattern and text (planes.h), then of the reversed ones
//   rows      positions, biased (front.h)
//   meeting, launch     wfa/launch.h; with MANY arrays, of which `count` launches from `first` on
//             are meant, their groups ascending
//   status    wfa/launch.h
//
//   WG      work-group size           tuned
//   DIAGS   diagonals a work-item     tuned
//   WALK    1: groups of more than one work-item walk very long matches together; costs each step a
//           fifth                     tuned
//   VEC     1; wfa/vectors.cl is the kernel for more
//   MANY    1: pairs share launches   follows the variant
//   TEAM    team.h                    follows the device
//   PLANES, SETS   planes.h           follow the texts
//
// check: -DMANY=0 -DWALK=1 -DWG=64 -DVEC=1 -DDIAGS=4 -DPLANES=2 -DSETS=0 -DTEAM=1
// check: -DMANY=1 -DWALK=0 -DWG=32 -DVEC=1 -DDIAGS=1 -DPLANES=4 -DSETS=1 -DTEAM=1
// check: -DMANY=0 -DWALK=0 -DWG=1 -DVEC=1 -DDIAGS=5 -DPLANES=1 -DSETS=0 -DTEAM=1
// check: -DMANY=1 -DWALK=1 -DWG=8 -DVEC=1 -DDIAGS=32 -DPLANES=8 -DSETS=0 -DTEAM=1
#include "wfa/launch.h"
#include "wfa/walk.h"

#define TILE (WG * DIAGS)

// Rounds that a team walks before it asks the group, whose barriers cost as much as a few. A team
// that is the group walks on.
#define PATIENCE (WG == TEAM ? WFA_OPEN : TEAM > 1 ? 2 : 8)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_fused(
    __global const u32* restrict a, __global const u32* restrict b, __global int* restrict rows,
#if MANY
    __global const WfaMeeting* restrict meetings, __global const WfaLaunch* restrict launches,
    u32 first, u32 count,
#else
    const WfaMeeting meeting, const WfaLaunch launch,
#endif
    __global int* restrict all_status) {
  const int item = (int)get_local_id(0);
  u32 group = (u32)get_group_id(0);
#if MANY
  __local u32 own;
  launches += first;
  for (u32 l = (u32)item; l < count; l += WG)
    if (launches[l].group <= group && (l + 1 == count || group < launches[l + 1].group)) own = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  const WfaLaunch launch = launches[own];
  const WfaMeeting meeting = meetings[launch.meeting];
  group -= launch.group;
#endif
  __global int* restrict status = all_status + launch.status;
  if (status[WFA_MET] < launch.number) return;
  const u32 direction = (u32)get_group_id(1);
  Texts texts;
  texts.a = a + meeting.a + direction * meeting.a_reverse;
  texts.b = b + meeting.b + direction * meeting.b_reverse;
  texts.m = meeting.m;
  texts.n = meeting.n;
  const int in_lo = launch.in_lo, in_hi = launch.in_hi, steps = launch.steps;
  __global const int* restrict from = rows + launch.in + direction * launch.row;
  __global int* restrict to = rows + launch.out + direction * launch.row;

  const int width = TILE - 2 * steps;
  const int written = launch.out_lo + (int)group * width;  // first diagonal this group writes

  i32 x[DIAGS];
  i32 base[DIAGS];
  u32 window[DIAGS];
#if !MANY
  // What other groups read, too, is counted by the group that writes there.
  const int own_lo = max(group == 0 ? in_lo : written, in_lo);
  const int own_hi = min(written + width > launch.out_hi ? in_hi : written + width - 1, in_hi);
  u32 read_sum = 0, written_sum = 0;
#endif

  const int k_item = written - steps + item * DIAGS;  // diagonal of this work-item's register 0
  EACH_DIAG {
    const int k = k_item + v;
    x[v] = k >= in_lo && k <= in_hi ? from[k - in_lo] : WFA_UNREACHED;
    base[v] = x[v];
    window[v] = 0;  // counts as used up: the first step fills it
#if !MANY
    if (k >= own_lo && k <= own_hi) read_sum += (u32)x[v];
#endif
  }

  // Overlap of the rows read, on all diagonals this group reads; by the forward groups alone. Where
  // the range shrinks, the row read has up to `steps` diagonals more on a side than the one
  // written.
  if (direction == 0) {
    const int k_end = (int)texts.n - (int)texts.m;
    i64 gap = WFA_OPEN;
    EACH_DIAG {
      const int k = k_item + v;
      const int opposite = k_end - k;
      if (k >= in_lo && k <= in_hi && opposite >= launch.facing_lo &&
          opposite <= launch.facing_hi) {
        const i64 here =
            gap_between(x[v], rows[launch.facing + (u32)(opposite - launch.facing_lo)], texts.n);
        gap = here < gap ? here : gap;
      }
    }
    report_gap(gap, launch.cost, launch.number, status);
  }

  Seen seen = {WFA_OPEN, 0, 0, 0};
#if WG > 1
  // What work-items tell their neighbours of a step: all their last cells and, EDGE ints behind,
  // all their first ones. Twice, since some may write those of the next step while others still
  // read. (Pointers that swap stay in registers; an index into an array is computed in each step.)
#define EDGE (WG + 1)
  __local int edges[4 * EDGE];
  __local int* near = edges + item;
  __local int* spare = near + 2 * EDGE;
  if (item == 0)
    edges[0] = edges[2 * EDGE] = edges[2 * EDGE - 1] = edges[4 * EDGE - 1] = WFA_UNREACHED;
#endif
#if WALK
  __local int asked[3];
  __local Walk walk;
  if (item == 0) asked[0] = asked[1] = asked[2] = 0;
  u32 asking = 0;  // diagonals whose match goes on beyond x
#endif

  for (int s = 0; s < steps + WALK; ++s) {
#if WG > 1
    near[1] = x[DIAGS - 1];
    near[EDGE] = x[0];
#if WALK
    if (barrier_any(asking != 0, item, s, asked)) {
      walk_together(&texts, item, k_item, x, base, window, asking, &walk);
      near[1] = x[DIAGS - 1];
      near[EDGE] = x[0];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (s == steps) break;  // it was only about the last step's matches
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const i32 below_in = near[0], above_in = near[EDGE + 1];
    __local int* const written_to = near;
    near = spare;
    spare = written_to;
#else
    const i32 below_in = WFA_UNREACHED, above_in = WFA_UNREACHED;
#endif
#if MANY
    if (s > 0 && s == launch.mid_steps) {
      __global int* restrict mid = rows + launch.mid + direction * launch.row;
      const int lo = group == 0 ? launch.mid_lo : max(written, launch.mid_lo);
      const int hi =
          written + width > launch.out_hi ? launch.mid_hi : min(written + width - 1, launch.mid_hi);
      EACH_DIAG {
        const int k = k_item + v;
        if (k >= lo && k <= hi) mid[k - launch.mid_lo] = x[v];
      }
    }
#endif
    // The cost's step: all diagonals from the row before, in place.
    i32 below = below_in;
    i32 far[DIAGS];
    u32 left[DIAGS];
    EACH_DIAG {
      far[v] = wfa_step(below, x[v], v + 1 < DIAGS ? x[v + 1 < DIAGS ? v + 1 : v] : above_in);
      below = x[v];
      left[v] = window_from(window[v], (u32)(far[v] - base[v]));
    }
#if WALK
    asking = extend_cells(&texts, item, k_item, far, base, window, left, PATIENCE, &seen);
#else
    extend_cells(&texts, item, k_item, far, base, window, left, WFA_OPEN, &seen);
#endif
    EACH_DIAG { x[v] = far[v]; }
  }

  EACH_DIAG {
    const int k = k_item + v;
    if (k >= written && k < written + width && k <= launch.out_hi) {
      to[k - launch.out_lo] = x[v];
#if !MANY
      written_sum += (u32)x[v];
#endif
    }
  }

#if !MANY
  read_sum = team_sum(read_sum);
  written_sum = team_sum(written_sum);
#if WG > TEAM
  __local u32 sums[2];
  if (item == 0) sums[0] = sums[1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item % TEAM == 0) {
    atomic_add(&sums[0], read_sum);
    atomic_add(&sums[1], written_sum);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  read_sum = sums[0];
  written_sum = sums[1];
#endif
  if (item == 0) count_rows(read_sum, written_sum, launch.number, status);
#endif
}

#if MANY
// The rows of cost 0 of `count` pairs: what both texts begin with, and end with, which is nothing.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_begin(
    __global int* restrict rows, __global const WfaMeeting* restrict meetings, u32 count) {
  const u32 pair = (u32)get_global_id(0);
  if (pair >= count) return;
  const WfaMeeting meeting = meetings[pair];
  rows[meeting.begin] = meeting.prefix - WFA_BIAS;
  rows[meeting.begin + meeting.row] = -WFA_BIAS;
}
#endif
