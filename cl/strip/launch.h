// SPDX-License-Identifier: Apache-2.0
// strip/launch.h -- what a launch of the strips' flow is told; shared by kernels and host. flow.h
// and state.h say what each is.
#ifndef RHOMB_CL_STRIP_LAUNCH_H
#define RHOMB_CL_STRIP_LAUNCH_H

#include "common.h"

// Values of the state of a lane and direction (state.h), and which of them is the score.
#define STRIP_VALUES(k, planes) (2 * (k) + 5 + (k) * (planes))
#define STRIP_SCORE(k) (2 * (k) + 4)

typedef struct {
  GLOBAL const u32* pattern;
  u32 pattern_reverse;
  GLOBAL const u32* text;
  u32 text_plane;
  GLOBAL u32* state;
  u32 stride;
  GLOBAL volatile u64* ring;
  u32 groups;
  GLOBAL u32* last;
  u32 lanes_0, lanes_1;
  i64 below, above, columns;
  i32 time, slab, delay;
} Launch;

#endif
