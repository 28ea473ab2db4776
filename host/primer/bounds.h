// SPDX-License-Identifier: Apache-2.0
// Bounds: between which rows the ends of all starts are, and what one of them says of others.
//
// A window alpha[j..e) that comes within v of the texts says: if v < k that X(j) >= e + k - v,
// because each symbol adds 1 at the most; else that X(j) <= e - (v - k). What holds for a start
// holds for those after it, or before it, because X never falls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/primer/primer.h"

namespace rhomb::primer {

class Bounds {
 public:
  explicit Bounds(const Problem& problem);

  std::uint32_t lower(std::uint32_t j) const { return lower_[j - problem_.first]; }
  std::uint32_t upper(std::uint32_t j) const { return upper_[j - problem_.first]; }
  bool open(std::uint32_t j) const { return lower(j) < upper(j); }
  /// One more than the last end that start j may have.
  std::uint32_t top(std::uint32_t j) const;

  /// The window alpha[j..end) comes within `distance` of the texts. `least`: the row from which on
  /// that is so for all texts, if it is less than k. For different starts by several threads.
  void learn(std::uint32_t j, std::uint32_t end, std::uint32_t distance, std::uint32_t least);
  void know(std::uint32_t j, std::uint32_t end);
  /// What has become known of a start is made known to its neighbours.
  void spread(std::uint32_t j);

  /// Each start that is so far from the one before, from the first on, is known, or may be.
  void sampled(std::uint32_t apart) { sampled_ = apart; }
  /// The end that start j probably has, from the known ones around it; a little less, because a row
  /// that is too large is worse than one that is too small.
  std::optional<std::uint32_t> expected(std::uint32_t j) const;

  /// Starts whose end is known.
  std::size_t known() const;
  /// Mean of the least lengths.
  double mean_length() const;

 private:
  std::uint32_t& at_least(std::uint32_t j) { return lower_[j - problem_.first]; }
  std::uint32_t& at_most(std::uint32_t j) { return upper_[j - problem_.first]; }

  const Problem& problem_;
  std::vector<std::uint32_t> lower_, upper_;
  std::uint32_t sampled_ = 0;
};

}  // namespace rhomb::primer
