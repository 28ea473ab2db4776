// SPDX-License-Identifier: Apache-2.0
// Codes: both texts as small integers, and how far they match.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "host/seq/cigar.h"
#include "host/seq/eight.h"
#include "host/seq/unset.h"

namespace rhomb::align {

/// Both texts as codes. The rows are the target's where `turned`.
struct Codes {
  UnsetVector<std::uint8_t> rows, columns;
  int planes = 1;
  bool sets = false;  ///< codes match when they share a bit
  bool turned = false;

  bool match(std::int64_t row, std::int64_t column) const {
    const unsigned x = rows[static_cast<std::size_t>(row)];
    const unsigned y = columns[static_cast<std::size_t>(column)];
    return sets ? (x & y) != 0 : x == y;
  }

  /// What a symbol of the rows alone is, and one of the columns alone.
  Edit by_row() const { return turned ? Edit::kDelete : Edit::kInsert; }
  Edit by_column() const { return turned ? Edit::kInsert : Edit::kDelete; }

  /// How many pairs of symbols match from this one on, at most `most`, which both texts have.
  std::int64_t matches(std::int64_t row, std::int64_t column, std::int64_t most) const {
    const std::uint8_t* const x = rows.data() + row;
    const std::uint8_t* const y = columns.data() + column;
    std::int64_t count = 0;
    for (; count + 8 <= most; count += 8)
      if (const std::uint64_t differ = differing(x + count, y + count)) [[likely]]
        return count + (std::countr_zero(differ) >> 3);
    while (count < most && match(row + count, column + count)) ++count;
    return count;
  }
  /// The same from the pair before this one on, backwards.
  std::int64_t matches_before(std::int64_t row, std::int64_t column, std::int64_t most) const {
    const std::uint8_t* const x = rows.data() + row;
    const std::uint8_t* const y = columns.data() + column;
    std::int64_t count = 0;
    for (; count + 8 <= most; count += 8)
      if (const std::uint64_t differ = differing(x - count - 8, y - count - 8))
        return count + std::countl_zero(differ) / 8;
    while (count < most && match(row - count - 1, column - count - 1)) ++count;
    return count;
  }

 private:
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
  Codes made;
  made.planes = codes.planes;
  made.sets = codes.sets;
  made.turned = codes.turned;
  const auto fill = static_cast<std::uint8_t>(codes.sets ? (1 << codes.planes) - 1 : 0);
  const auto turn = [&](const UnsetVector<std::uint8_t>& text) {
    UnsetVector<std::uint8_t> all(static_cast<std::size_t>(padding), fill);
    all.reserve(all.size() + text.size());
    all.insert(all.end(), text.rbegin(), text.rend());
    return all;
  };
  made.rows = turn(codes.rows);
  made.columns = turn(codes.columns);
  return made;
}

}  // namespace rhomb::align
