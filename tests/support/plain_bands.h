// SPDX-License-Identifier: Apache-2.0
// What bands of the corridor are, in plain dynamic programming: the reference of cl/corridor, and a
// stand-in for a device where the method is tested.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/corridor/band.h"
#include "host/seq/alphabet.h"

namespace rhomb::test {

class PlainBands {
 public:
  PlainBands(const corridor::Grid& grid, std::string a, std::string b, const seq::Code& code)
      : grid_(grid), a_(std::move(a)), b_(std::move(b)), code_(code) {}

  void operator()(std::span<corridor::Band> bands) const {
    for (corridor::Band& band : bands) compute(band);
  }

  /// Whether the symbols of a row and a column match; beyond the texts there is one that matches
  /// itself (code 0, or all bases).
  bool match(std::int64_t row, std::int64_t column) const {
    const unsigned beyond = code_.matching == seq::Matching::kSets ? 15 : 0;
    const auto at = [&](const std::string& text, const auto& table, std::int64_t i) {
      return i < 0 || i >= static_cast<std::int64_t>(text.size())
                 ? beyond
                 : table[static_cast<unsigned char>(text[static_cast<std::size_t>(i)])];
    };
    const unsigned x = at(a_, code_.a, row), y = at(b_, code_.b, column);
    return code_.matching == seq::Matching::kSets ? (x & y) != 0 : x == y;
  }

 private:
  void compute(corridor::Band& band) const;

  const corridor::Grid& grid_;
  std::string a_, b_;
  const seq::Code& code_;
};

}  // namespace rhomb::test
