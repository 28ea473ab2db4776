// SPDX-License-Identifier: Apache-2.0
// wfa/guide.cl -- where cheapest paths probably cross the rows that wavefronts have kept.
//
// From a cell of a path back, row by row of less cost. `cost` edits before it, the path was on a
// diagonal no further away than that, and at none of the row's places that lie right of or below
// the cell. It is taken to have been at the nearest of them: the fewest symbols of both texts to
// go. (What a row has beyond the cell's own row or column is taken back to there.) But in a gap,
// where nothing but columns leads to the cell, the leftmost path goes straight on, and where
// nothing but rows does, the rightmost. That is a guess: what comes of it is proved by others.
//
// Each path has a group. A row is asked for while the path is two rows below it, where it may still
// go to any of SPAN places.
//
//   rows      those of direction 1 begin `reverse` words behind those of direction 0
//   levels    of the rows, a pair's costs ascending: (begin, first diagonal, last one, cost)
//   ranges    from number `first` on, by path: (first, end) of its levels that are in `rows`
//   paths     (wfa/guide.h); afterwards, where they are on the lowest of these
//   width     diagonals of a row that are copied
//   records   [row that is crossed][WFA_CELL_INTS + width]; the row's diagonals begin half of the
//             width below that of the cell before
//
//   WG   work-items a group, of SPAN a divisor          follows the device
//
// check: -DWG=64
// check: -DWG=1
#include "wfa/guide.h"

#include "wfa/front.h"

#define SPAN (8 * WFA_KEPT_STEPS)
#define PARTS (WG < 8 ? WG : 8)  // of which the least is found by itself

typedef struct {
  int4 about;
  int begin;              // the diagonal of its first place
  i32 places[SPAN / WG];  // those of a work-item
} Row;

FN i32 place_of(__global const int* rows, int4 about, int diagonal) {
  return diagonal >= about.y && diagonal <= about.z ? rows[(u32)about.x + (u32)(diagonal - about.y)]
                                                    : WFA_UNREACHED;
}

// Some of it, about a diagonal.
FN Row ask(__global const int* rows, int4 about, int diagonal, int item) {
  Row row;
  row.about = about;
  row.begin = diagonal - SPAN / 2;
  for (int i = 0; i < SPAN / WG; ++i)
    row.places[i] = place_of(rows, about, row.begin + item + i * WG);
  return row;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_guide(
    __global const int* restrict rows, u32 reverse, __global const int4* restrict levels,
    __global const int2* restrict ranges, u32 first, __global int* restrict paths, int width,
    __global int* restrict records) {
  __local i32 places[SPAN];
  __local i64 least[WG], least_of[PARTS];
  const int item = (int)get_local_id(0);
  const int2 range = ranges[first + get_group_id(0)];
  const int last = range.x, top = range.y - 1;
  if (top < last) return;
  paths += get_group_id(0) * WFA_PATH_INTS;
  rows += paths[WFA_PATH_DIRECTION] * (size_t)reverse;
  const i32 right = paths[WFA_PATH_RIGHT];
  const int lowest = paths[WFA_PATH_FIRST];
  const size_t ints = WFA_CELL_INTS + (size_t)width;
  records += paths[WFA_PATH_RECORD] * ints;
  i32 k = paths[WFA_PATH_DIAGONAL], x = paths[WFA_PATH_COLUMN], cost = paths[WFA_PATH_COST];
  Row next = ask(rows, levels[top], k, item);
  Row second = ask(rows, levels[max(top - 1, last)], k, item);
  int4 third = levels[max(top - 2, last)];
  for (int level = top; level >= last; --level) {
    const Row row = next;
    next = second;
    second = ask(rows, third, k, item);
    third = levels[max(level - 3, last)];
    for (int i = 0; i < SPAN / WG; ++i) places[item + i * WG] = row.places[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const i32 edits = cost - row.about.w;
    const i32 straight = right ? k + edits : k - edits;
    // Symbols to go, and the place.
    i64 mine = LONG_MAX;
    for (int at = max(k - edits - row.begin, 0) + item; at <= min(k + edits - row.begin, SPAN - 1);
         at += WG) {
      const i32 far = places[at];
      if (far < -WFA_BIAS) continue;
      const i32 here = row.begin + at;
      const i64 columns = min(min((i64)far + WFA_BIAS, (i64)x), (i64)x - k + here);
      const i64 left = 2 * (x - columns) - ((i64)k - here);
      const bool on = here == straight && left == edits && (right ? x - k : x) >= edits;
      mine = min(mine, on ? (i64)at - SPAN : left * SPAN + at);
    }
    least[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < PARTS) {
      for (int other = item + PARTS; other < WG; other += PARTS) mine = min(mine, least[other]);
      least_of[item] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    i64 best = least_of[0];
    for (int part = 1; part < PARTS; ++part) best = min(best, least_of[part]);
    const i32 begin = k - width / 2;
    if (best != LONG_MAX) {
      const i32 found = row.begin + (i32)(best & (SPAN - 1));
      const i64 left = best < 0 ? edits : best / SPAN;
      x = (i32)(x - (left + k - found) / 2);
      k = found;
    }
    cost = row.about.w;
    if (item == 0) {
      __global int* const record = records + (level - lowest) * ints;
      record[WFA_CELL_DIAGONAL] = k;
      record[WFA_CELL_COLUMN] = x;
      record[WFA_CELL_FIRST] = begin;
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    paths[WFA_PATH_DIAGONAL] = k;
    paths[WFA_PATH_COLUMN] = x;
    paths[WFA_PATH_COST] = cost;
  }
}

// Afterwards, what is beside them. A group for each level of a range, and each path.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_beside(
    __global const int* restrict rows, u32 reverse, __global const int4* restrict levels,
    __global const int2* restrict ranges, u32 first, __global const int* restrict paths, int width,
    __global int* restrict records) {
  const int2 range = ranges[first + get_group_id(1)];
  const int level = range.x + (int)get_group_id(0);
  if (level >= range.y) return;
  paths += get_group_id(1) * WFA_PATH_INTS;
  rows += paths[WFA_PATH_DIRECTION] * (size_t)reverse;
  records += (size_t)(paths[WFA_PATH_RECORD] + level - paths[WFA_PATH_FIRST]) *
             (WFA_CELL_INTS + (size_t)width);
  const int4 about = levels[level];
  for (int at = (int)get_local_id(0); at < width; at += WG)
    records[WFA_CELL_INTS + at] = place_of(rows, about, records[WFA_CELL_FIRST] + at);
}
