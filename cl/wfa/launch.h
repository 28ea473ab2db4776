// SPDX-License-Identifier: Apache-2.0
// wfa/launch.h -- what a launch of meeting wavefronts is told of a pair; shared by kernels and
// host.
#ifndef RHOMB_CL_WFA_LAUNCH_H
#define RHOMB_CL_WFA_LAUNCH_H

#include "common.h"

// What launches tell the host. The first two words are there again, all bits the other way round:
// a bit that is lost then shows.
#define WFA_MET 0    // the first launch whose input rows overlap, WFA_OPEN before
#define WFA_BOUND 1  // an upper bound of the distance
#define WFA_TWICE 2  // from a word to its other copy
#define WFA_STATUS 4
// Where a pair is alone: what the rows of both directions add up to, mod 2^32, as launches write
// and as they read them. Row r, which launch r reads, is counted in word r % WFA_SUMS of either
// half.
#define WFA_SUMS 1024
#define WFA_WRITTEN WFA_STATUS
#define WFA_READ (WFA_WRITTEN + WFA_SUMS)
#define WFA_STATUS_ALONE (WFA_READ + WFA_SUMS)

// A pair, the same for all its launches. Places are words of the buffers.
typedef struct {
  u32 a, b;                  // where the planes of both texts begin,
  u32 a_reverse, b_reverse;  // and those of the reversed ones, behind that
  u32 m, n;                  // symbols
  u32 begin, row;  // where the rows of cost 0 are, as in WfaLaunch, where pairs share launches,
  i32 prefix;      // and how many symbols both begin with
} WfaMeeting;

// Rows have positions in direction d from `x + d * row` on, where diagonal x_lo is; `facing` is a
// backward one.
typedef struct {
  u32 in;  // the row that is read
  i32 in_lo, in_hi;
  u32 facing;  // the backward row that is checked for overlap with it
  i32 facing_lo, facing_hi;
  u32 out;  // the row that is written
  i32 out_lo, out_hi;
  u32 row;      // from a row of the forward wavefront to the backward one's
  i32 cost;     // of the row that is read
  i32 steps;    // costs from there to the row that is written
  i32 number;   // of the launch, since status was open
  u32 status;   // where that is
  u32 meeting;  // number of the pair, and
  u32 group;    // the first of the groups that it has, where pairs share launches. There it
  u32 mid;  // writes one more row, mid_steps costs behind the one that is read, unless that is 0
  i32 mid_lo, mid_hi, mid_steps;
} WfaLaunch;

#endif
