// SPDX-License-Identifier: Apache-2.0
// search/profile.cl -- the profiles of queries: for each symbol, which rows of the query match it.
//
// A group makes the profile of one query, its work-items a word each. The profile of a query of w
// words has 2^PLANES symbols: word i of symbol s is at s * w + i. Rows above the query match
// nothing (step.h).
//
//   queries    interleaved planes (planes.h)
//   profiled   the queries, by the group's number in the second dimension
//   profiles   each from its SearchQuery::profile on
//
//   PLANES, SETS   planes.h        follow the texts
//
// check: -DPLANES=2 -DSETS=0
// check: -DPLANES=4 -DSETS=1
#include "search/step.h"
#include "search/task.h"

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void search_profile(
    __global const u32* restrict queries, __global const SearchQuery* restrict profiled,
    __global u32* restrict profiles) {
  const SearchQuery query = profiled[get_global_id(1)];
  for (u32 word = (u32)get_local_id(0); word < query.words; word += 32) {
    const i32 row = (i32)query.rows - 32 * (i32)(query.words - word);
    u32 symbols[PLANES];
    load_rows(symbols, queries, query.query, row);
    for (u32 symbol = 0; symbol < 1u << PLANES; ++symbol) {
      u32 text[PLANES];
      for (int p = 0; p < PLANES; ++p) text[p] = symbol >> p & 1u ? ~0u : 0u;
      profiles[query.profile + symbol * query.words + word] =
          step_match(symbols, text, rows_above(row));
    }
  }
}
