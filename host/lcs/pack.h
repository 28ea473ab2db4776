// SPDX-License-Identifier: Apache-2.0
// pack: query and subjects as the kernels read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/lcs/lcs.h"

namespace rhomb::lcs {

/// The texts of a chunk's subjects and their lengths, as cl/lcs/strips.h and rows.h have them.
/// `text` has chunk.units * plan.text_words() words, `lengths` one for each slot. Several threads
/// pack what is large.
void pack_chunk(const Plan& plan, const Problem& problem, const Chunk& chunk,
                std::span<std::uint32_t> text, std::span<std::uint32_t> lengths);

/// The planes of the query's rows, block after block: cl/lcs/strips.h.
std::vector<std::uint32_t> pack_rows(const Plan& plan, const Problem& problem);

/// The alphabet strings of the query, block after block: cl/lcs/rows.h.
std::vector<std::uint32_t> alphabet_strings(const Plan& plan, const Problem& problem);

}  // namespace rhomb::lcs
