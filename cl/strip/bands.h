// SPDX-License-Identifier: Apache-2.0
// strip/bands.h -- what strip/bands.cl is told of pairs, groups and launches; shared by kernel and
// host.
//
// Texts lie in packed planes (planes.h, interleaved), one after another, each from a word of its
// own on.
#ifndef RHOMB_CL_STRIP_BANDS_H
#define RHOMB_CL_STRIP_BANDS_H

#include "common.h"

typedef struct {
  u32 a, b;           // first symbols, among all packed texts
  u32 rows, columns;  // symbols, 1 at least
} BandPair;

typedef struct {
  u32 rows;     // that all pairs of the group are brought to; a multiple of K
  u32 columns;  // of the pair that has most, brought there
  i32 low;      // the band: diagonals column - row from `low` to `low` + `wide`, 0 among them
  u32 wide;
} BandGroup;

typedef struct {
  u32 first;  // group of the first work-item
  u32 bits;   // of sums: 2^bits > 2 * columns
  u32 room;   // words of `kept` a work-item
} BandsLaunch;

// Columns that a work-item keeps for a band, PLANES + 2 times LANES words each.
#define BANDS_COLUMNS(wide) (((wide) + 32u) / 32u * 32u + 32u)

#endif
