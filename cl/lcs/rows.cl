// SPDX-License-Identifier: Apache-2.0
// lcs/rows.cl -- lengths of longest common subsequences of a query and many targets, by the row
// vectors of Crochemore et al. or of Allison and Dix (row.h). One work-item a target, as in the
// paper; but where the query has more than W words they are taken in blocks, so that the row vector
// stays in registers, and what carries from one to the next is kept in streams.
//
// All work-items of a group take the same blocks of the query, so they meet only where a block's
// alphabet strings are copied to local memory. Launches run in order on one queue.
//
//   tiles    one for each group (lanes.h)
//   strings  the alphabet strings of all blocks (rows.h); in constant memory those of one query
//   text, stream, lengths, found   rows.h
//
//   WG       work-items a group                                        tuned
//   W        words a block                                             tuned
//   STORE    1: alphabet strings in local memory; 0: in constant memory   tuned
//   ALLISON  1: Allison and Dix; 0: Crochemore                         the variant
//   PLANES   bits of a code                                            follows the texts
//
// check: -DWG=64 -DW=8 -DSTORE=1 -DALLISON=0 -DPLANES=2
// check: -DWG=32 -DW=4 -DSTORE=0 -DALLISON=0 -DPLANES=1
// check: -DWG=32 -DW=4 -DSTORE=1 -DALLISON=1 -DPLANES=8
// check: -DWG=1 -DW=16 -DSTORE=0 -DALLISON=1 -DPLANES=4
#if STORE
#define ROW_MEMORY __local
#else
#define ROW_MEMORY __constant
#endif
#include "lcs/rows.h"

#if STORE
#define STRINGS_MEMORY __global const
#else
#define STRINGS_MEMORY __constant const
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void lcs_rows_groups(
    __global const LcsTile* restrict tiles, STRINGS_MEMORY u32* restrict strings,
    __global const u32* restrict text, __global u32* restrict stream,
    __global const u32* restrict lengths, __global u32* restrict found, const LcsRows rows) {
#if STORE
  __local u32 copied[ROW_STRINGS];
#endif
  const LcsTile tile = tiles[get_group_id(0)];
  const u32 item = (u32)get_local_id(0);
  const u32 target = tile.first + item;
  const bool there = item < tile.width;
  const u32 length = there ? lengths[target] : 0;
  for (u32 block = rows.first; block < rows.end; ++block) {
#if STORE
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 i = item; i < ROW_STRINGS; i += WG)
      copied[i] = strings[rows.at + (u64)block * ROW_STRINGS + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const u32* of_block = copied;
#else
    __constant const u32* of_block = strings + block * ROW_STRINGS;
#endif
    if (there) {
      const u32 counted =
          lcs_row_block(text + (u64)tile.base * ROW_BITS + item,
                        stream + (u64)tile.base * ROW_STREAMS + item, tile.width, length,
                        rows.m - (i64)block * 32 * W, of_block, block > 0, block + 1 < rows.blocks);
      found[target] = counted + (block > 0 ? found[target] : 0u);
    }
  }
}
