// SPDX-License-Identifier: Apache-2.0
// selftest: small texts for the known-answer tests that programs pass before their first real use
// on a device. Drivers miscompile; these problems touch what can go wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/engine/pair.h"
#include "host/ocl/device.h"
#include "host/seq/alphabet.h"
#include "host/trace/trace.h"

namespace rhomb::selftest {

/// Numbers that are the same everywhere (Knuth's linear congruential generator).
class Numbers {
 public:
  unsigned below(unsigned bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 2023;
};

/// A code of `planes` bits that uses all of them. Sets: bases and all their unions.
inline seq::Code spread_code(int planes, bool sets) {
  seq::Code code;
  const unsigned mask = (1u << planes) - 1;
  for (unsigned c = 0; c < 256; ++c)
    code.a[c] = static_cast<std::uint8_t>(sets ? (c % 15) + 1 : (c * 37u) & mask);
  code.b = code.a;
  code.planes = planes;
  code.matching = sets ? seq::Matching::kSets : seq::Matching::kEqual;
  return code;
}

inline std::string random_text(Numbers& numbers, std::size_t length, unsigned symbols) {
  std::string text(length, ' ');
  for (char& c : text) c = static_cast<char>(numbers.below(symbols));
  return text;
}

inline std::string edited(Numbers& numbers, const std::string& text, unsigned one_in,
                          unsigned symbols) {
  std::string made;
  for (const char c : text) {
    const unsigned kind = numbers.below(3 * one_in);
    if (kind == 0) continue;
    made += kind == 1 ? static_cast<char>(numbers.below(symbols)) : c;
    if (kind == 2) made += static_cast<char>(numbers.below(symbols));
  }
  return made;
}

/// Throws CheckError unless `got` is `expected`. `what` says what the numbers are.
void compare(const std::optional<std::int64_t>& got, std::int64_t expected,
             std::string_view what = "distance");

/// Runs `test`, which throws CheckError where an answer is wrong, and before it that of
/// cl/loops.cl, unless the program has passed it on this device before, now or in an earlier
/// process whose cached binary is in use. Throws SelfTestError, naming program and device, where it
/// fails now or has failed before.
void ensure_passed(ocl::Device& device, const std::string& file, const ocl::Defines& defines,
                   const std::function<void()>& test);

/// Pairs of texts over the symbols of a program's codes, and their distances by the reference.
class Pairs {
 public:
  Pairs(int planes, bool sets)
      : code_(spread_code(planes, sets)), symbols_(sets ? 4u : 1u << planes) {}

  std::string random(std::size_t length) { return random_text(numbers_, length, symbols_); }
  /// One of so many symbols edited.
  std::string edited(const std::string& text, unsigned one_in) {
    return selftest::edited(numbers_, text, one_in, symbols_);
  }

  /// What runs are given: without common ends. (No pair of the tests becomes empty.)
  Problem problem(const std::string& a, const std::string& b) const;
  std::int64_t distance(const std::string& a, const std::string& b) const;

 private:
  seq::Code code_;
  unsigned symbols_;
  Numbers numbers_;
};

}  // namespace rhomb::selftest
