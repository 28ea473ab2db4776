// SPDX-License-Identifier: Apache-2.0
// Code: how the symbols of a pair of sequences become small integers, and when two of them match.
//
// Codes are given to the symbols that occur in the pair, so DNA takes 2 bits, DNA with N and a few
// IUPAC codes 3 or 4, proteins 5, arbitrary bytes up to 8.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rhomb::seq {

/// What N and the other IUPAC ambiguity codes (RYSWKMBDHVN) mean.
enum class Ambiguous {
  kSymbol,    ///< symbols like any other: each equals only itself
  kMatch,     ///< sets of bases; two symbols match when their sets share a base
  kMismatch,  ///< never match anything, not even themselves
};

/// When two codes match.
enum class Matching {
  kEqual,  ///< when they are equal
  kSets,   ///< when they share a set bit (4 planes, one for each base)
};

/// Codes of the symbols of a pair (a, b). The two tables differ only for Ambiguous::kMismatch.
struct Code {
  std::array<std::uint8_t, 256> a{};  ///< code of each byte in the first sequence
  std::array<std::uint8_t, 256> b{};  ///< code of each byte in the second sequence
  int planes = 1;                     ///< bits a code needs, 1..8
  Matching matching = Matching::kEqual;
  /// Where two symbols match exactly if they are the same byte: the one of code 0.
  std::optional<std::uint8_t> as_bytes = std::nullopt;

  bool same_tables() const { return a == b; }
  bool match(char x, char y) const {
    const unsigned u = a[static_cast<unsigned char>(x)];
    const unsigned v = b[static_cast<unsigned char>(y)];
    return matching == Matching::kEqual ? u == v : (u & v) != 0;
  }
};

/// The code of the symbols that occur in `a` or `b`, fewest planes first. No more than `threads`
/// look at them, 0 for as many as there are cores.
///
/// Throws UsageError when `ambiguous` is kMatch and a symbol outside ACGTU and the IUPAC codes
/// occurs (a set of bases has no meaning there), or when kMismatch needs more than 256 codes.
Code make_code(std::string_view a, std::string_view b, Ambiguous ambiguous = Ambiguous::kSymbol,
               std::size_t threads = 1);

/// Sets `present` for each symbol that occurs in `text`.
void mark_symbols(std::array<bool, 256>& present, std::string_view text);

/// The symbols that are present, each once, ascending.
std::string symbols_of(const std::array<bool, 256>& present);

/// Those that occur in `text`.
std::string symbols_in(std::string_view text);

/// Those that occur in any of the texts; `threads` as above.
std::string symbols_in(std::span<const std::string_view> texts, std::size_t threads);

/// True for the IUPAC ambiguity letters RYSWKMBDHVN, upper or lower case.
bool is_ambiguous(char symbol);

}  // namespace rhomb::seq
