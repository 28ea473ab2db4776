// SPDX-License-Identifier: Apache-2.0
// search/task.cl -- many short queries, each looked for in its piece of a text, a work-item a task
// (Chacon et al. 2014, 3.1).
//
// A work-item goes through the columns of its matrix, and in each through the words of the column
// (step.h), handing dh from word to word. What matches is read from the query's profile. Work-items
// have nothing to do with each other.
//
//   profiles   profile.cl
//   texts      interleaved planes (planes.h)
//   answers    for the task with that number, SEARCH_NOTHING and 0 where no end counts
//   launch     words of each column: no more than WORDS
//
//   WG      work-items a group                              tuned
//   WORDS   words that a column may have                    follows the queries
//   SHARED  1: columns are in local memory, 0: in private   follows the variant
//   PLANES, SETS   planes.h                                 follow the texts
//
// check: -DWG=64 -DWORDS=4 -DSHARED=0 -DPLANES=2 -DSETS=0
// check: -DWG=64 -DWORDS=12 -DSHARED=1 -DPLANES=4 -DSETS=1
#include "search/ends.h"
#include "search/step.h"

// The pv and mv of word w of a work-item.
#if SHARED
#define PV(w) columns[2 * (w)*WG + item]
#define MV(w) columns[(2 * (w) + 1) * WG + item]
#else
#define PV(w) columns[2 * (w)]
#define MV(w) columns[2 * (w) + 1]
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void search_task(
    __global const u32* restrict profiles, __global const u32* restrict texts,
    __global const SearchTask* restrict tasks, __global SearchAnswer* restrict answers,
    __global u32* restrict unused, const SearchLaunch launch) {
#if SHARED
  __local u32 columns[2 * WORDS * WG];
  const u32 item = (u32)get_local_id(0);
#else
  u32 columns[2 * WORDS];
#endif
  const u32 number = (u32)get_global_id(0);
  if (number >= launch.count) return;
  const SearchTask task = tasks[launch.first + number];
  const u32 words = launch.words;
  for (u32 w = 0; w < words; ++w) {
    PV(w) = ~0u;
    MV(w) = 0;
  }
  Ends ends;
  ends_begin(&ends, &task, true);

  for (u32 column = 0; column < task.columns; column += 32) {
    u32 symbols[PLANES];
    load_columns(symbols, texts, (i64)task.text + column);
    u32 pluses = 0, minuses = 0;
    for (u32 i = 0; i < 32; ++i) {
      u32 text[PLANES];
      next_column(text, symbols);
      __global const u32* profile = profiles + task.profile + symbol_of(text) * words;
      u32 minus = 0, plus = 0;
      for (u32 w = 0; w < words; ++w) {
        const u32 match = profile[w];
        u32 pv = PV(w), mv = MV(w), carry;
        add_begin(&carry, minus);
        const u32 sum = add_word(&carry, match & pv, pv);
        minus = add_end(&carry, 0);
        step_word(match, sum, &pv, &mv, &plus);
        PV(w) = pv;
        MV(w) = mv;
      }
      pluses = FUNNEL_LEFT(pluses, plus, 1);
      minuses = minuses << 1 | minus;
    }
    ends_settle(&ends, pluses, minuses, (i32)column);
  }
  ends_answer(&ends, &answers[task.answer]);
}
