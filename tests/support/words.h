// SPDX-License-Identifier: Apache-2.0
// The matrix of two texts, 64 rows at a time (Myers 1999, blocks as in Hyyro 2003): another way
// than any of rhomb's and than the plain recurrence, for more pairs than that can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/seq/alphabet.h"

namespace rhomb::test {

/// Calls each(j, cost) for j = 0, 1, ... b.size(): the cost of all of `a` with the first j symbols
/// of `b`, or with `anywhere` with the best of their suffixes. `a` is not empty.
template <class Each>
void each_column(std::string_view a, std::string_view b, const seq::Code& code, bool anywhere,
                 const Each& each) {
  const std::size_t m = a.size(), words = (m + 63) / 64;
  std::vector<std::uint64_t> equal(256 * words), up(words, ~std::uint64_t{0}), down(words);
  for (unsigned symbol = 0; symbol < 256; ++symbol)
    for (std::size_t i = 0; i < m; ++i)
      if (code.match(a[i], static_cast<char>(symbol)))
        equal[symbol * words + i / 64] |= std::uint64_t{1} << (i % 64);
  auto cost = static_cast<std::int64_t>(m);
  each(std::size_t{0}, cost);
  for (std::size_t j = 0; j < b.size(); ++j) {
    std::uint64_t plus = anywhere ? 0 : 1, minus = 0;  // along the row above
    for (std::size_t w = 0; w < words; ++w) {
      const unsigned last = w + 1 < words ? 63 : static_cast<unsigned>((m - 1) % 64);
      std::uint64_t eq = equal[static_cast<unsigned char>(b[j]) * words + w];
      const std::uint64_t vertical = eq | down[w];
      eq |= minus;
      const std::uint64_t horizontal = (((eq & up[w]) + up[w]) ^ up[w]) | eq;
      const std::uint64_t ph = down[w] | ~(horizontal | up[w]), mh = up[w] & horizontal;
      const std::uint64_t ph_in = ph << 1 | plus, mh_in = mh << 1 | minus;
      plus = ph >> last & 1;
      minus = mh >> last & 1;
      up[w] = mh_in | ~(vertical | ph_in);
      down[w] = ph_in & vertical;
    }
    cost += static_cast<std::int64_t>(plus) - static_cast<std::int64_t>(minus);
    each(j + 1, cost);
  }
}

/// The code of bytes that equal only themselves.
inline const seq::Code& bytes_code() {
  static const seq::Code code = [] {
    seq::Code made;
    for (unsigned c = 0; c < 256; ++c) made.a[c] = made.b[c] = static_cast<std::uint8_t>(c);
    made.planes = 8;
    return made;
  }();
  return code;
}

/// The edit distance.
std::int64_t distance_by_words(std::string_view a, std::string_view b,
                               const seq::Code& code = bytes_code());

}  // namespace rhomb::test
