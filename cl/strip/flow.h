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
// the words that the next group takes in, so every place is free again when it is used again: two
// launches later, or never where a launch does everything.
//
//   pattern, text, state, last     as in pair.cl
//   ring     the words that the groups put out: for each direction and group, word w of the columns
//            at w % round; all ones at the start
//   tickets  how many groups of all launches have begun; first_ticket: before this one
//
//   STRIP_GROUP   work-items a group: TEAM
//   LANES, K, PLANES, SETS   step.h, planes.h
#ifndef RHOMB_CL_STRIP_FLOW_H
#define RHOMB_CL_STRIP_FLOW_H

#include "team.h"
#define STRIP_GROUP TEAM
#include "strip/group.h"

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

typedef struct {
  GLOBAL const u32* pattern;
  GLOBAL const u32* text;
  GLOBAL u32* state;
  GLOBAL volatile u64* ring;
  GLOBAL u32* last;
} FlowBuffers;

// What a group has in hand between two words.
typedef struct {
  State s;
  WORD now[PLANES], next[PLANES];
  GLOBAL volatile u64* take;
  GLOBAL volatile u64* put;
  u64 fed;
  GLOBAL const u32* coming[PLANES];
} Flow;

// Goes on from word q to `stop`. What holds for all words in between is told: whether they are
// taken from the group above, whether all lanes are between their edges (`plain`), and whether what
// comes of them is put out. The loop runs millions of times, so it is compiled once more for the
// case that all of that holds; what it decides anew takes as long as a step.
FN void flow_words(Flow* f, i32 q, i32 stop, bool takes, bool plain, bool puts,
                   const Columns* range, GLOBAL u32* RESTRICT last, const Keep* keep, bool keeps,
                   i32 item) {
  for (; q < stop; ++q) {
    if (takes)
      while (f->fed == NOT_YET) f->fed = *f->take;
    WORD ph = FROM_ABOVE(f->s.out_ph, (u32)f->fed);
    WORD mh = FROM_ABOVE(f->s.out_mh, (u32)(f->fed >> 32));
    if (takes) {
      // All members have the word: they have told each other theirs.
      if (item == 0) *f->take = NOT_YET;
      ++f->take;
      f->fed = *f->take;  // in time for the next word, most likely
    }
    WORD ahead[PLANES];
    UNROLLED for (int p = 0; p < PLANES; ++p) {
#if LANES == 1
      ahead[p] = *f->coming[p]++;
#else
      // Those of two chunks before, moved on by a lane.
      ahead[p] = NEXT_LANE(f->now[p], *f->coming[p]++);
#endif
    }
    team_wait();  // keeps compilers from loading ahead later than here, and then waiting for it
    const COUNT word = q - 2 * (item * LANES + LANE_NUMBERS);
    if (!plain) columns_take(range, word, &ph, &mh);
    strip_chunk(&f->s.strip, &ph, &mh, f->now, f->next);
    UNROLLED for (int p = 0; p < PLANES; ++p) f->next[p] = ahead[p];
    f->s.out_ph = ph;
    f->s.out_mh = mh;
    if (!plain) columns_count(range, word, &f->s);
    if (puts && item == TEAM - 1) *f->put = (u64)LAST_LANE(mh) << 32 | LAST_LANE(ph);
    ++f->put;
    if (keeps) keep_put(last, keep, ph, mh, word, q, item);
  }
}

// Member `item` of group `group` of direction `direction`.
FN void strip_flow_group(const FlowBuffers* b, const StripLaunch* l, u32 direction, u32 group,
                         i32 item) {
  Part part;
  if (!part_of(&part, l, direction, group)) return;
  const i32 lanes = part.lanes, from = part.from, to = part.to;
  const i32 lane = part.first + item * LANES;
  const i32 words = (i32)((l->columns + 31) >> 5);
  GLOBAL u32* mine = b->state + (u64)direction * VALUES * l->stride + lane;
  Flow f;
  Columns range;
  item_begin(&f.s, &range, &part, l, lane, mine, b->pattern + direction * l->pattern_reverse);

  const i32 round = l->round;
  GLOBAL volatile u64* given = b->ring + ((u64)direction * l->groups + group) * round;
  GLOBAL volatile u64* taken = group == 0 ? given : given - round;  // (the first takes nothing)
  // The words that are taken from the group above, and those that are given to the one below.
  const i32 take_end = group == 0 ? 0 : band_end(part.first - 1, ROWS, l->above, l->columns);
  const bool gives = part.first + GROUP_LANES < lanes;
  const i32 give_first = band_first(part.last + 1, ROWS, l->below);
  const i32 give_end = gives ? band_end(part.last, ROWS, l->above, l->columns) : 0;
  Keep keep;
  const bool keeps = keep_of(&keep, l, direction, lane, lanes, words);
  GLOBAL u32* RESTRICT last = b->last;
  GLOBAL const u32* RESTRICT text = b->text + (u64)direction * PLANES * l->text_plane + TEXT_SPARE;

  // While all lanes are between their edges nothing is made up and nothing counts.
  const i32 plain_from = band_first(part.last + 1, ROWS, l->below) + 2 * GROUP_LANES;
  const i32 plain_to = group == 0 ? band_end(0, ROWS, l->above, l->columns) : take_end;

  item_text(f.now, f.next, text, l->text_plane, from, item);
  // The group's last lane puts out what it made of the word `late` before the one taken in.
  const i32 late = 2 * (GROUP_LANES - 1) + 1;
  for (i32 q = from, stop; q < to; q = stop) {
    // Up to `stop` the same holds for all words, and their places follow each other.
    const bool takes = q < take_end;
    const bool plain = q >= plain_from && q < plain_to;
    const bool puts = q - late >= give_first && q - late < give_end;
    const i32 take_slot = q % round;
    const i32 put_slot = (q - late) % round + (q < late ? round : 0);
    stop = sooner(q, to, take_end);
    stop = sooner(q, stop, plain_from);
    stop = sooner(q, stop, plain_to);
    stop = sooner(q, stop, give_first + late);
    stop = sooner(q, stop, give_end + late);
    stop = sooner(q, stop, q + round - take_slot);
    stop = sooner(q, stop, q + round - put_slot);
    f.take = taken + take_slot;
    f.put = given + put_slot;
    f.fed = takes ? *f.take : 0xffffffffu;  // without any: dh = +1
    UNROLLED for (int p = 0; p < PLANES; ++p) f.coming[p] =
        text + (u64)p * l->text_plane + (q + 1 - 2 * item);
    if (takes && plain && puts)
      flow_words(&f, q, stop, true, true, true, &range, last, &keep, keeps, item);
    else
      flow_words(&f, q, stop, takes, plain, puts, &range, last, &keep, keeps, item);
  }
  state_store(&f.s, mine, l->stride);
}

#endif
