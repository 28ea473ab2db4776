// SPDX-License-Identifier: Apache-2.0
// wfa/guide.h -- what host/wfa and wfa/guide.cl tell each other.
#ifndef RHOMB_CL_WFA_GUIDE_H
#define RHOMB_CL_WFA_GUIDE_H

// Diagonals of a row that are copied.
#define WFA_GUIDE_WIDTH 128

// A row that is kept: where it begins, its diagonals, its cost.
#define WFA_LEVEL_AT 0
#define WFA_LEVEL_LO 1
#define WFA_LEVEL_HI 2
#define WFA_LEVEL_COST 3
#define WFA_LEVEL_INTS 4

// Where a path is: its diagonal, its columns, its cost.
#define WFA_PATH_INTS 3

#endif
