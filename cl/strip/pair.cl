// SPDX-License-Identifier: Apache-2.0
// strip/pair.cl -- edit distance of two long texts by bit-sliced strips, a slab of columns a
// launch.
//
// The rows of the matrix are dealt to lanes of 32 * K rows (step.h), lanes to groups. Each lane
// runs two words of columns behind the lane above, each group `delay` words behind the group above,
// so that whatever a group takes in during a launch was put out in the launch before: groups never
// wait for each other, and launches run in order on one queue. Inside a group a lane's outgoing
// word of dh reaches the next lane after every chunk of 32 columns.
//
// Two halves run at once: direction 0 the upper rows, forward; direction 1 the lower rows,
// backward, as a forward run over the reversed texts. The dh that leave the last row of both are
// kept; the distance is the least sum of what both say at a place of that row (meet.cl).
//
// A lane computes the columns of its band (band.h). Before them, while it waits to begin,
// it is fed dh = -1, which leaves its dv = +1 as they are, whatever the symbols; where the lane
// above has ended it is fed dh = +1. All that it computes so is the cost of real paths, an upper
// bound; and the distance itself if that does not exceed the band's threshold.
//
//   pattern  planes of the rows (planes.h, interleaved), then those of the reverse
//   text     planes of the columns, one after another, first column of a word at its top, with
//            TEXT_SPARE spare words before and behind each; then the reverse
//   state    state.h, for each of both directions `stride` lanes
//   ring     dh that leave the groups: [launch & 1][direction][group][slab] of (ph, mh)
//   last     dh that leave the last lanes, and others whose last rows are kept (group.h)
//   fed      local, 2 * slab words: what the group takes in; not used with LANES > 1
//   launch   launch.h
//
//   WG      work-items a group                               tuned
//   LANES   lanes a work-item; WG = 1 where more than 1      tuned
//   K       rows a strip                                     tuned
//   PLANES, SETS   planes.h                                  follow the texts
//
// check: -DWG=64 -DLANES=1 -DK=4 -DPLANES=2 -DSETS=0
// check: -DWG=32 -DLANES=1 -DK=1 -DPLANES=8 -DSETS=0
// check: -DWG=1 -DLANES=16 -DK=3 -DPLANES=4 -DSETS=1
#define STRIP_GROUP WG  // work-items
#include "strip/group.h"
#include "strip/guide.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void strip_pair(
    __global const u32* restrict pattern, __global const u32* restrict text,
    __global u32* restrict state, __global u32* restrict ring, __global u32* restrict last,
    __local u32* fed, const StripLaunch launch) {
  const u32 direction = launch.first_direction + (u32)get_group_id(1);
  const u32 group = launch.first_group + (u32)get_group_id(0);
  Part part;
  if (!part_of(&part, &launch, direction, group)) return;
  const i32 begin = part.begin, from = part.from, to = part.to, lanes = part.lanes;
  const i32 item = (i32)get_local_id(0);
  const i32 lane = part.first + item * LANES;
  const i32 words = (i32)((launch.columns + 31) >> 5);
  const i32 slab = launch.slab;
  const u32 text_plane = launch.text_plane;
  __global u32* mine = state + (u64)direction * VALUES * launch.stride + lane;
  State s;
  Columns range;
  item_begin(&s, &range, &part, &launch, lane, mine, pattern + direction * launch.pattern_reverse);

  COUNT beyond = AS_COUNT(LOAD(mine + (u64)STRIP_BEYOND(K) * launch.stride));

  // What was put out in the launch before, and what is put out in this one.
  const u32 parity = (u32)(launch.time / slab) & 1u;
  const u64 ring_side = (u64)launch.groups * slab * 4;
  ring += (u64)direction * launch.groups * slab * 2;
  const bool top = group == 0;
  __global const u32* taken = ring + (parity ^ 1) * ring_side + (u64)(group - 1) * slab * 2;
  __global u32* given = ring + parity * ring_side + (u64)group * slab * 2;
  Keep keep;
  const bool keeps = keep_of(&keep, &launch, direction, lane, lanes, words);
  text += (u64)direction * PLANES * text_plane + TEXT_SPARE;
  WORD now[PLANES], next[PLANES];
  item_text(now, next, text, text_plane, from, item);
#if LANES == 1
  if (!top)
    for (i32 i = 2 * (from - begin) + item; i < 2 * (to - begin); i += WG) fed[i] = taken[i];
  __local uint2 edge[2][WG];
  edge[from & 1][item] = (uint2)(s.out_ph, s.out_mh);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif

  for (i32 q = from; q < to; ++q) {
    const COUNT word = q - 2 * (item * LANES + LANE_NUMBERS);
    // What the lane above has put out, and the text's words one chunk ahead: with vectors those of
    // two chunks before, moved on by a lane.
#if LANES == 1
    u32 ph, mh;
    if (item == 0) {
      ph = fed[2 * (q - begin)];
      mh = fed[2 * (q - begin) + 1];
    } else {
      const uint2 above_out = edge[q & 1][item - 1];
      ph = above_out.x;
      mh = above_out.y;
    }
    u32 ahead[PLANES];
    UNROLLED for (int p = 0; p < PLANES; ++p) ahead[p] =
        (text + (u64)p * text_plane)[q + 1 - 2 * item];
#else
    WORD ph = NEXT_LANE(s.out_ph, top ? 0u : taken[2 * (q - begin)]);
    WORD mh = NEXT_LANE(s.out_mh, top ? 0u : taken[2 * (q - begin) + 1]);
    WORD ahead[PLANES];
    UNROLLED for (int p = 0; p < PLANES; ++p) ahead[p] =
        NEXT_LANE(now[p], (text + (u64)p * text_plane)[q + 1]);
#endif
    columns_take(&range, word, &ph, &mh);
    strip_chunk(&s.strip, &ph, &mh, now, next);
    UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = ahead[p];
    s.out_ph = ph;
    s.out_mh = mh;
    columns_count(&range, word, &s);
    if (q > part.end) beyond += columns_beyond(&range, word, &s);
    if (item == WG - 1) {
      given[2 * (q - begin)] = LAST_LANE(ph);
      given[2 * (q - begin) + 1] = LAST_LANE(mh);
    }
    if (keeps) keep_put(last, &keep, ph, mh, word, q, item);
#if LANES == 1
    edge[(q + 1) & 1][item] = (uint2)(ph, mh);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }

  state_store(&s, mine, launch.stride);
  STORE(AS_WORD(beyond), mine + (u64)STRIP_BEYOND(K) * launch.stride);
}
