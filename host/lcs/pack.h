// SPDX-License-Identifier: Apache-2.0
// pack: queries and targets as the kernels read them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/seq/nibbles.h"

namespace rhomb::lcs {

/// The lengths of a chunk's targets, one for each slot.
void pack_lengths(const Problem& problem, const Chunk& chunk, std::span<std::uint32_t> lengths);

/// Texts that lie side by side on the device: those of some tiles, or some units of a single one.
struct Piece {
  const Chunk* chunk = nullptr;
  std::size_t first = 0, end = 0;        ///< tiles
  std::uint32_t unit = 0, end_unit = 0;  ///< of each
  std::size_t word = 0;                  ///< its first one in the chunk's text
  std::size_t words = 0;
};

/// The texts of a chunk in pieces of at most `most` words, but at least a unit of a tile.
std::vector<Piece> pieces_of(const Plan& plan, const Chunk& chunk, std::size_t most);

/// Packs targets. Several threads may do so at a time.
class Packer {
 public:
  Packer(const Plan& plan, const Problem& problem);

  /// The texts of `piece` as cl/lcs/strips.h and rows.h have them.
  void pack(const Piece& piece, std::span<std::uint32_t> text) const;

 private:
  /// 32 symbols as the words of a unit, given their codes in eight bytes each.
  using Gather = void (*)(const std::uint64_t* codes, std::uint32_t* words);

  struct Part;
  void codes(const char* text, std::uint64_t* codes) const;
  void pack_unit(std::string_view target, std::size_t number, std::uint32_t* words) const;
  void pack_single(const Part& part, std::uint32_t* out) const;
  void pack_shared(const Part& part, std::uint32_t* out) const;

  const Problem& problem_;
  std::vector<std::uint16_t> pairs_;  ///< codes of two symbols by their bytes, first symbol low
  bool by_nibbles_ = false;           ///< the symbols in use differ in their low bits
  seq::Nibbles nibbles_;              ///< then those
  Gather gather_;
  unsigned words_;    ///< of a unit of one target
  unsigned targets_;  ///< of a lane
};

/// The planes of the queries' rows, query after query, block after block: cl/lcs/strips.h.
std::vector<std::uint32_t> pack_rows(const Plan& plan, const Problem& problem);

/// The alphabet strings of the queries, query after query, block after block: cl/lcs/rows.h.
std::vector<std::uint32_t> alphabet_strings(const Plan& plan, const Problem& problem);

/// Where each query begins among the words that these give, and the end.
std::vector<std::size_t> query_begins(const Plan& plan);

}  // namespace rhomb::lcs
