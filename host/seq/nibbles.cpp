// SPDX-License-Identifier: Apache-2.0
#include "host/seq/nibbles.h"

#include <algorithm>

#include "host/batch/processor.h"

#ifdef RHOMB_X86
#include <immintrin.h>
#endif

namespace rhomb::seq {
namespace {

/// Stand for a place without a symbol: none of them has the low bits of its place.
constexpr std::uint8_t kVacant = 0xff, kVacantLast = 0;

}  // namespace

Nibbles::Nibbles() {
  symbols_.fill(kVacant);
  symbols_.back() = kVacantLast;
}

bool Nibbles::add(unsigned char symbol, std::uint8_t code) {
  const unsigned at = symbol & 0xf;
  if (symbols_[at] != symbol && (symbols_[at] & 0xf) == at) return false;
  symbols_[at] = symbol;
  codes_[at] = code;
  return true;
}

bool Nibbles::add_coded(const std::array<std::uint8_t, 256>& code) {
  Nibbles all = *this;
  for (unsigned c = 0; c < code.size(); ++c)
    if (code[c] != 0 && !all.add(static_cast<unsigned char>(c), code[c])) return false;
  *this = all;
  return true;
}

#ifdef RHOMB_X86
namespace {

/// 16 bytes, twice.
RHOMB_AVX2 inline __m256i twice(const std::array<std::uint8_t, 16>& bytes) {
  return _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i*>(bytes.data())));
}

struct Found {
  __m256i codes, same;  // what is at the place of each symbol; whether it is that symbol
};

RHOMB_AVX2 inline Found find(__m256i symbols, __m256i codes, const char* text) {
  const __m256i read = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i low = _mm256_and_si256(read, _mm256_set1_epi8(0x0f));
  return {_mm256_shuffle_epi8(codes, low),
          _mm256_cmpeq_epi8(read, _mm256_shuffle_epi8(symbols, low))};
}

/// Bit kPlane of each code at the top of its byte, then of all bytes together.
template <int kPlane>
RHOMB_AVX2 inline std::uint32_t plane(__m256i codes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(codes, 7 - kPlane)));
}

}  // namespace

bool Nibbles::usable() { return processor() >= Processor::kAvx2; }

RHOMB_AVX2 std::size_t Nibbles::known(std::string_view text) const {
  const __m256i symbols = twice(symbols_);
  std::size_t i = 0;
  for (; i + 32 <= text.size(); i += 32)
    if (_mm256_movemask_epi8(find(symbols, symbols, text.data() + i).same) != -1) break;
  return i;
}

RHOMB_AVX2 bool Nibbles::codes(const char* text, std::uint64_t* codes) const {
  const Found found = find(twice(symbols_), twice(codes_), text);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes), found.codes);
  return _mm256_movemask_epi8(found.same) == -1;
}

RHOMB_AVX2 void Nibbles::pack(std::string_view text, int planes, std::uint32_t* words) const {
  const __m256i symbols = twice(symbols_), coded = twice(codes_);
  for (std::size_t i = 0; i + 32 <= text.size(); i += 32, words += planes) {
    const Found found = find(symbols, coded, text.data() + i);
    const __m256i codes = _mm256_and_si256(found.codes, found.same);
    words[0] = plane<0>(codes);
    if (planes > 1) words[1] = plane<1>(codes);
    if (planes > 2) words[2] = plane<2>(codes);
    if (planes > 3) words[3] = plane<3>(codes);
  }
}
#else
bool Nibbles::usable() { return false; }
std::size_t Nibbles::known(std::string_view) const { return 0; }
bool Nibbles::codes(const char*, std::uint64_t*) const { return false; }
void Nibbles::pack(std::string_view, int, std::uint32_t*) const {}
#endif

}  // namespace rhomb::seq
