// SPDX-License-Identifier: Apache-2.0
// Samples: the pairs of sequences that benchmarks run on, random or from files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/seq/sequence.h"
#include "tools/cli/command_line.h"

namespace rhomb::cli {

struct Sample {
  seq::Sequence query;
  seq::Sequence target;
};

/// How the second of two random texts comes about: the probability of an edit at each position of
/// the first, 0..1; nothing: it has nothing to do with the first.
using Divergence = std::optional<double>;

/// Reads "0.01" or "unrelated". `what` names the value in the message of the UsageError.
Divergence parse_divergence(std::string_view text, std::string_view what);

/// Half of what a sequence may have, which leaves room for insertions.
inline constexpr std::int64_t kLongest = seq::kMaxLength / 2;
/// A size from `least` to `most`. Throws UsageError.
std::int64_t parse_length(std::string_view text, std::string_view what, std::int64_t least = 1,
                          std::int64_t most = kLongest);
/// Such sizes of an option, as in "10k,1M", in order of size; `usual` where it is not given. Throws
/// UsageError, also where there is none.
std::vector<std::int64_t> parse_lengths(const CommandLine& line, const std::string& option,
                                        const std::string& usual, std::int64_t least = 1,
                                        std::int64_t most = kLongest);

/// A random text over ACGT, and a copy with edits, a third each substitutions (by another base),
/// insertions and deletions; or another random text. The same texts for the same numbers. A copy
/// has so many structural variants, see rearranged().
Sample random_sample(std::int64_t length, Divergence divergence, std::uint64_t seed,
                     std::int64_t structural = 0);

/// A copy of `text` with `count` structural variants, in turn: a random stretch inserted, a stretch
/// deleted, duplicated behind itself, and reversed and complemented. Each is somewhere in its own
/// share of the text; lengths from 1,000 to 100,000 bases, as many of each order of magnitude, but
/// no more than half of the share. The same for the same numbers.
std::string rearranged(const std::string& text, std::int64_t count, std::uint64_t seed);

/// A copy of `text` with random edits of that kind; the same for the same numbers.
std::string edited_text(const std::string& text, double divergence, std::uint64_t seed);

/// The one pair in two files. Throws UsageError if there are several.
Sample read_sample(const CommandLine& line);

}  // namespace rhomb::cli
