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
//   pattern  planes of the rows (planes.h, interleaved), `pattern_reverse` words further the
//   reverse text     planes of the columns, one after another, `text_plane` words each, first
//   column of a
//            word at its top, TEXT_SPARE spare words before and behind; then the reverse
//   state    pv, mv of K rows, ph, mh, stream ph, mh, score: for each of both directions `stride`
//            lanes. score: the sum of the dh a lane has put out between its own first column and
//            the next lane's
//   ring     dh that leave the groups: [launch & 1][direction][group][slab] of (ph, mh)
//   last     dh that leave the last lanes: [direction][text_plane] of (ph, mh)
//   fed      local, 2 * slab words: what the group takes in during this launch; unused with LANES >
//   1
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
#include "strip/state.h"

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void strip_pair(
    __global const u32* restrict pattern, u32 pattern_reverse, __global const u32* restrict text,
    u32 text_plane, __global u32* restrict state, u32 stride, __global u32* restrict ring,
    u32 groups, __global u32* restrict last, u32 lanes_0, u32 lanes_1, i64 below, i64 above,
    i64 columns, i32 time, i32 slab, i32 delay, u32 first_group, u32 parity
#if LANES == 1
    ,
    __local u32* fed
#endif
) {
  const u32 direction = (u32)get_group_id(1);
  const u32 group = first_group + (u32)get_group_id(0);
  const i32 lanes = (i32)(direction == 0 ? lanes_0 : lanes_1);
  const i32 group_lane = (i32)(group * GROUP_LANES);
  if (group_lane >= lanes) return;

  // The group's part of the launch, in words of columns of its first lane.
  const i32 begin = time - (i32)group * delay;
  const i32 group_last =
      group_lane + GROUP_LANES < lanes ? group_lane + GROUP_LANES - 1 : lanes - 1;
  const i32 starts = band_first(group_lane, ROWS, below);
  const i32 ends = band_end(group_last, ROWS, above, columns) + 2 * (GROUP_LANES - 1) + 1;
  const i32 from = begin < starts ? starts : begin;
  const i32 to = begin + slab < ends ? begin + slab : ends;
  if (from >= to) return;

  const i32 item = (i32)get_local_id(0);
  const i32 lane = group_lane + item * LANES;
  const i32 words = (i32)((columns + 31) >> 5);
  __global u32* mine = state + (u64)direction * VALUES * stride + lane;

  if (begin <= starts)  // the first launch of this group
    state_begin(mine, stride, lane, lanes, pattern + direction * pattern_reverse);
  State s;
  state_load(&s, mine, stride);
  Columns range;
  columns_of(&range, lane, below, above, columns);

  ring += (u64)direction * groups * slab * 2;
  const u64 ring_side = (u64)groups * slab * 4;
  __global const u32* taken = ring + (parity ^ 1) * ring_side + (u64)(group - 1) * slab * 2;
  __global u32* given = ring + parity * ring_side + (u64)group * slab * 2;
  const bool top = group == 0;
  const bool bottom = lane + LANES >= lanes && lane < lanes;
  last += (u64)direction * text_plane * 2;
  text += (u64)direction * PLANES * text_plane + TEXT_SPARE;

#if LANES == 1
  if (!top)
    for (i32 i = 2 * (from - begin) + item; i < 2 * (to - begin); i += WG) fed[i] = taken[i];
  __local uint2 edge[2][WG];
  edge[from & 1][item] = (uint2)(s.out_ph, s.out_mh);
  WORD now[PLANES], next[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    __global const u32* plane = text + (u64)p * text_plane;
    now[p] = plane[from - 1 - 2 * item];
    next[p] = plane[from - 2 * item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#else
  // The words of the chunk before, of this chunk, and of the one after are those of two chunks
  // before, moved on by a lane.
  WORD now[PLANES], next[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    __global const u32* plane = text + (u64)p * text_plane;
    EACH_LANE(now[p], plane[from - 1 - 2 * e]);
    EACH_LANE(next[p], plane[from - 2 * e]);
  }
#endif

  for (i32 q = from; q < to; ++q) {
    const COUNT word = q - 2 * (item * LANES + LANE_NUMBERS);
    // What the lane above has put out.
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
#if LANES == 1
    if (item == WG - 1) {
      given[2 * (q - begin)] = ph;
      given[2 * (q - begin) + 1] = mh;
    }
    if (bottom && word > 0 && word <= words) {
      last[2 * (word - 1)] = ph;
      last[2 * (word - 1) + 1] = mh;
    }
    edge[(q + 1) & 1][item] = (uint2)(ph, mh);
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    given[2 * (q - begin)] = LAST_LANE(ph);
    given[2 * (q - begin) + 1] = LAST_LANE(mh);
    if (bottom) {
      const i32 e = lanes - 1 - lane;
      const i32 put = q - 2 * e - 1;
      u32 both[2 * LANES];
      STORE(ph, both);
      STORE(mh, both + LANES);
      if (put >= 0 && put < words) {
        last[2 * put] = both[e];
        last[2 * put + 1] = both[LANES + e];
      }
    }
#endif
  }

  state_store(&s, mine, stride);
}
