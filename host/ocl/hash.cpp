// SPDX-License-Identifier: Apache-2.0
#include "host/ocl/hash.h"

#include <bit>
#include <cstring>

namespace rhomb::ocl {
namespace {

constexpr std::uint64_t kFactor1 = 0x87c37b91114253d5;
constexpr std::uint64_t kFactor2 = 0x4cf5ad432745937f;

std::uint64_t scramble_low(std::uint64_t k) { return std::rotl(k * kFactor1, 31) * kFactor2; }
std::uint64_t scramble_high(std::uint64_t k) { return std::rotl(k * kFactor2, 33) * kFactor1; }

std::uint64_t finish(std::uint64_t k) {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

/// Up to 8 bytes as a little-endian word.
std::uint64_t word(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

}  // namespace

Hash hash_of(std::string_view data) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t length = data.size();
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (; data.size() >= 16; data.remove_prefix(16)) {
    low ^= scramble_low(word(data.substr(0, 8)));
    low = (std::rotl(low, 27) + high) * 5 + 0x52dce729;
    high ^= scramble_high(word(data.substr(8, 8)));
    high = (std::rotl(high, 31) + low) * 5 + 0x38495ab5;
  }
  if (data.size() > 8) high ^= scramble_high(word(data.substr(8)));
  if (!data.empty()) low ^= scramble_low(word(data.substr(0, 8)));

  low ^= length;
  high ^= length;
  low += high;
  high += low;
  low = finish(low);
  high = finish(high);
  low += high;
  high += low;
  return {low, high};
}

std::string hex(std::uint64_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(number >> shift) & 15];
  return text;
}

std::string hex(const Hash& hash) { return hex(hash[0]) + hex(hash[1]); }

}  // namespace rhomb::ocl
