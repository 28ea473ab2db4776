// SPDX-License-Identifier: Apache-2.0
// The work of rhomb bench lcs: a random query and targets of its length; and the peer that
// rhomb is compared with, row vectors of 64-bit words on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/lcs/lcs.h"

namespace rhomb::cli {

/// A random query and random targets over the same letters; the same for the same numbers.
class LcsWork {
 public:
  LcsWork(int alphabet, std::size_t length, std::size_t targets);

  int alphabet() const { return alphabet_; }
  std::size_t size() const { return targets_.size(); }
  std::string_view query() const { return query_; }
  std::string_view target(std::size_t i) const { return targets_[i]; }
  /// The query with the first `count` targets.
  lcs::Problem problem(std::size_t count) const;

 private:
  int alphabet_;
  std::string query_, symbols_;
  std::vector<std::string_view> targets_;
  seq::Code code_;
};

/// Row vectors as Hyyrö (2004) has them, a word of 64 bits after another. Nothing is unrolled or
/// vectorised by hand.
class PlainLcs {
 public:
  explicit PlainLcs(std::string_view query);
  std::uint32_t length(std::string_view target);

 private:
  std::size_t m_, words_;
  std::vector<std::uint64_t> matches_;  // words_ for each symbol
  std::vector<std::uint64_t> row_;
};

}  // namespace rhomb::cli
