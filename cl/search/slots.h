// SPDX-License-Identifier: Apache-2.0
// search/slots.h -- short queries in strips: several of them in a word, each in several strips.
//
// A word is cut into TASKS slots of SLOT bits. A slot belongs to one query, its bits to strips of K
// rows, in K registers: the last bit has the query's last rows. Each strip runs one column behind
// the one before, so the cells of a register do not depend on each other. In a step the differences
// dh go down through the registers; those that leave the last one are shifted up by one bit, so
// that they enter the next strip in the next step. What leaves the last bit is the bottom row of
// the matrix.
//
// A query has as many strips as it takes. Bits before its first strip compute nothing of meaning,
// and nothing of that gets further. The top `pad` registers of the first strip stand for rows above
// the query (pad < K). They match every symbol and begin with dv = 0; with dh = 0 from above such a
// cell hands on dv = 0 and dh = 0, so the query begins below them as if they were not there. With
// WHOLE dh = +1 comes from above: they match nothing, and such a cell hands on dv = 0 and dh = +1.
//
// The strip of bit s comes to the first column in step s. Before, it waits: where all queries fill
// their slots it is fed dh = -1, which leaves dv = +1 and hands on dh = -1, whatever the symbols.
// Else it computes what it may, and is set back when its turn comes.
//
//   SLOT    bits a slot: 8, 16 or 32
//   K       rows a strip
//   HEAD    registers that may be above a query, 0 .. K - 1
//   MIXED   1: queries may have fewer strips than their slots have bits
//   WHOLE   0: a query may begin anywhere in its text, for nothing; 1: only at its first symbol
//   LANES, PLANES, SETS   cell.h, planes.h
#ifndef RHOMB_CL_STRIP_SLOTS_H
#define RHOMB_CL_STRIP_SLOTS_H

#include "cell.h"

#ifndef WHOLE
#define WHOLE 0
#endif
#define TASKS (32 / SLOT)
#if SLOT == 8
#define SLOT_LOW 0x01010101u
#elif SLOT == 16
#define SLOT_LOW 0x00010001u
#else
#define SLOT_LOW 1u
#endif
#define SLOT_ONES (0xffffffffu >> (32 - SLOT))

#if LANES == 1
#define SPLAT(value) ((u32)(value))
#else
#define SPLAT(value) ((WORD)(u32)(value))
#endif

LOGIC(logic_pick, "0xca", (x & y) | (~x & z))

typedef struct {
  WORD symbols[K][PLANES];  // of the rows
  WORD pv[K], mv[K];        // dv on the right edge of each row's last cell
#if HEAD > 0
  WORD above[HEAD];  // where 1 the row is above its query
#endif
#if MIXED
  WORD enter;  // bits of the first strips
#endif
  WORD ph, mh;        // dh that left the last register in the last step
  WORD text[PLANES];  // of the column that each strip is in
} Slots;

// Exchanges the upper half of each field of 2 * by bits of `a` with the lower half of that of `b`.
FN void swap_halves(WORD* a, WORD* b, u32 by, u32 mask) {
  const WORD differ = ((*a >> by) ^ *b) & SPLAT(mask);
  *b ^= differ;
  *a ^= differ << by;
}

// The 32 x 32 bits are transposed: bit i of word j becomes bit j of word i.
FN void transpose_bits(WORD* rows) {
  UNROLLED for (int i = 0; i < 16; ++i) swap_halves(&rows[i], &rows[i + 16], 16, 0x0000ffffu);
  UNROLLED for (int i = 0; i < 16; ++i)
      swap_halves(&rows[(i & ~7) * 2 + (i & 7)], &rows[(i & ~7) * 2 + (i & 7) + 8], 8, 0x00ff00ffu);
  UNROLLED for (int i = 0; i < 16; ++i)
      swap_halves(&rows[(i & ~3) * 2 + (i & 3)], &rows[(i & ~3) * 2 + (i & 3) + 4], 4, 0x0f0f0f0fu);
  UNROLLED for (int i = 0; i < 16; ++i)
      swap_halves(&rows[(i & ~1) * 2 + (i & 1)], &rows[(i & ~1) * 2 + (i & 1) + 2], 2, 0x33333333u);
  UNROLLED for (int i = 0; i < 16; ++i) swap_halves(&rows[2 * i], &rows[2 * i + 1], 1, 0x55555555u);
}

// One word of 32 columns of each task becomes TASKS words with SLOT columns of all tasks, each in
// its slot.
FN void slots_deal(WORD* columns) {
#if SLOT == 8
  swap_halves(&columns[0], &columns[2], 16, 0x0000ffffu);
  swap_halves(&columns[1], &columns[3], 16, 0x0000ffffu);
  swap_halves(&columns[0], &columns[1], 8, 0x00ff00ffu);
  swap_halves(&columns[2], &columns[3], 8, 0x00ff00ffu);
#elif SLOT == 16
  swap_halves(&columns[0], &columns[1], 16, 0x0000ffffu);
#endif
}

// Before the first column; symbols, above and enter are set.
FN void slots_begin(Slots* s) {
  UNROLLED for (int r = 0; r < K; ++r) {
    s->pv[r] = SPLAT(~0u);
    s->mv[r] = SPLAT(0);
  }
#if HEAD > 0
  UNROLLED for (int r = 0; r < HEAD; ++r) s->pv[r] = ~s->above[r];
#endif
  s->ph = SPLAT(0);
  s->mh = SPLAT(~0u);
  UNROLLED for (int p = 0; p < PLANES; ++p) s->text[p] = SPLAT(0);
}

// In step `s` the strips of bit s begin.
FN void slots_wake(Slots* s, u32 step) {
#if MIXED
  const WORD here = SPLAT(SLOT_LOW << step);
  UNROLLED for (int r = 0; r < K; ++r) {
#if HEAD > 0
    const WORD below = r < HEAD ? here & ~s->above[r < HEAD ? r : 0] : here;
#else
    const WORD below = here;
#endif
    s->pv[r] = (s->pv[r] & ~here) | below;
    s->mv[r] = s->mv[r] & ~here;
  }
#endif
}

// One column more. The lowest bit of each slot of `next` is the symbol that its bit 0 comes to; the
// bit of a first strip in in_ph, in_mh is the dh that enters there.
FN void slots_step(Slots* s, const WORD* next, WORD in_ph, WORD in_mh) {
  const WORD low = SPLAT(SLOT_LOW);
  UNROLLED for (int p = 0; p < PLANES; ++p) s->text[p] = logic_pick(low, next[p], s->text[p] << 1);
#if MIXED
  const WORD enter = s->enter;
#else
  const WORD enter = low;
#endif
  WORD ph = logic_pick(enter, in_ph, s->ph << 1);
  WORD mh = logic_pick(enter, in_mh, s->mh << 1);
  UNROLLED for (int r = 0; r < K; ++r) {
    WORD match = cell_match(s->symbols[r], s->text);
#if HEAD > 0
    const WORD above = s->above[r < HEAD ? r : 0];
    if (r < HEAD) match = WHOLE ? match & ~above : match | above;
#endif
    cell_edit(match, &s->pv[r], &s->mv[r], &ph, &mh);
  }
  s->ph = ph;
  s->mh = mh;
}

// What the bottom row does in up to 32 columns, each task's in its slot. `over` is the score less
// the least so far, which stays as it is while the score reaches `steps` new lows below the one at
// the start; `when` is the column of the last of them. With WHOLE only the score at the end counts:
// `over` and `steps` are how often it went up and down.
typedef struct {
  WORD over, steps, when;
  WORD now;  // the column, in each slot
} Lows;

FN void lows_begin(Lows* l) { l->over = l->steps = l->when = l->now = SPLAT(0); }

// One column more: lowest bits of plus and minus are its dh, all others 0.
FN void lows_step(Lows* l, WORD plus, WORD minus) {
#if WHOLE
  l->over += plus;
  l->steps += minus;
#else
  // All but the top bit of each field set: the top bit then says whether `over` is not 0.
  const WORD above = (l->over + SPLAT(SLOT_ONES / 2 * SLOT_LOW)) >> (SLOT - 1);
  const WORD lower = minus & ~above;
  l->over += plus - (minus & above);
  l->steps += lower;
  l->when = logic_pick(lower * SPLAT(SLOT_ONES), l->now, l->when);
  l->now += SPLAT(SLOT_LOW);
#endif
}

#endif
