// SPDX-License-Identifier: Apache-2.0
// gaps/lanes.h -- best scores of alignments with at most GAPS gaps, all layers of the matrix at
// once.
//
// Layer q has the best scores with at most q gaps (host/gaps/reference.cpp has the recurrence).
// Rows are symbols of the target, columns those of the query. Kept is score - extend (i + j): to
// extend a gap costs nothing then, and of layer q that - open q: to open one costs nothing either.
// So for a cell and a layer
//
//   e = max(from, e)     from: the cell on the left, one layer below
//   f = max(from, f)     from: the cell above, one layer below
//   g = max(diagonal + score, e, f)
//
// which are three maxima and a sum with a maximum. `from` is any cell, with STRICT one that ends
// with a pair.
//
// Layer 0 is the sums d[i] of scores along the diagonal from the start, for nothing else has no
// gap. With DIAGONAL it is computed first and kept apart. Layer 1 is then
//
//   g = max(diagonal + score, d[min(i, j)])
//
// and the last is of the row where the column is right of the diagonal, else of the column, which
// keeps it.
//
// A word (word.h) has a cell of each of PAIRS alignments. SPAN work-items are a team, which has one
// word of alignments: work-item l has COLS columns of it in registers and is l rows behind the
// first one, so what it needs of the columns on its left was computed in the step before, by its
// neighbour, who hands it over: by shuffles on NVIDIA GPUs, else through local memory. A query of
// more columns than the team has is gone through in passes; what goes from one to the next is kept
// in records.
//
// The query's last symbol is in the last column of the last pass. In front of the query stand at
// least one column without symbol, more where that fills up the team's columns. The last of them is
// column 0 of the matrix: it begins as one, with 0 in row 0; those before it begin as `never`,
// which nothing can come out of, since sums with it stay below all scores. With INFIX the alignment
// may begin at each row of column 0: all columns in front begin with 0, and a step along a diagonal
// between them scores what keeps it 0, by a symbol of its own (`pad`), so that column 0 is 0 in
// every row.
//
// The last column of every row goes into the records. In the end the team looks for the best of
// them.
//
//   GAPS    layers besides the one without gaps, 0 to 32       asked for
//   COLS    columns a work-item                                tuned
//   SPAN    work-items a team, 1 to 32, a power of two         tuned
//   WG      work-items a group, a multiple of SPAN             tuned
//   SCORES  0: symbols are equal or not; 1: from a table in memory; 2, 3: from four or eight bytes
//           in registers, by byte permutes (packed words)      follows the scores
//   DIAGONAL  1: the queries of a word are of one length, so that their diagonals are in one place,
//           and layer 0 is not computed but for them; 0: it is, as INFIX and GAPS 0 need
//                                                              follows the lengths
//   RULES   sum of 1: STRICT, 2: INFIX, 4: GLOBAL, 8: BAND     asked for (host/gaps/alignment.h)
//   TRACE   1: the values of all cells are kept, for walk.h; 2: but of the lowest layer and the
//           highest their last eight bits, which is enough there (packed words)   asked for
//   PAIRS, WIDE                                                word.h
#ifndef RHOMB_CL_GAPS_LANES_H
#define RHOMB_CL_GAPS_LANES_H

#include "gaps/task.h"
#include "gaps/word.h"

#if HAVE_PTX
#define TEAM 32
#else
#define TEAM 1
#endif
#include "team.h"

#define STRICT (RULES & 1)
#define INFIX (RULES >> 1 & 1)
#define GLOBAL_ENDS (RULES >> 2 & 1)
#define BAND (RULES >> 3 & 1)

#define LAYERS (GAPS + 1)
#define TEAMS (WG / SPAN)
// The first layer that is computed cell by cell, and how many are.
#define LOWEST DIAGONAL
#define COMPUTED (LAYERS - LOWEST)
#if DIAGONAL && (INFIX || GAPS == 0)
#error "layer 0 is not one diagonal, or there is no other"
#endif
// Words of a record, which is of a row: any cells of these layers, those along the row of all but
// the first, and those that end with a pair.
#define RECORD (2 * COMPUTED - 1 + (STRICT ? COMPUTED : 0))
#define RECORD_ALONG(q) (COMPUTED + (q)-LOWEST - 1)
#define RECORD_PAIRED(q) (2 * COMPUTED - 1 + (q)-LOWEST)
// Vectors find their symbols side by side, written there before.
#define TRANSPOSED (PAIRS > 1 && !PACKED)
// So many alignments' answers are looked for at once.
#define TOGETHER (TRANSPOSED ? PAIRS : 1)
// The first layer whose values are kept: in layer 0 the only diagonal is known, but with INFIX.
#define FIRST_KEPT (INFIX ? 0 : 1)
// A row of a work-item's values, in words: of two columns a word has eight bits each, or of one.
#define BYTE_WORDS ((COLS + 1) / 2)
#define IS_BYTES(q) (TRACE == 2 && ((q) == 1 || (q) == GAPS))
#if TRACE == 2
#define KEPT_AT(q) ((q) == 1 ? 0 : BYTE_WORDS + ((q)-2) * COLS)
#define KEPT_WORDS (GAPS < 2 ? GAPS * BYTE_WORDS : 2 * BYTE_WORDS + (GAPS - 2) * COLS)
#else
#define KEPT_AT(q) (((q)-FIRST_KEPT) * COLS)
#define KEPT_WORDS ((LAYERS - FIRST_KEPT) * COLS)
#endif

typedef struct {
  GLOBAL const unsigned char* queries;
  GLOBAL const unsigned char* targets;
  GLOBAL const GapsTask* tasks;  // PAIRS for each team
  GLOBAL const GapsGroup* groups;
  GLOBAL const i32* table;  // SCORES 1: by target, then by query; 2, 3: bytes, by target
  GLOBAL WORD* records;
  GLOBAL WORD* values;  // with TRACE
  GLOBAL GapsAnswer* answers;
  GLOBAL u32* runs;  // with TRACE: task.h
  GapsLaunch launch;
} GapsLanes;

// Tasks, groups and scores are those of all programs.
FN GapsLanes gaps_lanes_of(GLOBAL const unsigned char* queries, GLOBAL const unsigned char* targets,
                           GLOBAL const GapsTask* tasks, GLOBAL const GapsGroup* groups,
                           GLOBAL const i32* table, GLOBAL WORD* records, GLOBAL WORD* values,
                           GLOBAL GapsAnswer* answers, GLOBAL u32* runs, GapsLaunch launch) {
  const GapsLanes a = {queries,
                       targets,
                       tasks + launch.slots,
                       groups + launch.groups,
                       table + launch.table,
                       records,
                       values,
                       answers,
                       runs,
                       launch};
  return a;
}

// What a team has of its alignments.
typedef struct {
  GapsTask tasks[PAIRS];
  u32 front[PAIRS];  // columns in front of the query's first symbol; with DIAGONAL all alike
  u32 first;         // of them, among all
} GapsTeam;

// What a work-item hands to its neighbour: its last column of a row.
typedef struct {
  WORD any[LAYERS];
  WORD along[LAYERS];  // e; [0] is not used; with DIAGONAL [1] is the sum of the row, d[i]
#if STRICT
  WORD paired[LAYERS];
#endif
} GapsBorder;

// Scores of a symbol of the target in a row, in a form that columns understand.
typedef struct {
#if PACKED && SCORES == 2
  u32 bytes[2];
#elif PACKED && SCORES == 3
  u32 bytes[4];
#elif PACKED
  u32 place[2];  // in the table
#else
  WORD symbol;
#endif
} GapsRow;

// The same of a column's symbols.
typedef struct {
#if PACKED && SCORES == 3
  u32 which[2];
#elif PACKED && SCORES == 2
  u32 which;
#elif PACKED
  u32 symbol[2];
#else
  WORD symbol;
#endif
} GapsColumn;

FN GapsColumn gaps_column(const GapsLanes* a, const GapsTeam* team, u32 c) {
  i32 each[PAIRS];
  GapsColumn column;
  for (int pair = 0; pair < PAIRS; ++pair) {
    const u32 front = team->front[pair];
    each[pair] =
        (i32)(c < front ? a->launch.pad : a->queries[team->tasks[pair].query + (c - front)]);
  }
#if PACKED && SCORES == 2
  column.which = (u32)each[0] * 0x11u + 0x80u + (((u32)each[1] + 4u) * 0x11u + 0x80u) * 0x100u;
#elif PACKED && SCORES == 3
  column.which[0] = (u32)each[0] * 0x11u + 0x80u;
  column.which[1] = (u32)each[1] * 0x11u + 0x80u;
#elif PACKED
  column.symbol[0] = (u32)each[0];
  column.symbol[1] = (u32)each[1];
#else
  column.symbol = word_made(each);
#endif
  return column;
}

#if TRANSPOSED
// Four symbols that follow each other of each text of a word, which begin at `at`: four words.
FN void gaps_four(GLOBAL const unsigned char* texts, const u32* at, WORD* words) {
  WordNumbers four;
  for (int pair = 0; pair < PAIRS; ++pair)
    four.each[pair] = (i32)as_uint(vload4(0, texts + at[pair]));
  UNROLLED for (int j = 0; j < 4; ++j) words[j] =
      __builtin_convertvector(four.all >> (8 * j) & 255, WORD);
}

// The targets' symbols side by side, those of `rows` rows; each work-item has every SPAN-th four.
FN void gaps_transpose(const GapsLanes* a, const GapsTeam* team, GLOBAL WORD* transposed, u32 rows,
                       u32 lane) {
  for (u32 i = 4 * lane; i < rows; i += 4 * SPAN) {
    u32 at[PAIRS];
    WORD four[4];
    for (int pair = 0; pair < PAIRS; ++pair) at[pair] = team->tasks[pair].target + i;
    gaps_four(a->targets, at, four);
    for (u32 j = 0; j < 4 && i + j < rows; ++j) transposed[i + j] = four[j];
  }
}
#endif

// Columns from c on.
FN void gaps_columns(const GapsLanes* a, const GapsTeam* team, u32 c, GapsColumn* columns) {
#if TRANSPOSED
  u32 front = 0;  // of all queries that are some
  for (int pair = 0; pair < PAIRS; ++pair)
    if (team->tasks[pair].number != GAPS_NOBODY && team->front[pair] > front)
      front = team->front[pair];
  if (c >= front) {
    for (u32 first = 0; first < COLS; first += 4) {
      u32 at[PAIRS];
      WORD four[4];
      for (int pair = 0; pair < PAIRS; ++pair)
        at[pair] = team->tasks[pair].number == GAPS_NOBODY
                       ? 0
                       : team->tasks[pair].query + (c - team->front[pair] + first);
      gaps_four(a->queries, at, four);
      UNROLLED for (u32 j = 0; j < 4; ++j) if (first + j < COLS) columns[first + j].symbol =
          four[j];
    }
    return;
  }
#endif
  UNROLLED for (int j = 0; j < COLS; ++j) columns[j] = gaps_column(a, team, c + (u32)j);
}

// Of row i, from 1 on; rows behind a target's end have some symbol, since another target follows,
// or bytes that are there for that.
FN GapsRow gaps_row(const GapsLanes* a, const GapsTeam* team, GLOBAL const WORD* transposed,
                    u32 i) {
  GapsRow row;
#if TRANSPOSED
  row.symbol = transposed[i - 1];
#elif PACKED
  const u32 s[2] = {a->targets[team->tasks[0].target + i - 1],
                    a->targets[team->tasks[1].target + i - 1]};
  UNROLLED for (int pair = 0; pair < 2; ++pair) {
#if SCORES == 2
    row.bytes[pair] = (u32)a->table[s[pair]];
#elif SCORES == 3
    row.bytes[2 * pair] = (u32)a->table[2 * s[pair]];
    row.bytes[2 * pair + 1] = (u32)a->table[2 * s[pair] + 1];
#else
    row.place[pair] = s[pair] * a->launch.symbols;
#endif
  }
#else
  row.symbol = (WORD)a->targets[team->tasks[0].target + i - 1];
#endif
  return row;
}

FN WORD gaps_score(const GapsLanes* a, const GapsRow* row, const GapsColumn* column) {
#if PACKED && SCORES == 2
  return word_bytes(row->bytes[0], row->bytes[1], column->which);
#elif PACKED && SCORES == 3
  return word_bytes(word_bytes(row->bytes[0], row->bytes[1], column->which[0]),
                    word_bytes(row->bytes[2], row->bytes[3], column->which[1]), 0x5410u);
#elif PACKED
  const i32 each[2] = {a->table[row->place[0] + column->symbol[0]],
                       a->table[row->place[1] + column->symbol[1]]};
  return word_made(each);
#elif SCORES == 0
  return word_if_equal(row->symbol, column->symbol, word_of(a->launch.match),
                       word_of(a->launch.mismatch));
#else
  i32 each[PAIRS];
  for (int pair = 0; pair < PAIRS; ++pair)
    each[pair] = a->table[(u32)word_get(row->symbol, pair) * a->launch.symbols +
                          (u32)word_get(column->symbol, pair)];
  return word_made(each);
#endif
}

// Row 0 at column c (-1 is on the left of all).
FN WORD gaps_first(const GapsLanes* a, const GapsTeam* team, i32 c, int layer, int paired) {
  i32 each[PAIRS];
  for (int pair = 0; pair < PAIRS; ++pair) {
    const i32 start = (i32)team->front[pair] - 1;  // column 0 of the matrix
    const i32 zero = a->launch.zero - layer * a->launch.open;
    int gap = c > start && layer > 0 && !paired;
#if BAND
    gap &= c - start <= (i32)min_u32(a->launch.band, 0x7fffffffu);
#endif
    each[pair] = (INFIX ? c <= start : c == start) ? zero
                 : gap                             ? zero + a->launch.open
                                                   : a->launch.never;
  }
  return word_made(each);
}

// The border that a team's first work-item meets where there are no records: in the first pass, and
// outside of the band.
FN void gaps_left(const GapsLanes* a, GapsBorder* border, u32 i, u32 pass) {
  UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
    const WORD any =
        word_of(INFIX && pass == 0 ? a->launch.zero - q * a->launch.open - a->launch.extend * (i32)i
                                   : a->launch.never);
    border->any[q] = any;
    border->along[q] = word_of(a->launch.never);
#if STRICT
    border->paired[q] = any;
#endif
  }
}

FN void gaps_save(GLOBAL WORD* record, const GapsBorder* border, int last) {
  UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
#if STRICT
    record[(q - LOWEST) * TEAMS] = last ? border->paired[q] : border->any[q];
    if (!last) record[RECORD_PAIRED(q) * TEAMS] = border->paired[q];
#else
    record[(q - LOWEST) * TEAMS] = border->any[q];
#endif
    if (q > LOWEST && !last) record[RECORD_ALONG(q) * TEAMS] = border->along[q];
  }
}

FN void gaps_load(GLOBAL const WORD* record, GapsBorder* border) {
  UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
    border->any[q] = record[(q - LOWEST) * TEAMS];
#if STRICT
    border->paired[q] = record[RECORD_PAIRED(q) * TEAMS];
#endif
    if (q > LOWEST) border->along[q] = record[RECORD_ALONG(q) * TEAMS];
  }
}

// What a gap opens from, and an alignment ends with.
#if STRICT
#define LAST_OF(border, q) (border).paired[q]
#define LAST_ABOVE(q, j) paired[q][j]
#else
#define LAST_OF(border, q) (border).any[q]
#define LAST_ABOVE(q, j) any[q][j]
#endif

// Nobody of the group goes on before all are here and see what the others have written.
#if defined(__OPENCL_C_VERSION__)
#define GAPS_WAIT barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#elif defined(__CUDACC__)
#define GAPS_WAIT __syncthreads()
#endif

#if SPAN == 1
FN void gaps_hand_over(GapsBorder* border, LOCAL WORD* shared, u32 item) {}
#elif HAVE_PTX
FN WORD gaps_passed(WORD word) { return (WORD)team_up((u32)word); }
// The border becomes the one that the work-item on the left has.
FN void gaps_hand_over(GapsBorder* border, LOCAL WORD* shared, u32 item) {
  UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
    border->any[q] = gaps_passed(border->any[q]);
    if (q > 0) border->along[q] = gaps_passed(border->along[q]);
#if STRICT
    border->paired[q] = gaps_passed(border->paired[q]);
#endif
  }
}
#else
// `shared` has 3 LAYERS words for each work-item of the group.
FN void gaps_hand_over(GapsBorder* border, LOCAL WORD* shared, u32 item) {
  LOCAL WORD* const own = shared + item * 3 * LAYERS;
  LOCAL const WORD* const left = item == 0 ? own : own - 3 * LAYERS;
  for (int q = LOWEST; q < LAYERS; ++q) {
    own[3 * q] = border->any[q];
    own[3 * q + 1] = border->along[q];
#if STRICT
    own[3 * q + 2] = border->paired[q];
#endif
  }
  GAPS_WAIT;  // records of this row were read before the last work-item writes them anew
  for (int q = LOWEST; q < LAYERS; ++q) {
    border->any[q] = left[3 * q];
    border->along[q] = left[3 * q + 1];
#if STRICT
    border->paired[q] = left[3 * q + 2];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#if TRACE
// Keeps the value of layer q in column j, or of two columns once both are there; `row` has them.
FN void gaps_keep(GLOBAL WORD* kept, const GapsBorder* border, const WORD* row, int q, int j) {
#if TRACE == 2
  if (IS_BYTES(q)) {
    if (j % 2 == 1)
      kept[j / 2 * WG] = word_bytes(row[j - 1], row[j], 0x6420u);
    else if (j == COLS - 1)
      kept[j / 2 * WG] = word_bytes(row[j], row[j], 0x6420u);
    return;
  }
#endif
  kept[j * WG] = LAST_OF(*border, q);
}
#endif

// The rows that an alignment may end in: the first and the last, if there are any.
FN u32 gaps_first_end(const GapsLanes* a, const GapsTask* task) {
  const u32 first = GLOBAL_ENDS ? task->n : 0;
  return BAND && task->m > a->launch.band && task->m - a->launch.band > first
             ? task->m - a->launch.band
             : first;
}
FN u32 gaps_last_end(const GapsLanes* a, const GapsTask* task) {
  return BAND && task->n > task->m && task->n - task->m > a->launch.band ? task->m + a->launch.band
                                                                         : task->n;
}

#if DIAGONAL
// The sums along the diagonal, `count` and the start; each work-item adds up a part, then knows
// from the ends of the parts before what stands before its own.
FN void gaps_add_up(const GapsLanes* a, const GapsTeam* team, GLOBAL const WORD* transposed,
                    GLOBAL WORD* diagonal, u32 count, u32 lane) {
  const u32 each = (count + SPAN - 1) / SPAN;
  const u32 first = lane * each, last = min_u32(first + each, count);
  WORD sum = word_of(lane == 0 ? a->launch.zero : 0);
  if (lane == 0) diagonal[0] = sum;
#if TRANSPOSED
  for (u32 i = first; i < last; i += 4) {
    u32 at[PAIRS];
    WORD four[4];
    for (int pair = 0; pair < PAIRS; ++pair) at[pair] = team->tasks[pair].query + i;
    gaps_four(a->queries, at, four);
    UNROLLED for (u32 j = 0; j < 4; ++j) {
      if (i + j >= last) break;
      const GapsColumn column = {four[j]};
      const GapsRow row = gaps_row(a, team, transposed, i + j + 1);
      diagonal[i + j + 1] = sum = word_add(sum, gaps_score(a, &row, &column));
    }
  }
#else
  for (u32 i = first + 1; i <= last; ++i) {
    const GapsRow row = gaps_row(a, team, transposed, i);
    const GapsColumn column = gaps_column(a, team, team->front[0] + i - 1);
    diagonal[i] = sum = word_add(sum, gaps_score(a, &row, &column));
  }
#endif
#if SPAN > 1
  GAPS_WAIT;
  sum = word_of(0);
  for (u32 end = each; end <= first && first < count; end += each)
    sum = word_add(sum, diagonal[end]);
  GAPS_WAIT;
  for (u32 i = first + 1; i <= last; ++i) diagonal[i] = word_add(diagonal[i], sum);
  GAPS_WAIT;
#endif
}
#endif

// What the team's first work-item finds on the left of row i: the record that the pass before has
// left, if there is one.
FN void gaps_enter(const GapsLanes* a, GLOBAL const WORD* records, GLOBAL const WORD* diagonal,
                   u32 count, GapsBorder* border, u32 i, u32 known, u32 pass) {
  if (i > known)
    gaps_left(a, border, i, pass);
  else
    gaps_load(records + (u64)i * (RECORD * TEAMS), border);
#if DIAGONAL
  border->along[1] = diagonal[min_u32(i, count)];
#endif
}

#if TRANSPOSED
typedef WordInts GapsNumbers;
typedef WordNumbers GapsEach;
FN GapsNumbers gaps_numbers(WORD word, u32 pair) { return word_ints(word) + (i32)(0 * pair); }
#else
typedef i32 GapsNumbers;
typedef union {
  i32 all;
  i32 each[1];
} GapsEach;
FN GapsNumbers gaps_numbers(WORD word, u32 pair) { return word_get(word, (int)pair); }
#endif

// The best of the last column, in each layer, of each alignment of the team.
FN void gaps_answer(const GapsLanes* a, const GapsTeam* team, GLOBAL const WORD* records,
                    GLOBAL const WORD* diagonal, u32 lane) {
  for (u32 one = lane; one < PAIRS / TOGETHER * LAYERS; one += SPAN) {
    const u32 pair = one / LAYERS * TOGETHER, q = one % LAYERS;
    const int is_sum = DIAGONAL && q == 0;
    GapsEach first, last, add;
    u32 from = 0xffffffffu, to = 0;
    for (int p = 0; p < TOGETHER; ++p) {
      const GapsTask task = a->tasks[team->first + pair + (u32)p];
      u32 begin = gaps_first_end(a, &task), end = gaps_last_end(a, &task);
      if (is_sum) {
        if (begin < task.m) begin = task.m;
        end = min_u32(end, task.m);
      }
      from = min_u32(from, begin);
      to = end > to ? end : to;
      first.each[p] = (i32)begin;
      last.each[p] = (i32)end;
      add.each[p] = (i32)q * a->launch.open - a->launch.zero + a->launch.extend * (i32)task.m;
    }
    GapsEach score, ends;
    score.all = (GapsNumbers)GAPS_NONE;
    ends.all = (GapsNumbers)0;
    for (u32 i = from; i <= to; ++i) {
      const GapsNumbers row = (GapsNumbers)((i32)i);
      const GapsNumbers value = gaps_numbers(
          is_sum ? diagonal[i] : records[((u64)i * RECORD + q - LOWEST) * TEAMS], pair);
      const GapsNumbers now = value + add.all + a->launch.extend * row;
      const GapsNumbers better =
          (value >= a->launch.least) & (now > score.all) & (row >= first.all) & (row <= last.all);
      score.all = better ? now : score.all;
      ends.all = better ? row : ends.all;
    }
    for (int p = 0; p < TOGETHER; ++p) {
      const GapsAnswer best = {score.each[p], (u32)ends.each[p]};
      const u32 number = a->tasks[team->first + pair + (u32)p].number;
      if (number != GAPS_NOBODY) a->answers[(u64)number * LAYERS + q] = best;
    }
  }
}

// A work-item alone goes through the rows in three parts, as its columns are all right of the
// diagonal, or some, or none; where a part ends, counted from 0.
#if DIAGONAL && SPAN == 1
#define PARTS 3
FN u32 gaps_part_end(int part, u32 front, u32 c0, u32 first, u32 last) {
  const i32 end = (i32)c0 + 1 - (i32)front + (part == 0 ? 0 : COLS - 1);
  return part == 2 || end > (i32)last ? last : end < (i32)first ? first - 1 : (u32)end;
}
#else
#define PARTS 1
FN u32 gaps_part_end(int part, u32 front, u32 c0, u32 first, u32 last) { return last + SPAN - 1; }
#endif

#if defined(__OPENCL_C_VERSION__)
// Else PoCL 3.1 may put `shared` where all groups have it in common: it looks for local memory in
// the kernel alone, when the optimizer has already moved its address into this function.
#define GAPS_INLINED __attribute__((always_inline))
#else
#define GAPS_INLINED
#endif
// Work-item `item` of the launch's group `number`. `shared`: gaps_hand_over().
GAPS_INLINED FN void gaps_item(const GapsLanes* a, LOCAL WORD* shared, u32 number, u32 item) {
  const u32 group = a->launch.first + number;
  const GapsGroup own = a->groups[group];
  const u32 lane = item % SPAN;
  const u32 columns = own.passes * SPAN * COLS;
  const u32 stride = RECORD * TEAMS;
  GLOBAL WORD* const records = a->records + own.records + item / SPAN;
  GLOBAL WORD* const diagonal =
      a->records + own.records + ((u64)own.rows + 1) * stride + (u64)(item / SPAN) * (own.rows + 1);
  GLOBAL WORD* const transposed = diagonal + (DIAGONAL ? ((u64)own.rows + 1) * TEAMS : 0);
  GapsTeam team;
  team.first = (group * TEAMS + item / SPAN) * PAIRS;
  UNROLLED for (int pair = 0; pair < PAIRS; ++pair) {
    team.tasks[pair] = a->tasks[team.first + (u32)pair];
    team.front[pair] = columns - team.tasks[pair].m;
  }
#if TRANSPOSED
  gaps_transpose(a, &team, transposed, own.rows + 1, lane);
  if (SPAN > 1) GAPS_WAIT;
#endif
  const u32 sums = min_u32(team.tasks[0].m, own.rows);
#if DIAGONAL
  gaps_add_up(a, &team, transposed, diagonal, sums, lane);
#endif
  const WORD never = word_of(a->launch.never);
  u32 known = 0;  // rows that the pass before has left records of
  for (u32 pass = 0; pass < own.passes; ++pass) {
    const int final = pass + 1 == own.passes;
    const u32 c0 = (pass * SPAN + lane) * COLS;
    u32 first = 1, last = own.rows;
#if BAND
    // Of all the team's columns; the row before the first one is outside of the band for all. There
    // may be none, where queries are longer than targets by more than the band.
    const i32 at = (i32)(pass * SPAN * COLS) + 1 - (i32)columns;
    const i32 top = at + (i32)own.shortest - (i32)a->launch.band - 1;
    const i32 bottom = at + (i32)(own.longest + SPAN * COLS + a->launch.band);
    if (top > 1) first = min_u32((u32)top, own.rows + 1);
    if (bottom < (i32)last) last = bottom > 0 ? (u32)bottom : 0;
    if (last < first) last = first - 1;
#endif
    GapsColumn column[COLS];
    // Of the row before; down[0] is not used, with DIAGONAL down[1] is the d of each column.
    WORD any[LAYERS][COLS], down[LAYERS][COLS];
#if STRICT
    WORD paired[LAYERS][COLS];
#endif
    WORD corner[LAYERS];
    GapsBorder border;
    gaps_columns(a, &team, c0, column);
    UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
      corner[q] = first > 1 ? never : gaps_first(a, &team, (i32)c0 - 1, q, 0);
      UNROLLED for (int j = 0; j < COLS; ++j) {
        any[q][j] = first > 1 ? never : gaps_first(a, &team, (i32)c0 + j, q, 0);
        down[q][j] = DIAGONAL && q == 1 ? gaps_first(a, &team, (i32)c0 + j, 0, 0) : never;
#if STRICT
        paired[q][j] = first > 1 ? never : gaps_first(a, &team, (i32)c0 + j, q, 1);
#endif
      }
      border.any[q] = any[q][COLS - 1];
      border.along[q] = never;
#if STRICT
      border.paired[q] = paired[q][COLS - 1];
#endif
    }
    if (final && first == 1 && lane == SPAN - 1) gaps_save(records, &border, 1);

    GapsRow next = gaps_row(a, &team, transposed, first);
#if SPAN > 1
    GapsBorder ahead = border;  // of the next row
    if (lane == 0) gaps_enter(a, records, diagonal, sums, &ahead, first, known, pass);
#else
    for (u32 i = first > known ? first : known + 1; i <= last; ++i) {
      gaps_left(a, &border, i, pass);
      gaps_save(records + (u64)i * stride, &border, 0);
    }
    known = last;
#endif
    u32 step = first - 1;
    UNROLLED for (int part = 0; part < PARTS;
                  ++part) for (const u32 end = gaps_part_end(part, team.front[0], c0, first, last);
                               step < end; ++step) {
      const u32 i = step - lane + 1;
      const int works = i - first < last - first + 1;  // unsigned: not before `first` either
      gaps_hand_over(&border, shared, item);
#if SPAN > 1
      if (lane == 0 && works) {
        border = ahead;
        gaps_enter(a, records, diagonal, sums, &ahead, i + 1, known, pass);
      }
#else
      gaps_load(records + (u64)i * stride, &border);
#if DIAGONAL
      border.along[1] = diagonal[min_u32(i, sums)];
#endif
#endif
      if (works) {
        const GapsRow row = next;
        next = gaps_row(a, &team, transposed, i + 1);
        WORD across[LAYERS];  // along the diagonal
        UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
          across[q] = corner[q];
          corner[q] = border.any[q];
        }
#if DIAGONAL
        // Of the columns right of the diagonal.
        const i32 right = (i32)team.front[0] - 1 + (i32)i - (i32)c0;
#if SPAN > 1
        UNROLLED for (int j = 0; j < COLS; ++j) down[1][j] =
            j >= right ? border.along[1] : down[1][j];
#else
        if (part == 0) {
          UNROLLED for (int j = 0; j < COLS; ++j) down[1][j] = border.along[1];
        } else if (part == 1) {
          UNROLLED for (int j = 1; j < COLS; ++j) if (j >= right) down[1][j] = border.along[1];
        }
#endif
#endif
#if TRACE
        GLOBAL WORD* const kept = a->values + own.values +
                                  ((u64)pass * (own.rows + SPAN - 1) + step) * (KEPT_WORDS * WG) +
                                  item;
#endif
        // Gaps from above, then pairs of symbols, from the last column on: each takes the place of
        // what it is made of, so that nothing need be moved. Then gaps from the left, from the
        // first column on and layers downwards: each needs the one below as it is on the left.
        UNROLLED for (int q = LOWEST + 1; q < LAYERS; ++q) {
          UNROLLED for (int j = 0; j < COLS; ++j) down[q][j] =
              word_max(LAST_ABOVE(q - 1, j), down[q][j]);
        }
        UNROLLED for (int back = 1; back <= COLS; ++back) {
          const int j = COLS - back;
          const WORD score = gaps_score(a, &row, &column[j]);
          UNROLLED for (int q = LOWEST; q < LAYERS; ++q) {
            any[q][j] = word_add(j > 0 ? any[q][j > 0 ? j - 1 : 0] : across[q], score);
#if STRICT
            paired[q][j] = any[q][j];
#endif
          }
        }
        UNROLLED for (int j = 0; j < COLS; ++j) {
#if BAND
          const i32 off = (i32)i - (i32)(c0 + (u32)j + 1) + (i32)team.front[0];
          const int outside = off > (i32)a->launch.band || -off > (i32)a->launch.band;
#endif
          UNROLLED for (int turn = 0; turn < COMPUTED; ++turn) {
            const int q = GAPS - turn;
            if (q > LOWEST) {
              const int below = q > 0 ? q - 1 : 0;
              border.along[q] = word_max(LAST_OF(border, below), border.along[q]);
            }
            if (q > LOWEST || DIAGONAL) any[q][j] = word_max(any[q][j], down[q][j]);
            // One of four, which is where two ports have about as much to do.
            if (q > LOWEST)
              any[q][j] = j % 4 == 3 ? word_select_max(any[q][j], border.along[q])
                                     : word_max(any[q][j], border.along[q]);
#if BAND
            if (outside) any[q][j] = never;
#endif
            border.any[q] = any[q][j];
#if STRICT
#if BAND
            if (outside) paired[q][j] = never;
#endif
            border.paired[q] = paired[q][j];
#endif
#if TRACE
            if (q >= FIRST_KEPT) gaps_keep(kept + KEPT_AT(q) * WG, &border, any[q], q, j);
#endif
          }
        }
        if (lane == SPAN - 1) gaps_save(records + (u64)i * stride, &border, final);
      }
    }
    known = last;
    if (SPAN > 1) GAPS_WAIT;
  }
  gaps_answer(a, &team, records, diagonal, lane);
}

#endif
