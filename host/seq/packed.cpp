// SPDX-License-Identifier: Apache-2.0
// Eight symbols at a time become eight codes in the bytes of a 64-bit number, first symbol lowest;
// the bits of a plane, or the codes themselves, are then gathered by a few operations. Where there
// are few symbols, 32 at a time are looked up at once (nibbles.h), or 16 are compared with each.
// Long texts are cut at a word and packed by several threads.
#include "host/seq/packed.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "host/batch/threads.h"
#include "host/error.h"
#include "host/seq/nibbles.h"

namespace rhomb::seq {
namespace {

using Table = std::array<std::uint8_t, 256>;

constexpr std::size_t kSymbolsPerThread = std::size_t{1} << 20;
constexpr std::size_t kMostThreads = 16;

std::uint64_t eight_codes(const char* text, const Table& code) {
  const auto* symbol = reinterpret_cast<const unsigned char*>(text);
  std::uint64_t codes = 0;
  for (unsigned i = 0; i < 8; ++i) codes |= std::uint64_t{code[symbol[i]]} << (8 * i);
  return codes;
}

// Bit `plane` of the eight codes, first lowest. The product adds the eight single bits, each
// shifted to its place in the top byte; no two meet, so nothing carries.
std::uint32_t gather_plane(std::uint64_t codes, unsigned plane) {
  const std::uint64_t bits = codes >> plane & 0x0101010101010101u;
  return static_cast<std::uint32_t>(bits * 0x0102040810204080u >> 56);
}

// Eight codes below 4, two bits each: halves the gaps three times.
std::uint32_t gather_pairs(std::uint64_t codes) {
  codes &= 0x0303030303030303u;
  codes = (codes | codes >> 6) & 0x000f000f000f000fu;
  codes = (codes | codes >> 12) & 0x000000ff000000ffu;
  return static_cast<std::uint32_t>(codes | codes >> 24) & 0xffffu;
}

// Calls work(first, last) for parts of [0, words), on up to `threads` threads if there is enough to
// do.
template <class Work>
void in_parts(std::size_t words, std::size_t symbols_per_word, std::size_t threads,
              const Work& work) {
  const std::size_t worth = words * symbols_per_word / kSymbolsPerThread;
  const std::size_t most = std::min(batch::threads_of(threads), kMostThreads);
  batch::in_parts(words, std::clamp<std::size_t>(worth, 1, most),
                  [&](std::size_t, std::size_t first, std::size_t last) { work(first, last); });
}

using Sixteen = std::array<std::uint64_t, 2>;

// Codes of 16 symbols, looked up.
struct LookedUp {
  Sixteen operator()(const char* text) const {
    return {eight_codes(text, code), eight_codes(text + 8, code)};
  }
  const Table& code;
};

// The same by comparisons, where so few symbols have another code than 0.
template <unsigned kSymbols>
struct Compared {
  using Bytes = unsigned char __attribute__((vector_size(16)));

  static bool fits(const Table& code) {
    return std::count_if(code.begin(), code.end(), [](std::uint8_t c) { return c != 0; }) <=
           kSymbols;
  }
  explicit Compared(const Table& code) {
    unsigned next = 0;
    for (unsigned c = 0; c < 256; ++c)
      if (code[c] != 0) {
        symbols[next] = Bytes{} + static_cast<unsigned char>(c);
        codes[next++] = Bytes{} + code[c];
      }
  }
  Sixteen operator()(const char* text) const {
    Bytes c, found{};
    std::memcpy(&c, text, sizeof c);
    for (unsigned i = 0; i < kSymbols; ++i)
      found |= reinterpret_cast<Bytes>(c == symbols[i]) & codes[i];
    Sixteen out;
    std::memcpy(out.data(), &found, sizeof found);
    return out;
  }
  Bytes symbols[kSymbols] = {}, codes[kSymbols] = {};
};

// A word of each of `kPlanes` planes from 32 symbols, for all whole words.
template <unsigned kPlanes, class Codes>
void pack_by(std::string_view text, const Codes& codes_of, std::uint32_t* out) {
  for (std::size_t w = 0; w < text.size() / 32; ++w) {
    std::uint32_t words[kPlanes] = {};
    for (unsigned i = 0; i < 32; i += 16) {
      const Sixteen codes = codes_of(text.data() + 32 * w + i);
      for (unsigned p = 0; p < kPlanes; ++p)
        words[p] |= (gather_plane(codes[0], p) | gather_plane(codes[1], p) << 8) << i;
    }
    std::copy_n(words, kPlanes, out + kPlanes * w);
  }
}

template <unsigned kPlanes>
void pack_by(std::string_view text, const Nibbles& nibbles, std::uint32_t* out) {
  nibbles.pack(text, kPlanes, out);
}

/// Calls work(codes_of) with what finds codes fastest.
template <unsigned kPlanes, class Work>
void with_codes(const Table& code, const Work& work) {
  if constexpr (kPlanes <= 4)
    if (Nibbles nibbles; Nibbles::usable() && nibbles.add_coded(code)) return work(nibbles);
  if constexpr (kPlanes <= 3) {
    using Few = Compared<(1u << kPlanes) - 1>;
    if (Few::fits(code)) return work(Few(code));
  }
  work(LookedUp{code});
}

template <unsigned kPlanes>
void pack_words(std::string_view text, const Table& code, std::uint32_t* out) {
  with_codes<kPlanes>(code, [&](const auto& codes_of) { pack_by<kPlanes>(text, codes_of, out); });
}

// Texts one after another, each from a word of its own on. `starts` are as pack_batch() gives them.
template <unsigned kPlanes>
void pack_texts(std::span<const std::string_view> texts, std::span<const std::uint32_t> starts,
                const Table& code, std::uint32_t* out) {
  with_codes<kPlanes>(code, [&](const auto& codes_of) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::size_t whole = texts[i].size() / 32, rest = texts[i].size() % 32;
      std::uint32_t* const words = out + starts[i] / 32 * kPlanes;
      pack_by<kPlanes>(texts[i], codes_of, words);
      if (rest == 0) continue;
      std::array<char, 32> last{};
      std::copy_n(texts[i].data() + 32 * whole, rest, last.data());
      pack_by<kPlanes>({last.data(), last.size()}, codes_of, words + whole * kPlanes);
      for (unsigned p = 0; p < kPlanes; ++p) words[whole * kPlanes + p] &= (1u << rest) - 1;
    }
  });
}

using PackWords = void (*)(std::string_view, const Table&, std::uint32_t*);
constexpr PackWords kPackWords[] = {pack_words<1>, pack_words<2>, pack_words<3>, pack_words<4>,
                                    pack_words<5>, pack_words<6>, pack_words<7>, pack_words<8>};
using PackTexts = void (*)(std::span<const std::string_view>, std::span<const std::uint32_t>,
                           const Table&, std::uint32_t*);
constexpr PackTexts kPackTexts[] = {pack_texts<1>, pack_texts<2>, pack_texts<3>, pack_texts<4>,
                                    pack_texts<5>, pack_texts<6>, pack_texts<7>, pack_texts<8>};

// Symbols [first, text.size()) into words that hold `fill` so far.
void pack_codes(std::string_view text, std::size_t first, const Table& code, unsigned bits,
                std::uint32_t* out) {
  const std::size_t per_word = 32 / bits;
  const std::uint32_t mask = (1u << bits) - 1;
  for (std::size_t i = first; i < text.size(); ++i) {
    const auto shift = static_cast<unsigned>(i % per_word) * bits;
    const std::uint32_t value = code[static_cast<unsigned char>(text[i])] & mask;
    out[i / per_word] = (out[i / per_word] & ~(mask << shift)) | value << shift;
  }
}

std::uint64_t load(const char* at) {
  std::uint64_t eight;
  std::memcpy(&eight, at, 8);
  return eight;
}

bool differ(const char* a, const char* b) {  // in 32 bytes
  return ((load(a) ^ load(b)) | (load(a + 8) ^ load(b + 8)) | (load(a + 16) ^ load(b + 16)) |
          (load(a + 24) ^ load(b + 24))) != 0;
}

Planes pack_ways(std::string_view text, const Table& code, int planes, int fill,
                 std::size_t threads, std::int64_t padding, std::size_t ways) {
  const auto count = static_cast<std::size_t>(planes);
  const std::size_t whole = text.size() / 32;

  Planes packed;
  packed.length = static_cast<std::int64_t>(text.size()) + padding;
  packed.planes = planes;
  const std::size_t positions = Planes::kFrontWords +
                                static_cast<std::size_t>((packed.length + 31) / 32) +
                                Planes::kBackWords;
  packed.words.resize(ways * positions * count);
  const std::span<std::uint32_t> forwards(packed.words.data(), positions * count);
  const auto filled = fill ? ~0u : 0u;
  std::uint32_t* const out = forwards.data() + Planes::kFrontWords * count;
  std::fill(forwards.data(), out, filled);
  std::fill(out + whole * count, forwards.data() + forwards.size(), filled);
  in_parts(whole, 32, threads, [&](std::size_t first, std::size_t last) {
    kPackWords[count - 1](text.substr(32 * first, 32 * (last - first)), code, out + count * first);
  });

  for (std::size_t i = 32 * whole; i < text.size(); ++i) {
    const std::uint32_t bit = 1u << (i % 32);
    for (std::size_t p = 0; p < count; ++p) {
      std::uint32_t& word = out[whole * count + p];
      const bool set = (code[static_cast<unsigned char>(text[i])] >> p & 1) != 0;
      word = set ? word | bit : word & ~bit;
    }
  }
  if (ways > 1)
    reverse_words(forwards, packed.length, planes, forwards.data() + forwards.size(), threads);
  return packed;
}

}  // namespace

Planes pack_planes(std::string_view text, const Table& code, int planes, int fill,
                   std::size_t threads, std::int64_t padding) {
  return pack_ways(text, code, planes, fill, threads, padding, 1);
}

UnsetVector<std::uint32_t> pack_both_ways(std::string_view text, const Table& code, int planes,
                                          int fill, std::size_t threads, std::int64_t padding) {
  return pack_ways(text, code, planes, fill, threads, padding, 2).words;
}

std::size_t batch_words(std::span<const std::string_view> texts, int planes, std::size_t back) {
  std::size_t positions = Planes::kFrontWords + back;
  for (const std::string_view text : texts) positions += (text.size() + 31) / 32;
  return positions * static_cast<std::size_t>(planes);
}

void pack_batch(std::span<const std::string_view> texts, const Table& code, int planes,
                std::span<std::uint32_t> words, std::span<std::uint32_t> starts,
                std::size_t threads) {
  const auto count = static_cast<std::size_t>(planes);
  std::size_t position = 0;  // behind the front words
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (32 * position > std::numeric_limits<std::uint32_t>::max())
      throw UsageError("more than 2^32 symbols at once");
    starts[i] = static_cast<std::uint32_t>(32 * position);
    position += (texts[i].size() + 31) / 32;
  }
  const std::size_t front = Planes::kFrontWords * count;
  std::fill_n(words.begin(), front, 0u);
  std::fill(words.begin() + static_cast<std::ptrdiff_t>(front + position * count), words.end(), 0u);

  const std::size_t symbols = 32 * position / std::max<std::size_t>(texts.size(), 1);
  in_parts(texts.size(), symbols, threads, [&](std::size_t first, std::size_t last) {
    kPackTexts[count - 1](texts.subspan(first, last - first), starts.subspan(first, last - first),
                          code, words.data() + front);
  });
}

PackedText pack_text(std::string_view text, const Table& code, int bits, int fill,
                     std::size_t threads) {
  const unsigned width = static_cast<unsigned>(bits);
  const std::size_t per_word = 32 / width;
  const std::uint32_t every = width == 2 ? 0x55555555u : 0x01010101u;

  PackedText packed;
  packed.length = static_cast<std::int64_t>(text.size());
  packed.bits = bits;
  packed.words.assign((text.size() + per_word - 1) / per_word + PackedText::kBackWords,
                      static_cast<std::uint32_t>(fill) * every);
  std::uint32_t* out = packed.words.data();

  const std::size_t steps = text.size() / 16;  // one word of 2-bit codes, four of 8-bit codes
  in_parts(steps, 16, threads, [=, &code](std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      const std::uint64_t low = eight_codes(text.data() + 16 * s, code);
      const std::uint64_t high = eight_codes(text.data() + 16 * s + 8, code);
      if (width == 2) {
        out[s] = gather_pairs(low) | gather_pairs(high) << 16;
      } else {
        out[4 * s] = static_cast<std::uint32_t>(low);
        out[4 * s + 1] = static_cast<std::uint32_t>(low >> 32);
        out[4 * s + 2] = static_cast<std::uint32_t>(high);
        out[4 * s + 3] = static_cast<std::uint32_t>(high >> 32);
      }
    }
  });
  pack_codes(text, 16 * steps, code, width, out);
  return packed;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (most - length >= 32 && !differ(a.data() + length, b.data() + length)) length += 32;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

std::size_t common_suffix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  const char* a_end = a.data() + a.size();
  const char* b_end = b.data() + b.size();
  std::size_t length = 0;
  while (most - length >= 32 && !differ(a_end - length - 32, b_end - length - 32)) length += 32;
  while (length < most && a[a.size() - 1 - length] == b[b.size() - 1 - length]) ++length;
  return length;
}

}  // namespace rhomb::seq
