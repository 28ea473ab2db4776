// SPDX-License-Identifier: Apache-2.0
// text.h -- packed texts: windows of several symbols and the length of a match.
//
// Symbol i is BITS bits of word i / PER_WORD, little end first; seq::PackedText has the layout and
// the spare words behind the text.
//
//   BITS  bits a symbol, 2 or 8                            follows the alphabet
//   SETS  1: codes are sets of bases that match when they
//         share one; 0: codes match when they are equal    follows --ambiguous
#ifndef RHOMB_CL_TEXT_H
#define RHOMB_CL_TEXT_H

#include "common.h"

#define TEXT_PER_WORD (32 / BITS)

// The symbols from position i on, as many as a word holds.
FN u32 text_window(GLOBAL const u32* words, u32 i) {
  const u32 word = i / TEXT_PER_WORD;
  return funnel_right(words[word], words[word + 1], (i % TEXT_PER_WORD) * BITS);
}

// A word that is zero where x and y match, and whose lowest one bit lies in the first symbol that
// does not.
FN u32 text_mismatch(u32 x, u32 y) {
#if SETS
  // A byte without a common bit borrows from its top; above the first such byte more may show.
  const u32 common = x & y;
  return (common - 0x01010101u) & ~common & 0x80808080u;
#else
  return x ^ y;
#endif
}

// How many symbols from a[i] on match those from b[j] on, at most `limit`.
FN u32 text_match_length(GLOBAL const u32* a, u32 i, GLOBAL const u32* b, u32 j, u32 limit) {
  u32 length = 0;
  while (length < limit) {
    const u32 differ = text_mismatch(text_window(a, i + length), text_window(b, j + length));
    if (differ != 0) {
      // The lowest one bit's place, by way of the count of leading zeros.
#if defined(__OPENCL_C_VERSION__)
      length += (31u - clz(differ & (0u - differ))) / BITS;
#elif defined(__CUDACC__)
      length += (u32)(__ffs((int)differ) - 1) / BITS;
#else
      length += (u32)__builtin_ctz(differ) / BITS;
#endif
      break;
    }
    length += TEXT_PER_WORD;
  }
  return length < limit ? length : limit;
}

#endif
