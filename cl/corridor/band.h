// SPDX-License-Identifier: Apache-2.0
// corridor/band.h -- what host and device agree on: a band is the cells of some diagonals in some
// blocks of rows. A group computes bands of the same number of blocks, all in windows of as many
// words as its widest.
#ifndef RHOMB_CL_CORRIDOR_BAND_H
#define RHOMB_CL_CORRIDOR_BAND_H

#include "common.h"

typedef struct {
  u64 state;   // where the group's words begin in `state`
  u64 kept;    // and its records in `kept`
  u32 words;   // of a window
  u32 blocks;  // of a band
} BandGroup;

typedef struct {
  i32 block;  // the first
  u32 lefts;  // where those of its blocks begin in `lefts`
} BandStart;

// What is kept of a band once every so many times 32 rows: the words of the window but the last
// one, whose differences are +1, and what the score changed by since the row that was kept before.
#define BAND_KEPT_WORDS(words) (2 * (words)-1)

// A window that tells what paths pay far from a diagonal (far.cl), in words of 32 diagonals.
typedef struct {
  i32 block;
  i32 left;        // its first; BAND_FAR_MARGIN before those that are asked for
  i32 first, end;  // those
  i32 middle;      // the diagonal
} BandFar;

// Words beside those that are asked for.
#define BAND_FAR_MARGIN 32

// What is the same for all windows of a launch.
typedef struct {
  u32 first, count;  // the launch's first window, and how many there are up to its last one
  i32 team;          // lanes a window
  i32 words;         // of columns, of the widest window
  i32 column_words;
  i32 near_by;  // paths begin more than so many diagonals from the middle
} BandsFar;

#endif
