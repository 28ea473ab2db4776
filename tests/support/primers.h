// SPDX-License-Identifier: Apache-2.0
// Small problems of the primers.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/primer/internal.h"
#include "host/primer/primer.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::test {

/// A problem and what it points to.
struct PrimerCase {
  std::string alpha;
  std::vector<std::string> texts;
  std::uint32_t k = 1;
  std::optional<primer::Self> self;
  seq::Code code = whole_code(4);
  mutable std::vector<std::string_view> views;

  primer::Problem problem() const {
    views.assign(texts.begin(), texts.end());
    primer::Problem made;
    made.alpha = alpha;
    made.last = static_cast<std::uint32_t>(alpha.size());
    made.texts = views;
    made.k = k;
    made.self = self;
    made.code = &code;
    return made;
  }

  /// Makes alpha a part of a text, and knows where.
  void include_alpha(Rng& rng) {
    const std::size_t text = random_below(rng, texts.size());
    const std::size_t at = random_below(rng, texts[text].size() + 1);
    texts[text].insert(at, alpha);
    self = primer::Self{static_cast<std::uint32_t>(text), static_cast<std::uint32_t>(at)};
  }
};

inline std::string shown(const PrimerCase& one) {
  std::string text = "alpha " + shown(one.alpha) + ", k " + std::to_string(one.k);
  for (const std::string& beta : one.texts) text += ", text " + shown(beta);
  if (one.self)
    text +=
        ", itself in " + std::to_string(one.self->text) + " at " + std::to_string(one.self->begin);
  return text;
}

/// Of one to four symbols; the texts have parts of alpha, with differences, or are unrelated.
inline PrimerCase random_primers(Rng& rng, std::size_t m, std::size_t n, std::size_t k) {
  PrimerCase one;
  const int alphabet = 1 + static_cast<int>(random_below(rng, 4));
  one.alpha = random_text(rng, 1 + random_below(rng, m), alphabet);
  one.k = 1 + static_cast<std::uint32_t>(random_below(rng, k));
  for (std::size_t count = 1 + random_below(rng, 3); count > 0; --count) {
    std::string text = random_text(rng, 1 + random_below(rng, n), alphabet);
    if (random_below(rng, 2) == 0) {
      const std::size_t begin = random_below(rng, one.alpha.size());
      const std::string part = one.alpha.substr(begin, 1 + random_below(rng, one.alpha.size()));
      text = text.substr(text.size() / 2) + mutate(rng, part, 0.1, alphabet) +
             text.substr(0, text.size() / 2);
      text.resize(std::max<std::size_t>(1, std::min(text.size(), n)), 'A');
    }
    one.texts.push_back(std::move(text));
  }
  return one;
}

/// Whether the site is one, and its alignment explains its distance.
inline void check_site(const primer::Problem& problem, const primer::Window& window,
                       const primer::Site& site) {
  std::uint32_t i = window.begin, c = site.begin;
  bool right = true;
  for (const auto& [edit, length] : site.cigar)
    for (std::uint32_t run = length; run > 0; --run) {
      if (edit == Edit::kMatch || edit == Edit::kMismatch)
        right = right && primer::matches(problem, i, site.text, c) == (edit == Edit::kMatch);
      i += edit == Edit::kDelete ? 0 : 1;
      c += edit == Edit::kInsert ? 0 : 1;
    }
  INFO("site " << site.begin << ".." << site.end << " of text " << site.text << ", "
               << site.cigar.text());
  CHECK(right);
  CHECK(i == window.end);
  CHECK(c == site.end);
  CHECK(site.cigar.cost() == site.distance);
}

}  // namespace rhomb::test
