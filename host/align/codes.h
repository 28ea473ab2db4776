// SPDX-License-Identifier: Apache-2.0
// Codes: both texts as small integers, and how far they match.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "host/seq/cigar.h"
#include "host/seq/eight.h"
#include "host/seq/unset.h"

namespace rhomb::align {

/// How many of eight codes are the same before one is not.
inline std::int32_t same_of_eight(const std::uint8_t* x, const std::uint8_t* y) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t u, v;
  std::memcpy(&u, x, sizeof u);
  std::memcpy(&v, y, sizeof v);
  return std::countr_zero(u ^ v) >> 3;
}

/// A text as codes: its own, or the bytes of one that outlives it.
class CodeText {
 public:
  CodeText() = default;
  explicit CodeText(UnsetVector<std::uint8_t> own)
      : own_(std::move(own)), data_(own_.data()), size_(own_.size()) {}
  explicit CodeText(std::string_view bytes)
      : data_(reinterpret_cast<const std::uint8_t*>(bytes.data())), size_(bytes.size()) {}
  CodeText(CodeText&&) = default;
  CodeText& operator=(CodeText&&) = default;
  CodeText(const CodeText&) = delete;
  CodeText& operator=(const CodeText&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::uint8_t operator[](std::size_t i) const { return data_[i]; }

 private:
  UnsetVector<std::uint8_t> own_;
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What codes mean.
struct CodeKind {
  int planes = 1;           ///< bits of a code
  bool sets = false;        ///< codes match when they share a bit
  bool turned = false;      ///< the rows are the target's
  std::uint8_t beyond = 0;  ///< of symbols beyond the texts, which match each other

  /// What a symbol of the rows alone is, and one of the columns alone.
  Edit by_row() const { return turned ? Edit::kDelete : Edit::kInsert; }
  Edit by_column() const { return turned ? Edit::kInsert : Edit::kDelete; }
};

/// Both texts as codes.
struct Codes : CodeKind {
  CodeText rows, columns;

  bool match(std::int64_t row, std::int64_t column) const {
    const unsigned x = rows[static_cast<std::size_t>(row)];
    const unsigned y = columns[static_cast<std::size_t>(column)];
    return sets ? (x & y) != 0 : x == y;
  }

  /// How many pairs of symbols match from this one on, at most `most`, which both texts have.
  std::int64_t matches(std::int64_t row, std::int64_t column, std::int64_t most) const {
    const std::uint8_t* const x = rows.data() + row;
    const std::uint8_t* const y = columns.data() + column;
    std::int64_t count = 0;
    for (; count + 8 <= most; count += 8) {
      if (const std::uint64_t differ = differing(x + count, y + count)) [[likely]]
        return count + (std::countr_zero(differ) >> 3);
      if (count == kLongMatch)
        while (count + 8 + kBlock <= most && all_match(x + count + 8, y + count + 8))
          count += kBlock;
    }
    while (count < most && match(row + count, column + count)) ++count;
    return count;
  }
  /// The same from the pair before this one on, backwards.
  std::int64_t matches_before(std::int64_t row, std::int64_t column, std::int64_t most) const {
    const std::uint8_t* const x = rows.data() + row;
    const std::uint8_t* const y = columns.data() + column;
    std::int64_t count = 0;
    for (; count + 8 <= most; count += 8) {
      if (const std::uint64_t differ = differing(x - count - 8, y - count - 8))
        return count + std::countl_zero(differ) / 8;
      if (count == kLongMatch)
        while (count + 8 + kBlock <= most &&
               all_match(x - count - 8 - kBlock, y - count - 8 - kBlock))
          count += kBlock;
    }
    while (count < most && match(row - count - 1, column - count - 1)) ++count;
    return count;
  }

 private:
  /// A match that has so many symbols is probably much longer: then it is gone through in blocks.
  static constexpr std::int64_t kLongMatch = 64, kBlock = 64;

  bool all_match(const std::uint8_t* x, const std::uint8_t* y) const {
    std::uint64_t differ = 0;
    for (std::int64_t i = 0; i < kBlock; i += 8) differ |= differing(x + i, y + i);
    return differ == 0;
  }
  /// Bits in the bytes of the pairs that do not match, of eight; the first pair's byte is the
  /// lowest.
  std::uint64_t differing(const std::uint8_t* x, const std::uint8_t* y) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t u, v;
    std::memcpy(&u, x, sizeof u);
    std::memcpy(&v, y, sizeof v);
    return sets ? seq::sharing_nothing(u, v) : u ^ v;
  }
};

/// Both texts reversed, behind so many symbols that match each other. (So the strips have the lower
/// half of a matrix.)
inline Codes reversed(const Codes& codes, std::int64_t padding = 0) {
  const auto turn = [&](const CodeText& text) {
    UnsetVector<std::uint8_t> all(static_cast<std::size_t>(padding) + text.size());
    std::fill_n(all.begin(), padding, codes.beyond);
    std::reverse_copy(text.data(), text.data() + text.size(), all.begin() + padding);
    return CodeText(std::move(all));
  };
  return {{codes}, turn(codes.rows), turn(codes.columns)};
}

}  // namespace rhomb::align
