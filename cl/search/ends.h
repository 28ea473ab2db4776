// SPDX-License-Identifier: Apache-2.0
// search/ends.h -- the lowest value of the bottom row and where it is first, from the row's
// differences, 32 columns at a time.
#ifndef RHOMB_CL_SEARCH_ENDS_H
#define RHOMB_CL_SEARCH_ENDS_H

#include "common.h"
#include "search/task.h"

typedef struct {
  i32 columns, skip;  // of the piece
  i32 score;          // of the bottom row, as far as it is settled
  i32 best, end;
} Ends;

// `asked` is false for a work-item that has not the bottom row; it is told that no end counts.
FN void ends_begin(Ends* e, const SearchTask* task, bool asked) {
  e->columns = (i32)task->columns;
  e->skip = asked && task->skip <= task->columns ? (i32)task->skip : SEARCH_NOTHING;
  e->score = (i32)task->rows;
  e->best = SEARCH_NOTHING;
  e->end = 0;
}

// The 32 columns from `column` on: where dh is +1 and -1, the first of them in the highest bit.
FN void ends_settle(Ends* e, u32 plus, u32 minus, i32 column) {
  const i32 left = e->columns - column;
  if (left < 32) {
    const u32 live = left <= 0 ? 0u : ~(~0u >> left);
    plus &= live;
    minus &= live;
  }
  if (e->skip == column) {
    e->best = e->score;
    e->end = column;
  }
  // Most words cannot have a new low, as soon as there is a good one.
  if (column >= e->skip && e->score - (i32)POPCOUNT(minus) < e->best) {
    for (i32 i = 1; i <= 32; ++i) {
      e->score += (i32)(plus >> 31) - (i32)(minus >> 31);
      plus <<= 1;
      minus <<= 1;
      if (e->score < e->best) {
        e->best = e->score;
        e->end = column + i;
      }
    }
  } else {
    e->score += (i32)POPCOUNT(plus) - (i32)POPCOUNT(minus);
  }
}

FN void ends_answer(const Ends* e, GLOBAL SearchAnswer* answer) {
  // The last end of all is the first that counts, and no column comes after it.
  const bool last = e->skip == e->columns;
  answer->distance = (u32)(last ? e->score : e->best);
  answer->end = (u32)(last ? e->columns : e->end);
}

#endif
