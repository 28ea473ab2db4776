// SPDX-License-Identifier: Apache-2.0
// corridor/words.h -- what host and device agree on where a device looks for the words that both
// texts have (corridor/words.cl).
#ifndef RHOMB_CL_CORRIDOR_WORDS_H
#define RHOMB_CL_CORRIDOR_WORDS_H

#include "common.h"

// Words that the rows of a tile have more often, or that the columns have on more diagonals, are
// not taken.
#define WORDS_MOST_COPIES 4
#define WORDS_MOST_HITS 8

// Blocks of rows whose words are in a table of their own, and the columns where one may begin.
typedef struct {
  i32 block, blocks;
  i32 from, to;
} WordTile;

// What all of them have in common.
typedef struct {
  i32 rows;            // of a block
  i32 m;               // of the text
  i32 k;               // symbols of a word
  i32 most;            // words of a block
  u32 words;           // numbers of words that a tile has, `most` for each block
  u32 bits;            // a tile's table has 2^bits places, at least twice as many as words
  i32 seen, seen_end;  // chunks of 32 diagonals where occurrences count
} WordSizes;

// An occurrence: the word's number among those of all tiles, and the chunk.
typedef struct {
  i32 word, chunk;
} WordHit;

#endif
