// SPDX-License-Identifier: Apache-2.0
// sketch: what the edit distance of two long texts probably is, from a sample of the words they
// have in common. Takes milliseconds for megabases; for choosing how to compute, never for an
// answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rhomb {

/// A word that both texts have, and where it begins in either.
struct Anchor {
  std::int64_t i = 0, j = 0;
};

/// Diagonals between two words of a chain that are a long gap; less is not told apart from other
/// edits.
inline constexpr std::int64_t kLongGap = 100;

struct Sketch {
  std::int64_t distance = 0;  ///< the estimate; at least the difference of the lengths
  std::vector<Anchor> chain;  ///< common words on the best chain
  std::int64_t gaps = 0;      ///< the part of it that is long insertions and deletions
  double covered = 0;         ///< part of the longer text between words of that chain, 0..1
};

/// Words of k symbols whose hash falls into a small class are taken from both texts; those that
/// occur once in each sample are anchors, and the longest chain of them that advances in both texts
/// is the skeleton of an alignment. Between anchors the cost follows from how dense they are (a
/// word survives with probability (1 - x)^k where a symbol differs with probability x) and from the
/// difference of the lengths; where there are none the texts are taken for unrelated. No more than
/// `threads` work at it, 0 for as many as there are cores.
Sketch sketch_distance(std::string_view a, std::string_view b, std::size_t threads = 0);

/// Such a chain of other samples: about so many words of either text.
std::vector<Anchor> common_chain(std::string_view a, std::string_view b, double sample,
                                 std::size_t threads = 0);

}  // namespace rhomb
