// SPDX-License-Identifier: Apache-2.0
// corridor/slabs.cl -- walks back through the slabs between the rows that bands have kept, many at
// once.
//
// A group goes through a piece of some slabs, from the last one up, by wavefronts (Ukkonen 1985,
// Myers 1986) as the host does (host/align/waves.h): for each cost c and diagonal k the furthest
// row that a path of cost c reaches, from any place of the row above at what that costs. Costs
// along a row change by at most one a place, so paths of `most` above the cheapest place begin at
// most so far from the exit's diagonal, and those of cost c that come to the exit are `most` - c
// from it at most: the fronts make a triangle, and all of it is kept. Then the canonical path goes
// back over them: a pair of symbols where that is on a cheapest path, else a symbol of the rows
// alone, else one of the columns (where the texts have changed places, the last two the other way
// round).
//
// Where a path leaves a slab is only known from the slab below. So a group begins `early` slabs
// below its piece, where the row is cheapest; paths from there soon run where the others do, and if
// they do not, the host finds an exit that is not the one it has come to.
//
//   rows, columns, row_words   as band.cl has them; 32-bit words of a plane of the rows
//   kept, words   `slabs` + 1 SlabRow, the last one without words, and their words
//   paths    SlabPath of each slab
//   runs     SLAB_RUNS of each slab
//   early    slabs that a group walks through before its own
//   columns_first   the texts have changed places
//
//   WG      work-items a group                               follows the device
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=32 -DPLANES=2 -DSETS=0
// check: -DWG=1 -DPLANES=8 -DSETS=0
// check: -DWG=16 -DPLANES=4 -DSETS=1
#include "corridor/slabs.h"

#include "planes.h"

#define PLACES (2 * SLAB_COSTS + 1)
#define PLACES_EACH ((PLACES + WG - 1) / WG)
#define NONE (-20000)
#define FAR 0x3fffffff

typedef struct {
  __global const u32 *rows, *columns;
  i32 row_words;
} Texts;

// Of 32 pairs of symbols from row i and column j on those that do not match, the first one lowest.
static u32 mismatches(const Texts* texts, i32 i, i32 j) {
  __global const u32* x = texts->rows + (u64)(u32)(i >> 5) * PLANES;
  __global const u32* behind = (i >> 5) + 1 < texts->row_words ? x + PLANES : x;
  __global const u32* y = texts->columns + ((u64)(u32)(j >> 5) + PLANES_FRONT) * PLANES;
  u32 found = 0;
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    const u32 a = funnel_right(turned(x[p]), turned(behind[p]), (u32)i);
    const u32 b = funnel_right(y[p], y[PLANES + p], (u32)j);
    found |= PLANES_FOUND(a, b);
  }
  return PLANES_MISMATCH(found);
}

// The lowest bit that is set.
static i32 lowest(u32 bits) { return 31 - (i32)clz(bits & (0u - bits)); }

// Pairs that match from there on, `most` at most.
static i32 matches(const Texts* texts, i32 i, i32 j, i32 most) {
  for (i32 count = 0; count < most; count += 32) {
    const u32 differ = mismatches(texts, i + count, j + count);
    if (differ != 0) return min(most, count + lowest(differ));
  }
  return most;
}

// The same before it, backwards. The members share them.
static i32 matches_before(const Texts* texts, i32 i, i32 j, i32 most, __local i32* stop) {
  const i32 item = (i32)get_local_id(0);
  for (i32 all = 0;; all += 32 * WG) {
    if (item == 0) *stop = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    const i32 mine = all + 32 * item, size = min(32, most - mine);
    if (size > 0) {
      const u32 differ = mismatches(texts, i - mine - size, j - mine - size) << (32 - size);
      if (differ != 0) atomic_min(stop, mine + (i32)clz(differ));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const i32 found = *stop;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (found < most || all + 32 * WG >= most) return found;
  }
}

static i32 end_of(const SlabRow* row) { return row->first + 32 * (i32)row->chunks; }

// What is paid from a place to the next one.
static i32 step_from(const SlabRow* row, __global const u32* words, i32 place) {
  if (place < row->first) return -1;
  if (place >= end_of(row)) return 1;
  const u32 at = (u32)(place - row->first);
  __global const u32* word = words + row->words + at / 32 * 2;
  return (i32)(word[0] >> (at & 31) & 1) - (i32)(word[1] >> (at & 31) & 1);
}

// The cost at a place.
static i32 cost_at(const SlabRow* row, __global const u32* words, i32 place, __local i32* sum) {
  const i32 item = (i32)get_local_id(0);
  if (item == 0) *sum = row->cost + max(0, row->first - place) + max(0, place - end_of(row));
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 inside = clamp(place, row->first, end_of(row)) - row->first;
  i32 mine = 0;
  for (i32 w = item; 32 * w < inside; w += WG) {
    const u32 mask = inside - 32 * w >= 32 ? ~0u : (1u << (inside - 32 * w)) - 1;
    __global const u32* word = words + row->words + 2 * w;
    mine += (i32)popcount(word[0] & mask) - (i32)popcount(word[1] & mask);
  }
  if (mine != 0) atomic_add(sum, mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 found = *sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  return found;
}

// The sum of what the members before this one have.
static i32 sum_before(i32 mine, __local i32* sums) {
  const i32 item = (i32)get_local_id(0);
  sums[item] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  i32 sum = 0;
  for (i32 i = 0; i < item; ++i) sum += sums[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

// The least of all members' numbers.
static i32 least_of(i32 mine, __local i32* least) {
  if (get_local_id(0) == 0) *least = FAR;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_min(least, mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 found = *least;
  barrier(CLK_LOCAL_MEM_FENCE);
  return found;
}

// The first of a row's cheapest places.
static i32 cheapest(const SlabRow* row, __global const u32* words, __local i32* sums,
                    __local i32* shared) {
  const i32 item = (i32)get_local_id(0);
  const i32 each = ((i32)row->chunks + WG - 1) / WG;
  const i32 begin = min(item * each, (i32)row->chunks), end = min(begin + each, (i32)row->chunks);
  __global const u32* word = words + row->words;
  i32 mine = 0;
  for (i32 w = begin; w < end; ++w)
    mine += (i32)popcount(word[2 * w]) - (i32)popcount(word[2 * w + 1]);
  i32 cost = sum_before(mine, sums), least = item == 0 ? 0 : FAR, place = row->first;
  for (i32 at = 32 * begin; at < 32 * end; ++at) {
    cost += step_from(row, words, row->first + at);
    if (cost < least) {
      least = cost;
      place = row->first + at + 1;
    }
  }
  const i32 best = least_of(least, shared);
  return least_of(least == best ? place : FAR, shared);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void corridor_slabs(
    __global const u32* restrict rows, __global const u32* restrict columns, const i32 row_words,
    __global const SlabRow* restrict kept, __global const u32* restrict words,
    __global SlabPath* restrict paths, __global ushort* restrict runs, const u32 slabs,
    const u32 early, const u32 columns_first) {
  __local short reached[SLAB_COSTS * SLAB_COSTS];
  __local i32 top[PLACES], sums[WG], shared[1];
  const i32 item = (i32)get_local_id(0);
  const u32 pieces = (u32)get_num_groups(0), piece = (u32)get_group_id(0);
  const u32 first = (u32)((u64)slabs * piece / pieces),
            end = (u32)((u64)slabs * (piece + 1) / pieces);
  const Texts texts = {rows, columns, row_words};
  bool known = false;
  i32 exit = 0;
  for (u32 s = min(slabs, end + early); s-- > first;) {
    const SlabRow above = kept[s], below = kept[s + 1];
    if (!known) exit = cheapest(&below, words, sums, shared);
    known = false;
    const i32 height = below.row - above.row, target = exit - height;
    const i32 cost = cost_at(&below, words, exit, shared);

    // What places about the exit's diagonal cost.
    const i32 from = target - SLAB_COSTS, place = from + item * PLACES_EACH;
    i32 here = cost_at(&above, words, from, shared), mine = 0;
    for (i32 x = 0; x < PLACES_EACH; ++x) mine += step_from(&above, words, place + x);
    here += sum_before(mine, sums);
    mine = FAR;
    for (i32 x = 0; x < PLACES_EACH && place + x < from + PLACES; ++x) {
      const bool real = place + x >= 0 && place + x <= exit;
      top[place + x - from] = real ? here : FAR;
      if (real) mine = min(mine, here);
      here += step_from(&above, words, place + x);
    }
    const i32 least = least_of(mine, shared), most = cost - least;

    // The fronts: cost c has 2 (most - c) + 1 diagonals.
    i32 found = -1;
    if (most < SLAB_COSTS && height <= SLAB_ROWS) {
      for (i32 c = 0; c <= most && found < 0; ++c) {
        const i32 wide = most - c;
        __local short* now = reached + c * (2 * most + 2 - c);
        __local const short* before = now - (2 * wide + 3);
        for (i32 x = item; x <= 2 * wide; x += WG) {
          const i32 k = target - wide + x, last = min(height, exit - k);
          i32 row = NONE;
          if (c > 0) row = max(max((i32)before[x], before[x + 1] + 1), before[x + 2] + 1);
          if (row < 0) row = top[k - from] <= least + c ? 0 : NONE;
          row = min(row, last);
          now[x] =
              (short)(row < 0 ? NONE : row + matches(&texts, above.row + row, row + k, last - row));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (now[wide] == height) found = c;
      }
    }

    u32 count = 0;
    i32 i = height, k = target;
    for (i32 c = found; c >= 0;) {
      const i32 same = matches_before(&texts, above.row + i, i + k, min(i, i + k), shared);
      i -= same;
      i32 edit = SLAB_BEGIN;
      if (i > 0) {
        if (--c < 0) break;
        __local const short* now = reached + c * (2 * most + 2 - c) + (k - target + most - c);
        const bool by_row = now[1] >= i - 1, by_column = i + k > 0 && now[-1] >= i;
        if (i + k > 0 && now[0] >= i - 1) {
          edit = SLAB_MISMATCH;
          --i;
        } else if (by_row && !(columns_first && by_column)) {
          edit = SLAB_ROW;
          --i;
          ++k;
        } else if (by_column) {
          edit = SLAB_COLUMN;
          --k;
        } else {
          break;
        }
      }
      if (item == 0 && s < end) runs[(u64)s * SLAB_RUNS + count] = (ushort)(4 * same + edit);
      ++count;
      if (edit == SLAB_BEGIN) {
        known = true;
        break;
      }
    }
    if (item == 0 && s < end) {
      const SlabPath path = {exit, k, known ? count : 0};
      paths[s] = path;
    }
    if (known) exit = k;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
