// SPDX-License-Identifier: Apache-2.0
// strip/launch.h -- what a launch of the strips is told; shared by kernels and host. state.h says
// what the buffers are.
#ifndef RHOMB_CL_STRIP_LAUNCH_H
#define RHOMB_CL_STRIP_LAUNCH_H

#include "common.h"

// Values of the state of a lane and direction (state.h), and which of them are the score, the count
// beyond the end, and the first one of symbols.
#define STRIP_VALUES(k, planes) (2 * (k) + 6 + (k) * (planes))
#define STRIP_SCORE(k) (2 * (k) + 4)
#define STRIP_BEYOND(k) (2 * (k) + 5)
#define STRIP_SYMBOLS(k) (2 * (k) + 6)

// The kernels take pattern, text, state, ring, last, what they need besides, and this.
typedef struct {
  i64 below, above;      // the band (band.h)
  i64 columns;           // of the matrix
  i64 kept;              // where the kept rows begin in `last` (group.h)
  u32 pattern_reverse;   // words from the pattern to its reverse
  u32 text_plane;        // words of a plane of the text
  u32 stride;            // lanes a value of the state
  u32 groups;            // of the upper half
  u32 lanes_0, lanes_1;  // of each direction
  u32 first_group;       // the first one that has something to do
  u32 first_ticket;      // flow.cl: groups that have begun before this launch
  u32 apart;             // lanes from one row that is kept to the next; 0: none is
  u32 pitch;             // words of columns that such a row has room for
  i32 time;              // words of columns of all launches before
  i32 slab;              // words of columns of a launch
  i32 delay;             // words of columns that a group runs behind the one above
  i32 round;             // flow.h: words of columns that a group has room for in the ring
  u32 first_direction;   // of those that are computed, and how many these are
  u32 directions;
} StripLaunch;

// One of several pairs (several.cl): where its own begins in what all have together, in words of 32
// bits, of the ring in such of 64.
typedef struct {
  StripLaunch launch;
  u64 pattern, text, state, ring, last;
} StripOne;

// Words of columns of each row that the guide looks at at once, and copies.
#define STRIP_GUIDE_WORDS 64
// Kept rows before a segment (guide.h), where nobody knows where its guide should begin.
#define STRIP_GUIDE_LEAD 64
// Its work-items, where groups of the strips have so many.
#define STRIP_GUIDE_GROUP(group) ((group) >= 32 ? 32 : 1)

// Of the walks through slabs (slabs.cl): numbers of what is known of a way through one, which are
// the places where it leaves and enters it (-1: not known), the diagonals that it touches, and its
// steps; exits of a window; and words of the steps.
#define STRIP_WAY_INTS 5
#define STRIP_SLAB_EXITS(words) (32 * (words))
#define STRIP_PATH_WORDS(words, spread) (2 * (2 + (spread)) * (words) + 4)
// Columns left of a window's exits, `spread` for each row, its chunks of 32 columns, and 32-bit
// words of what a group keeps of its windows.
#define STRIP_SLAB_MARGIN(words, spread) (32 * (spread) * (words))
#define STRIP_SLAB_CHUNKS(words, spread) ((1 + (spread)) * (words))
#define STRIP_SLAB_STEPS(words, spread) \
  ((STRIP_SLAB_CHUNKS(words, spread) + (words)-1) * 32 * STRIP_SLAB_ITEMS(words) * 2)
// Work-items of a group, those of one that computes windows, and those that follow a way.
#define STRIP_SLAB_GROUP 32
#define STRIP_SLAB_ITEMS(words) (STRIP_SLAB_GROUP / (words) * (words))
#define STRIP_WAYS_GROUP 256
// So many guides go on from where ways have left what was looked at, and what is told of them: how
// many there are; the order, slab and exit of each.
#define STRIP_STARTS 1024
#define STRIP_START_INTS (1 + 3 * STRIP_STARTS)

// What kernels that look at kept rows (guide.h, slabs.cl) are told.
typedef struct StripKept {
  i64 below, above;      // the band of the pass (band.h)
  i64 columns;           // of the matrix
  i64 kept;              // where the kept rows begin in `last` (group.h)
  i64 exits[4];          // where ways leave the last row: first and last of each direction
  u32 lanes_0, lanes_1;  // of each direction
  u32 first_direction;   // of those whose rows are kept, and how many these are
  u32 directions;
  u32 rows;               // of a lane
  u32 apart;              // lanes from one kept row to the next
  u32 pitch;              // words of columns that such a row has room for
  u32 pattern_reverse;    // words from the pattern to its reverse
  u32 text_plane, spare;  // words of a plane of the text, and those before its first symbol
  u32 turned;             // of canonical paths: columns alone come before rows alone
  float tilt;             // a column less costs about so much less
} StripKept;

#endif
