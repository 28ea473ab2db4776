// SPDX-License-Identifier: Apache-2.0
// corridor/band.cl -- many bands of the edit-distance matrix, independent of each other: the
// windows that prove what a block of rows costs at least, and the segments of the corridor.
//
// A band begins with the differences along a row that the host gives it, goes down whole blocks of
// rows, and leaves the differences along its last row. A window of `words` words of 32 columns is
// computed for 32 rows (tile.h), then moves right by a word, so a window stays on its diagonals;
// at the beginning of a block it moves to those of the block. Down the left edge every row adds 1;
// a word that is new on the right has differences +1, one that is new on the left -1. No value so
// can be less than what a path costs, and a path that stays in the band never costs more than its
// value says. The window reads as many spare symbols as it needs on either side of the columns'
// text; they are part of a longer text, whose matrix has the same values inside.
//
// A band's score is the sum of the differences down the window's left edge and along the words that
// left the window there: what its lowest column differs by from that of the window it began with.
//
//   rows     planes of the rows (planes.h, interleaved), without spare words, the first symbol of
//            a word at its top
//   columns  planes of the columns (planes.h, interleaved), column_words words and the spare ones
//   lefts    for each band and block the window's first diagonal, in words of 32
//   starts   BandStart of each band
//   groups   BandGroup of each group
//   state    for each group, word of the window, plus and minus, and band of the group a word: in
//            the differences along the first row, out those along the last one
//   scores   of each band
//   kept     if KEEP and `every` > 0: for each group, once every so many times 32 rows and for
//            what is left, number of the record (band.h), and band of the group a word; zeros
//            before. What is left at the end has no row.
//   steps    blocks have so many times 32 rows
//   team_size  members of a team, where groups have several: 1 to WG, a divisor of it
//
//   WG      work-items a group; 1: a lane computes a band    tuned
//   LANES   words a work-item: a vector register on CPUs     follows the device
//   PLANES, SETS   planes.h                                  follow the texts
//   KEEP    whether any rows of bands are kept                follows what is asked for
//
// check: -DWG=32 -DLANES=1 -DPLANES=2 -DSETS=0 -DKEEP=0
// check: -DWG=32 -DLANES=1 -DPLANES=2 -DSETS=0 -DKEEP=1
// check: -DWG=64 -DLANES=1 -DPLANES=8 -DSETS=0 -DKEEP=1
// check: -DWG=1 -DLANES=16 -DPLANES=4 -DSETS=1 -DKEEP=1
#include "corridor/band.h"

#include "corridor/tile.h"
#include "planes.h"

#if WG > 1
#if LANES > 1
#error "a band is computed by the lanes of a vector or by members of a group, not by both"
#endif
#define MEMBERS_WAIT barrier(CLK_GLOBAL_MEM_FENCE)
#else
#define MEMBERS_WAIT
#endif

// The window moves by `by` words, `window` is its word 0; words are 2 stride apart. What it returns
// is a member's share of what the score changes by.
static i32 move_window(__global u32* window, i32 words, i32 by, i32 member, i32 team, i32 stride) {
  i32 change = by < 0 && member == 0 ? -32 * by : 0;
  for (i32 w = member; w < by; w += team)
    change += w < words ? (i32)popcount(window[(u64)w * 2 * stride]) -
                              (i32)popcount(window[((u64)w * 2 + 1) * stride])
                        : 32;
  const i32 parts = (words + team - 1) / team;
  for (i32 part = 0; part < parts; ++part) {
    const i32 w = (by < 0 ? parts - 1 - part : part) * team + member, from = w + by;
    u32 plus = from < 0 ? 0u : ~0u, minus = ~plus;
    if (from >= 0 && from < words) {
      plus = window[(u64)from * 2 * stride];
      minus = window[((u64)from * 2 + 1) * stride];
    }
    MEMBERS_WAIT;
    if (w < words) {
      window[(u64)w * 2 * stride] = plus;
      window[((u64)w * 2 + 1) * stride] = minus;
    }
    MEMBERS_WAIT;
  }
  return change;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void corridor_band(
    __global const u32* restrict rows, __global const u32* restrict columns,
    __global const i32* restrict lefts, __global const BandStart* restrict starts,
    __global const BandGroup* restrict groups, __global u32* restrict state,
    __global i32* restrict scores, __global u32* restrict kept, const u32 every, const u32 steps,
    const i32 column_words, const u32 team_size) {
  const bool keep = KEEP && every > 0;
#if WG > 1
  // Member `member` of a team of `team` computes every team-th 32 rows of a band, two words behind
  // the member before, which hands it what it left behind. What the last one leaves, the first one
  // takes up from `window`.
  __local u32 passed[2][2][WG];  // by turns: plus and minus that members left behind
  const BandGroup group = groups[get_group_id(0)];
  const i32 item = (i32)get_local_id(0), team = (i32)team_size, member = item % team;
  const i32 stride = WG / team;  // bands of a group
  const u64 slot = (u64)get_group_id(0) * stride + item / team;
  const i32 words = (i32)group.words, height = (i32)steps;
  __global u32* window = state + group.state + item / team;
  __global const i32* left = lefts + starts[slot].lefts;
  // The first member takes up a word when the last one has left it.
  const i32 cycle = max(words, 2 * team + 2);
  const i32 end = (height - 1) / team * cycle + 2 * ((height - 1) % team) + words;
  const u64 record_size = (u64)BAND_KEPT_WORDS(words) * stride;
  __global u32* records = kept + group.kept + item / team;
  __global u32* record = records;
  i32 score = 0;

  for (u32 b = 0; b < group.blocks; ++b) {
    // Groups of several bands move their windows together, if by different numbers of words.
    if (b > 0) {
      const i32 change = move_window(window, words, left[b] - left[b - 1], member, team, stride);
      score += change;
      if (keep && change != 0)
        atomic_add(records + ((u64)b * steps / every + 1) * record_size - stride, (u32)change);
    }
    const i32 row = (i32)((starts[slot].block + b) * steps), column = row + left[b];
    i32 s = member, w = -2 * member;     // 32 rows of the block, word of the window
    bool leaves = false, keeps = false;  // in `window`, and in `record`
    u32 left_plus = ~0u, left_minus = 0, symbols[PLANES];
    u32 plus = ~0u, minus = 0;  // what this member left behind last
    for (i32 t = 0; t < end; ++t) {
      passed[t & 1][0][item] = plus;
      passed[t & 1][1][item] = minus;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (w >= 0 && w < words && s < height) {
        if (w == 0) {
          for (int k = 0; k < PLANES; ++k) symbols[k] = rows[(row + s) * PLANES + k];
          left_plus = ~0u;
          left_minus = 0;
          leaves = member == team - 1 || s == height - 1;
          if (keep) {
            const u32 before = b * steps + (u32)s;
            record = records + before / every * record_size;
            keeps = (before + 1) % every == 0;
          }
        }
        if (s > 0 && w == words - 1) {
          plus = ~0u;
          minus = 0;
        } else if (member == 0) {
          plus = window[(u64)w * 2 * stride];
          minus = window[((u64)w * 2 + 1) * stride];
        } else {
          plus = passed[t & 1][0][item - 1];
          minus = passed[t & 1][1][item - 1];
        }
        const i32 place = clamp(column + s + w, -1, column_words) + PLANES_FRONT;
        u32 a[PLANES], c[PLANES];
        UNROLLED for (int k = 0; k < PLANES; ++k) {
          a[k] = symbols[k];
          c[k] = columns[place * PLANES + k];
        }
        tile_edit(a, c, &plus, &minus, &left_plus, &left_minus);
        if (w == 0) {
          const i32 dropped = (i32)popcount(plus) - (i32)popcount(minus) + 32;
          score += dropped;
          if (keep) atomic_add(record + record_size - stride, (u32)dropped);
        } else if (leaves | keeps) {
          if (keeps) {
            record[((u64)w * 2 - 2) * stride] = plus;
            record[((u64)w * 2 - 1) * stride] = minus;
          }
          if (leaves) {
            window[((u64)w * 2 - 2) * stride] = plus;
            window[((u64)w * 2 - 1) * stride] = minus;
          }
        }
      }
      if (++w == cycle) {
        w = 0;
        s += team;
      }
    }
    if (member == 0) {
      window[((u64)words * 2 - 2) * stride] = ~0u;
      window[((u64)words * 2 - 1) * stride] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  // The members' scores together are the band's.
  passed[0][0][item] = (u32)score;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (member == 0) {
    for (i32 i = 1; i < team; ++i) score += (i32)passed[0][0][item + i];
    scores[slot] = score;
  }
#else
  const u32 number = (u32)get_group_id(0);
  const BandGroup group = groups[number];
  const u64 slot = (u64)number * LANES;
  const i32 words = (i32)group.words;
  __global u32* window = state + group.state;
  i32 score[LANES], row[LANES], column[LANES];  // in words; `column` is that of the window's word 0
  i32 told[LANES];                              // of the score, by the records that are made
  for (int e = 0; e < LANES; ++e) score[e] = told[e] = 0;
  __global u32* record = kept + group.kept;
  u32 left_to_keep = every;

  for (u32 b = 0; b < group.blocks; ++b) {
    for (int e = 0; e < LANES; ++e) {
      __global const i32* left = lefts + starts[slot + e].lefts + b;
      if (b > 0 && left[0] != left[-1])
        score[e] += move_window(window + e, words, left[0] - left[-1], 0, 1, LANES);
      row[e] = (i32)((starts[slot + e].block + b) * steps);
      column[e] = row[e] + left[0];
    }
    for (i32 s = 0; s < (i32)steps; ++s) {
      WORD symbols[PLANES];
      for (int k = 0; k < PLANES; ++k) EACH_LANE(symbols[k], rows[(row[e] + s) * PLANES + k]);
      WORD left_plus = ALL_ONES, left_minus = 0;
      for (i32 w = 0; w < words; ++w) {
        i32 place[LANES];
        STORE(clamp(LOAD(column) + (s + w), (COUNT)(-1), (COUNT)(column_words)), place);
        WORD a[PLANES], t[PLANES];
        UNROLLED for (int k = 0; k < PLANES; ++k) {
          a[k] = symbols[k];
          EACH_LANE(t[k], columns[(place[e] + PLANES_FRONT) * PLANES + k]);
        }
        __global u32* word = window + (u64)w * 2 * LANES;
        WORD plus = LOAD(word), minus = LOAD(word + LANES);
        tile_edit(a, t, &plus, &minus, &left_plus, &left_minus);
        if (w > 0) {
          STORE(plus, word - 2 * LANES);
          STORE(minus, word - LANES);
        } else {
          const COUNT dropped = AS_COUNT(popcount(plus)) - AS_COUNT(popcount(minus)) + 32;
          STORE(LOAD(score) + dropped, score);
        }
      }
      __global u32* last = window + (u64)(words - 1) * 2 * LANES;
      STORE((WORD)ALL_ONES, last);
      STORE((WORD)(0u), last + LANES);
      if (keep && --left_to_keep == 0) {
        left_to_keep = every;
        for (i32 w = 0; w < 2 * words - 2; ++w, record += LANES)
          STORE(LOAD(window + (u64)w * LANES), record);
        for (int e = 0; e < LANES; ++e) {
          record[e] = (u32)(score[e] - told[e]);
          told[e] = score[e];
        }
        record += LANES;
      }
    }
  }
  for (int e = 0; e < LANES; ++e) scores[slot + e] = score[e];
#endif
}
