// SPDX-License-Identifier: Apache-2.0
// loops.cl -- what a driver has to get right before any program of rhomb's is trusted on it: loops
// within loops are gone through to their ends.
//
// Programs are tested with small problems (host/engine/selftest.h). Drivers have been seen that
// leave a loop too early only where one within it has ended, or after 65536 rounds: small problems
// pass there, and long texts have wrong answers. So one work-item makes more rounds than that, as
// many as numbers say that the compiler does not know. Nothing waits, and nothing is shared.
//
//   rounds   of the loop within, 16 numbers that are used in turn
//   sum      of what each round adds; the host knows it (host/engine/selftest.cpp)
//
// check: -DSTART=1
#include "common.h"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void loops(
    __global const u32* restrict rounds, __global u32* restrict sum, u32 times) {
  u32 all = START;
  for (u32 i = 0; i < times; ++i) {
    u32 left = rounds[i & 15u];
    while (left != 0) {
      all = all * 5u + (left ^ i);
      --left;
    }
  }
  sum[0] = all;
}
