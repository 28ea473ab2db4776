// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cl/common.h"
#include "host/batch/threads.h"
#include "host/seq/packed.h"

namespace rhomb::seq {

std::span<const std::uint32_t> text_words(const Planes& planes) {
  const auto p = static_cast<std::size_t>(planes.planes);
  const std::size_t spare = (Planes::kFrontWords + Planes::kBackWords) * p;
  return std::span(planes.words).subspan(Planes::kFrontWords * p, planes.words.size() - spare);
}

void turn_words(Planes& planes, std::size_t threads) {
  UnsetVector<std::uint32_t>& words = planes.words;
  batch::in_parts(words.size(), batch::parts_of(words.size(), threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) words[i] = ::turned(words[i]);
                  });
}

void reverse_words(std::span<const std::uint32_t> from, std::int64_t symbols, int planes,
                   std::uint32_t* made, std::size_t threads) {
  const auto p = static_cast<std::size_t>(planes);
  const std::size_t front = Planes::kFrontWords;
  const auto length = static_cast<std::size_t>(symbols);
  const std::size_t words = (length + 31) / 32;
  // Symbols [length - 32 w - 32, length - 32 w) become word w; counted from the front words' begin
  // they start at bit 32 * front + length - 32 w - 32, which is never negative.
  const std::uint32_t shift = static_cast<std::uint32_t>(length & 31);
  const std::uint32_t fill = from[0];
  std::fill(made, made + front * p, fill);
  std::fill(made + (front + words) * p, made + from.size(), fill);
  batch::in_parts(words, batch::parts_of_pairs(words, threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t w = first; w < last; ++w) {
                      const std::size_t at = front + length / 32 - w - 1;
                      for (std::size_t k = 0; k < p; ++k) {
                        const std::uint64_t both =
                            (std::uint64_t{from[(at + 1) * p + k]} << 32) | from[at * p + k];
                        made[(front + w) * p + k] =
                            ::turned(static_cast<std::uint32_t>(both >> shift));
                      }
                    }
                  });
}

UnsetVector<std::uint32_t> reversed_words(const Planes& planes, std::size_t threads) {
  UnsetVector<std::uint32_t> made(planes.words.size());
  reverse_words(planes.words, planes.length, planes.planes, made.data(), threads);
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
