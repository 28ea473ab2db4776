// SPDX-License-Identifier: Apache-2.0
// team.h -- work-items that run in lockstep and can tell each other values without a barrier.
//
// On NVIDIA a team is a warp, reached by inline PTX, because its OpenCL has no subgroups. Elsewhere
// a team is one work-item, and everything here folds away. All members must call together.
//
//   TEAM   work-items a team, 1 or 32                        follows the device
#ifndef RHOMB_CL_TEAM_H
#define RHOMB_CL_TEAM_H

#include "common.h"

#if TEAM != 1 && TEAM != 32
#error "TEAM is neither 1 nor 32"
#elif TEAM > 1 && !HAVE_PTX
#error "TEAM is 32, but the compiler is not NVIDIA's: no warps, no PTX"
#elif WG % TEAM != 0
#error "WG is not a multiple of TEAM"
#endif

#if TEAM > 1
// A bit for each member that says yes.
FN u32 team_ballot(int yes) {
  u32 votes;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes)
               : "r"(yes));
  return votes;
}
// The value that `member` holds.
FN u32 team_get(u32 value, u32 member) {
  u32 got;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(got)
               : "r"(value), "r"(member));
  return got;
}
// The value that the member before holds; the first one gets its own.
FN u32 team_up(u32 value) {
  u32 got;
  asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;" : "=r"(got) : "r"(value));
  return got;
}
// The sum of all members' values, mod 2^32.
FN u32 team_sum(u32 value) {
  UNROLLED for (u32 apart = 16; apart > 0; apart >>= 1) {
    u32 other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                 : "=r"(other)
                 : "r"(value), "r"(apart));
    value += other;
  }
  return value;
}
// Nobody goes on before all members are here, and no load or store moves across.
FN void team_wait(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
// The first member of a ballot that is not empty.
FN u32 team_first(u32 votes) {
  u32 place;
  asm("{ .reg .b32 t; brev.b32 t, %1; clz.b32 %0, t; }" : "=r"(place) : "r"(votes));
  return place;
}
#else
FN u32 team_ballot(int yes) { return yes ? 1u : 0u; }
FN u32 team_get(u32 value, u32 member) { return value + 0u * member; }
FN u32 team_up(u32 value) { return value; }
FN u32 team_sum(u32 value) { return value; }
FN void team_wait(void) {}
FN u32 team_first(u32 votes) { return 0u * votes; }
#endif

#if defined(__OPENCL_C_VERSION__)
// A barrier that tells everyone whether anyone said yes. `flags` are three that were 0 before the
// first `turn`, 0; turns count up. Of the flags in turn one is read, one is cleared, and one may be
// raised already by those who are ahead.
FN int barrier_any(int yes, int item, int turn, __local int* flags) {
#if TEAM > 1
  int any;
  asm volatile(
      "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
      : "=r"(any)
      : "r"(yes)
      : "memory");
  return any;
#else
  if (yes) flags[turn % 3] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int any = flags[turn % 3];
  if (item == 0) flags[(turn + 2) % 3] = 0;
  return any;
#endif
}
#endif

#endif
