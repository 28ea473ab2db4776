// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/packed_texts.h"

#include <array>
#include <future>

#include "host/batch/threads.h"

namespace rhomb::corridor {

std::size_t text_words(const Grid& grid, int planes) {
  return (words_of(grid.m) + words_of(grid.n) + 2 * seq::Planes::kFrontWords +
          2 * seq::Planes::kBackWords) *
         static_cast<std::size_t>(planes);
}

PackedTexts pack(const Grid& grid, const seq::Code& code, std::string_view a, std::string_view b,
                 std::size_t threads) {
  // What the grid appends are symbols that match themselves.
  const int fill = code.matching == seq::Matching::kSets ? 1 : 0;
  const auto padded = [&](std::string_view text, const std::array<std::uint8_t, 256>& table) {
    return seq::pack_planes(text, table, code.planes, fill, threads, grid.padding);
  };
  auto columns = std::async(batch::beside(threads), [&] { return padded(b, code.b); });
  PackedTexts packed;
  packed.rows = padded(a, code.a);
  seq::turn_words(packed.rows, threads);
  packed.columns = columns.get();
  return packed;
}

}  // namespace rhomb::corridor
