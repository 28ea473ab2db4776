// SPDX-License-Identifier: Apache-2.0
// strip/state.h -- what a work-item keeps between launches, and which columns its lanes compute.
//
// For each direction the state is VALUES rows of `stride` lanes: pv, mv of K rows, ph, mh, the
// stream's ph, mh, score, beyond, symbols. score: the sum of the dh a lane has put out between its
// own first column and the next lane's; beyond: of those behind its last column (pair.cl alone
// counts them). Nobody takes in either, and with them the host knows what all lanes together have
// put out (host/strip/closure.h).
//
//   pattern  planes of the rows (planes.h, interleaved)
//   text     planes of the columns, one after another, `text_plane` words each, first column of a
//            word at its top; TEXT_SPARE words before and behind the text may hold anything: lanes
//            read them while they wait for their turn, and when they are done
#ifndef RHOMB_CL_STRIP_STATE_H
#define RHOMB_CL_STRIP_STATE_H

#include "planes.h"
#include "strip/band.h"
#include "strip/launch.h"
#include "strip/step.h"
#include "word.h"

#define GROUP_LANES (STRIP_GROUP * LANES)
#define ROWS (32 * K)
#define TEXT_SPARE STRIP_TEXT_SPARE(GROUP_LANES)
#define VALUES STRIP_VALUES(K, PLANES)

typedef struct {
  Strip strip;
  WORD out_ph, out_mh;  // put out in the last chunk
  COUNT score;
} State;

// Writes the state of lanes that have not started; `mine` is the value 0 of the first one.
FN void state_begin(GLOBAL u32* mine, u32 stride, i64 lane, i64 lanes, GLOBAL const u32* pattern) {
  for (int e = 0; e < LANES; ++e)
    for (int r = 0; r < K; ++r)
      for (int p = 0; p < PLANES; ++p) {
        u32 gathered = 0;
        if (lane + e < lanes)
          for (int b = 0; b < 32; ++b) {
            const u64 at = (u64)(lane + e) * ROWS + (u64)(b * K + r);
            const u32 word = pattern[((at >> 5) + PLANES_FRONT) * PLANES + p];
            gathered |= (word >> (at & 31) & 1u) << b;
          }
        mine[(u64)(STRIP_SYMBOLS(K) + r * PLANES + p) * stride + e] = gathered;
      }
  for (int v = 0; v < STRIP_SYMBOLS(K); ++v) {
    const bool ones = v < K || v == 2 * K + 1 || v == 2 * K + 3;  // pv, mh, the stream's mh
    STORE(ones ? ALL_ONES : (WORD)(0), mine + (u64)v * stride);
  }
}

FN void state_load(State* s, GLOBAL const u32* mine, u32 stride) {
  UNROLLED for (int r = 0; r < K; ++r) {
    s->strip.pv[r] = LOAD(mine + (u64)r * stride);
    s->strip.mv[r] = LOAD(mine + (u64)(K + r) * stride);
    UNROLLED for (int p = 0; p < PLANES; ++p) s->strip.symbols[r][p] =
        LOAD(mine + (u64)(STRIP_SYMBOLS(K) + r * PLANES + p) * stride);
  }
  s->strip.ph = LOAD(mine + (u64)(2 * K) * stride);
  s->strip.mh = LOAD(mine + (u64)(2 * K + 1) * stride);
  s->out_ph = LOAD(mine + (u64)(2 * K + 2) * stride);
  s->out_mh = LOAD(mine + (u64)(2 * K + 3) * stride);
  s->score = AS_COUNT(LOAD(mine + (u64)STRIP_SCORE(K) * stride));
}

FN void state_store(const State* s, GLOBAL u32* mine, u32 stride) {
  UNROLLED for (int r = 0; r < K; ++r) {
    STORE(s->strip.pv[r], mine + (u64)r * stride);
    STORE(s->strip.mv[r], mine + (u64)(K + r) * stride);
  }
  STORE(s->strip.ph, mine + (u64)(2 * K) * stride);
  STORE(s->strip.mh, mine + (u64)(2 * K + 1) * stride);
  STORE(s->out_ph, mine + (u64)(2 * K + 2) * stride);
  STORE(s->out_mh, mine + (u64)(2 * K + 3) * stride);
  STORE(AS_WORD(s->score), mine + (u64)STRIP_SCORE(K) * stride);
}

// The words of columns where a lane begins, where the next one begins, where the lane ends, and
// where the one above does.
typedef struct {
  COUNT first, next_first, end, above_end;
} Columns;

FN void columns_of(Columns* c, i64 lane, i64 below, i64 above, i64 columns) {
  WORD word;
  EACH_LANE(word, band_first(lane + e, ROWS, below));
  c->first = AS_COUNT(word);
  EACH_LANE(word, band_first(lane + e + 1, ROWS, below));
  c->next_first = AS_COUNT(word);
  EACH_LANE(word, band_end(lane + e, ROWS, above, columns));
  c->end = AS_COUNT(word);
  EACH_LANE(word, lane + e == 0 ? 0 : band_end(lane + e - 1, ROWS, above, columns));
  c->above_end = AS_COUNT(word);
}

// What a lane takes in for its word of columns `word`, if the lane above has put out ph and mh.
FN void columns_take(const Columns* c, COUNT word, WORD* ph, WORD* mh) {
  const WORD waits = MASK(word < c->first);
  const WORD alone = MASK(word >= c->above_end) & ~waits;
  *ph = (*ph & ~waits) | alone;
  *mh = (*mh | waits) & ~alone;
}

// The same for the score, once the lane has put out what it made of `word`: the word before.
FN void columns_count(const Columns* c, COUNT word, State* s) {
  const WORD counts = MASK(word > c->first) & MASK(word <= c->next_first);
  s->score += AS_COUNT(POPCOUNT(s->out_ph & counts)) - AS_COUNT(POPCOUNT(s->out_mh & counts));
}

// The same of what is beyond the lane's end.
FN COUNT columns_beyond(const Columns* c, COUNT word, const State* s) {
  const WORD counts = MASK(word > c->end);
  return AS_COUNT(POPCOUNT(s->out_ph & counts)) - AS_COUNT(POPCOUNT(s->out_mh & counts));
}

#endif
