// SPDX-License-Identifier: Apache-2.0
// strip/slabs.cl -- walks through the slabs between the rows that a pass has kept, all at once.
//
// Where a path leaves a slab is only known when the slab below has been walked through. So
// `strip_maps` says of each slab where paths enter it that leave it at any of EXITS places about
// the guide's (guide.h), and `strip_ways` follows the ways from slab to slab. Where a way leaves
// what was looked at, `strip_again` has a guide of its own go on from there until it comes to where
// the guide before it was; what is about the new one is looked at in the next round. At last
// `strip_paths` walks again through what the ways have come by, and says which steps they take.
//
// A slab has WORDS words of 32 rows. A window of it is computed by WORDS work-items by Myers' bit
// vectors, an item a word of rows, each 32 columns behind the one above. It begins MARGIN columns
// left of its exits. With the costs go, for `strip_maps`, the columns where paths enter the window:
// a place has that of the place where its path goes on, and each of its bits for 32 rows at once.
// Its left edge costs one more each row: all that is computed is the cost of real paths. No
// cheapest path to an exit begins further left if even the diagonal of the window's first place is
// too expensive, since costs along a row change by at most one a place; else the exit is not
// answered (but at the text's left end, where nothing is left of it).
//
// Ways: 0 and 1 are the canonical ones of direction 0, from the first place and from the last one
// where cheapest paths come to the middle; 2 is the leftmost path of direction 1, 3 its rightmost
// one. Slabs are numbered from the first row on; slab 0 of direction 0 begins there, that of
// direction 1 is not asked for. Of a direction whose rows another device has there are no ways.
//
//   pattern, text, last   as pair.cl has them
//   places   what the guide says: [direction][kept rows of the upper half] of (place, not used)
//   moved    [order][slab] of (exit, round): where later guides go, and since when
//   starts   [round][STRIP_START_INTS] (launch.h)
//   steps    what a group of strip_paths has computed: [TIMES][8][ITEMS][4] of two words, in
//            whose bits are the rows where the path goes on along the diagonal, and along the
//            column
//   maps     [order][slab][EXITS]: where the path enters its window, in columns of that; or UNKNOWN
//   ways     [4][slabs][STRIP_WAY_INTS]
//   path     [slabs][PATH_WORDS]: steps of way 0 from its exit on, the lowest bits first: 1 a pair
//            of symbols, 2 one of the rows, 0 one of the columns
//
//   WORDS   words of rows of a slab, 1 to 32                 follows the pass
//   SPREAD  columns left of its exits for each of its rows   follows the texts
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWORDS=8 -DSPREAD=2 -DPLANES=2 -DSETS=0
// check: -DWORDS=1 -DSPREAD=2 -DPLANES=8 -DSETS=0
// check: -DWORDS=32 -DSPREAD=8 -DPLANES=4 -DSETS=1
// check: -DWORDS=10 -DSPREAD=4 -DPLANES=2 -DSETS=0
#define LANES 1
#define WG STRIP_SLAB_GROUP
#include "cell.h"
#include "planes.h"
#include "strip/band.h"
#include "strip/drift.h"
#include "strip/launch.h"

#define ITEMS STRIP_SLAB_ITEMS(WORDS)
#define SIDES (ITEMS / WORDS)  // windows of a group
#define EXITS STRIP_SLAB_EXITS(WORDS)
#define MARGIN STRIP_SLAB_MARGIN(WORDS, SPREAD)
#define CHUNKS STRIP_SLAB_CHUNKS(WORDS, SPREAD)
#define TIMES (CHUNKS + WORDS - 1)
#define PATH_WORDS STRIP_PATH_WORDS(WORDS, SPREAD)
#define UNKNOWN 0xffff
// Bits of the number of a window's column, counted from 1: 7, and one more from so many chunks on.
#define BIT_FROM(chunks) (CHUNKS >= (chunks) ? 1 : 0)
#define BITS                                                                                    \
  (7 + BIT_FROM(4) + BIT_FROM(8) + BIT_FROM(16) + BIT_FROM(32) + BIT_FROM(64) + BIT_FROM(128) + \
   BIT_FROM(256))
// Slabs that a way is followed through at a time: their maps take 16 KB.
#define WAYS_SLABS (8192 / EXITS)
// So many times as many are looked through at once for what a round has changed.
#define PARTS (STRIP_WAYS_GROUP / WAYS_SLABS)

enum { CANONICAL, LEFTMOST, RIGHTMOST };

typedef struct {
  u32 direction;
  int order;
  i64 top;         // rows above it
  i32 words;       // of rows; 0: nothing is computed
  i32 left;        // the first column, a multiple of 32
  i32 exits;       // the place before its first exit
  i32 chunks;      // of columns
  i64 begin, end;  // words of the row above that are kept
  i64 kept;        // where word 0 of that one would be
} Window;

// Rounds end when no way has left what was looked at, or when that has hardly become rarer.
FN bool is_over(__global const i32* starts, i32 round) {
  if (round == 0) return false;
  const i32 now = starts[round * STRIP_START_INTS];
  return now == 0 || (round > 1 && 4 * now > 3 * starts[(round - 1) * STRIP_START_INTS]);
}

FN bool is_kept(const StripKept* l, u32 direction) {
  return direction - l->first_direction < l->directions;
}
FN u32 lanes_of(const StripKept* l, u32 direction) {
  return direction == 0 ? l->lanes_0 : l->lanes_1;
}
// The last slab of a direction.
FN i32 last_slab(const StripKept* l, u32 direction) {
  return (i32)((lanes_of(l, direction) - 1) / l->apart);
}
// The slabs of direction 0, which has as many as the other one at least.
FN i32 slabs_of(const StripKept* l) { return last_slab(l, 0) + 1; }

// Where the path of an order probably leaves a slab.
FN i32 probable_exit(const StripKept* l, __global const i32* places, __global const int2* moved,
                     int order, i32 slab) {
  const u32 direction = order == CANONICAL ? 0 : 1;
  const int2 here = moved[order * slabs_of(l) + slab];
  if (here.y > 0) return here.x;
  if (slab == last_slab(l, direction)) return (i32)l->exits[order == CANONICAL ? 0 : order + 1];
  return places[2 * (direction * (l->lanes_0 / l->apart) + (u32)slab)];
}

// The place before the first of the exits of a slab that are asked for.
FN i32 first_exit(const StripKept* l, __global const i32* places, __global const int2* moved,
                  int order, i32 slab) {
  return max(0, (probable_exit(l, places, moved, order, slab) - EXITS / 2) & ~31);
}

// The window of a slab.
FN Window window_of(const StripKept* l, __global const i32* places, __global const int2* moved,
                    int order, i32 slab) {
  Window w;
  w.direction = order == CANONICAL ? 0 : 1;
  w.order = order;
  const i64 rows_apart = (i64)l->apart * l->rows;
  w.top = slab * rows_apart;
  w.words = (i32)(min(rows_apart, (i64)lanes_of(l, w.direction) * l->rows - w.top) / 32);
  w.exits = first_exit(l, places, moved, order, slab);
  w.left = max(0, w.exits - MARGIN);
  w.chunks = (w.exits + EXITS - w.left) / 32;
  w.begin = w.end = w.kept = 0;
  if (slab > 0) w.kept = kept_at(l, w.direction, slab - 1, &w.begin, &w.end);
  return w;
}

// Where the bits of a chunk, column and item are in `steps`. Four columns lie side by side, since a
// path goes on to the next one.
FN size_t step_at(i32 time, i32 column, u32 item) {
  return (((size_t)time * 8 + (size_t)(column >> 2)) * ITEMS + item) * 4 + (size_t)(column & 3);
}

// What words hand down, of the chunk before and of this one: differences and entries along their
// last row, first column at the top.
typedef struct {
  uint2 differences[2][ITEMS];
  u32 entries[2][BITS][ITEMS];
} Sent;

// Bit b of the 32 columns of a chunk, counted from 1, first column at the top.
FN u32 columns_bit(i32 chunk, int b) {
  if (b >= 5) return (0u - ((u32)chunk >> (b - 5) & 1u)) << 1 | ((u32)(chunk + 1) >> (b - 5) & 1u);
  const u32 bits[5] = {0xaaaaaaaau, 0x66666666u, 0x1e1e1e1eu, 0x01fe01feu, 0x0001fffeu};
  return bits[b];
}

// Computes a window by each side's items. `bottom`: the differences along the last row, as they are
// sent. Without `enters` steps are written, with it entries of the exits: [item][BITS].
FN void compute(const bool enters, const Window* w, const StripKept* l, u32 item,
                __global const u32* pattern, __global const u32* text, __global const u32* last,
                __global uint2* steps, __local Sent* sent, __local uint2* bottom,
                __local u32 (*entries)[BITS]) {
  const i32 word = (i32)(item % WORDS);
  pattern += w->direction * l->pattern_reverse;
  text += (size_t)w->direction * PLANES * l->text_plane + l->spare;
  const bool column_first = w->order == LEFTMOST || (w->order == CANONICAL && l->turned);
  const i32 text_words = (i32)((l->columns + 31) >> 5);
  u32 symbols[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) symbols[p] =
      word < w->words ? pattern[((w->top >> 5) + word + PLANES_FRONT) * PLANES + p] : 0u;
  u32 plus = ~0u, minus = 0u;
  // Entries of this word's rows in the column before, and the words that had those of the row
  // above.
  u32 entry[BITS], entry_above[BITS];
  UNROLLED for (int b = 0; b < BITS; ++b) entry[b] = entry_above[b] = 0u;
  for (i32 time = 0; time < TIMES; ++time) {
    const i32 chunk = time - word, at = (w->left >> 5) + chunk;
    if (chunk >= 0 && chunk < w->chunks && word < w->words) {
      u32 in_plus, in_minus;
      if (word > 0) {
        const uint2 above = sent->differences[(time & 1) ^ 1][item - 1];
        in_plus = above.x;
        in_minus = above.y;
      } else if (at >= w->begin && at < w->end) {
        in_plus = last[w->kept + 2 * at];
        in_minus = last[w->kept + 2 * at + 1];
      } else {
        in_minus = at < w->begin ? ~0u : 0u;
        in_plus = ~in_minus;
      }
      u32 columns[PLANES];
      UNROLLED for (int p = 0; p < PLANES; ++p) columns[p] =
          at < text_words ? text[(size_t)p * l->text_plane + at] : 0u;
      u32 out_plus = 0u, out_minus = 0u, in_entry[BITS], out_entry[BITS];
      UNROLLED for (int b = 0; enters && b < BITS; ++b) {
        in_entry[b] = word > 0 ? sent->entries[(time & 1) ^ 1][b][item - 1] : columns_bit(chunk, b);
        out_entry[b] = 0u;
      }
      for (i32 column = 0; column < 32; ++column) {
        u32 symbol[PLANES];
        UNROLLED for (int p = 0; p < PLANES; ++p) {
          symbol[p] = 0u - (columns[p] >> 31);
          columns[p] <<= 1;
        }
        const u32 match = cell_match(symbols, symbol);
        const u32 in_falls = in_minus >> 31, in_rises = in_plus >> 31;
        in_plus <<= 1;
        in_minus <<= 1;
        const u32 equal = match | in_falls, vertical = match | minus;
        const u32 horizontal = (((equal & plus) + plus) ^ plus) | equal;
        const u32 along = minus | ~(horizontal | plus), falls = plus & horizontal;
        const u32 same = horizontal | minus;  // as before along the diagonal
        out_plus = out_plus << 1 | along >> 31;
        out_minus = out_minus << 1 | falls >> 31;
        const u32 rises = along << 1 | in_rises;
        plus = (falls << 1 | in_falls) | ~(vertical | rises);
        minus = rises & vertical;
        // A pair that does not match and has the value of the one before it: a better way comes
        // from above or from the left.
        const u32 pair = match | ~same, gap = column_first ? along : plus;
        const u32 by_pair = w->order == CANONICAL ? pair : pair & ~gap;
        const u32 by_gap = w->order == CANONICAL ? gap & ~pair : gap;
        const u32 by_row = column_first ? ~(by_pair | by_gap) : by_gap;
        if (!enters) steps[step_at(time, column, item)] = (uint2)(by_pair, by_row);
        UNROLLED for (int b = 0; enters && b < BITS; ++b) {
          const u32 by_others =
              (by_pair & (entry[b] << 1 | entry_above[b] >> 31)) | (~(by_pair | by_row) & entry[b]);
          // Through rows on end that go on along the column: a sum carries up to where they end.
          const u32 carried = by_row + (by_row & (by_others << 1 | in_entry[b] >> 31));
          entry[b] = by_others | (by_row & ~carried);
          entry_above[b] = in_entry[b];
          in_entry[b] <<= 1;
          out_entry[b] = out_entry[b] << 1 | entry[b] >> 31;
        }
      }
      sent->differences[time & 1][item] = (uint2)(out_plus, out_minus);
      if (word == w->words - 1)
        bottom[item / WORDS * CHUNKS + chunk] = (uint2)(out_plus, out_minus);
      const i32 exits = chunk - (w->exits - w->left) / 32;
      UNROLLED for (int b = 0; enters && b < BITS; ++b) {
        sent->entries[time & 1][b][item] = out_entry[b];
        if (word == w->words - 1 && exits >= 0)
          entries[item / WORDS * WORDS + (u32)exits][b] = out_entry[b];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// A place of a path that goes back through a window: row and column, counted from 1, and what
// `steps` has of the four columns about there.
typedef struct {
  i32 row, column;
  i32 loaded;  // of which columns and word
  uint4 low, high;
} Walk;

FN void walk_begin(Walk* w, i32 row, i32 column) {
  w->row = row;
  w->column = column;
  w->loaded = -1;
}

// One step back: 1, 2 or 0 as `path` has it.
FN u32 step_back(Walk* w, __global const uint2* steps, u32 side) {
  const i32 word = (w->row - 1) >> 5, column = w->column - 1, wanted = column >> 2 << 5 | word;
  if (wanted != w->loaded) {
    w->loaded = wanted;
    __global const uint4* const from =
        (__global const uint4*)(steps + step_at((column >> 5) + word, column & 28,
                                                side * WORDS + (u32)word));
    w->low = from[0];
    w->high = from[1];
  }
  const uint4 two = (column & 2) != 0 ? w->high : w->low;
  const u32 by_pair = (column & 1) != 0 ? two.z : two.x, by_row = (column & 1) != 0 ? two.w : two.y;
  const i32 bit = (w->row - 1) & 31;
  const u32 step = (by_pair >> bit & 1u) | (by_row >> bit & 1u) << 1;
  w->row -= step != 0u;
  w->column -= step != 2u;
  return step;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void strip_maps(
    __global const u32* restrict pattern, __global const u32* restrict text,
    __global const u32* restrict last, __global const i32* restrict places,
    __global const int2* restrict moved, __global const i32* restrict starts,
    __global ushort* restrict maps, i32 round, const StripKept launch) {
  __local Sent sent;
  __local uint2 bottom[SIDES * CHUNKS];
  __local u32 entries[ITEMS][BITS];
  __local i32 some_asked;
  const u32 item = (u32)get_local_id(0), side = item / WORDS;
  if (is_over(starts, round)) return;
  const i32 slabs = slabs_of(&launch), jobs = (3 * slabs + SIDES - 1) / SIDES;
  for (i32 job = (i32)get_group_id(0); job < jobs; job += (i32)get_num_groups(0)) {
    const i32 mine = job * SIDES + (i32)side, slab = mine % slabs;
    const int order = mine / slabs;
    const bool asked = order <= RIGHTMOST && is_kept(&launch, order == CANONICAL ? 0 : 1) &&
                       (order == CANONICAL || (slab > 0 && slab <= last_slab(&launch, 1))) &&
                       (round == 0 || moved[mine].y == round);
    if (item == 0) some_asked = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (asked) some_asked = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool nothing = some_asked == 0;
    barrier(CLK_LOCAL_MEM_FENCE);  // all have seen it
    if (nothing) continue;
    Window window = {0};
    if (asked) window = window_of(&launch, places, moved, order, slab);
    compute(true, &window, &launch, item, pattern, text, last, 0, &sent, bottom, entries);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (asked) {
      // Of 32 exits each item.
      const i32 before = window.exits - window.left + 32 * (i32)(item % WORDS);
      __global ushort* const map = maps + (size_t)mine * EXITS + 32 * (item % WORDS);
      i32 sum = 0;
      for (i32 c = 0; c < before / 32; ++c) {
        const uint2 some = bottom[side * CHUNKS + (u32)c];
        sum += (i32)popcount(some.x) - (i32)popcount(some.y);
      }
      uint2 some = bottom[side * CHUNKS + (u32)(before / 32)];
      for (int exit = 0; exit < 32; ++exit) {
        u32 found = 0u;
        UNROLLED for (int b = 0; b < BITS; ++b) found |= (entries[item][b] >> (31 - exit) & 1u)
                                                         << b;
        sum += (i32)(some.x >> 31) - (i32)(some.y >> 31);
        some <<= 1;
        const bool valid = window.left == 0 || before + 1 + exit - 64 * window.words > sum;
        map[exit] = (ushort)(valid ? found : UNKNOWN);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A group a way. Its first item follows it, a few slabs after the other, of which all items read
// and write what is told of them. `starts`: of the next round.
__kernel __attribute__((reqd_work_group_size(STRIP_WAYS_GROUP, 1, 1))) void strip_ways(
    __global const i32* restrict places, __global const int2* restrict moved,
    __global const ushort* restrict maps, __global i32* restrict ways, __global i32* starts,
    i32 round, const StripKept launch) {
  __local i32 guesses[WAYS_SLABS], firsts[WAYS_SLABS], exits[WAYS_SLABS + 1], entries[WAYS_SLABS];
  __local i32 before[PARTS + 1];
  __local u32 changed;
  __local uint4 map[WAYS_SLABS * EXITS / 8];
  if (is_over(starts, round)) return;
  starts += (size_t)round * STRIP_START_INTS;
  // A later round only changes what is about its guides, if all of them had room.
  const bool everywhere = round == 0 || starts[0] > STRIP_STARTS;
  starts += STRIP_START_INTS;
  const i32 item = (i32)get_local_id(0);
  const u32 way = 2 * launch.first_direction + (u32)get_group_id(0), direction = way / 2;
  const int order = direction == 0 ? CANONICAL : (int)way - 1;
  const i32 slabs = slabs_of(&launch), last = last_slab(&launch, direction);
  ways += (size_t)way * (size_t)slabs * STRIP_WAY_INTS;
  maps += (size_t)order * (size_t)slabs * EXITS;
  if (item == 0) exits[0] = (i32)launch.exits[way];
  for (i32 from = last, part = 0; from >= (i32)direction; from -= WAYS_SLABS, ++part) {
    const i32 mine = from - item, left = from + 1 - (i32)direction, some = min(left, WAYS_SLABS);
    // Of some such parts at once: which have changed, and where the way comes to each if it has
    // not.
    part %= PARTS;
    if (part == 0) {
      if (item == 0) changed = everywhere ? ~0u : 0u;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < left && moved[order * slabs + mine].y == round)
        atomic_or(&changed, 1u << item / WAYS_SLABS);
      if (item <= PARTS && item * WAYS_SLABS < left)
        before[item] = ways[(from - item * WAYS_SLABS) * STRIP_WAY_INTS];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if ((changed >> part & 1u) == 0u && exits[0] == before[part]) {
      barrier(CLK_LOCAL_MEM_FENCE);  // all have seen it
      if (item == 0) exits[0] = before[part + 1];
      barrier(CLK_LOCAL_MEM_FENCE);
      continue;
    }
    if (item < some) {
      firsts[item] = first_exit(&launch, places, moved, order, mine);
      guesses[item] = mine > 0 ? probable_exit(&launch, places, moved, order, mine - 1) : 0;
    }
    UNROLLED for (i32 i = 0; i < (WAYS_SLABS * EXITS / 8 - 1) / STRIP_WAYS_GROUP + 1; ++i) {
      const i32 at = item + i * STRIP_WAYS_GROUP, k = at / (EXITS / 8);
      if (k < some)
        map[at] = ((__global const uint4*)(maps + (size_t)(from - k) * EXITS))[at % (EXITS / 8)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
      i32 exit = exits[0];
      for (i32 k = 0; k < some; ++k) {
        const i32 at = exit - firsts[k] - 1;
        u32 found = UNKNOWN;
        if (at >= 0 && at < EXITS) {
          found = ((__local const ushort*)map)[k * EXITS + at];
        } else if (way != 1) {
          const i32 number = atomic_inc(starts);
          if (number < STRIP_STARTS) {
            starts[1 + 3 * number] = order;
            starts[2 + 3 * number] = from - k;
            starts[3 + 3 * number] = exit;
          }
        }
        exits[k] = exit;
        entries[k] = found == UNKNOWN ? -1 : max(0, firsts[k] - MARGIN) + (i32)found;
        // Where it is not known, a path begins where the guide says.
        exit = found == UNKNOWN ? guesses[k] : entries[k];
      }
      exits[WAYS_SLABS] = exit;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < some) {
      ways[mine * STRIP_WAY_INTS] = exits[item];
      ways[mine * STRIP_WAY_INTS + 1] = entries[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) exits[0] = exits[WAYS_SLABS];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A group for each start of the round.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void strip_again(
    __global const u32* restrict last, __global const i32* restrict places, __global int2* moved,
    __global const i32* restrict starts, i32 round, const StripKept launch) {
  __local int4 sums[WG / 4], bests[WG / 4];
  const int item = (int)get_local_id(0);
  const i32 number = (i32)get_group_id(0);
  if (is_over(starts, round)) return;
  starts += (size_t)round * STRIP_START_INTS;
  if (number >= starts[0]) return;
  const int order = starts[1 + 3 * number];
  const i32 slab = starts[2 + 3 * number], slabs = slabs_of(&launch);
  const u32 direction = order == CANONICAL ? 0 : 1;
  const i64 rows_apart = (i64)launch.apart * launch.rows;
  moved += order * slabs;
  i64 place = starts[3 + 3 * number];
  if (item == 0) moved[slab] = (int2)((i32)place, round);
  i64 rows = min(rows_apart, (i64)lanes_of(&launch, direction) * launch.rows - slab * rows_apart);
  for (i32 k = slab; k > 0; --k) {
    i64 first;
    place = guide_next(&launch, last, direction, k - 1, place, rows, item, sums, bests, &first);
    rows = rows_apart;
    const i32 before = probable_exit(&launch, places, moved - order * slabs, order, k - 1);
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read it
    if (abs((i32)place - before) < EXITS / 4) break;
    if (item == 0) moved[k - 1] = (int2)((i32)place, round);
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void strip_paths(
    __global const u32* restrict pattern, __global const u32* restrict text,
    __global const u32* restrict last, __global const i32* restrict places,
    __global const int2* restrict moved, __global uint2* steps, __global i32* restrict ways,
    __global u32* restrict path, const StripKept launch) {
  __local Sent sent;
  __local uint2 bottom[SIDES * CHUNKS];
  const u32 item = (u32)get_local_id(0), side = item / WORDS;
  steps += get_group_id(0) * (size_t)(TIMES * 32 * ITEMS);
  const i32 slabs = slabs_of(&launch);
  for (i32 job = (i32)get_group_id(0); job < slabs * ((3 + SIDES) / SIDES);
       job += (i32)get_num_groups(0)) {
    const i32 slab = job % slabs;
    const u32 way = (u32)(job / slabs) * SIDES + side;
    const int order = way < 2 ? CANONICAL : way == 2 ? LEFTMOST : RIGHTMOST;
    const i32 first = way < 2 ? 0 : 1;
    __global i32* const mine = ways + ((size_t)way * (size_t)slabs + (size_t)slab) * STRIP_WAY_INTS;
    const bool walked =
        way < 4 && slab >= first && slab <= last_slab(&launch, way / 2) && mine[1] >= 0;
    Window window = {0};
    if (walked) {
      window = window_of(&launch, places, moved, order, slab);
      window.chunks = (mine[0] - window.left + 31) / 32;
    }
    compute(false, &window, &launch, item, pattern, text, last, steps, &sent, bottom, 0);
    if (walked && item % WORDS == 0) {
      Walk walk;
      walk_begin(&walk, 32 * window.words, mine[0] - window.left);
      i32 low = walk.column - walk.row, high = low, count = 0;
      u32 packed = 0;
      __global u32* const to = path + (size_t)slab * PATH_WORDS;
      while (walk.row > 0) {
        u32 step = 2;
        if (walk.column > 0)
          step = step_back(&walk, steps, side);
        else
          --walk.row;
        low = min(low, walk.column - walk.row);
        high = max(high, walk.column - walk.row);
        packed |= step << 2 * (count & 15);
        if (way == 0 && (count & 15) == 15) to[count >> 4] = packed;
        if ((count & 15) == 15) packed = 0;
        ++count;
      }
      if (way == 0 && (count & 15) != 0) to[count >> 4] = packed;
      const i32 own = (i32)(window.left - window.top);
      // Both walks are the same, or something is wrong.
      mine[1] = mine[1] == window.left + walk.column ? mine[1] : -2;
      mine[2] = low + own;
      mine[3] = high + own;
      mine[4] = count;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
