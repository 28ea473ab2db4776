// SPDX-License-Identifier: Apache-2.0
// strip/flow.h -- what a group does in a launch when words flow from group to group while they run.
//
// The same as pair.cl, but its groups are teams (team.h) whose members tell each other their words
// without a barrier, and it takes in what the group above puts out during the same launch. So
// groups follow each other closely, a launch may be long, and nothing is kept in local memory.
//
// A group waits for words of the group above. That is safe where groups that have begun go on
// running whatever other groups do, because a group's place in the order is the ticket it draws
// when it begins: those it waits for have begun before. A word is one 64-bit number, ph below mh.
// No cell has both bits set, so all ones say that the word is not there yet: a word tells by itself
// that it is complete. Whoever takes a word in writes all ones in its place. Groups put out just
// the words that the next group takes in, so every place is free again when it is used again, two
// launches later.
//
//   pattern, text, state, last     as in pair.cl
//   ring     the words that the groups put out: for each direction and group, word w of the columns
//            at w % (2 * slab); all ones at the start
//   tickets  how many groups of all launches have begun; first_ticket: before this one
//
//   STRIP_GROUP   work-items a group: TEAM
//   LANES, K, PLANES, SETS   step.h, planes.h
#ifndef RHOMB_CL_STRIP_FLOW_H
#define RHOMB_CL_STRIP_FLOW_H

#include "team.h"
#define STRIP_GROUP TEAM
#include "strip/launch.h"
#include "strip/state.h"

#define NOT_YET (~(u64)0)

// The word of the lane above: of the next lane of the vector, of the member before, or `first`
// where that is in another group.
#if LANES > 1
#define FROM_ABOVE(value, first) NEXT_LANE(value, first)
#else
#define FROM_ABOVE(value, first) from_above(value, first, item)
FN u32 from_above(u32 value, u32 first, i32 item) {
  const u32 above = team_up(value);
  return item == 0 ? first : above;
}
#endif

// Where a run from q on to `stop` has to end if something changes at `change`.
FN i32 sooner(i32 q, i32 stop, i32 change) { return change > q && change < stop ? change : stop; }

// Member `item` of group `group` of direction `direction`.
FN void strip_flow_group(const Launch* l, u32 direction, u32 group, i32 item) {
  const i32 lanes = (i32)(direction == 0 ? l->lanes_0 : l->lanes_1);
  const i32 group_lane = (i32)(group * GROUP_LANES);
  if (group_lane >= lanes) return;

  // The group's part of the launch, in words of columns of its first lane.
  const i32 begin = l->time - (i32)group * l->delay;
  const i32 group_last =
      group_lane + GROUP_LANES < lanes ? group_lane + GROUP_LANES - 1 : lanes - 1;
  const i32 starts = band_first(group_lane, ROWS, l->below);
  const i32 ends = band_end(group_last, ROWS, l->above, l->columns) + 2 * (GROUP_LANES - 1) + 1;
  const i32 from = begin < starts ? starts : begin;
  const i32 to = begin + l->slab < ends ? begin + l->slab : ends;
  if (from >= to) return;

  const i32 lane = group_lane + item * LANES;
  const i32 words = (i32)((l->columns + 31) >> 5);
  GLOBAL u32* mine = l->state + (u64)direction * VALUES * l->stride + lane;
  if (begin <= starts)  // the first launch of this group
    state_begin(mine, l->stride, lane, lanes, l->pattern + direction * l->pattern_reverse);
  State s;
  state_load(&s, mine, l->stride);
  Columns range;
  columns_of(&range, lane, l->below, l->above, l->columns);

  const i32 round = 2 * l->slab;
  GLOBAL volatile u64* taken = l->ring + ((u64)direction * l->groups + group - 1) * round;
  GLOBAL volatile u64* given = l->ring + ((u64)direction * l->groups + group) * round;
  // The words that are taken from the group above, and those that are given to the one below.
  const i32 take_end = group == 0 ? 0 : band_end(group_lane - 1, ROWS, l->above, l->columns);
  const bool gives = group_lane + GROUP_LANES < lanes;
  const i32 give_first = band_first(group_last + 1, ROWS, l->below);
  const i32 give_end = gives ? band_end(group_last, ROWS, l->above, l->columns) : 0;
  const bool bottom = lane + LANES >= lanes && lane < lanes;
  GLOBAL u32* RESTRICT last = l->last + (u64)direction * l->text_plane * 2;
  GLOBAL const u32* RESTRICT text = l->text + (u64)direction * PLANES * l->text_plane + TEXT_SPARE;

  // While all lanes are between their edges nothing is made up and nothing counts.
  const i32 plain_from = band_first(group_last + 1, ROWS, l->below) + 2 * GROUP_LANES;
  const i32 plain_to = group == 0 ? band_end(0, ROWS, l->above, l->columns) : take_end;

  WORD now[PLANES], next[PLANES];
  UNROLLED for (int p = 0; p < PLANES; ++p) {
    GLOBAL const u32* plane = text + (u64)p * l->text_plane;
    EACH_LANE(now[p], plane[from - 1 - 2 * (item + e)]);
    EACH_LANE(next[p], plane[from - 2 * (item + e)]);
  }
  // The group's last lane puts out what it made of the word `late` before the one taken in.
  const i32 late = 2 * (GROUP_LANES - 1) + 1;
  for (i32 q = from; q < to;) {
    // Up to `stop` the same holds for all words, and their places follow each other: the loop below
    // runs millions of times, and what it decides anew takes as long as a step.
    const bool takes = q < take_end;
    const bool plain = q >= plain_from && q < plain_to;
    const bool puts = q - late >= give_first && q - late < give_end;
    const i32 take_slot = q % round;
    const i32 put_slot = (q - late) % round + (q < late ? round : 0);
    i32 stop = sooner(q, to, take_end);
    stop = sooner(q, stop, plain_from);
    stop = sooner(q, stop, plain_to);
    stop = sooner(q, stop, give_first + late);
    stop = sooner(q, stop, give_end + late);
    stop = sooner(q, stop, q + round - take_slot);
    stop = sooner(q, stop, q + round - put_slot);
    GLOBAL volatile u64* take = taken + take_slot;
    GLOBAL volatile u64* put = given + put_slot;
    u64 fed = takes ? *take : 0xffffffffu;  // without any: dh = +1
#if LANES == 1
    GLOBAL const u32* coming[PLANES];
    UNROLLED for (int p = 0; p < PLANES; ++p) coming[p] =
        text + (u64)p * l->text_plane + (q + 1 - 2 * item);
#endif

    for (; q < stop; ++q) {
      if (takes)
        while (fed == NOT_YET) fed = *take;
      WORD ph = FROM_ABOVE(s.out_ph, (u32)fed);
      WORD mh = FROM_ABOVE(s.out_mh, (u32)(fed >> 32));
      if (takes) {
        // All members have the word: they have told each other theirs.
        if (item == 0) *take = NOT_YET;
        ++take;
        fed = *take;  // in time for the next word, most likely
      }
      WORD ahead[PLANES];
      UNROLLED for (int p = 0; p < PLANES; ++p) {
#if LANES == 1
        ahead[p] = *coming[p]++;
#else
        // Those of two chunks before, moved on by a lane.
        ahead[p] = NEXT_LANE(now[p], (text + (u64)p * l->text_plane)[q + 1]);
#endif
      }
      team_wait();  // keeps compilers from loading ahead later than here, and then waiting for it
      const COUNT word = q - 2 * (item * LANES + LANE_NUMBERS);
      if (!plain) columns_take(&range, word, &ph, &mh);
      strip_chunk(&s.strip, &ph, &mh, now, next);
      UNROLLED for (int p = 0; p < PLANES; ++p) next[p] = ahead[p];
      s.out_ph = ph;
      s.out_mh = mh;
      if (!plain) columns_count(&range, word, &s);
      if (puts && item == TEAM - 1) *put = (u64)LAST_LANE(mh) << 32 | LAST_LANE(ph);
      ++put;
      if (bottom) {
#if LANES == 1
        const i32 w = word - 1;
        const u32 last_ph = ph, last_mh = mh;
#else
        const i32 e = lanes - 1 - lane;
        const i32 w = q - 2 * e - 1;
        u32 both[2 * LANES];
        STORE(ph, both);
        STORE(mh, both + LANES);
        const u32 last_ph = both[e], last_mh = both[LANES + e];
#endif
        if (w >= 0 && w < words) {
          last[2 * w] = last_ph;
          last[2 * w + 1] = last_mh;
        }
      }
    }
  }
  state_store(&s, mine, l->stride);
}

#endif
