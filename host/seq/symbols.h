// SPDX-License-Identifier: Apache-2.0
// The symbols that a sequence may hold: checked, and folded to upper case, many bytes at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace rhomb::seq {

/// A set of allowed symbols. Each holds both cases of its letters.
enum class SymbolSet {
  kLetters,    ///< letters, '*', '-' and '.'
  kDna,        ///< ACGTU, RYSWKMBDHVN and '*'
  kPrintable,  ///< printable ASCII without the space
  kAny,        ///< every byte
};

/// Copies `text` to `out`, letters in upper case if `fold`; true if all symbols are in `set`. `out`
/// has room for text.size() symbols and may be the text itself.
bool copy_checked(std::string_view text, char* out, SymbolSet set, bool fold);

/// Position of the first symbol outside `set`, or text.size().
std::size_t first_outside(std::string_view text, SymbolSet set);

/// The set in words: "letters, '*', '-' and '.'".
std::string_view describe(SymbolSet set);

}  // namespace rhomb::seq
