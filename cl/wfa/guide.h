// SPDX-License-Identifier: Apache-2.0
// wfa/guide.h -- what host/wfa and wfa/guide.cl tell each other.
#ifndef RHOMB_CL_WFA_GUIDE_H
#define RHOMB_CL_WFA_GUIDE_H

// Costs from a row that is kept to the next, at most.
#define WFA_KEPT_STEPS 32

// Work-items a group at most.
#define WFA_GUIDE_ITEMS 64

// Of a row that a path crosses: its diagonal and its columns there, and the first one of the row's
// diagonals that follow.
#define WFA_CELL_DIAGONAL 0
#define WFA_CELL_COLUMN 1
#define WFA_CELL_FIRST 2
#define WFA_CELL_INTS 4

// A row that is kept: where it begins, its diagonals, its cost.
#define WFA_LEVEL_INTS 4

// A path: its direction, 1 if it is to be the rightmost one, where it is (diagonal, columns, cost),
// the lowest level that it crosses, and the number of that one's record. Levels are numbered over
// all pairs.
#define WFA_PATH_DIRECTION 0
#define WFA_PATH_RIGHT 1
#define WFA_PATH_DIAGONAL 2
#define WFA_PATH_COLUMN 3
#define WFA_PATH_COST 4
#define WFA_PATH_FIRST 5
#define WFA_PATH_RECORD 6
#define WFA_PATH_INTS 7

#endif
