// SPDX-License-Identifier: Apache-2.0
// primer/windows.cl -- how near many windows of alpha come to pieces of the texts, and where they
// come nearer than k, by the search's strips in slots. search/batch.h says how; alpha is what it
// calls queries.
//
//   launch.words   differences up to which ends are marked: k - 1
//   tasks          profile: a mark stands for 1 << profile columns
//
//   WG, LANES, SLOT, K, HEAD, MIXED, CHAIN, PLANES, SETS   search/batch.cl
//
// check: -DWG=64 -DLANES=1 -DSLOT=8 -DK=8 -DHEAD=7 -DMIXED=1 -DCHAIN=0 -DPLANES=2 -DSETS=0
// check: -DWG=64 -DLANES=1 -DSLOT=32 -DK=32 -DHEAD=31 -DMIXED=1 -DCHAIN=1 -DPLANES=3 -DSETS=0
// check: -DWG=1 -DLANES=16 -DSLOT=16 -DK=24 -DHEAD=23 -DMIXED=1 -DCHAIN=0 -DPLANES=4 -DSETS=1
#define MARKS 1
#include "search/batch.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void primer_windows(
    __global const u32* restrict alpha, __global const u32* restrict texts,
    __global const SearchTask* restrict tasks, __global SearchAnswer* restrict answers,
    __global u32* restrict streams, const SearchLaunch launch) {
  const Batch batch = {alpha,   texts,   tasks + launch.first, launch.count,
                       answers, streams, launch.lanes,         (i32)launch.words};
  batch_item(&batch, (u32)get_global_id(0));
}
