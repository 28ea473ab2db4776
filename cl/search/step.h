// SPDX-License-Identifier: Apache-2.0
// search/step.h -- a column of a query's matrix as bit vectors: what one column more takes (Myers
// 1999, Hyyro 2003).
//
// A column of the matrix D is kept as the differences dv of its rows (cell.h), a bit a row: bit i
// of word w is row 32 * w + i, in pv where dv = +1, in mv where dv = -1. In the next column a row's
// diagonal difference is 0 where the symbols match, where mv is set, and where dh = -1 comes down
// from the row above. The last goes down a run of rows with dv = +1 as a carry goes up a run of
// ones, so one addition makes it for all rows: of pv and of those rows of pv that match, whose bits
// are where a carry begins. The carries of this addition are mh itself, already moved down by a
// row; they are had from the sum without another shift:
//
//   sum = (pv & match) + pv      sum ^ (pv & match) ^ pv = sum ^ (pv & ~match) = the carries
//
// The query ends at the top bit of the last word. Above it are rows that match nothing and begin
// with dv = +1 like all others. They keep it, and hand on dh = 0 as long as they are handed dh = 0,
// so that the query begins below them as if they were not there.
//
// An occurrence may begin anywhere, so dh = 0 comes in from above the first row. What leaves the
// last row is the bottom row of the matrix, whose lowest values are looked for (ends.h).
//
//   PLANES, SETS   planes.h
#ifndef RHOMB_CL_SEARCH_STEP_H
#define RHOMB_CL_SEARCH_STEP_H

#define LANES 1
#include "cell.h"
#include "planes.h"

LOGIC(logic_carries, "0xb4", x ^ (y & ~z))

// A long sum, word by word from the lowest: begin, add each word, end. On NVIDIA the carry stays in
// its flag between the calls, in which nothing else may add with carry; elsewhere it is *carry.
#if HAVE_PTX
FN void add_begin(u32* carry, u32 in) {
  asm volatile("{ .reg .b32 t; add.cc.u32 t, %0, 0xffffffff; }" ::"r"(in));
  *carry = 0;
}
FN u32 add_word(u32* carry, u32 a, u32 b) {
  u32 sum;
  asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum + 0u * *carry;
}
// Instead of begin and the first word, where no carry comes in.
FN u32 add_first(u32* carry, u32 a, u32 b) {
  u32 sum;
  asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  *carry = 0;
  return sum;
}
// `history` with the carry that is left put in as its lowest bit.
FN u32 add_end(u32* carry, u32 history) {
  u32 made;
  asm volatile("addc.u32 %0, %1, %1;" : "=r"(made) : "r"(history));
  return made + 0u * *carry;
}
#else
FN void add_begin(u32* carry, u32 in) { *carry = in; }
FN u32 add_word(u32* carry, u32 a, u32 b) {
  const u64 sum = (u64)a + b + *carry;
  *carry = (u32)(sum >> 32);
  return (u32)sum;
}
FN u32 add_first(u32* carry, u32 a, u32 b) {
  *carry = 0;
  return add_word(carry, a, b);
}
FN u32 add_end(u32* carry, u32 history) { return history << 1 | *carry; }
#endif

// Which rows match the column's symbol, of which text[p] is all ones where plane p has it. Rows
// above the query match nothing; with SETS their symbols are empty sets.
FN u32 step_match(const u32* symbols, const u32* text, u32 above) {
#if SETS
  return cell_match(symbols, text) + 0u * above;
#else
  u32 differ = above;
  UNROLLED for (int p = 0; p + 1 < PLANES; ++p) differ =
      logic_or_differ(differ, symbols[p], text[p]);
  return logic_same(differ, symbols[PLANES - 1], text[PLANES - 1]);
#endif
}

// A word of the column goes on by one column, given its word of the sum. The top bit of *plus is
// where dh = +1 comes in from the word before, and then where it goes out.
FN void step_word(u32 match, u32 sum, u32* pv, u32* mv, u32* plus) {
  const u32 carries = logic_carries(sum, *pv, match);
  const u32 zero = logic_any(match, *mv, carries);  // the difference along the diagonal is 0
  const u32 up = logic_or_neither(*mv, zero, *pv);
  const u32 down = FUNNEL_LEFT(up, *plus, 1);
  *plus = up;
  *pv = logic_or_neither(carries, zero, down);
  *mv = zero & down;
}

// 32 bits of a plane from bit `at` on, which may lie 32 * PLANES_FRONT bits before the first.
FN u32 symbols_at(GLOBAL const u32* planes, int p, i64 at) {
  GLOBAL const u32* word = planes + ((at >> 5) + PLANES_FRONT) * PLANES + p;
  return funnel_right(word[0], word[PLANES], (u32)at);
}

// Which of 32 rows from `row` on are above the query, whose first row is 0.
FN u32 rows_above(i32 row) { return row >= 0 ? 0u : row <= -32 ? ~0u : (1u << -row) - 1u; }

// The planes of 32 rows from `row` on, of the query that begins at `query`. Of rows above, anything
// or with SETS empty sets.
FN void load_rows(u32* symbols, GLOBAL const u32* queries, u32 query, i32 row) {
  // Where all rows are above, any of the spare words does.
  const i64 at = (i64)query + (row <= -32 ? -32 : row);
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    symbols[p] = symbols_at(queries, p, at);
#if SETS
    symbols[p] &= ~rows_above(row);
#endif
  }
}

// The symbols of 32 columns from `at` on, a word a plane, the first column in the highest bit.
FN void load_columns(u32* columns, GLOBAL const u32* texts, i64 at) {
  UNROLLED for (int p = 0; p < PLANES; ++p) columns[p] = turned(symbols_at(texts, p, at));
}

// The first of these columns, for step_match(), which is taken away.
FN void next_column(u32* text, u32* columns) {
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    text[p] = (u32)((i32)columns[p] >> 31);
    columns[p] <<= 1;
  }
}

// The symbol's number, for a profile.
FN u32 symbol_of(const u32* text) {
  u32 symbol = 0;
  UNROLLED for (int p = 0; p < PLANES; ++p) symbol |= text[p] & 1u << p;
  return symbol;
}

#endif
