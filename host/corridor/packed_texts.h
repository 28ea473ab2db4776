// SPDX-License-Identifier: Apache-2.0
// PackedTexts: both texts of a grid, as what computes bands reads them.
#pragma once

#include <cstddef>
#include <string_view>

#include "host/corridor/grid.h"
#include "host/seq/alphabet.h"
#include "host/seq/packed.h"

namespace rhomb::corridor {

/// 32-bit words of a plane of a text.
constexpr std::size_t words_of(std::int64_t length) {
  return static_cast<std::size_t>((length + 31) / 32);
}

/// 32-bit words that a run keeps of a grid's texts.
std::size_t text_words(const Grid& grid, int planes);

/// Rows with their bits turned, columns as they are.
struct PackedTexts {
  seq::Planes rows, columns;
};
PackedTexts pack(const Grid& grid, const seq::Code& code, std::string_view a, std::string_view b,
                 std::size_t threads);

}  // namespace rhomb::corridor
