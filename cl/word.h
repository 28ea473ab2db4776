// SPDX-License-Identifier: Apache-2.0
// word.h -- the lanes of a work-item's word: loaded, stored, numbered, each made by itself.
//
//   LANES   cell.h
#ifndef RHOMB_CL_STRIP_LANES_H
#define RHOMB_CL_STRIP_LANES_H

#include "cell.h"

#if LANES == 1
#define LOAD(from) (*(from))
#define STORE(value, to) (*(to) = (value))
#define LANE_NUMBERS 0
#define LAST_LANE(value) (value)
#elif LANES == 4
#define LOAD(from) vload4(0, from)
#define STORE(value, to) vstore4(value, 0, to)
#define LANE_NUMBERS ((int4)(0, 1, 2, 3))
#define NEXT_LANE(value, first) ((uint4)(first, value.s012))
#define LAST_LANE(value) (value.s3)
#elif LANES == 8
#define LOAD(from) vload8(0, from)
#define STORE(value, to) vstore8(value, 0, to)
#define LANE_NUMBERS ((int8)(0, 1, 2, 3, 4, 5, 6, 7))
#define NEXT_LANE(value, first) ((uint8)(first, value.s0123, value.s456))
#define LAST_LANE(value) (value.s7)
#else
#define LOAD(from) vload16(0, from)
#define STORE(value, to) vstore16(value, 0, to)
#define LANE_NUMBERS ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define NEXT_LANE(value, first) ((uint16)(first, value.s01234567, value.s89ab, value.scde))
#define LAST_LANE(value) (value.sf)
#endif

#if LANES == 1
#define AS_COUNT(value) ((i32)(value))
#define AS_WORD(value) ((u32)(value))
#else
#define AS_COUNT(value) __builtin_astype(value, COUNT)
#define AS_WORD(value) __builtin_astype(value, WORD)
#endif

// One scalar `expression` of lane number e for each lane of a word.
#define EACH_LANE(made, expression)                              \
  do {                                                           \
    u32 each[LANES];                                             \
    for (int e = 0; e < LANES; ++e) each[e] = (u32)(expression); \
    made = LOAD(each);                                           \
  } while (0)

#endif
