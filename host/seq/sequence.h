// SPDX-License-Identifier: Apache-2.0
// seq: sequences as read from files, before any packing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::seq {

/// The longest sequence rhomb handles, in symbols.
inline constexpr std::int64_t kMaxLength = 2'147'483'647;

/// One record: its name (the header up to the first blank) and its symbols, one byte each.
struct Sequence {
  std::string name;
  std::string symbols;
};

using Batch = std::vector<Sequence>;

/// A sequence that lives elsewhere.
struct SequenceView {
  std::string_view name;
  std::string_view symbols;

  SequenceView() = default;
  SequenceView(std::string_view its_name, std::string_view its_symbols)
      : name(its_name), symbols(its_symbols) {}
  SequenceView(const Sequence& sequence) : name(sequence.name), symbols(sequence.symbols) {}
};

/// Two sequences that are compared.
struct Pair {
  SequenceView query, target;
};

/// "A and B".
inline std::string names_of(const seq::Pair& pair) {
  return std::string(pair.query.name).append(" and ").append(pair.target.name);
}

}  // namespace rhomb::seq
