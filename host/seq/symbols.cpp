// SPDX-License-Identifier: Apache-2.0
// One step handles 16 bytes as a compiler vector (GCC and Clang lower it on every processor). A
// text's last step overlaps the one before it, which is safe because folding twice changes nothing
// and a set holds both cases of a letter.
#include "host/seq/symbols.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace rhomb::seq {
namespace {

using Bytes = unsigned char __attribute__((vector_size(16)));
constexpr std::size_t kStep = sizeof(Bytes);

// Every function below returns a mask: 0xff in the bytes for which the answer is yes.
Bytes is(Bytes c, unsigned char symbol) { return reinterpret_cast<Bytes>(c == symbol); }

Bytes within(Bytes c, unsigned char first, unsigned char last) {
  const auto width = static_cast<unsigned char>(last - first);
  return reinterpret_cast<Bytes>(c - first <= width);
}

Bytes is_letter(Bytes c) { return within(c | 0x20, 'a', 'z'); }

template <SymbolSet kSet>
Bytes allowed(Bytes c) {
  if constexpr (kSet == SymbolSet::kLetters) {
    return is_letter(c) | is(c, '*') | within(c, '-', '.');
  } else if constexpr (kSet == SymbolSet::kDna) {
    const Bytes u = c & 0xdf;  // upper case, if it is a letter
    const Bytes other = is(u, 'E') | is(u, 'F') | within(u, 'I', 'J') | is(u, 'L') |
                        within(u, 'O', 'Q') | is(u, 'X') | is(u, 'Z');
    return (is_letter(c) & ~other) | is(c, '*');
  } else if constexpr (kSet == SymbolSet::kPrintable) {
    return within(c, '!', '~');
  } else {
    return ~Bytes{};
  }
}

template <SymbolSet kSet, bool kFold>
[[gnu::always_inline]] inline Bytes step(const char* from, char* to) {
  Bytes c;
  std::memcpy(&c, from, kStep);
  const Bytes folded = kFold ? c & ~(is_letter(c) & 0x20) : c;
  std::memcpy(to, &folded, kStep);
  return ~allowed<kSet>(c);
}

bool none(Bytes mask) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &mask, kStep);
  return (halves[0] | halves[1]) == 0;
}

template <SymbolSet kSet, bool kFold>
bool run(const char* text, std::size_t length, char* out) {
  if (length < kStep) {
    std::array<char, kStep> padded;
    padded.fill('A');
    std::copy_n(text, length, padded.data());
    const Bytes bad = step<kSet, kFold>(padded.data(), padded.data());
    std::copy_n(padded.data(), length, out);
    return none(bad);
  }
  Bytes bad{};
  for (std::size_t i = 0; i + kStep <= length; i += kStep)
    bad |= step<kSet, kFold>(text + i, out + i);
  const std::size_t last = length - kStep;
  bad |= step<kSet, kFold>(text + last, out + last);
  return none(bad);
}

template <SymbolSet kSet>
bool run(std::string_view text, char* out, bool fold) {
  return fold ? run<kSet, true>(text.data(), text.size(), out)
              : run<kSet, false>(text.data(), text.size(), out);
}

}  // namespace

bool copy_checked(std::string_view text, char* out, SymbolSet set, bool fold) {
  switch (set) {
    case SymbolSet::kLetters:
      return run<SymbolSet::kLetters>(text, out, fold);
    case SymbolSet::kDna:
      return run<SymbolSet::kDna>(text, out, fold);
    case SymbolSet::kPrintable:
      return run<SymbolSet::kPrintable>(text, out, fold);
    case SymbolSet::kAny:
      return run<SymbolSet::kAny>(text, out, fold);
  }
  return false;
}

std::size_t first_outside(std::string_view text, SymbolSet set) {
  const auto outside = [set](char symbol) {
    return !copy_checked({&symbol, 1}, &symbol, set, false);
  };
  // Mostly there is none.
  std::array<char, 256> unused;
  std::string_view rest = text;
  while (!rest.empty() && copy_checked(rest.substr(0, unused.size()), unused.data(), set, false))
    rest.remove_prefix(std::min(rest.size(), unused.size()));
  return static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), outside) - text.begin());
}

std::string_view describe(SymbolSet set) {
  switch (set) {
    case SymbolSet::kLetters:
      return "letters, '*', '-' and '.'";
    case SymbolSet::kDna:
      return "the nucleotide letters ACGTU and RYSWKMBDHVN, and '*'";
    case SymbolSet::kPrintable:
      return "printable ASCII symbols without the space";
    case SymbolSet::kAny:
      return "all bytes";
  }
  return {};
}

}  // namespace rhomb::seq
