// SPDX-License-Identifier: Apache-2.0
// strip/band.h -- which words of columns a lane computes; shared by kernels and host.
//
// The band is the diagonals -below <= j - i <= above (i rows, j columns). Lane L has rows
// 32 K L .. 32 K (L + 1) - 1 and computes the words of 32 columns from first(L) on, before end(L):
// all columns that a path within the band can touch in these rows, rounded outwards.
#ifndef RHOMB_CL_STRIP_BAND_H
#define RHOMB_CL_STRIP_BAND_H

#include "common.h"

// Spare words before and behind each plane of the text, for groups of so many lanes.
#define STRIP_TEXT_SPARE(group_lanes) (2 * (group_lanes) + 2)

// Words of columns are counted from 0; `rows` is 32 K.
FN i32 band_first(i64 lane, i64 rows, i64 below) {
  const i64 column = lane * rows - below;
  return column > 0 ? (i32)(column >> 5) : 0;
}

FN i32 band_end(i64 lane, i64 rows, i64 above, i64 columns) {
  const i64 column = (lane + 1) * rows + above;
  return (i32)(((column < columns ? column : columns) + 31) >> 5);
}

#endif
