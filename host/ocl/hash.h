// SPDX-License-Identifier: Apache-2.0
// A 128-bit hash that names cache entries and detects damage. Not for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rhomb::ocl {

using Hash = std::array<std::uint64_t, 2>;

/// MurmurHash3_x64_128 of `data` with seed 0, by Austin Appleby (public domain).
Hash hash_of(std::string_view data);

/// 16 hexadecimal digits, and 32.
std::string hex(std::uint64_t number);
std::string hex(const Hash& hash);

}  // namespace rhomb::ocl
