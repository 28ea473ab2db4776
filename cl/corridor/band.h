// SPDX-License-Identifier: Apache-2.0
// corridor/band.h -- what host and device agree on: a band is the cells of some diagonals in some
// blocks of rows. A group computes bands of the same number of blocks, all in windows of as many
// words as its widest.
#ifndef RHOMB_CL_CORRIDOR_BAND_H
#define RHOMB_CL_CORRIDOR_BAND_H

#include "common.h"

typedef struct {
  u64 state;   // where the group's words begin in `state`
  u32 words;   // of a window
  u32 blocks;  // of a band
} BandGroup;

typedef struct {
  i32 block;  // the first
  u32 lefts;  // where those of its blocks begin in `lefts`
} BandStart;

// A window that tells what paths pay far from a diagonal (far.cl), in words of 32 diagonals.
typedef struct {
  i32 left;        // its first
  i32 first, end;  // those that are asked for
  i32 middle;      // the diagonal
} BandFar;

#endif
