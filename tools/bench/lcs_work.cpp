// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/lcs_work.h"

#include <algorithm>
#include <bit>
#include <random>

#include "host/batch/threads.h"

namespace rhomb::cli {
namespace {

/// Letters from 'A' on: of each random word as many as its 64 bits make even.
void fill(char* letters, std::size_t count, unsigned alphabet, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::size_t kOfWord = 4;  // 16 bits each
  for (std::size_t i = 0; i < count; i += kOfWord) {
    std::uint64_t bits = random();
    for (std::size_t k = i; k < std::min(count, i + kOfWord); ++k, bits >>= 16)
      letters[k] = static_cast<char>('A' + ((bits & 0xffff) * alphabet >> 16));
  }
}

}  // namespace

LcsWork::LcsWork(int alphabet, std::size_t length, std::size_t targets) : alphabet_(alphabet) {
  const auto letters = static_cast<unsigned>(alphabet);
  query_.resize(length);
  fill(query_.data(), length, letters, 1);
  symbols_.resize(targets * length);
  // A seed for each block of targets, so that more of them do not change the first ones.
  constexpr std::size_t kBlock = 256;
  const std::size_t blocks = (targets + kBlock - 1) / kBlock;
  batch::in_parts(blocks, batch::threads_of(0), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t block = from; block < to; ++block) {
      const std::size_t first = block * kBlock, end = std::min(targets, first + kBlock);
      fill(symbols_.data() + first * length, (end - first) * length, letters, 2 + block);
    }
  });
  for (std::size_t i = 0; i < targets; ++i)
    targets_.push_back(std::string_view(symbols_).substr(i * length, length));
  std::string used;
  for (int i = 0; i < alphabet; ++i) used += static_cast<char>('A' + i);
  code_ = seq::make_code(used, used);
}

lcs::Problem LcsWork::problem(std::size_t count) const {
  lcs::Problem problem;
  problem.query = query_;
  problem.targets = std::span(targets_).first(count);
  problem.code = &code_;
  return problem;
}

PlainLcs::PlainLcs(std::string_view query)
    : m_(query.size()), words_((query.size() + 63) / 64), matches_(256 * words_), row_(words_) {
  for (std::size_t i = 0; i < query.size(); ++i)
    matches_[static_cast<unsigned char>(query[i]) * words_ + i / 64] |= std::uint64_t{1} << i % 64;
}

// A 0 in the row is a place of the query where the length grows by one. The addition moves the
// lowest match of each run of ones up to where that run's 0 goes; what it carries out of a word is
// added to the next one.
std::uint32_t PlainLcs::length(std::string_view target) {
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

}  // namespace rhomb::cli
