// SPDX-License-Identifier: Apache-2.0
// What the variants of the primer table share among themselves; not for users of the library.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/primer/primer.h"

namespace rhomb::primer {

const Variant& cores_variant();
const Variant& dense_variant();
const Variant& conventional_variant();
const Variant& alternative_variant();
const Variant& reference_variant();

/// The most symbols that a substring from start j on may have.
inline std::uint32_t limit_of(const Problem& problem, std::uint32_t j) {
  return std::min(static_cast<std::uint32_t>(problem.alpha.size()) - j, problem.longest);
}

/// The end for start j, whose substring of `length` symbols is the shortest that is far enough.
inline std::uint32_t end_for(const Problem& problem, std::uint32_t j, std::uint32_t length) {
  const std::uint32_t least = problem.least.empty() ? 0 : problem.least[j - problem.first];
  length = std::max({length, problem.shortest, least > j ? least - j : 0});
  return length <= limit_of(problem, j) ? j + length : kNone;
}

/// Whether symbol i of alpha matches symbol c of a text.
inline bool matches(const Problem& problem, std::uint32_t i, std::uint32_t text, std::uint32_t c) {
  return problem.code->match(problem.alpha[i], problem.texts[text][c]) &&
         !(problem.self && problem.self->text == text && c == problem.self->begin + i);
}

/// Symbols of all texts.
inline double symbols_of(const Problem& problem) {
  double symbols = 0;
  for (const std::string_view text : problem.texts) symbols += static_cast<double>(text.size());
  return symbols;
}

/// Throws Error of Kind::kStopped if that was asked for.
void check_stop(const Problem& problem);

}  // namespace rhomb::primer
