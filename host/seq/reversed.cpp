// SPDX-License-Identifier: Apache-2.0
#include "host/batch/threads.h"
#include "host/seq/packed.h"

namespace rhomb::seq {

std::span<const std::uint32_t> text_words(const Planes& planes) {
  const auto p = static_cast<std::size_t>(planes.planes);
  const std::size_t spare = (Planes::kFrontWords + Planes::kBackWords) * p;
  return std::span(planes.words).subspan(Planes::kFrontWords * p, planes.words.size() - spare);
}

std::uint32_t turned(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}

void turn_words(Planes& planes, std::size_t threads) {
  UnsetVector<std::uint32_t>& words = planes.words;
  batch::in_parts(words.size(), batch::parts_of(words.size(), threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) words[i] = turned(words[i]);
                  });
}

UnsetVector<std::uint32_t> reversed_words(const Planes& planes) {
  const auto p = static_cast<std::size_t>(planes.planes);
  const std::size_t front = Planes::kFrontWords;
  const auto length = static_cast<std::size_t>(planes.length);
  const std::size_t words = (length + 31) / 32;
  // Symbols [length - 32 w - 32, length - 32 w) become word w; counted from the front words' begin
  // they start at bit 32 * front + length - 32 w - 32, which is never negative.
  const std::uint32_t shift = static_cast<std::uint32_t>(length & 31);
  const std::uint32_t fill = planes.words[0];
  UnsetVector<std::uint32_t> made(planes.words.size(), fill);
  for (std::size_t w = 0; w < words; ++w) {
    const std::size_t from = front + length / 32 - w - 1;
    for (std::size_t k = 0; k < p; ++k) {
      const std::uint64_t both =
          (std::uint64_t{planes.words[(from + 1) * p + k]} << 32) | planes.words[from * p + k];
      made[(front + w) * p + k] = turned(static_cast<std::uint32_t>(both >> shift));
    }
  }
  return made;
}

UnsetVector<std::uint32_t> planes_apart(std::span<const std::uint32_t> words, int planes) {
  const auto p = static_cast<std::size_t>(planes);
  const std::size_t plane = words.size() / p;
  UnsetVector<std::uint32_t> made(words.size());
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t w = 0; w < plane; ++w) made[k * plane + w] = words[w * p + k];
  return made;
}

}  // namespace rhomb::seq
