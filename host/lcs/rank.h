// SPDX-License-Identifier: Apache-2.0
// rank: the targets with the longest common subsequences, of a stream of targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/seq/sequence.h"

namespace rhomb::lcs {

/// A target among a query's best.
struct Ranked {
  std::uint32_t length = 0;  ///< of the longest common subsequence
  std::uint64_t target = 0;  ///< its position in the file, from 0

  /// Longer ones come first; of equally long ones the one that the file has first.
  bool before(const Ranked& other) const {
    return length != other.length ? length > other.length : target < other.target;
  }
};

/// The first so many of all that were offered, in whatever order they came.
class Top {
 public:
  explicit Top(std::size_t most) : most_(most) {}

  bool would_take(const Ranked& offered) const {
    return heap_.size() < most_ || (most_ > 0 && offered.before(heap_.front()));
  }
  /// Keeps `offered`; what it takes the place of, if there were so many already. Only if
  /// would_take().
  std::optional<Ranked> take(const Ranked& offered);

  /// The best first.
  std::vector<Ranked> sorted() const;

 private:
  std::size_t most_;
  std::vector<Ranked> heap_;  // the last of them in front
};

/// The best of each query, and the targets that are among the best of any.
class Ranking {
 public:
  /// A target that is kept; its symbols only if they were asked for.
  struct Target {
    seq::Sequence sequence;
    std::int64_t length = 0;  ///< symbols
    std::size_t uses = 0;     ///< queries that it is among the best of
  };

  /// Keeps `most` targets a query.
  Ranking(std::size_t queries, std::size_t most, bool symbols);

  /// The targets from position `first` of the file on, and their lengths, those with the first
  /// query, then those with the next. Those shorter than `least` are left out.
  void add(std::uint64_t first, std::span<const seq::Sequence> targets,
           std::span<const std::uint32_t> lengths, std::uint32_t least = 0);

  /// The best first.
  std::vector<Ranked> best(std::size_t query) const { return tops_[query].sorted(); }
  const Target& target(const Ranked& ranked) const { return kept_.at(ranked.target); }
  std::size_t kept() const { return kept_.size(); }

 private:
  bool symbols_;
  std::vector<Top> tops_;
  std::map<std::uint64_t, Target> kept_;
};

}  // namespace rhomb::lcs
