// SPDX-License-Identifier: Apache-2.0
// lcs/lanes.h -- where the targets of a launch lie: tiles of lanes side by side.
//
// A lane is what one 32-bit word works on: one target, or several in the word's slots. Targets
// are sorted by length, so the lanes of a tile need about equally long. A unit is 32 columns of all
// targets of a lane. Of each unit the texts have a few words and the streams, which carry what one
// block of the query's rows puts out to the next one, have a few words. Word w of unit u of lane l
// of a tile is at ((base + u * width) * words a unit) + w * width + l: neighbouring lanes have
// neighbouring words.
#ifndef RHOMB_CL_LCS_LANES_H
#define RHOMB_CL_LCS_LANES_H

#include "common.h"

typedef struct {
  u32 base;   // units of all tiles before
  u32 first;  // number of its first lane
  u32 width;  // lanes
  u32 units;  // of the longest target
} LcsTile;

// The rows of a query that a launch takes. All kernels take the same: tiles, the queries' words,
// text, stream, lengths, found, and this.
typedef struct {
  u64 at;          // first word of the query
  i64 m;           // its length
  u32 first, end;  // blocks of this launch
  u32 blocks;      // of the query
  u32 unused;      // so that no bytes follow of which drivers think differently
} LcsRows;

#endif
