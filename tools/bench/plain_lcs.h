// SPDX-License-Identifier: Apache-2.0
// The peer of rhomb bench lcs: row vectors of 64-bit words on one core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rhomb::cli {

/// Row vectors as Hyyrö (2004) has them, a word of 64 bits after another. Nothing is unrolled or
/// vectorised by hand.
class PlainLcs {
 public:
  explicit PlainLcs(std::string_view query)
      : m_(query.size()), words_((query.size() + 63) / 64), matches_(256 * words_), row_(words_) {
    for (std::size_t i = 0; i < query.size(); ++i)
      matches_[static_cast<unsigned char>(query[i]) * words_ + i / 64] |= std::uint64_t{1}
                                                                          << i % 64;
  }

  // A 0 in the row is a place of the query where the length grows by one. The addition moves the
  // lowest match of each run of ones up to where that run's 0 goes; what it carries out of a word
  // is added to the next one.
  std::uint32_t length(std::string_view target) {
    std::ranges::fill(row_, ~std::uint64_t{0});
    for (const char symbol : target) {
      const std::uint64_t* match = &matches_[static_cast<unsigned char>(symbol) * words_];
      std::uint64_t carry = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t row = row_[w], hits = row & match[w];
        std::uint64_t sum = 0;
        const bool over = __builtin_add_overflow(row, hits, &sum);
        const bool more = __builtin_add_overflow(sum, carry, &sum);
        carry = over || more ? 1 : 0;
        row_[w] = sum | (row & ~match[w]);
      }
    }
    std::uint32_t length = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::size_t bits = std::min<std::size_t>(64, m_ - 64 * w);
      const std::uint64_t used = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      length += static_cast<std::uint32_t>(std::popcount(~row_[w] & used));
    }
    return length;
  }

 private:
  std::size_t m_, words_;
  std::vector<std::uint64_t> matches_;  // words_ for each symbol
  std::vector<std::uint64_t> row_;
};

}  // namespace rhomb::cli
