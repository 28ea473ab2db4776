// SPDX-License-Identifier: Apache-2.0
// wfa/paths.h -- what wfa/paths.cl is told of pairs and launches, and how it says what paths are;
// shared by kernel and host.
#ifndef RHOMB_CL_WFA_PATHS_H
#define RHOMB_CL_WFA_PATHS_H

#include "common.h"

typedef struct {
  u32 a, b;      // which of the texts
  u32 distance;  // of the two
  u32 first;     // where its edits begin; there are `distance`
} WfaPath;

typedef struct {
  u32 first;  // pair of the first group
  u32 count;  // pairs
  u32 room;   // cells that a group keeps
} WfaPathsLaunch;

// An edit is what it is, and the number of pairs of symbols that match behind it.
#define WFA_EDIT_SHIFT 30
#define WFA_EDIT_RUN 0x3fffffffu
#define WFA_EDIT_MISMATCH 0u
#define WFA_EDIT_A 1u  // a symbol of a alone
#define WFA_EDIT_B 2u  // a symbol of b alone

// Rows are kept with so many cells on either side that were not reached. Before the first row
// stands one of cost -1.
#define WFA_PATHS_MARGIN 2
#define WFA_PATHS_BEFORE (2 * WFA_PATHS_MARGIN + 1)

#endif
