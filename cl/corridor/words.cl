// SPDX-License-Identifier: Apache-2.0
// corridor/words.cl -- words of the rows that the columns have, too: what far diagonals cost at
// least (host/corridor/seeds.h). Five kernels, one after the other:
//
//   words_take    the symbols of each word
//   words_insert  words of a tile into its table; those of the same symbols in a list
//   words_scan    each column's word is looked up in the tables of all tiles that it matters to
//   words_count   how many words each block has that are not too frequent, and their occurrences
//   words_settle  the chunks of these, block by block
//
// The second dimension of a range is the tile. A word's number is that of the tile times `words`,
// and `most` for each block of the tile before its own. A table has places of one number each, 0
// for none, else 1 more than that of the first word that came; words of other symbols take the next
// place. (Compare-and-swap of 32 bits is all that every device has.)
//
//   rows     planes of the rows, without spare words, the first symbol of a word at its top
//   columns  planes of the columns, with their spare words (planes.h)
//   keys     the symbols of each word: k bits of plane 0, then of plane 1, and so on
//   table    of each tile
//   first    of each word: the number of the one in the table that has its symbols, or WORDS_NONE
//   next     of each word: 1 more than the next of the same symbols, or 0
//   copies   of the first word of some symbols: how many others there are
//   hits     of each word: occurrences that count
//   hidden   of each block: chunks from and to where occurrences do not count
//   found    occurrences, in any order; `count` of them, of which `room` at most are stored
//   counts   of each block: words that are not too frequent, and occurrences of these
//   ends     of each block: where its occurrences in `chunks` begin, then where they end
//   chunks   of the occurrences, in any order within a block
//
//   PLANES   planes.h                                        follows the texts
//
// check: -DPLANES=2
// check: -DPLANES=8
#define SETS 0
#include "corridor/words.h"

#include "planes.h"

#define WORDS_NONE 0xffffffffu

// Where a word of the table's 2^bits places is looked for first.
static u32 place_of(u64 key, u32 bits) { return (u32)(key * 0x9e3779b97f4a7c15ul >> (64u - bits)); }

// The row where a word begins, or -1: short blocks have fewer of them.
static i32 row_of(WordSizes sizes, i32 block, i32 number) {
  const i32 begin = block * sizes.rows, length = min(sizes.rows, sizes.m - begin);
  const i32 count = min(sizes.most, length / sizes.k);
  return number < count ? begin + (i32)((u32)length * (u32)number / (u32)count) : -1;
}

__kernel void words_take(__global const u32* restrict rows, __global const WordTile* restrict tiles,
                         const WordSizes sizes, __global u64* restrict keys,
                         __global u32* restrict first, __global u32* restrict next,
                         __global u32* restrict copies, __global u32* restrict hits) {
  const u32 x = (u32)get_global_id(0), word = (u32)get_global_id(1) * sizes.words + x;
  const WordTile tile = tiles[get_global_id(1)];
  if (x >= sizes.words) return;
  const i32 block = (i32)(x / (u32)sizes.most);
  const i32 row =
      block < tile.blocks ? row_of(sizes, tile.block + block, (i32)(x % (u32)sizes.most)) : -1;
  first[word] = WORDS_NONE;
  if (row < 0) return;
  const i32 low = row / 32, high = (row + sizes.k - 1) / 32;
  u64 key = 0;
  for (int p = 0; p < PLANES; ++p) {
    // The first symbol is at the top of `both`.
    const u64 both = (u64)rows[low * PLANES + p] << 32 | rows[high * PLANES + p];
    const u32 symbols = turned((u32)(both << (row & 31) >> 32)) & (u32)(((u64)1 << sizes.k) - 1);
    key |= (u64)symbols << (sizes.k * p);
  }
  keys[word] = key;
  first[word] = word;
  next[word] = 0;
  copies[word] = 0;
  hits[word] = 0;
}

__kernel void words_insert(const WordSizes sizes, __global const u64* restrict keys,
                           volatile __global u32* restrict table, __global u32* restrict first,
                           volatile __global u32* restrict next,
                           volatile __global u32* restrict copies) {
  const u32 x = (u32)get_global_id(0), word = (u32)get_global_id(1) * sizes.words + x;
  if (x >= sizes.words || first[word] == WORDS_NONE) return;
  volatile __global u32* own = table + ((u64)get_global_id(1) << sizes.bits);
  const u64 key = keys[word];
  u32 place = place_of(key, sizes.bits);
  for (;;) {
    const u32 taken = atomic_cmpxchg(own + place, 0u, word + 1);
    if (taken == 0) return;
    if (keys[taken - 1] == key) {
      first[word] = taken - 1;
      // The list is of no use when it is too long.
      if (atomic_inc(copies + (taken - 1)) < WORDS_MOST_COPIES)
        next[word] = atomic_xchg(next + (taken - 1), word + 1);
      return;
    }
    place = (place + 1) & ((1u << sizes.bits) - 1);
  }
}

__kernel void words_scan(__global const u32* restrict columns,
                         __global const WordTile* restrict tiles, const WordSizes sizes,
                         __global const u64* restrict keys, __global const u32* restrict table,
                         __global const u32* restrict next, __global const u32* restrict copies,
                         volatile __global u32* restrict hits, __global const i32* restrict hidden,
                         __global WordHit* restrict found, volatile __global u32* restrict count,
                         const u32 room) {
  const WordTile tile = tiles[get_global_id(1)];
  const i32 column = tile.from + (i32)get_global_id(0);
  if (column >= tile.to) return;
  u64 key = 0;
  for (int p = 0; p < PLANES; ++p) {
    __global const u32* low = columns + ((u32)column / 32 + PLANES_FRONT) * PLANES + p;
    const u32 symbols =
        funnel_right(low[0], low[PLANES], (u32)column) & (u32)(((u64)1 << sizes.k) - 1);
    key |= (u64)symbols << (sizes.k * p);
  }
  __global const u32* own = table + ((u64)get_global_id(1) << sizes.bits);
  u32 place = place_of(key, sizes.bits), at = own[place];
  while (at != 0 && keys[at - 1] != key) {
    place = (place + 1) & ((1u << sizes.bits) - 1);
    at = own[place];
  }
  if (at == 0 || copies[at - 1] >= WORDS_MOST_COPIES) return;
  for (; at != 0; at = next[at - 1]) {
    const u32 word = at - 1, x = word - (u32)get_global_id(1) * sizes.words;
    const i32 block = tile.block + (i32)(x / (u32)sizes.most);
    const i32 chunk = (column - row_of(sizes, block, (i32)(x % (u32)sizes.most))) >> 5;
    if (chunk < sizes.seen || chunk >= sizes.seen_end ||
        (chunk >= hidden[2 * block] && chunk < hidden[2 * block + 1]) ||
        atomic_inc(hits + word) >= WORDS_MOST_HITS)
      continue;
    const u32 number = atomic_inc(count);
    if (number < room) {
      found[number].word = (i32)word;
      found[number].chunk = chunk;
    }
  }
}

__kernel void words_count(__global const WordTile* restrict tiles, const WordSizes sizes,
                          __global const u32* restrict first, __global const u32* restrict copies,
                          __global const u32* restrict hits, volatile __global u32* restrict counts,
                          const i32 first_block) {
  const u32 x = (u32)get_global_id(0), word = (u32)get_global_id(1) * sizes.words + x;
  if (x >= sizes.words || first[word] == WORDS_NONE) return;
  const u32 block = (u32)(tiles[get_global_id(1)].block - first_block) + x / (u32)sizes.most;
  if (copies[first[word]] >= WORDS_MOST_COPIES || hits[word] > WORDS_MOST_HITS) return;
  atomic_inc(counts + 2 * block);
  if (hits[word] > 0) atomic_add(counts + 2 * block + 1, hits[word]);
}

__kernel void words_settle(__global const WordTile* restrict tiles, const WordSizes sizes,
                           __global const u32* restrict hits,
                           __global const WordHit* restrict found, const u32 count,
                           volatile __global u32* restrict ends, __global i32* restrict chunks,
                           const i32 first_block) {
  const u32 i = (u32)get_global_id(0);
  if (i >= count) return;
  const u32 word = (u32)found[i].word, tile = word / sizes.words;
  if (hits[word] > WORDS_MOST_HITS) return;
  const u32 block =
      (u32)(tiles[tile].block - first_block) + (word - tile * sizes.words) / (u32)sizes.most;
  chunks[atomic_inc(ends + block)] = found[i].chunk;
}
