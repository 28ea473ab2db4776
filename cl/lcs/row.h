// SPDX-License-Identifier: Apache-2.0
// lcs/row.h -- the row vectors of Crochemore et al. and of Allison and Dix (Ozsoy, Chauhan and
// Swany 2013, equations 6 and 7), W words of 32 positions of the query at a time.
//
// M, the alphabet string of a symbol, has ones where the query has that symbol. A symbol of the
// target turns the row vector R into the next one:
//
//   Crochemore     R' = (R + (R & M)) | (R & ~M)              ones at the start, counts zeros
//   Allison, Dix   R' = X & ~(X - ((R << 1) | 1)), X = R | M  zeros at the start, counts ones
//
// The paper writes the latter as X & ((X - (R << 1)) ^ X) and leaves out the 1, without which no
// first match would ever be found.
//
// What goes from one word to the next, and from one block of W words to the next, is a carry, or a
// borrow and the bit that the shift pushes out. The streams keep these bits of 32 columns in a
// word, first column at the top: adding a stream's word to itself moves its top bit into the carry,
// and adding the carry that is left at the end completes what is put out.
//
//   W        words a block, a multiple of 4
//   ALLISON  1: Allison and Dix, two streams; 0: Crochemore, one
#ifndef RHOMB_CL_LCS_ROW_H
#define RHOMB_CL_LCS_ROW_H

#include "common.h"

#if ALLISON
#define ROW_STREAMS 2
#define ROW_START 0u
#else
#define ROW_STREAMS 1
#define ROW_START (~0u)
#endif

// Words in one chain of instructions: between chains the carry costs two more.
#define ROW_CHAIN (W % 8 == 0 ? 8 : 4)

// sum = a + b + carry for 4 or 8 words; the carry is 0 or 1.
// difference = a - b - borrow; the borrow is 0 or not 0.
#if HAVE_PTX
#define ROW_PTX(op, to, a, b) op ".cc.u32 %" #to ", %" #a ", %" #b "; "
#if W % 8 == 0
#define ROW_CHAIN_PTX(op) \
  ROW_PTX(op, 0, 9, 17)   \
  ROW_PTX(op, 1, 10, 18)  \
  ROW_PTX(op, 2, 11, 19)  \
  ROW_PTX(op, 3, 12, 20)  \
  ROW_PTX(op, 4, 13, 21) ROW_PTX(op, 5, 14, 22) ROW_PTX(op, 6, 15, 23) ROW_PTX(op, 7, 16, 24)
#define ROW_CARRY "%8"
#define ROW_OPERANDS                                                                  \
  "=&r"(to[0]), "=&r"(to[1]), "=&r"(to[2]), "=&r"(to[3]), "=&r"(to[4]), "=&r"(to[5]), \
      "=&r"(to[6]), "=&r"(to[7]),                                                     \
      "+&r"(*carry)                                                                   \
      : "r"(a[0]),                                                                    \
        "r"(a[1]),                                                                    \
        "r"(a[2]),                                                                    \
        "r"(a[3]),                                                                    \
        "r"(a[4]),                                                                    \
        "r"(a[5]),                                                                    \
        "r"(a[6]),                                                                    \
        "r"(a[7]),                                                                    \
        "r"(b[0]),                                                                    \
        "r"(b[1]),                                                                    \
        "r"(b[2]),                                                                    \
        "r"(b[3]),                                                                    \
        "r"(b[4]),                                                                    \
        "r"(b[5]),                                                                    \
        "r"(b[6]),                                                                    \
        "r"(b[7])
#else
#define ROW_CHAIN_PTX(op) \
  ROW_PTX(op, 0, 5, 9) ROW_PTX(op, 1, 6, 10) ROW_PTX(op, 2, 7, 11) ROW_PTX(op, 3, 8, 12)
#define ROW_CARRY "%4"
#define ROW_OPERANDS                                      \
  "=&r"(to[0]), "=&r"(to[1]), "=&r"(to[2]), "=&r"(to[3]), \
      "+&r"(*carry)                                       \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3])
#endif
FN void row_add(u32* to, const u32* a, const u32* b, u32* carry) {
  asm("{ .reg .b32 t; add.cc.u32 t, " ROW_CARRY ", -1; " ROW_CHAIN_PTX("addc") "addc.u32 " ROW_CARRY
                                                                               ", 0, 0; }"
      : ROW_OPERANDS);
}
FN void row_subtract(u32* to, const u32* a, const u32* b, u32* carry) {
  asm("{ .reg .b32 t; sub.cc.u32 t, 0, " ROW_CARRY "; " ROW_CHAIN_PTX("subc") "subc.u32 " ROW_CARRY
                                                                              ", 0, 0; }"
      : ROW_OPERANDS);
}
#else
FN void row_add(u32* to, const u32* a, const u32* b, u32* carry) {
  u64 sum = *carry;
  UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) {
    sum += (u64)a[i] + b[i];
    to[i] = (u32)sum;
    sum >>= 32;
  }
  *carry = (u32)sum;
}
FN void row_subtract(u32* to, const u32* a, const u32* b, u32* carry) {
  u32 borrow = *carry != 0;
  UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) {
    const u64 difference = (u64)a[i] - b[i] - borrow;
    to[i] = (u32)difference;
    borrow = (u32)(difference >> 63);
  }
  *carry = borrow;
}
#endif

// One column: `strings` are the words of its symbol's alphabet string. stream: one word or two.
FN void row_column(u32* row, const u32* strings, u32* stream) {
#if ALLISON
  u32 borrow = stream[0] >> 31;
  u32 pushed = stream[1] >> 31;
  UNROLLED for (int w = 0; w < W; w += ROW_CHAIN) {
    u32 either[ROW_CHAIN], moved[ROW_CHAIN], less[ROW_CHAIN];
    UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) {
      either[i] = row[w + i] | strings[w + i];
      moved[i] = row[w + i] << 1 | (i == 0 ? pushed : row[w + i - (i > 0)] >> 31);
    }
    pushed = row[w + ROW_CHAIN - 1] >> 31;
    row_subtract(less, either, moved, &borrow);
    UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) row[w + i] = either[i] & ~less[i];
  }
  stream[0] = stream[0] << 1 | (borrow & 1u);
  stream[1] = stream[1] << 1 | pushed;
#else
  u32 carry = *stream >> 31;
  UNROLLED for (int w = 0; w < W; w += ROW_CHAIN) {
    u32 common[ROW_CHAIN], sum[ROW_CHAIN];
    UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) common[i] = row[w + i] & strings[w + i];
    row_add(sum, row + w, common, &carry);
    UNROLLED for (int i = 0; i < ROW_CHAIN; ++i) row[w + i] =
        sum[i] | (row[w + i] & ~strings[w + i]);
  }
  *stream = *stream << 1 | carry;
#endif
}

#endif
