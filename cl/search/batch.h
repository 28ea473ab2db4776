// SPDX-License-Identifier: Apache-2.0
// search/batch.h -- many short queries, each looked for in its piece of a text, by strips in slots.
//
// A work-item has LANES words and TASKS tasks in each of them (slots.h). Columns go by 32 at a
// time: the symbols of each task are loaded as a word, the words are dealt to the slots, and what
// the bottom row did in these columns is settled with each task's score at the end. The bottom row
// is SLOT - 1 columns behind bit 0.
//
// With CHAIN a query may have more strips than a slot has bits, 32 then, and a word has one task:
// the strips are gone through in passes, the last of which has all its bits in use. What leaves the
// last strip of a pass is kept, a bit a column, and enters the first one of the next.
//
// With MARKS an answer says, instead of where the best end is, where all ends with few differences
// are: bit i for the columns from i << task.profile on, both borders included. Too much may be
// marked: an end on the border of two parts marks both, or one. Where the only end that counts is
// behind the last column nothing is.
//
//   queries, texts   interleaved planes (planes.h)
//   tasks    those of a work-item one after another
//   answers  for the task with that number, SEARCH_NOTHING and 0 where no end counts
//   streams  with CHAIN: ph and mh of word w of lane l at 2 * w and 2 * w + 1, times `lanes`, + l
//
// With WHOLE a query is compared with all of its piece: dh = +1 enters above its first strip, and
// the answer is the bottom row's score behind the last column.
//
//   CHAIN   0 or 1          follows the queries
//   MARKS   0 or 1          set by the file that includes this one
//   SLOT, K, HEAD, MIXED, WHOLE   slots.h
//   LANES, PLANES, SETS     cell.h, planes.h
#ifndef RHOMB_CL_STRIP_BATCH_H
#define RHOMB_CL_STRIP_BATCH_H

#include "planes.h"
#include "search/slots.h"
#include "search/task.h"
#include "word.h"

typedef struct {
  GLOBAL const u32* queries;
  GLOBAL const u32* texts;
  GLOBAL const SearchTask* tasks;
  u32 count;  // tasks
  GLOBAL SearchAnswer* answers;
  GLOBAL u32* streams;
  u32 lanes;  // of all work-items
#if MARKS
  i32 few;  // ends with no more differences are marked
#endif
} Batch;

// The numbers that lane e and slot g need, at [e] and [g].
typedef struct {
  u32 query[LANES][TASKS], text[LANES][TASKS];
  i32 strips[LANES][TASKS], pad[LANES][TASKS];  // of each query, and the rows above it
  u32 passes;                                   // that the longest query of all takes
  u32 most;                                     // columns of the longest piece of all
  u32 least;                                    // and of the shortest
  COUNT columns[TASKS], skip[TASKS];            // of each piece
  COUNT score[TASKS];                           // of the bottom row, as far as it is settled
  COUNT best[TASKS];
#if MARKS
  WORD marks[TASKS];
  u32 part[LANES][TASKS];  // a mark stands for 1 << part columns
#else
  COUNT end[TASKS];
#endif
} Tasks;

// Lanes and slots behind the last task get that one again.
FN u32 batch_task(const Batch* b, u32 item, int e, int g) {
  return min_u32((item * LANES + (u32)e) * TASKS + (u32)g, b->count - 1);
}

FN void batch_load(Tasks* t, const Batch* b, u32 item) {
  t->most = 0;
  t->least = ~0u;
  t->passes = 1;
  UNROLLED for (int g = 0; g < TASKS; ++g) {
    WORD rows, columns, skip;
    for (int e = 0; e < LANES; ++e) {
      GLOBAL const SearchTask* task = &b->tasks[batch_task(b, item, e, g)];
      t->query[e][g] = task->query;
      t->text[e][g] = task->text;
      const u32 strips = (task->rows + K - 1) / K;
      t->strips[e][g] = (i32)strips;
      t->pad[e][g] = (i32)(strips * K - task->rows);
#if MARKS
      t->part[e][g] = task->profile;
#endif
#if CHAIN
      const u32 passes = (strips + SLOT - 1) / SLOT;
      t->passes = passes > t->passes ? passes : t->passes;
#endif
      t->most = task->columns > t->most ? task->columns : t->most;
      t->least = min_u32(t->least, task->columns);
    }
    EACH_LANE(rows, b->tasks[batch_task(b, item, e, g)].rows);
    EACH_LANE(columns, b->tasks[batch_task(b, item, e, g)].columns);
    EACH_LANE(skip, b->tasks[batch_task(b, item, e, g)].skip);
    t->columns[g] = AS_COUNT(columns);
    // Where no end counts none ever does.
    t->skip[g] = AS_COUNT(skip | (MASK(AS_COUNT(skip) > t->columns[g]) & SPLAT(SEARCH_NOTHING)));
    t->score[g] = AS_COUNT(rows);
    t->best[g] = AS_COUNT(SPLAT(SEARCH_NOTHING));
#if MARKS
    t->marks[g] = SPLAT(0);
#else
    t->end[g] = AS_COUNT(SPLAT(0));
#endif
  }
}

// 32 bits of a plane from bit `at` on, which may lie 32 * PLANES_FRONT bits before the first.
FN u32 plane_bits(GLOBAL const u32* planes, int p, i64 at) {
  GLOBAL const u32* word = planes + ((at >> 5) + PLANES_FRONT) * PLANES + p;
  return funnel_right(word[0], word[PLANES], (u32)at);
}

// 32 symbols of a plane, of which K are rows of strip `strip`; anything if there is no such strip
// (a condition here, for each of 32 strips and plane, takes compilers a quarter longer).
FN u32 batch_row(const Tasks* t, const Batch* b, int p, int e, int g, i32 strip) {
  strip = strip < 0 ? 0 : strip;
  return plane_bits(b->queries, p, (i64)t->query[e][g] + (strip * K - t->pad[e][g]));
}

// `strip` is that of bit 0. The bit of a query's first strip, if there is one in this pass.
FN u32 batch_first(i32 strip) { return strip <= 0 && strip > -SLOT ? 1u << (u32)-strip : 0u; }

// The bit where dh enters from above: from the pass before if there is no first strip in this one.
FN u32 batch_enter(i32 strip) { return strip > 0 ? 1u : batch_first(strip); }

// What pass `pass` has of each query: its rows, what is above them, and where it enters.
FN void batch_rows(Slots* s, const Tasks* t, const Batch* b, u32 pass) {
  // The strip of bit 0; those before the first one are negative.
  const i32 offset = (i32)(pass * SLOT) - (i32)(t->passes * SLOT);
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    WORD rows[32];
    UNROLLED for (int w = 0; w < 32; ++w) {
      const int g = w / SLOT;
      EACH_LANE(rows[w], batch_row(t, b, p, e, g, t->strips[e][g] + offset + w % SLOT));
    }
    transpose_bits(rows);
    UNROLLED for (int r = 0; r < K; ++r) s->symbols[r][p] = rows[r];
  }
#if MIXED
  WORD enter = SPLAT(0);
  UNROLLED for (int g = 0; g < TASKS; ++g) {
    WORD bits;
    EACH_LANE(bits, batch_enter(t->strips[e][g] + offset) << (g * SLOT));
    enter |= bits;
  }
  s->enter = enter;
#endif
#if HEAD > 0
  UNROLLED for (int r = 0; r < HEAD; ++r) {
    WORD above = SPLAT(0);
    UNROLLED for (int g = 0; g < TASKS; ++g) {
      WORD bits;
      EACH_LANE(bits, t->pad[e][g] > r ? batch_first(t->strips[e][g] + offset) << (g * SLOT) : 0u);
      above |= bits;
    }
    s->above[r] = above;
  }
#endif
}

// The symbols of the 32 columns from `column` on, as words of SLOT columns of all tasks.
FN void batch_columns(WORD columns[PLANES][TASKS], const Tasks* t, const Batch* b, u32 column) {
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    UNROLLED for (int g = 0; g < TASKS; ++g)
        EACH_LANE(columns[p][g], plane_bits(b->texts, p, (i64)t->text[e][g] + column));
    slots_deal(columns[p]);
  }
}

// What the pass before kept of 32 columns, from `column` on: above a query's first strip nothing,
// with WHOLE what batch_above() says.
FN void batch_stream(WORD* ph, WORD* mh, const Tasks* t, const Batch* b, u32 item, u32 pass,
                     u32 column) {
  *ph = *mh = SPLAT(0);
#if CHAIN
  const i32 offset = (i32)(pass * SLOT) - (i32)(t->passes * SLOT);
  GLOBAL const u32* word = b->streams + (u64)(column >> 5) * 2 * b->lanes + item * LANES;
  EACH_LANE(*ph, t->strips[e][0] + offset <= 0
                     ? 0u
                     : funnel_right(word[e], word[2 * b->lanes + e], column));
  EACH_LANE(*mh, t->strips[e][0] + offset <= 0
                     ? 0u
                     : funnel_right(word[b->lanes + e], word[3 * b->lanes + e], column));
#endif
}

// dh = +1 above a query's first strip, in whichever bit of the word that is; with WHOLE alone.
FN WORD batch_above(const Tasks* t, u32 pass) {
#if WHOLE && CHAIN
  const i32 offset = (i32)(pass * SLOT) - (i32)(t->passes * SLOT);
  WORD above;
  EACH_LANE(above, t->strips[e][0] + offset <= 0 ? ~0u : 0u);
  return above;
#else
  (void)t;
  (void)pass;
  return SPLAT(WHOLE ? ~0u : 0u);
#endif
}

// Which tasks have a column `column` at all, in the lowest bits of their slots.
FN WORD batch_live(const Tasks* t, i32 column) {
  WORD live = SPLAT(0);
  UNROLLED for (int g = 0; g < TASKS; ++g) live |=
      MASK(t->columns[g] > column) & SPLAT(1u << (g * SLOT));
  return live;
}

// Where `now`, the score is the first that counts, with an end after `columns`.
FN void batch_start(Tasks* t, int g, WORD now, WORD columns) {
  t->best[g] = AS_COUNT(logic_pick(now, AS_WORD(t->score[g]), AS_WORD(t->best[g])));
#if !MARKS
  t->end[g] = AS_COUNT(logic_pick(now, columns, AS_WORD(t->end[g])));
#endif
}

// The columns from `column` on are settled.
FN void batch_settle(Tasks* t, const Batch* b, const Lows* l, i32 column) {
  UNROLLED for (int g = 0; g < TASKS; ++g) {
    const u32 by = g * SLOT;
#if !WHOLE
    batch_start(t, g, MASK(t->skip[g] == column), SPLAT(column));
#endif
    const COUNT low = t->score[g] - AS_COUNT((l->steps >> by) & SPLAT(SLOT_ONES));
#if !WHOLE
    const WORD better = MASK(low < t->best[g]) & MASK(t->skip[g] <= column);
    t->best[g] = AS_COUNT(logic_pick(better, AS_WORD(low), AS_WORD(t->best[g])));
#if MARKS
    WORD mark;
    EACH_LANE(mark, 1u << min_u32((u32)column >> t->part[e][g], 31));
    t->marks[g] |=
        mark & MASK(low <= b->few) & MASK(t->skip[g] <= column) & MASK(t->columns[g] > column);
#else
    const COUNT end = AS_COUNT((l->when >> by) & SPLAT(SLOT_ONES)) + (column + 1);
    t->end[g] = AS_COUNT(logic_pick(better, AS_WORD(end), AS_WORD(t->end[g])));
#endif
#endif
    t->score[g] = low + AS_COUNT((l->over >> by) & SPLAT(SLOT_ONES));
  }
}

FN void batch_answer(Tasks* t, const Batch* b, u32 item) {
  UNROLLED for (int g = 0; g < TASKS; ++g) {
#if WHOLE
    t->best[g] = t->score[g];
    t->end[g] = t->columns[g];
#else
    batch_start(t, g, MASK(t->skip[g] == t->columns[g]), AS_WORD(t->columns[g]));
#endif
    u32 best[LANES], end[LANES];
    STORE(AS_WORD(t->best[g]), best);
#if MARKS
    STORE(t->marks[g], end);
#else
    STORE(AS_WORD(t->end[g]), end);
#endif
    for (int e = 0; e < LANES; ++e) {
      const u32 number = (item * LANES + (u32)e) * TASKS + g;
      if (number >= b->count) continue;
      GLOBAL SearchAnswer* answer = &b->answers[b->tasks[number].answer];
      answer->distance = best[e];
      answer->end = end[e];
    }
  }
}

FN void batch_item(const Batch* b, u32 item) {
  if (item * (u64)(LANES * TASKS) >= b->count) return;
  Tasks t;
  batch_load(&t, b, item);

  const u32 late = SLOT - 1;
  const WORD low = SPLAT(SLOT_LOW);
  for (u32 pass = 0; pass < t.passes; ++pass) {
    Slots s;
    batch_rows(&s, &t, b, pass);
    slots_begin(&s);

    // Until the bottom row reaches its first column.
    WORD columns[PLANES][TASKS];
    WORD in_ph, in_mh;
    batch_columns(columns, &t, b, 0);
    batch_stream(&in_ph, &in_mh, &t, b, item, pass, 0);
    const WORD above = batch_above(&t, pass);
    for (u32 i = 0; i < late; ++i) {
      WORD next[PLANES];
      UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = columns[p][0] >> i;
      slots_wake(&s, i);
      slots_step(&s, next, in_ph >> i | above, in_mh >> i);
    }
    slots_wake(&s, late);

    for (u32 column = 0; column < t.most; column += 32) {
      batch_columns(columns, &t, b, column + late);
      batch_stream(&in_ph, &in_mh, &t, b, item, pass, column + late);
      const u32 count = min_u32(32, t.most - column);
      const bool whole = column + count <= t.least;
      Lows lows;
      lows_begin(&lows);
#if CHAIN
      WORD out_ph = SPLAT(0), out_mh = SPLAT(0);
#endif
      for (u32 i = 0; i < count;) {
        WORD next[PLANES];
        UNROLLED for (int p = 0; p < PLANES; ++p) {
          next[p] = columns[p][0];
          UNROLLED for (int g = 0; g + 1 < TASKS; ++g) columns[p][g] = columns[p][g + 1];
        }
        const u32 stop = min_u32(count, i + SLOT);
        for (; i < stop; ++i) {
          slots_step(&s, next, in_ph | above, in_mh);
          UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = next[p] >> 1;
          WORD plus = (s.ph >> late) & low, minus = (s.mh >> late) & low;
#if CHAIN
          in_ph = in_ph >> 1;
          in_mh = in_mh >> 1;
          out_ph |= plus << i;
          out_mh |= minus << i;
#endif
          if (!whole) {
            const WORD live = batch_live(&t, (i32)(column + i));
            plus &= live;
            minus &= live;
          }
          lows_step(&lows, plus, minus);
        }
      }
      if (pass + 1 == t.passes) batch_settle(&t, b, &lows, (i32)column);
#if CHAIN
      if (pass + 1 < t.passes) {
        GLOBAL u32* word = b->streams + (u64)(column >> 5) * 2 * b->lanes + item * LANES;
        STORE(out_ph, word);
        STORE(out_mh, word + b->lanes);
      }
#endif
    }
  }
  batch_answer(&t, b, item);
}

#endif
