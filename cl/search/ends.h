// SPDX-License-Identifier: Apache-2.0
// search/ends.h -- the lowest value of the bottom row and where it is first, from the row's
// differences, 32 columns at a time.
//
// Looking at each of 32 columns takes as long as computing several. Most need no look: they cannot
// go below what was reached before. While a task comes nearer to its best end, though, each 32
// columns are better than those before; so the last that may be the best are put aside, and only
// looked at if what comes next is not lower than all of them.
#ifndef RHOMB_CL_SEARCH_ENDS_H
#define RHOMB_CL_SEARCH_ENDS_H

#include "common.h"
#include "search/task.h"

typedef struct {
  i32 columns, skip;  // of the piece
  i32 score;          // of the bottom row, as far as it is settled
  i32 reached;        // no later end counts unless it is lower
  i32 best, end;      // of what was looked at
  // What was put aside: the differences, the score before them, and the column, -1 if there is
  // none.
  u32 plus, minus;
  i32 before, column;
} Ends;

// `asked` is false for a work-item that has not the bottom row; it is told that no end counts.
FN void ends_begin(Ends* e, const SearchTask* task, bool asked) {
  e->columns = (i32)task->columns;
  e->skip = asked && task->skip <= task->columns ? (i32)task->skip : SEARCH_NOTHING;
  e->score = (i32)task->rows;
  e->reached = e->best = SEARCH_NOTHING;
  e->end = 0;
  e->plus = e->minus = 0;
  e->before = 0;
  e->column = -1;
}

// What was put aside is looked at.
FN void ends_look(Ends* e) {
  if (e->column < 0) return;
  i32 score = e->before;
  u32 plus = e->plus, minus = e->minus;
  for (i32 i = 1; i <= 32; ++i) {
    score += (i32)(plus >> 31) - (i32)(minus >> 31);
    plus <<= 1;
    minus <<= 1;
    if (score < e->best) {
      e->best = score;
      e->end = e->column + i;
    }
  }
  e->column = -1;
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
    e->reached = e->best = e->score;
    e->end = column;
  }
  const i32 before = e->score;
  const i32 least = before - (i32)POPCOUNT(minus);  // there is nothing lower
  e->score = least + (i32)POPCOUNT(plus);
  if (column < e->skip || least >= e->reached) return;
  if (e->score >= e->before - (i32)POPCOUNT(e->minus)) ends_look(e);
  e->plus = plus;
  e->minus = minus;
  e->before = before;
  e->column = column;
  e->reached = e->score < e->reached ? e->score : e->reached;
}

FN void ends_answer(Ends* e, GLOBAL SearchAnswer* answer) {
  ends_look(e);
  // The last end of all is the first that counts, and no column comes after it.
  const bool last = e->skip == e->columns;
  answer->distance = (u32)(last ? e->score : e->best);
  answer->end = (u32)(last ? e->columns : e->end);
}

#endif
