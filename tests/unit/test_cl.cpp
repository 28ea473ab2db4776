// SPDX-License-Identifier: Apache-2.0
// The headers of the kernels, compiled by the host's compiler, against one symbol at a time.
//
// A header is included once for each shape, in a namespace of its own: its guard is taken away.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cl/common.h"
#include "cl/wfa/front.h"
#include "host/seq/alphabet.h"
#include "host/seq/packed.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

#define SETS 0
namespace planes1 {
#define PLANES 1
#include "cl/planes.h"
}  // namespace planes1
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes2 {
#define PLANES 2
#include "cl/planes.h"
}  // namespace planes2
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes3 {
#define PLANES 3
#include "cl/planes.h"
}  // namespace planes3
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes4 {
#define PLANES 4
#include "cl/planes.h"
}  // namespace planes4
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes5 {
#define PLANES 5
#include "cl/planes.h"
}  // namespace planes5
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes6 {
#define PLANES 6
#include "cl/planes.h"
}  // namespace planes6
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes7 {
#define PLANES 7
#include "cl/planes.h"
}  // namespace planes7
#undef RHOMB_CL_PLANES_H
#undef PLANES
namespace planes8 {
#define PLANES 8
#include "cl/planes.h"
}  // namespace planes8
#undef RHOMB_CL_PLANES_H
#undef PLANES
#undef PLANES_FOUND
#undef PLANES_MISMATCH

namespace text2 {
#define BITS 2
#include "cl/text.h"
}  // namespace text2
#undef RHOMB_CL_TEXT_H
#undef BITS
#undef TEXT_PER_WORD
namespace text8 {
#define BITS 8
#include "cl/text.h"
}  // namespace text8
#undef RHOMB_CL_TEXT_H
#undef TEXT_PER_WORD

#undef SETS
#define SETS 1
namespace text_sets {
#include "cl/text.h"
}  // namespace text_sets
namespace planes_sets {
#define PLANES 4
#include "cl/planes.h"
}  // namespace planes_sets

#define VEC 1
#define WG 1
#define TEAM 1
#include "cl/team.h"
#include "cl/wfa/lanes.h"

namespace rhomb::cl_tests {
namespace {

TEST_CASE("a funnel shift is a shift of two words", "[cl][host]") {
  test::Rng rng(test::seed());
  for (int round = 0; round < 100; ++round) {
    const auto lo = static_cast<u32>(rng()), hi = static_cast<u32>(rng());
    for (u32 shift = 0; shift < 96; ++shift) {
      u32 expected = 0;
      for (u32 bit = 0; bit < 32; ++bit) {
        const u32 from = bit + shift % 32;
        expected |= (from < 32 ? lo >> from & 1u : hi >> (from - 32) & 1u) << bit;
      }
      if (funnel_right(lo, hi, shift) != expected) FAIL("shift " << shift);
    }
  }
  CHECK(min_u32(3, 4) == 3);
  CHECK(min_u32(0xffffffffu, 4) == 4);
}

using Mismatch = u32 (*)(const u32*, u32, const u32*, u32);

// Codes of `planes` bits, the spare symbols included.
struct Texts {
  seq::Planes packed;
  std::vector<unsigned> codes;  ///< with 200 spare ones
};

Texts texts(test::Rng& rng, std::size_t length, int planes, int fill) {
  seq::Code code;
  for (unsigned c = 0; c < 256; ++c)
    code.a[c] = static_cast<std::uint8_t>(c & ((1u << planes) - 1));
  // Few symbols now and then, so that they match.
  const auto text = test::random_text(rng, length, rng() % 2 ? 2 : 256, '\0');
  Texts made{seq::pack_planes(text, code.a, planes, fill), {}};
  for (const char c : text) made.codes.push_back(code.a[static_cast<unsigned char>(c)]);
  made.codes.resize(length + 200, fill ? (1u << planes) - 1 : 0);
  return made;
}

void check_mismatch(Mismatch mismatch, int planes, bool sets) {
  test::Rng rng(test::seed() + static_cast<std::uint64_t>(planes));
  for (const std::size_t m : {0u, 1u, 31u, 32u, 33u, 100u})
    for (const std::size_t n : {0u, 1u, 31u, 32u, 64u, 95u})
      for (const int fill : {0, 1}) {
        const auto a = texts(rng, m, planes, fill), b = texts(rng, n, planes, 1 - fill);
        for (std::size_t i = 0; i <= m; ++i)
          for (std::size_t j = 0; j <= n; ++j) {
            u32 expected = 0;
            for (std::size_t bit = 0; bit < 32; ++bit) {
              const auto x = a.codes[i + bit], y = b.codes[j + bit];
              const bool match = sets ? (x & y) != 0 : x == y;
              expected |= (match ? 0u : 1u) << bit;
            }
            const u32 got = mismatch(a.packed.words.data(), static_cast<u32>(i),
                                     b.packed.words.data(), static_cast<u32>(j));
            if (got != expected)
              FAIL(planes << " planes, " << m << " x " << n << ", at " << i << ", " << j << ": "
                          << got << " instead of " << expected);
          }
      }
  SUCCEED();
}

TEST_CASE("windows of planes show where 32 symbols differ", "[cl][host]") {
  const Mismatch all[] = {planes1::planes_mismatch, planes2::planes_mismatch,
                          planes3::planes_mismatch, planes4::planes_mismatch,
                          planes5::planes_mismatch, planes6::planes_mismatch,
                          planes7::planes_mismatch, planes8::planes_mismatch};
  for (int planes = 1; planes <= 8; ++planes) check_mismatch(all[planes - 1], planes, false);
  check_mismatch(planes_sets::planes_mismatch, 4, true);
}

TEST_CASE("the planes of a reversed text are made of those of the text", "[cl][host]") {
  test::Rng rng(test::seed() + 8);
  seq::Code code;
  for (int planes = 1; planes <= 8; ++planes) {
    for (auto& c : code.a) c = static_cast<std::uint8_t>(rng() % (1u << planes));
    for (std::size_t length = 0; length < 200; ++length)
      for (const int fill : {0, 1}) {
        const auto text = test::random_text(rng, length, 256, '\0');
        const std::string reversed(text.rbegin(), text.rend());
        auto words = seq::pack_planes(text, code.a, planes, fill).words;
        const auto got = seq::reversed_words(seq::pack_planes(text, code.a, planes, fill));
        const auto expected = seq::pack_planes(reversed, code.a, planes, fill).words;
        words.insert(words.end(), expected.begin(), expected.end());
        if (got != expected || seq::pack_both_ways(text, code.a, planes, fill) != words)
          FAIL(planes << " planes, length " << length << ", fill " << fill);
      }
  }
  const auto text = test::random_text(rng, 3'000'017, 4);
  const auto packed = seq::pack_planes(text, seq::make_code(text, "").a, 2, 1);
  const std::string reversed(text.rbegin(), text.rend());
  const auto expected = seq::pack_planes(reversed, seq::make_code(text, "").a, 2, 1).words;
  CHECK((seq::reversed_words(packed) == expected));
}

using MatchLength = u32 (*)(const u32*, u32, const u32*, u32, u32);

void check_match_length(MatchLength match_length, int bits, bool sets) {
  test::Rng rng(test::seed() + 9);
  seq::Code code;
  for (unsigned c = 0; c < 256; ++c)
    code.a[c] = static_cast<std::uint8_t>(sets ? c & 15u : c & ((1u << bits) - 1));
  for (int round = 0; round < 60; ++round) {
    // Long matches between few differences.
    const auto a = test::random_text(rng, 1 + test::random_below(rng, 150), sets ? 16 : 256, '\0');
    const auto shift = test::random_below(rng, 40);
    const auto rate = round % 3 == 0 ? 0.0 : 0.05;
    const auto b = test::random_text(rng, shift, 256, '\0') + test::mutate(rng, a, rate, 256, '\0');
    const auto pa = seq::pack_text(a, code.a, bits, 0), pb = seq::pack_text(b, code.a, bits, 0);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); j += 1 + test::random_below(rng, 3)) {
        const auto limit = std::min(a.size() - i, b.size() - j);
        std::size_t expected = 0;
        const auto match = [&](char x, char y) {
          const unsigned u = code.a[static_cast<unsigned char>(x)];
          const unsigned v = code.a[static_cast<unsigned char>(y)];
          return sets ? (u & v) != 0 : u == v;
        };
        while (expected < limit && match(a[i + expected], b[j + expected])) ++expected;
        const auto got = match_length(pa.words.data(), static_cast<u32>(i), pb.words.data(),
                                      static_cast<u32>(j), static_cast<u32>(limit));
        if (got != expected)
          FAIL(bits << " bits, at " << i << ", " << j << ": " << got << " instead of " << expected);
      }
  }
  SUCCEED();
}

TEST_CASE("the length of a match in packed texts", "[cl][host]") {
  check_match_length(text2::text_match_length, 2, false);
  check_match_length(text8::text_match_length, 8, false);
  check_match_length(text_sets::text_match_length, 8, true);
}

TEST_CASE("a wavefront cell is the furthest of three moves", "[cl][host]") {
  CHECK(wfa_step(5, 5, 5) == 6);
  CHECK(wfa_step(7, 5, 5) == 8);
  CHECK(wfa_step(5, 7, 5) == 8);
  CHECK(wfa_step(5, 5, 7) == 7);
  CHECK(wfa_step(5, 5, 6) == 6);
  CHECK(wfa_step(-WFA_BIAS, WFA_UNREACHED, WFA_UNREACHED) == 1 - WFA_BIAS);
  CHECK(wfa_step(WFA_UNREACHED, WFA_UNREACHED, -WFA_BIAS) == -WFA_BIAS);
  // Cells never reached stay below all positions for as many costs as there can be.
  CHECK(wfa_step(WFA_UNREACHED, WFA_UNREACHED, WFA_UNREACHED) == WFA_UNREACHED + 1);
}

TEST_CASE("a window counts the matches up to the next difference", "[cl][host]") {
  test::Rng rng(test::seed() + 10);
  for (int round = 0; round < 2000; ++round) {
    // From dense to sparse, and none at all.
    auto mismatch = static_cast<u32>(rng());
    for (int thin = round % 8; thin > 0; --thin) mismatch &= static_cast<u32>(rng());
    const u32 window = window_of(mismatch);
    for (u32 off = 0; off < 100; ++off) {
      u32 run = 0;
      while (off + run < 32 && (mismatch >> (off + run) & 1u) == 0) ++run;
      const bool ends = off + run < 32;
      const u32 left = window_from(window, off);
      const bool right = ends ? left != 0 && window_run(left) == static_cast<i32>(run) : left == 0;
      if (!right) FAIL("window " << mismatch << " from " << off);
    }
    for (const u32 off : {0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffff0u})
      if (window_from(window, off) != 0) FAIL("window " << mismatch << " from " << off);
  }
  CHECK(window_run(0) == 32);
}

TEST_CASE("a team of one asks nobody", "[cl][host]") {
  CHECK(team_ballot(0) == 0);
  CHECK(team_ballot(8) == 1);
  CHECK(team_get(42, 0) == 42);
  CHECK(team_first(1) == 0);
}

}  // namespace
}  // namespace rhomb::cl_tests
