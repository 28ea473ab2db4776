// SPDX-License-Identifier: Apache-2.0
// Eight codes in a word, a byte each.
#pragma once

#include <cstdint>

namespace rhomb::seq {

/// The top bit of each byte whose sets of bases, of four bits, share none. A byte's sum with 0x7f
/// has its top bit where it is not empty.
inline std::uint64_t sharing_nothing(std::uint64_t x, std::uint64_t y) {
  constexpr std::uint64_t kTop = 0x8080808080808080u;
  return ((((x & y) & ~kTop) + (kTop - kTop / 128)) & kTop) ^ kTop;
}

}  // namespace rhomb::seq
