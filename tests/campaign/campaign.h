// SPDX-License-Identifier: Apache-2.0
// What the parts of the campaign share: cases, trials, and random texts that meet borders.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/ocl/device.h"
#include "host/rhomb.h"
#include "host/seq/alphabet.h"
#include "host/tune/config.h"
#include "tests/support/pairs.h"

namespace rhomb::campaign {

using test::Rng;

/// The texts of a case. What a shrunken case has fewer of.
struct Case {
  std::vector<std::string> a, b;
  bool by_order = true;  ///< a[i] belongs to b[i]: both go, or none
};

/// What came of a case.
struct Outcome {
  std::string wrong;        ///< what is wrong; empty: nothing
  std::size_t answers = 1;  ///< that were compared
};

/// A verb's variant in a configuration, with options: all that cases have in common which share
/// their compiled kernels.
struct Trial {
  std::string what;
  std::function<Case(Rng&)> draw;
  /// Further options come from the numbers, which are the same each time that a case is checked.
  std::function<Outcome(const Case&, Rng&)> check;
};

struct Context {
  std::string selector;           ///< of devices
  ocl::Device* device = nullptr;  ///< the first of them
  Devices* devices = nullptr;     ///< the same by the library's face
  Devices* several = nullptr;     ///< the same one twice
};

/// A verb, or a part of it, that makes trials. A trial that does not fit the device throws
/// tune::Unfit; another is made then.
struct Verb {
  std::string_view name;
  std::function<Trial(Rng&, Context&)> make;
};

std::span<const Verb> verbs();
Trial distance_trial(Rng& rng, Context& context);
Trial pairs_trial(Rng& rng, Context& context);
Trial align_trial(Rng& rng, Context& context);
Trial alignments_trial(Rng& rng, Context& context);
Trial search_trial(Rng& rng, Context& context);
Trial occurrences_trial(Rng& rng, Context& context);
Trial lcs_trial(Rng& rng, Context& context);
Trial gaps_trial(Rng& rng, Context& context);
Trial primer_trial(Rng& rng, Context& context);
Trial relations_trial(Rng& rng, Context& context);

// ---- numbers

inline std::size_t below(Rng& rng, std::size_t bound) { return test::random_below(rng, bound); }
/// True once in so many times.
inline bool one_in(Rng& rng, std::size_t times) { return below(rng, times) == 0; }
template <class Range>
decltype(auto) any_of(Rng& rng, const Range& range) {
  return std::data(range)[below(rng, std::size(range))];
}

/// Whether all problems are small, because the device is simulated.
extern bool tiny;
/// One of these lengths, or what small problems have instead.
template <class Range>
std::size_t draw_longest(Rng& rng, const Range& lengths) {
  return std::min<std::size_t>(any_of(rng, lengths), tiny ? 140 : 100'000);
}
/// From 1 to `most`, few where problems are small.
inline std::size_t draw_count(Rng& rng, std::size_t most) {
  return 1 + below(rng, tiny ? std::min<std::size_t>(most, 8) : most);
}

/// Up to `longest`: often about a border of words, groups, tiles or blocks, else short rather than
/// long.
std::size_t draw_length(Rng& rng, std::size_t longest);

/// Some tunables left alone, others as the space has them, now and then one beside that.
tune::Config draw_config(Rng& rng, const tune::Space& space);

// ---- symbols

/// An alphabet, how its symbols match, and the code of all of them: so each alphabet of a size
/// needs one program a configuration.
struct Symbols {
  int letters = 4;  ///< from test::first_of() on; of nucleotides nine, see test::as_nucleotides()
  bool nucleotides = false;
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  seq::Code code;

  std::string text() const;
};
Symbols draw_symbols(Rng& rng);

/// Two texts, related or not, in all ways of test::kRecipes and some more.
std::pair<std::string, std::string> draw_pair(Rng& rng, std::size_t longest,
                                              const Symbols& symbols);
std::string draw_text(Rng& rng, std::size_t length, const Symbols& symbols);
/// A copy with edits.
std::string draw_edited(Rng& rng, std::string_view text, double rate, const Symbols& symbols);
/// Case of so many pairs.
Case draw_pairs(Rng& rng, std::size_t count, std::size_t longest, const Symbols& symbols);

// ---- oracles

/// The distance in two or three independent ways, by edlib where it is installed. Throws
/// std::logic_error if they disagree.
std::int64_t distance_of(std::string_view a, std::string_view b, const seq::Code& code);

/// "what: 3 instead of 4", or nothing.
template <class Number>
std::string differ(const std::string& what, const Number& got, const Number& expected) {
  if (got == expected) return "";
  return what + ": " + std::to_string(got) + " instead of " + std::to_string(expected);
}
inline std::string differ(const std::string& what, const std::optional<std::int64_t>& got,
                          const std::optional<std::int64_t>& expected) {
  if (got == expected) return "";
  return what + ": " + test::shown(got) + " instead of " + test::shown(expected);
}

}  // namespace rhomb::campaign
