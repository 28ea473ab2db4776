// SPDX-License-Identifier: Apache-2.0
// Eights: a wavefront of the host, eight diagonals at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "host/align/codes.h"
#include "host/seq/eights.h"

namespace rhomb::align {

/// What a wavefront counts on its diagonals.
enum class Counted { kRows, kColumns };

#ifdef RHOMB_X86
template <Counted counted, class One, class GoOn>
RHOMB_AVX2 void each_eight(const std::uint8_t* x, const std::uint8_t* y, std::int64_t rows,
                           std::int64_t columns, const std::int32_t* before, std::int32_t* made,
                           std::int64_t k, std::int64_t count, const One& one, const GoOn& go_on) {
  constexpr bool by_rows = counted == Counted::kRows;
  const __m256i last_row = _mm256_set1_epi32(static_cast<std::int32_t>(rows));
  const __m256i last_column = _mm256_set1_epi32(static_cast<std::int32_t>(columns));
  for (std::int64_t i = 0; i < count; i += seq::kEight) {
    i = std::min(i, count - seq::kEight);  // the last eight, of which some are made twice
    // From one neighbour the step takes no symbol of the text that is counted.
    const __m256i edited =
        _mm256_max_epi32(seq::eight_of(before + i), seq::eight_of(before + i + (by_rows ? 1 : -1)));
    const __m256i place = _mm256_max_epi32(_mm256_add_epi32(edited, _mm256_set1_epi32(1)),
                                           seq::eight_of(before + i + (by_rows ? -1 : 1)));
    const __m256i diagonal = seq::eight_from(static_cast<std::int32_t>(k + i));
    const __m256i row = by_rows ? place : _mm256_sub_epi32(place, diagonal);
    const __m256i column = by_rows ? _mm256_add_epi32(place, diagonal) : place;
    if (!seq::four_within(row, last_row) || !seq::four_within(column, last_column)) {
      for (int j = 0; j < seq::kEight; ++j) one(i + j);
      continue;
    }
    const seq::Same same = seq::same_of_four(
        _mm256_xor_si256(seq::four_symbols(x, row), seq::four_symbols(y, column)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(made + i), _mm256_add_epi32(place, same.bytes));
    for (unsigned further = same.all; further != 0; further &= further - 1) {
      const int j = std::countr_zero(further);
      go_on(i + j, made[i + j]);
    }
  }
}
#endif

/// The places of `count` diagonals from `k` on by one edit more than `before`, the first of which
/// is that of `k`, in texts of `rows` and `columns` codes that match where they are the same: four
/// symbols of each, since most match no further. one(i) makes a place near an end, go_on(i, place)
/// goes on from one. Eight at a time, where the processor can; else, or for fewer, by one() alone.
template <Counted counted, class One, class GoOn>
void advance_all(const std::uint8_t* x, const std::uint8_t* y, std::int64_t rows,
                 std::int64_t columns, bool plain, const std::int32_t* before, std::int32_t* made,
                 std::int64_t k, std::int64_t count, const One& one, const GoOn& go_on) {
#ifdef RHOMB_X86
  if (plain && count >= seq::kEight && processor() >= Processor::kAvx2)
    return each_eight<counted>(x, y, rows, columns, before, made, k, count, one, go_on);
#endif
  for (std::int64_t i = 0; i < count; ++i) one(i);
}

}  // namespace rhomb::align
