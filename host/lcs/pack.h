// SPDX-License-Identifier: Apache-2.0
// pack: query and subjects as the kernels read them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/lcs/workers.h"

namespace rhomb::lcs {

/// The lengths of a chunk's subjects, one for each slot.
void pack_lengths(const Problem& problem, const Chunk& chunk, std::span<std::uint32_t> lengths);

/// Packs subjects as the kernels read them, several threads at a time.
class Packer {
 public:
  Packer(const Plan& plan, const Problem& problem);

  /// The texts of the tiles [first, end) of `chunk`, as cl/lcs/strips.h and rows.h have them;
  /// text[0] is the first word of the first of these tiles.
  void pack(const Chunk& chunk, std::size_t first, std::size_t end, std::span<std::uint32_t> text);

 private:
  using Table = std::array<std::uint8_t, 256>;
  using Pairs = std::vector<std::uint16_t>;
  struct Part;
  void pack_unit(std::string_view subject, std::size_t number, std::uint32_t* words) const;
  void pack_single(const Chunk& chunk, const Part& part, std::uint32_t* out) const;
  void pack_shared(const Chunk& chunk, const Part& part, std::uint32_t* out) const;

  const Problem& problem_;
  const Table& code_;  ///< of the subjects
  Pairs pairs_;        ///< codes of two symbols at once, by their bytes, first symbol low
  void (*unit_)(const char* text, const Pairs& pairs, std::uint32_t* words);  ///< 32 symbols
  unsigned words_;     ///< of a unit of one subject
  unsigned subjects_;  ///< of a lane
  Workers workers_;
};

/// The planes of the query's rows, block after block: cl/lcs/strips.h.
std::vector<std::uint32_t> pack_rows(const Plan& plan, const Problem& problem);

/// The alphabet strings of the query, block after block: cl/lcs/rows.h.
std::vector<std::uint32_t> alphabet_strings(const Plan& plan, const Problem& problem);

}  // namespace rhomb::lcs
