// SPDX-License-Identifier: Apache-2.0
// Eights: what AVX2 does with places of eight diagonals at a time, for wavefronts of the host.
#pragma once

#include "host/batch/processor.h"

#ifdef RHOMB_X86
#include <immintrin.h>

#include <cstdint>

namespace rhomb::seq {

inline constexpr int kEight = 8;

RHOMB_AVX2 inline __m256i eight_of(const std::int32_t* places) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places));
}
/// k, k + 1, .. k + 7.
RHOMB_AVX2 inline __m256i eight_from(std::int32_t k) {
  return _mm256_add_epi32(_mm256_set1_epi32(k), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/// Four symbols from each place on, the first in the lowest byte.
RHOMB_AVX2 inline __m256i four_symbols(const std::uint8_t* text, __m256i at) {
  return _mm256_i32gather_epi32(reinterpret_cast<const int*>(text), at, 1);
}

/// Of eight words, how many bytes are 0 below the first that is not; and a bit for each word that
/// is 0, of which they are four.
struct Same {
  __m256i bytes;
  unsigned all;
};
RHOMB_AVX2 inline Same same_of_four(__m256i differ) {
  // The lowest bit that is set, as a float: its exponent tells which one, and that the byte.
  const __m256i zero = _mm256_setzero_si256();
  const __m256i lowest = _mm256_and_si256(differ, _mm256_sub_epi32(zero, differ));
  const __m256i exponent =
      _mm256_srli_epi32(_mm256_slli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(lowest)), 1), 24);
  const __m256i bytes = _mm256_srli_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(127)), 3);
  const __m256i all = _mm256_cmpeq_epi32(differ, zero);
  return {_mm256_blendv_epi8(bytes, _mm256_set1_epi32(4), all),
          static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(all)))};
}
/// Whether four symbols from each of eight places on are within what ends at `ends`.
RHOMB_AVX2 inline bool four_within(__m256i places, __m256i ends) {
  const __m256i behind = _mm256_sub_epi32(ends, _mm256_set1_epi32(3));
  const __m256i in = _mm256_and_si256(_mm256_cmpgt_epi32(places, _mm256_set1_epi32(-1)),
                                      _mm256_cmpgt_epi32(behind, places));
  return _mm256_movemask_epi8(in) == -1;
}

}  // namespace rhomb::seq
#endif
