// SPDX-License-Identifier: Apache-2.0
// seq: sequences as read from files, before any packing.
#pragma once

#include <cstdint>
#include <string>
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

/// Two sequences that are compared; they live elsewhere.
struct Pair {
  const Sequence* query = nullptr;
  const Sequence* target = nullptr;
};

}  // namespace rhomb::seq
