// SPDX-License-Identifier: Apache-2.0
// primer/match.h -- when two symbols match that are kept as a byte each.
//
//   SETS   1: codes are sets of bases that match when they share one; 0: codes match when equal
#ifndef RHOMB_CL_PRIMER_MATCH_H
#define RHOMB_CL_PRIMER_MATCH_H

#include "common.h"

FN int symbols_match(u32 x, u32 y) {
#if SETS
  return (x & y) != 0;
#else
  return x == y;
#endif
}

#endif
