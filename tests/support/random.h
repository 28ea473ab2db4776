// SPDX-License-Identifier: Apache-2.0
// Random texts that a failed test can have again: the seed is in the environment or fixed, and it
// is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace rhomb::test {

using Rng = std::mt19937_64;

/// Sanitizers make a case take several times as long, so there tests have fewer random ones.
#ifdef RHOMB_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// The seed of this run: RHOMB_TEST_SEED or 20261121. Printed once, and with each failure.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("RHOMB_TEST_SEED");
    const std::uint64_t chosen = given ? std::strtoull(given, nullptr, 10) : 20261121;
    std::cerr << "RHOMB_TEST_SEED=" << chosen << '\n';
    return chosen;
  }();
  UNSCOPED_INFO("RHOMB_TEST_SEED=" << value);
  return value;
}

/// A number in [0, below).
inline std::size_t random_below(Rng& rng, std::size_t below) {
  return static_cast<std::size_t>(rng() % below);
}

/// One of the `alphabet_size` symbols from `first_symbol` on.
inline char random_symbol(Rng& rng, int alphabet_size, char first_symbol = 'A') {
  return static_cast<char>(
      first_symbol + static_cast<int>(random_below(rng, static_cast<std::size_t>(alphabet_size))));
}

/// `length` symbols, each one of the `alphabet_size` from `first_symbol` on.
inline std::string random_text(Rng& rng, std::size_t length, int alphabet_size,
                               char first_symbol = 'A') {
  std::string text(length, first_symbol);
  for (char& symbol : text) symbol = random_symbol(rng, alphabet_size, first_symbol);
  return text;
}

/// `text` with an edit at each position with probability `rate`: a replacement (by any symbol, so
/// perhaps the same), an insertion before it, or a deletion, equally likely.
inline std::string mutate(Rng& rng, std::string_view text, double rate, int alphabet_size,
                          char first_symbol = 'A') {
  std::bernoulli_distribution edited(rate);
  std::string mutated;
  mutated.reserve(text.size() + text.size() / 8);
  for (const char symbol : text) {
    if (!edited(rng)) {
      mutated += symbol;
      continue;
    }
    const auto kind = random_below(rng, 3);
    if (kind < 2) mutated += random_symbol(rng, alphabet_size, first_symbol);
    if (kind == 1) mutated += symbol;
  }
  return mutated;
}

}  // namespace rhomb::test
