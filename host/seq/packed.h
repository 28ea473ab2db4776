// SPDX-License-Identifier: Apache-2.0
// Packed texts: what the kernels read. Both kinds carry the spare words that kernels may touch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/seq/unset.h"

namespace rhomb::seq {

/// Bit-planes, interleaved: bit (i & 31) of words[(kFrontWords + i / 32) * planes + p] is bit p of
/// the code of symbol i. kFrontWords words a plane stand before the text and kBackWords behind it;
/// every bit of the spare positions (and of the last word past the end) equals `fill`.
struct Planes {
  static constexpr std::size_t kFrontWords = 2;
  static constexpr std::size_t kBackWords = 4;

  UnsetVector<std::uint32_t> words;
  std::int64_t length = 0;  ///< symbols
  int planes = 0;           ///< 1..8
};

/// Packs `text`, followed by `padding` symbols of code `fill` in all planes, with the 256-entry
/// `code`. `fill` is 0 or 1, see Planes. Here and below: no more than `threads` work at it, 0 for
/// as many as there are cores.
Planes pack_planes(std::string_view text, const std::array<std::uint8_t, 256>& code, int planes,
                   int fill, std::size_t threads = 0, std::int64_t padding = 0);

/// Its words, and behind them those of the reversed text, as many.
UnsetVector<std::uint32_t> pack_both_ways(std::string_view text,
                                          const std::array<std::uint8_t, 256>& code, int planes,
                                          int fill, std::size_t threads = 0,
                                          std::int64_t padding = 0);

/// How many words pack_batch() fills: those of the texts, each from a word of its own on, and the
/// spare ones, of which `back` positions of 32 symbols stand behind the last text.
std::size_t batch_words(std::span<const std::string_view> texts, int planes, std::size_t back);

/// Packs many texts one after another into `words`, interleaved like Planes; spare bits are 0.
/// starts[i] becomes the place of the first symbol of text i: (kFrontWords + starts[i] / 32) *
/// planes is its first word. Throws UsageError if a place would not fit 32 bits.
void pack_batch(std::span<const std::string_view> texts, const std::array<std::uint8_t, 256>& code,
                int planes, std::span<std::uint32_t> words, std::span<std::uint32_t> starts,
                std::size_t threads = 0);

/// The words of the text itself, without spare ones.
std::span<const std::uint32_t> text_words(const Planes& planes);

/// Puts the 32 bits of each word in reverse order.
void turn_words(Planes& planes, std::size_t threads = 0);

/// The words of the reversed text: what pack_planes() makes of it, without packing it again.
UnsetVector<std::uint32_t> reversed_words(const Planes& planes, std::size_t threads = 0);
/// Writes them to `made`, which has as many.
void reverse_words(std::span<const std::uint32_t> words, std::int64_t length, int planes,
                   std::uint32_t* made, std::size_t threads);

/// The same words with the planes one after another instead of interleaved: words.size() / planes
/// words of plane 0, then those of plane 1, and so on.
UnsetVector<std::uint32_t> planes_apart(std::span<const std::uint32_t> words, int planes);

/// Codes of 2 or 8 bits, little end first: symbol i is bits [bits * (i % (32 / bits)), ...) of
/// words[i / (32 / bits)]. kBackWords words follow the last one; spare positions hold `fill`
/// (a code for 8 bits, 0..3 for 2 bits).
struct PackedText {
  static constexpr std::size_t kBackWords = 4;

  UnsetVector<std::uint32_t> words;
  std::int64_t length = 0;  ///< symbols
  int bits = 0;             ///< 2 or 8
};

/// Packs `text` with the 256-entry `code`; `bits` is 2 (codes below 4) or 8.
PackedText pack_text(std::string_view text, const std::array<std::uint8_t, 256>& code, int bits,
                     int fill, std::size_t threads = 0);

/// Length of the longest common prefix of `a` and `b` (of the longest common suffix).
std::size_t common_prefix(std::string_view a, std::string_view b);
std::size_t common_suffix(std::string_view a, std::string_view b);

}  // namespace rhomb::seq
