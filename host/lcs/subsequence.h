// SPDX-License-Identifier: Apache-2.0
// Subsequence: which symbols a longest common subsequence consists of, found on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/seq/alphabet.h"

namespace rhomb::lcs {

/// A symbol that two texts have in common. Positions are 0-based.
struct Match {
  std::uint32_t query = 0;
  std::uint32_t target = 0;

  bool operator==(const Match&) const = default;
};

/// What is known of a query before its subsequences are looked for: where each symbol occurs, as
/// bits. May be used by several threads at once.
class Tracer {
 public:
  static constexpr std::size_t kMemory = std::size_t{64} << 20;

  /// `query` and `code` stay as they are while the tracer lives.
  Tracer(std::string_view query, const seq::Code& code);

  /// The matches of a longest common subsequence of the query and `target`, in order.
  ///
  /// Of several it is the one whose last match ends as early in the query as any, and there as
  /// early in the target as any; the others are chosen likewise from what stands before it. Takes
  /// time in proportion to m n / 64 and about `memory` bytes; where that is less than m n / 8,
  /// parts are computed again, at most twice the time in all unless m n is very large.
  std::vector<Match> matches(std::string_view target, std::size_t memory = kMemory) const;

 private:
  using Word = std::uint64_t;
  class Walk;

  std::string_view query_;
  const seq::Code& code_;
  std::size_t words_;         // of a column: a bit a symbol of the query
  std::vector<Word> occurs_;  // of each code of a target's symbol, the query's symbols it matches
};

/// The query's symbols of these matches.
std::string symbols(std::string_view query, std::span<const Match> matches);

}  // namespace rhomb::lcs
