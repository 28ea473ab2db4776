// SPDX-License-Identifier: Apache-2.0
// gaps/task.h -- what host and kernels of gaps agree on.
#ifndef RHOMB_CL_GAPS_TASK_H
#define RHOMB_CL_GAPS_TASK_H

#include "common.h"

// A query and a target, a byte a symbol: its number in the table of scores.
typedef struct {
  u32 query;   // first symbol
  u32 m;       // symbols
  u32 target;  // first symbol
  u32 n;       // symbols
  u32 number;  // where its answer goes; GAPS_NOBODY: nowhere, it only fills up a word
} GapsTask;

#define GAPS_NOBODY 0xffffffffu

// The best score of a layer and its first end, as host/gaps/alignment.h has them; `score` is
// GAPS_NONE if there is no alignment. A task has one for each layer.
typedef struct {
  i32 score;
  u32 end;
} GapsAnswer;

#define GAPS_NONE (-2147483647 - 1)

// What the work-items of a group have in common.
typedef struct {
  u64 records;   // its first word of that buffer
  u64 values;    // likewise, if alignments are wanted
  u32 rows;      // symbols of its longest target
  u32 passes;    // in which the columns of its longest query are gone through
  u32 shortest;  // query, symbols
  u32 longest;   // query, symbols
} GapsGroup;

// What a launch is told.
typedef struct {
  u32 slots, groups, table;  // where the program's tasks, groups and scores begin
  u32 first;                 // of these groups
  u32 count;                 // tasks to walk back for
  i32 open, extend;          // of a gap as kept, however long; per symbol, below 0
  i32 zero, never, least;    // what stands for 0 and for no alignment; the least that is one
  i32 match, mismatch;       // with SCORES 0
  u32 symbols;               // a row of the table
  u32 pad;                   // in front of the query
  u32 band;
} GapsLaunch;

// A run of an alignment is length << 2 | what. An alignment has 2 GAPS + 3 words: how many runs,
// the symbols of the target before it, and the runs from its end on.
#define GAPS_PAIR 0u
#define GAPS_INSERT 1u
#define GAPS_DELETE 2u
#define GAPS_RUNS(gaps) (2u * (gaps) + 3u)

#endif
