// SPDX-License-Identifier: Apache-2.0
// wfa/pairs.h -- what wfa/pairs.cl is told of texts, pairs and launches; shared by kernel and host.
//
// Texts lie in packed planes (planes.h, interleaved), one after another, each from a word of its
// own on.
#ifndef RHOMB_CL_WFA_PAIRS_H
#define RHOMB_CL_WFA_PAIRS_H

#include "common.h"

typedef struct {
  u32 start;   // first symbol, among all packed texts
  u32 length;  // symbols, fewer than 2^29
} WfaText;

typedef struct {
  u32 a, b;  // which of the texts
  u32 most;  // costs up to this are of interest
  // Once both fronts' costs add up to `look`, a pair is given up if neither has come to column
  // `ahead`, counted from its own end. look 0: never.
  u32 look, ahead;
} WfaPair;

typedef struct {
  u32 first;  // pair of the first group
  u32 room;   // cells of a row
  u32 steps;  // half steps a launch, with SPILL
} WfaPairsLaunch;

// Answers that are no distances: it is larger than `most`; the pair was given up; it goes on with
// the next launch.
#define WFA_BEYOND 0x7fffffff
#define WFA_GIVEN_UP 0x7ffffffe
#define WFA_UNDECIDED 0x7ffffffd

// Rows are so much longer than the largest cost that they are for.
#define WFA_ROOM_SPARE 6

#endif
