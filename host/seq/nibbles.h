// SPDX-License-Identifier: Apache-2.0
// Nibbles: a few symbols of which no two have the same low four bits, and their codes; so a
// processor that looks up 32 numbers below 16 in one step (AVX2) tells 32 symbols in a few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rhomb::seq {

class Nibbles {
 public:
  /// Whether this processor can. What follows may be called only there.
  static bool usable();

  Nibbles();
  /// Those with a code that is not 0. Nothing is taken in where two of them have the same low bits:
  /// false.
  bool add_coded(const std::array<std::uint8_t, 256>& code);
  /// Takes a symbol in, unless another one has its low bits: false.
  bool add(unsigned char symbol, std::uint8_t code = 0);

  /// How many symbols `text` begins with that are all known, up to 31 less.
  std::size_t known(std::string_view text) const;
  /// Codes of 32 symbols, first symbol lowest; or false, if one of them is not known.
  bool codes(const char* text, std::uint64_t* codes) const;
  /// The words of 1 to 4 planes, interleaved, of each 32 symbols; symbols that are not known have
  /// code 0.
  void pack(std::string_view text, int planes, std::uint32_t* words) const;

 private:
  alignas(16) std::array<std::uint8_t, 16> symbols_, codes_{};
};

}  // namespace rhomb::seq
