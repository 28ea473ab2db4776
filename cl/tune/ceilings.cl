// SPDX-License-Identifier: Apache-2.0
// tune/ceilings.cl -- what a device can do at most: logic operations and bytes a second, and what a
// launch costs. The roofline of `rhomb tune --report` is drawn from these numbers.
//
// Logic operations have three inputs, (a & b) ^ c, as the cells of the strips have (cl/cell.h);
// they work on eight words of a work-item that depend on each other only every few operations.
//
//   VEC  32-bit words of a register: 1 on GPUs, 4, 8 or 16 on CPUs    follows the device
//
// check: -DVEC=1
// check: -DVEC=16
#include "common.h"

#if VEC == 1
typedef u32 word;
#else
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
typedef NAME(uint, VEC) word;
#endif

#define LOGIC(a, b) a = (a & mask) ^ b;

// 32 operations a round and word.
__kernel void tune_logic(__global word* restrict out, u32 rounds) {
  const u32 item = (u32)get_global_id(0);
  const word mask = (word)(~rounds);  // not known when this is compiled
  word a = (word)(item * 0x9e3779b9u), b = a + 1u, c = a ^ 0x55555555u, d = a * 3u;
  word e = a + 0x1234567u, f = ~a, g = a * 5u, h = a ^ 0xcccccccu;
  for (u32 r = 0; r < rounds; ++r) {
    UNROLLED for (int i = 0; i < 4; ++i) {
      LOGIC(a, d)
      LOGIC(b, e)
      LOGIC(c, f)
      LOGIC(d, g)
      LOGIC(e, h)
      LOGIC(f, a)
      LOGIC(g, b)
      LOGIC(h, c)
    }
  }
  out[item] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

// Reads and writes 16 bytes a work-item.
__kernel void tune_copy(__global const uint4* restrict in, __global uint4* restrict out) {
  const size_t item = get_global_id(0);
  out[item] = in[item];
}

__kernel void tune_nothing(__global u32* restrict out, u32 never) {
  if (never != 0) out[0] = never;
}
