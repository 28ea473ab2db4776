// SPDX-License-Identifier: Apache-2.0
// search/batch.cl -- many short queries, each looked for in its piece of a text, or compared
// with it, by strips in slots. batch.h says how.
//
//   WG      work-items a group                               tuned
//   LANES   words a work-item: a vector register on CPUs     follows the device
//   SLOT, K, HEAD, MIXED   slots.h                           tuned, and follow the queries
//   WHOLE   slots.h; 0 unless it is defined                  follows the problem
//   CHAIN   batch.h                                          follows the queries
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=64 -DLANES=1 -DSLOT=8 -DK=13 -DHEAD=4 -DMIXED=0 -DCHAIN=0 -DPLANES=2 -DSETS=0
// check: -DWG=64 -DLANES=1 -DSLOT=32 -DK=32 -DHEAD=31 -DMIXED=1 -DCHAIN=1 -DPLANES=3 -DSETS=0
// check: -DWG=1 -DLANES=16 -DSLOT=16 -DK=3 -DHEAD=0 -DMIXED=1 -DCHAIN=0 -DPLANES=4 -DSETS=1
// check: -DWG=1 -DLANES=8 -DSLOT=8 -DK=9 -DHEAD=2 -DMIXED=0 -DCHAIN=0 -DPLANES=2 -DSETS=0 -DWHOLE
// check: -DWG=9 -DLANES=1 -DSLOT=32 -DK=9 -DHEAD=8 -DMIXED=1 -DCHAIN=1 -DPLANES=2 -DSETS=0 -DWHOLE
#define MARKS 0
#include "search/batch.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void search_batch(
    __global const u32* restrict queries, __global const u32* restrict texts,
    __global const SearchTask* restrict tasks, __global SearchAnswer* restrict answers,
    __global u32* restrict streams, const SearchLaunch launch) {
  const Batch batch = {queries, texts,   tasks + launch.first, launch.count,
                       answers, streams, launch.lanes};
  batch_item(&batch, (u32)get_global_id(0));
}
