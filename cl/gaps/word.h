// SPDX-License-Identifier: Apache-2.0
// gaps/word.h -- a word has one cell of each of several alignments: two of 16 bits in a register of
// an NVIDIA GPU, a vector register of them on a CPU, or one of 32 bits.
//
//   PAIRS  alignments a word: 1, 2, 4, 8, 16 or 32                 follows device and WIDE
//   WIDE   0: 16 bits a cell, where they are proven to suffice; 1: 32 bits; 1 if PAIRS is 1
#ifndef RHOMB_CL_GAPS_WORD_H
#define RHOMB_CL_GAPS_WORD_H

#include "common.h"

#if HAVE_PTX && !WIDE && PAIRS == 2
// Inline PTX, because OpenCL's max() of two vectors does not become one instruction.
#define PACKED 1
typedef u32 WORD;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
// Before Hopper the same takes several instructions; in OpenCL the host takes 32 bits there.
FN WORD word_add(WORD a, WORD b) {
  WORD sum;
  asm("vadd2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(0));
  return sum;
}
FN WORD word_max(WORD a, WORD b) {
  WORD most;
  asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(most) : "r"(a), "r"(b), "r"(0));
  return most;
}
FN WORD word_add_max(WORD a, WORD b, WORD c) { return word_max(word_add(a, b), c); }
#else
FN WORD word_add(WORD a, WORD b) {
  WORD sum;
  asm("add.s16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
FN WORD word_max(WORD a, WORD b) {
  WORD most;
  asm("max.s16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  return most;
}
// max(a + b, c), one instruction
FN WORD word_add_max(WORD a, WORD b, WORD c) {
  WORD most;
  asm("{ .reg .b32 t; add.s16x2 t, %1, %2; max.s16x2 %0, t, %3; }"
      : "=r"(most)
      : "r"(a), "r"(b), "r"(c));
  return most;
}
#endif
FN WORD word_of(i32 value) { return ((u32)value & 0xffffu) * 0x10001u; }
FN i32 word_get(WORD word, int pair) { return (i32)(short)(pair == 0 ? word : word >> 16); }
FN WORD word_made(const i32* each) { return ((u32)each[0] & 0xffffu) | (u32)each[1] << 16; }
// Four bytes out of those of a (0 to 3) and b (4 to 7), one for each nibble of `which`; 8 more is
// the byte's sign in all bits.
FN u32 word_bytes(u32 a, u32 b, u32 which) {
  u32 bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(which));
  return bytes;
}

#elif PAIRS == 1 && WIDE
#define PACKED 0
typedef i32 WORD;
FN WORD word_add(WORD a, WORD b) { return a + b; }
FN WORD word_max(WORD a, WORD b) { return a > b ? a : b; }
FN WORD word_add_max(WORD a, WORD b, WORD c) { return word_max(a + b, c); }
FN WORD word_of(i32 value) { return value; }
FN i32 word_get(WORD word, int pair) { return word + 0 * pair; }
FN WORD word_made(const i32* each) { return each[0]; }
FN WORD word_if_equal(WORD a, WORD b, WORD yes, WORD no) { return a == b ? yes : no; }

#elif PAIRS > 1 && defined(__OPENCL_C_VERSION__)
#define PACKED 0
#define WORD_JOIN_(a, b) a##b
#define WORD_JOIN(a, b) WORD_JOIN_(a, b)
#if WIDE
#define CELL int
#else
#define CELL short
#endif
#if PAIRS == 32
// OpenCL has no such vectors, but compilers for CPUs, which are Clang, do, with registers for them.
typedef CELL WORD __attribute__((ext_vector_type(PAIRS)));
FN WORD word_max(WORD a, WORD b) { return a > b ? a : b; }
#if defined(__AVX512BW__) && !WIDE
#define HAVE_WORD_SELECT_MAX 1
// The same on the port that maxima do not go through; the compiler would make a maximum of it.
FN WORD word_select_max(WORD a, WORD b) {
  ulong more;
  WORD most;
  __asm__("vpcmpgtw %2, %1, %0" : "=Yk"(more) : "v"(a), "v"(b));
  __asm__("vpblendmw %1, %2, %0 %{%3%}" : "=v"(most) : "v"(a), "v"(b), "Yk"(more));
  return most;
}
#endif
#else
typedef WORD_JOIN(CELL, PAIRS) WORD;
FN WORD word_max(WORD a, WORD b) { return max(a, b); }
#endif
FN WORD word_add(WORD a, WORD b) { return a + b; }
FN WORD word_add_max(WORD a, WORD b, WORD c) { return word_max(a + b, c); }
FN WORD word_of(i32 value) { return (WORD)((CELL)value); }
typedef union {
  WORD word;
  CELL each[PAIRS];
} WordCells;
FN i32 word_get(WORD word, int pair) {
  WordCells cells;
  cells.word = word;
  return cells.each[pair];
}
FN WORD word_made(const i32* each) {
  WordCells made;
  for (int pair = 0; pair < PAIRS; ++pair) made.each[pair] = (CELL)each[pair];
  return made.word;
}
FN WORD word_if_equal(WORD a, WORD b, WORD yes, WORD no) {
  const WORD same = a == b;  // all bits of an element, or none
  return (yes & same) | (no & ~same);
}
// A number of 32 bits for each alignment of a word.
typedef int WordInts __attribute__((ext_vector_type(PAIRS)));
typedef union {
  WordInts all;
  i32 each[PAIRS];
} WordNumbers;
FN WordInts word_ints(WORD word) { return __builtin_convertvector(word, WordInts); }

#else
#error "a word has one alignment of 32 bits, two of 16 on an NVIDIA GPU, or is an OpenCL vector"
#endif

#if !defined(HAVE_WORD_SELECT_MAX)
FN WORD word_select_max(WORD a, WORD b) { return word_max(a, b); }
#endif

#endif
