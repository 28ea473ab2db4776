// SPDX-License-Identifier: Apache-2.0
// corridor/slabs.h -- what host and device agree on about the slabs between rows that are kept.
#ifndef RHOMB_CL_CORRIDOR_SLABS_H
#define RHOMB_CL_CORRIDOR_SLABS_H

#include "common.h"

// A row of costs (host: KeptRow). The row below the last slab has the place where the path ends and
// no words.
typedef struct {
  i32 row;     // rows above it
  i32 first;   // the place at its left end
  i32 cost;    // there
  u32 words;   // where its words begin: plus and minus of 32 steps each
  u32 chunks;  // how many pairs of them
} SlabRow;

// The path through a slab from `exit`, a place of the row below, to `entry`, one of the row above.
typedef struct {
  i32 exit, entry;
  u32 runs;  // 0: not known
} SlabPath;

// Slabs are not looked at whose paths could cost so much more than the cheapest place about their
// upper ends, or that have more rows.
#define SLAB_COSTS 79
#define SLAB_ROWS 16000

// A run, backwards: so many pairs of symbols that match, times 4, and what follows them.
#define SLAB_MISMATCH 0
#define SLAB_ROW 1
#define SLAB_COLUMN 2
#define SLAB_BEGIN 3  // nothing: it has come to the row above
#define SLAB_RUNS SLAB_COSTS

#endif
