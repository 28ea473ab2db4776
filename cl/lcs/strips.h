// SPDX-License-Identifier: Apache-2.0
// lcs/strips.h -- what a work-item does: all columns of its targets, one block of rows after
// another.
//
//   pattern  a word for each plane of the rows of a block, register by register, and one that says
//            which rows there are: bit s of each slot is row s * K + r; then the next block
//   text     planes (lanes.h): for each S columns of a lane PLANES words, first column at a slot's
//            top
//   stream   likewise one word: h that leaves the block above. A work-item reads what it has
//            written itself, in this launch or an earlier one
//   lengths  of the targets, 32 / S of each lane
//   found    lengths of the longest common subsequences with the rows so far
//
//   LANES, K, S, PLANES, SETS   step.h
#ifndef RHOMB_CL_LCS_STRIPS_H
#define RHOMB_CL_LCS_STRIPS_H

#include "lcs/lanes.h"
#include "lcs/step.h"
#include "word.h"

#define TARGETS (32 / S)  // of a lane

typedef struct {
  GLOBAL const u32* pattern;
  GLOBAL const u32* text;
  GLOBAL u32* stream;
  GLOBAL const u32* lengths;
  GLOBAL u32* found;
  u32 first_block, end_block;  // of this launch
  u32 blocks;                  // of the query
} LcsLaunch;

// Ones at the columns from `column` on that are behind their target's last one.
FN WORD lcs_idle(GLOBAL const u32* lengths, u32 column) {
  u32 made[LANES];
  for (int e = 0; e < LANES; ++e) {
    made[e] = 0;
    for (int g = 0; g < TARGETS; ++g) {
      const u32 length = lengths[e * TARGETS + g];
      const u32 left = length > column ? length - column : 0;
      if (left < S) made[e] |= (SLOT_ONES >> left) << (g * S % 32);
    }
  }
  return LOAD(made);
}

// Adds the v of the rows that there are to the lengths found in the blocks before.
FN void lcs_count(const LcsStrips* s, GLOBAL const u32* rows, GLOBAL u32* found, bool first) {
  for (int g = 0; g < TARGETS; ++g) {
    WORD sum = (WORD)(0);
    UNROLLED for (int r = 0; r < K; ++r) {
      const u32 counted = rows[r * (PLANES + 1) + PLANES] & (SLOT_ONES << (g * S % 32));
      sum += POPCOUNT(s->v[r] & counted);
    }
    u32 made[LANES];
    STORE(sum, made);
    for (int e = 0; e < LANES; ++e) {
      GLOBAL u32* to = found + (e * TARGETS + g);
      *to = made[e] + (first ? 0u : *to);
    }
  }
}

// The lanes from `lane` of a tile on.
FN void lcs_strips(const LcsLaunch* l, const LcsTile* tile, u32 lane) {
  const u32 width = tile->width;
  const u64 first_target = (u64)(tile->first + lane) * TARGETS;
  GLOBAL const u32* lengths = l->lengths + first_target;
  u32 longest = 0, shortest = ~0u;
  for (int i = 0; i < LANES * TARGETS; ++i) {
    longest = lengths[i] > longest ? lengths[i] : longest;
    shortest = lengths[i] < shortest ? lengths[i] : shortest;
  }
  const u32 chunks = (longest + S - 1) / S;
  const u32 full = shortest / S;  // chunks without idle columns
  const u64 base = (u64)tile->base * TARGETS;
  GLOBAL const u32* text = l->text + base * PLANES + lane;
  GLOBAL u32* stream = l->stream + base + lane;

  for (u32 block = l->first_block; block < l->end_block; ++block) {
    GLOBAL const u32* rows = l->pattern + (u64)block * K * (PLANES + 1);
    const bool takes = block > 0, puts = block + 1 < l->blocks;
    LcsStrips s;
    UNROLLED for (int r = 0; r < K; ++r) {
      UNROLLED for (int p = 0; p < PLANES; ++p) s.symbols[r][p] = rows[r * (PLANES + 1) + p];
      s.v[r] = (WORD)(0);
    }
    s.h = (WORD)(0);
    WORD now[PLANES], next[PLANES];
    WORD idle = ALL_ONES, next_idle = full > 0 ? (WORD)(0) : lcs_idle(lengths, 0);
    UNROLLED for (int p = 0; p < PLANES; ++p) {
      now[p] = (WORD)(0);
      next[p] = chunks > 0 ? LOAD(text + (u64)p * width) : (WORD)(0);
    }
    WORD taken = takes && chunks > 0 ? LOAD(stream) : (WORD)(0);
    // The last strip ends S - 1 steps behind the first one, and what it puts out is complete when
    // it has turned into the stream's word one step later: one chunk more than the columns fill.
    for (u32 q = 0; q <= chunks; ++q) {
      // Words are loaded a chunk ahead, because a load takes as long as many steps.
      WORD ahead[PLANES], ahead_taken = (WORD)(0);
      UNROLLED for (int p = 0; p < PLANES; ++p) ahead[p] = (WORD)(0);
      if (q + 1 < chunks) {
        UNROLLED for (int p = 0; p < PLANES; ++p) ahead[p] =
            LOAD(text + ((u64)(q + 1) * PLANES + p) * width);
        if (takes) ahead_taken = LOAD(stream + (u64)(q + 1) * width);
      }
      lcs_chunk(&s, &taken, now, next, &idle, next_idle);
      if (puts && q > 0) STORE(taken, stream + (u64)(q - 1) * width);
      UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = ahead[p];
      next_idle = q + 1 < full ? (WORD)(0) : lcs_idle(lengths, (q + 1) * S);
      taken = ahead_taken;
    }
    lcs_count(&s, rows, l->found + first_target, block == 0);
  }
}

#endif
