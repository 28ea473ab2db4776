// SPDX-License-Identifier: Apache-2.0
#include "host/seq/alphabet.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "host/batch/threads.h"
#include "host/error.h"
#include "host/seq/nibbles.h"

namespace rhomb::seq {
namespace {

using Present = std::array<bool, 256>;

unsigned char upper(unsigned char c) {
  return c >= 'a' && c <= 'z' ? static_cast<unsigned char>(c - ('a' - 'A')) : c;
}

// The set of bases a letter stands for: A 1, C 2, G 4, T or U 8; 0 for anything else.
constexpr std::array<std::uint8_t, 256> kBases = [] {
  constexpr std::string_view kLetters = "ACGTURYSWKMBDHVN";
  constexpr std::uint8_t kSets[] = {1, 2, 4, 8, 8, 5, 10, 6, 9, 12, 3, 14, 13, 11, 7, 15};
  std::array<std::uint8_t, 256> bases{};
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    bases[static_cast<std::size_t>(kLetters[i])] = kSets[i];
    bases[static_cast<std::size_t>(kLetters[i] + 'a' - 'A')] = kSets[i];
  }
  return bases;
}();

void unite(Present& present, const Present& more) {
  for (std::size_t c = 0; c < present.size(); ++c) present[c] = present[c] || more[c];
}

void mark_each(Present& present, std::string_view text) {
  for (const char symbol : text) present[static_cast<unsigned char>(symbol)] = true;
}

using Bytes = unsigned char __attribute__((vector_size(16)));

// Whether each byte is one of these.
bool all_of_these(const Bytes& c, std::span<const Bytes> symbols) {
  Bytes known{};
  for (const Bytes& symbol : symbols) known |= reinterpret_cast<Bytes>(c == symbol);
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &known, sizeof known);
  return (halves[0] & halves[1]) == ~std::uint64_t{0};
}

// Marks the symbols of `text`. Most texts hold few different ones, so 16 bytes at a time are
// compared with the first four and then all eight symbols already met, and looked at singly only if
// there is a new one.
void mark_compared(Present& present, std::string_view text) {
  constexpr std::size_t kStep = sizeof(Bytes);
  if (text.empty()) return;

  // It is not looked at where it is the first 16, so it is marked wherever this ends.
  present[static_cast<unsigned char>(text.front())] = true;
  Present met{};
  std::size_t count = 0;
  std::array<Bytes, 8> symbols{};  // the first one stands in for those not met yet
  symbols.fill(Bytes{} + static_cast<unsigned char>(text.front()));
  std::size_t i = 0;
  for (; i + kStep <= text.size(); i += kStep) {
    Bytes c;
    std::memcpy(&c, text.data() + i, kStep);
    if (all_of_these(c, std::span(symbols).first<4>()) || all_of_these(c, symbols)) continue;
    for (std::size_t k = 0; k < kStep; ++k) {
      if (met[c[k]]) continue;
      if (count == symbols.size()) return mark_each(present, text.substr(i));
      met[c[k]] = present[c[k]] = true;
      symbols[count++] = Bytes{} + c[k];
    }
  }
  mark_each(present, text.substr(i));
}

// The same, 32 bytes at a time where that can be. All that is in `met` is marked.
void mark(Present& present, Nibbles& met, std::string_view text) {
  constexpr std::size_t kStep = 32;
  if (!Nibbles::usable()) return mark_compared(present, text);
  const auto add = [&](std::string_view some) {
    mark_each(present, some);
    return std::ranges::all_of(
        some, [&](char symbol) { return met.add(static_cast<unsigned char>(symbol)); });
  };
  std::string_view rest = text;
  while (rest.size() >= kStep) {
    rest.remove_prefix(met.known(rest));
    if (rest.size() < kStep) break;
    if (!add(rest.substr(0, kStep))) return mark_compared(present, rest);
    rest.remove_prefix(kStep);
  }
  if (rest.empty() || (text.size() >= kStep && met.known(text.substr(text.size() - kStep)) > 0))
    return;
  add(rest);
}

/// What mark(present, first, last) finds in parts of [0, count), which have so many symbols
/// together.
template <class Mark>
Present marked(std::size_t count, std::size_t symbols, std::size_t threads, const Mark& mark) {
  // A megabyte is worth a thread, as far as they do not only share the memory's bandwidth.
  const std::size_t most = std::min<std::size_t>(batch::threads_of(threads), 16);
  std::vector<Present> parts(std::clamp<std::size_t>(symbols >> 20, 1, most), Present{});
  batch::in_parts(count, parts.size(), [&](std::size_t part, std::size_t first, std::size_t last) {
    mark(parts[part], first, last);
  });
  for (const Present& part : parts) unite(parts.front(), part);
  return parts.front();
}

Present marked(std::string_view text, std::size_t threads) {
  return marked(text.size(), text.size(), threads,
                [&](Present& present, std::size_t first, std::size_t last) {
                  mark_symbols(present, text.substr(first, last - first));
                });
}

int planes_for(unsigned codes) { return std::max(1, static_cast<int>(std::bit_width(codes - 1))); }

Code rank_code(const Present& present) {
  Code code;
  unsigned next = 0;
  for (std::size_t c = 0; c < 256; ++c)
    if (present[c]) code.a[c] = static_cast<std::uint8_t>(next++);
  code.b = code.a;
  code.planes = planes_for(std::max(next, 1u));
  return code;
}

// Letters as sets of bases. Where every set is a single base, sharing a base is being equal, and
// the bases are ranked like other symbols (A, a alike; T, U alike).
Code set_code(const Present& present) {
  Present bases{};
  bool single = true;
  for (std::size_t c = 0; c < 256; ++c) {
    if (!present[c]) continue;
    if (kBases[c] == 0)
      throw UsageError(
          "--ambiguous match needs nucleotides (ACGTU and the IUPAC codes), but byte " +
          std::to_string(c) +
          (c > 0x20 && c < 0x7f ? std::string(" ('") + static_cast<char>(c) + "')" : "") +
          " occurs; leave the option out or remove the symbol");
    bases[kBases[c]] = true;
    single = single && std::has_single_bit(kBases[c]);
  }
  Code code;
  if (!single) {
    code.a = code.b = kBases;
    code.planes = 4;
    code.matching = Matching::kSets;
    return code;
  }
  const Code ranks = rank_code(bases);
  for (std::size_t c = 0; c < 256; ++c)
    if (present[c]) code.a[c] = ranks.a[kBases[c]];
  code.b = code.a;
  code.planes = ranks.planes;
  return code;
}

// One code for all ambiguous symbols of `a`, and another for those of `b`. There are at most 236
// codes, because the 22 ambiguous bytes take no rank.
Code mismatch_code(const Present& in_a, const Present& in_b) {
  Present certain{};
  bool ambiguous_a = false;
  bool ambiguous_b = false;
  unsigned codes = 0;
  for (std::size_t c = 0; c < 256; ++c) {
    if (is_ambiguous(static_cast<char>(c))) {
      ambiguous_a = ambiguous_a || in_a[c];
      ambiguous_b = ambiguous_b || in_b[c];
    } else if (in_a[c] || in_b[c]) {
      certain[c] = true;
      ++codes;
    }
  }
  Code code = rank_code(certain);
  const auto of_a = static_cast<std::uint8_t>(ambiguous_a ? codes++ : 0);
  const auto of_b = static_cast<std::uint8_t>(ambiguous_b ? codes++ : 0);
  for (std::size_t c = 0; c < 256; ++c) {
    if (!is_ambiguous(static_cast<char>(c))) continue;
    code.a[c] = ambiguous_a ? of_a : of_b;  // where only one side has any, one table serves both
    code.b[c] = ambiguous_b ? of_b : of_a;
  }
  code.planes = planes_for(std::max(codes, 1u));
  return code;
}

}  // namespace

Code make_code(std::string_view a, std::string_view b, Ambiguous ambiguous, std::size_t threads) {
  const Present in_a = marked(a, threads), in_b = marked(b, threads);
  if (ambiguous == Ambiguous::kMismatch) return mismatch_code(in_a, in_b);
  Present present = in_a;
  unite(present, in_b);
  if (ambiguous == Ambiguous::kMatch) return set_code(present);
  Code code = rank_code(present);
  code.as_bytes = static_cast<std::uint8_t>(std::ranges::find(present, true) - present.begin());
  return code;
}

void mark_symbols(std::array<bool, 256>& present, std::string_view text) {
  Nibbles met;
  mark(present, met, text);
}

std::string symbols_of(const std::array<bool, 256>& present) {
  std::string symbols;
  for (std::size_t c = 0; c < present.size(); ++c)
    if (present[c]) symbols += static_cast<char>(c);
  return symbols;
}

std::string symbols_in(std::string_view text) {
  Present present{};
  mark_symbols(present, text);
  return symbols_of(present);
}

std::string symbols_in(std::span<const std::string_view> texts, std::size_t threads) {
  std::size_t symbols = 0;
  for (const std::string_view text : texts) symbols += text.size();
  return symbols_of(marked(texts.size(), symbols, threads,
                           [&](Present& present, std::size_t first, std::size_t last) {
                             Nibbles met;
                             for (std::size_t i = first; i < last; ++i)
                               mark(present, met, texts[i]);
                           }));
}

bool is_ambiguous(char symbol) {
  constexpr std::string_view kAmbiguous = "RYSWKMBDHVN";
  const auto letter = static_cast<char>(upper(static_cast<unsigned char>(symbol)));
  return kAmbiguous.find(letter) != std::string_view::npos;
}

}  // namespace rhomb::seq
