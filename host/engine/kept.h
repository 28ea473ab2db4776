// SPDX-License-Identifier: Apache-2.0
// KeptRow: what an engine keeps of a row of the matrix for the alignment.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rhomb {

/// Words of a row: its own, which copies share, or in memory that outlives it, since a pair may
/// have a hundred thousand rows.
class RowWords {
 public:
  RowWords() = default;
  explicit RowWords(std::size_t size)
      : memory_(std::make_shared<std::uint32_t[]>(size)), size_(size) {}
  /// A part of memory that it shares.
  RowWords(std::shared_ptr<std::uint32_t[]> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size) {}
  /// In memory of others.
  RowWords(std::uint32_t* words, std::size_t size)
      : memory_(std::shared_ptr<void>(), words), size_(size) {}
  RowWords(std::vector<std::uint32_t> words) : size_(words.size()) {
    const auto own = std::make_shared<std::vector<std::uint32_t>>(std::move(words));
    memory_ = {own, own->data()};
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint32_t operator[](std::size_t i) const { return memory_[static_cast<std::ptrdiff_t>(i)]; }
  const std::uint32_t* begin() const { return memory_.get(); }
  const std::uint32_t* end() const { return begin() + size_; }
  std::uint32_t* begin() { return memory_.get(); }
  std::uint32_t* end() { return begin() + size_; }
  bool operator==(const RowWords& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::shared_ptr<std::uint32_t[]> memory_;
  std::size_t size_ = 0;
};

/// What rows that do not own their words must not outlive.
using RowMemory = std::vector<std::shared_ptr<const std::uint32_t[]>>;

/// Costs of paths from the first symbols to the places of a row, which are numbered by the columns
/// to their left. Exact on all cheapest paths from the first symbols to the last, nowhere too
/// small. Beyond both ends each place costs one more than the one before.
struct KeptRow {
  std::int64_t row = 0;    ///< rows above it
  std::int64_t first = 0;  ///< the place at its left end
  std::int64_t cost = 0;   ///< there
  /// Plus and minus of 32 steps each: bit b is the step from place 32 w + b on to the next one.
  RowWords words;
  /// The row goes on there, but that was not read: what stands above about its ends is not so.
  bool more_before = false, more_behind = false;

  std::int64_t last() const { return first + 16 * static_cast<std::int64_t>(words.size()); }

  /// What is paid from `place` to the next one: -1, 0 or 1.
  int step(std::int64_t place) const {
    if (place < first) return -1;
    if (place >= last()) return 1;
    const auto at = static_cast<std::size_t>(place - first);
    return static_cast<int>(words[at / 32 * 2] >> (at % 32) & 1) -
           static_cast<int>(words[at / 32 * 2 + 1] >> (at % 32) & 1);
  }

  /// The first of the places from which on the row rises by one at each, up to `place`.
  std::int64_t rises_from(std::int64_t place) const {
    place = std::min(place, last());
    while (place > first) {
      const auto at = static_cast<std::size_t>(place - first - 1);
      const std::size_t bits = at % 32 + 1;
      const std::uint32_t others = ~(words[at / 32 * 2] & ~words[at / 32 * 2 + 1]) << (32 - bits);
      if (others != 0) return place - std::countl_zero(others);
      place -= static_cast<std::int64_t>(bits);
    }
    return place;
  }

  /// The cost at a place.
  std::int64_t at(std::int64_t place) const {
    if (place <= first) return cost + first - place;
    std::int64_t sum = cost + std::max<std::int64_t>(0, place - last());
    auto left = static_cast<std::size_t>(std::min(place, last()) - first);
    for (std::size_t w = 0; left > 0; w += 2) {
      const std::uint32_t mask = left >= 32 ? ~0u : (1u << left) - 1;
      sum += std::popcount(words[w] & mask) - std::popcount(words[w + 1] & mask);
      left -= std::min<std::size_t>(left, 32);
    }
    return sum;
  }
};

}  // namespace rhomb
