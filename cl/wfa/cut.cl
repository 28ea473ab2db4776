// SPDX-License-Identifier: Apache-2.0
// wfa/cut.cl -- parts of two texts that are on the device, as planes of their own (planes.h).
// A work-item makes a word of each plane.
//
//   rows      the first text: interleaved planes of `row_words` words each, without spare ones, the
//             bits of each word in reverse order
//   columns   the second one: interleaved planes with spare words
//   cuts      `count` of them, by the first of their words, which are `words` together
//   planes    where they go
//
//   WG      work-items a group                                    follows the device
//   PLANES  bits of a code                                        follows the texts
//   APART   1: the planes of a part stand one after another       follows the device
//
// check: -DWG=64 -DPLANES=2 -DAPART=0
// check: -DWG=1 -DPLANES=3 -DAPART=1
#define SETS 0
#include "wfa/cut.h"

#include "planes.h"

// 32 symbols of a plane from symbol `at` on, which is one of the text's; anything behind its end.
static u32 row_bits(__global const u32* rows, u32 row_words, int p, u32 at) {
  const u32 word = at >> 5, next = min(word + 1, row_words - 1);
  return funnel_right(turned(rows[(size_t)word * PLANES + p]),
                      turned(rows[(size_t)next * PLANES + p]), at);
}

static u32 column_bits(__global const u32* columns, int p, u32 at) {
  const size_t word = (size_t)((at >> 5) + PLANES_FRONT) * PLANES + p;
  return funnel_right(columns[word], columns[word + PLANES], at);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void wfa_cut(
    __global const u32* restrict rows, u32 row_words, __global const u32* restrict columns,
    __global const WfaCut* restrict cuts, u32 count, u32 words, __global u32* restrict planes) {
  const u32 item = (u32)get_global_id(0);
  if (item >= words) return;
  u32 first = 0, end = count;
  while (end - first > 1) {
    const u32 middle = (first + end) / 2;
    if (cuts[middle].first <= item)
      first = middle;
    else
      end = middle;
  }
  const WfaCut cut = cuts[first];
  const u32 word = item - cut.first;
  const u32 fill = cut.fill ? ~0u : 0u;
  // The symbols of the part from `at` on: `some` of 32.
  const u32 at = 32 * (word - PLANES_FRONT);
  const u32 some = word < PLANES_FRONT || at >= cut.length ? 0 : min(cut.length - at, 32u);
  const u32 mask = some == 0 ? 0u : ~0u >> (32 - some);
  // In the text, the first of them; backwards the last one, `some` symbols further to the left.
  const u32 begin = cut.backwards ? cut.begin + cut.length - at - some : cut.begin + at;
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    u32 bits = fill;
    if (some > 0) {
      bits = cut.of == 0 ? row_bits(rows, row_words, p, begin) : column_bits(columns, p, begin);
      if (cut.backwards) bits = turned(bits) >> (32 - some);
      bits = (bits & mask) | (fill & ~mask);
    }
    planes[cut.to + (APART ? p * cut.words + word : word * PLANES + p)] = bits;
  }
}
