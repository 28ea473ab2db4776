// SPDX-License-Identifier: Apache-2.0
// tune/ceilings.cl -- what a device can do at most: logic operations and bytes a second, and what a
// launch costs. `rhomb-plot tune` draws the roofline from these numbers.
//
// Logic operations have three inputs, (a & b) ^ c, as the cells of the strips have (cl/cell.h);
// they work on eight words of a work-item that depend on each other only every few operations.
// Which words meet matters: in (a & d) ^ f, or with a mask that stays the same, NVIDIA's compiler
// sees what words have in common and makes three instructions of two operations.
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

#define LOGIC(a, b, c) a = (a & b) ^ c;

// 128 operations a round and word.
__kernel void tune_logic(__global word* restrict out, u32 rounds) {
  const u32 item = (u32)get_global_id(0);
  word a = (word)(item * 0x9e3779b9u), b = a + 1u, c = a ^ 0x55555555u, d = a * 3u;
  word e = a + 0x1234567u, f = ~a, g = a * 5u, h = a ^ 0xcccccccu;
  for (u32 r = 0; r < rounds; ++r) {
    UNROLLED for (int i = 0; i < 16; ++i) {
      LOGIC(a, d, e)
      LOGIC(b, e, f)
      LOGIC(c, f, g)
      LOGIC(d, g, h)
      LOGIC(e, h, a)
      LOGIC(f, a, b)
      LOGIC(g, b, c)
      LOGIC(h, c, d)
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
