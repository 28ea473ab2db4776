// SPDX-License-Identifier: Apache-2.0
// Catch2, version 2 or 3: tests include this and use only what both have.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace rhomb::test {

/// Matches a text that holds `part`, for CHECK_THROWS_WITH and CHECK_THAT.
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace rhomb::test
