// SPDX-License-Identifier: Apache-2.0
// The packings against their definition, bit by bit.
#include <algorithm>
#include <string>
#include <vector>

#include "host/seq/alphabet.h"
#include "host/seq/packed.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::packed_tests {
namespace {

using seq::PackedText;
using seq::Planes;
using Table = std::array<std::uint8_t, 256>;

const std::vector<std::size_t> kLengths = {0,   1,   2,   7,    8,    9,    15,  16, 17,
                                           31,  32,  33,  63,   64,   65,   95,  96, 97,
                                           127, 128, 129, 1000, 4095, 4096, 4097};

Table random_table(test::Rng& rng, int bits) {
  Table table;
  for (auto& code : table) code = static_cast<std::uint8_t>(test::random_below(rng, 1u << bits));
  return table;
}

/// So many symbols have another code than 0.
Table sparse_table(test::Rng& rng, int bits, unsigned symbols) {
  Table table{};
  for (unsigned i = 0; i < symbols; ++i)
    table[test::random_below(rng, 256)] =
        static_cast<std::uint8_t>(1 + test::random_below(rng, (1u << bits) - 1));
  return table;
}

std::uint8_t code_of(const Table& table, char symbol) {
  return table[static_cast<unsigned char>(symbol)];
}

// As documented at Planes, one bit at a time.
UnsetVector<std::uint32_t> planes_by_definition(const std::string& text, const Table& table,
                                                std::size_t planes, int fill,
                                                std::size_t padding = 0) {
  const auto words = Planes::kFrontWords + (text.size() + padding + 31) / 32 + Planes::kBackWords;
  UnsetVector<std::uint32_t> out(words * planes, 0);
  for (std::size_t position = 0; position < 32 * words; ++position)
    for (std::size_t p = 0; p < planes; ++p) {
      const auto i = position - 32 * Planes::kFrontWords;  // wraps in front of the text
      const std::uint32_t bit = i < text.size() ? std::uint32_t{code_of(table, text[i])} >> p & 1u
                                                : static_cast<std::uint32_t>(fill);
      out[position / 32 * planes + p] |= bit << (position % 32);
    }
  return out;
}

UnsetVector<std::uint32_t> text_by_definition(const std::string& text, const Table& table,
                                              std::size_t bits, int fill) {
  const auto each = 32 / bits;
  const auto words = (text.size() + each - 1) / each + PackedText::kBackWords;
  UnsetVector<std::uint32_t> out(words, 0);
  for (std::size_t i = 0; i < words * each; ++i) {
    const auto code =
        i < text.size() ? std::uint32_t{code_of(table, text[i])} : static_cast<std::uint32_t>(fill);
    out[i / each] |= code << (bits * (i % each));
  }
  return out;
}

TEST_CASE("planes are what their definition says", "[seq][host]") {
  test::Rng rng(test::seed());
  for (int planes = 1; planes <= 8; ++planes) {
    const auto table = random_table(rng, planes);
    for (const auto length : kLengths)
      for (const int fill : {0, 1}) {
        const auto text = test::random_text(rng, length, 256, '\0');
        const auto packed = seq::pack_planes(text, table, planes, fill);
        INFO(planes << " planes, length " << length << ", fill " << fill);
        CHECK(packed.length == static_cast<std::int64_t>(length));
        CHECK(packed.planes == planes);
        CHECK((packed.words ==
               planes_by_definition(text, table, static_cast<std::size_t>(planes), fill)));
      }
  }
}

TEST_CASE("planes of few symbols, and padding", "[seq][host]") {
  test::Rng rng(test::seed());
  for (int planes = 1; planes <= 4; ++planes)
    for (const unsigned symbols : {0u, 1u, 3u, 4u, 7u, 8u}) {
      const auto table = sparse_table(rng, planes, symbols);
      for (const auto length : kLengths)
        for (const int padding : {0, 1, 31, 32, 33, 100}) {
          const auto text = test::random_text(rng, length, 256, '\0');
          const auto packed = seq::pack_planes(text, table, planes, 1, 1, padding);
          INFO(planes << " planes, " << symbols << " symbols, length " << length << " + "
                      << padding);
          CHECK(packed.length == static_cast<std::int64_t>(length) + padding);
          CHECK((packed.words == planes_by_definition(text, table, static_cast<std::size_t>(planes),
                                                      1, static_cast<std::size_t>(padding))));
        }
    }
}

TEST_CASE("packed texts are what their definition says", "[seq][host]") {
  test::Rng rng(test::seed());
  for (const int bits : {2, 8}) {
    const auto table = random_table(rng, bits);
    for (const auto length : kLengths)
      for (const int fill : {0, 1, 3, 255}) {
        if (fill >> bits != 0) continue;
        const auto text = test::random_text(rng, length, 256, '\0');
        const auto packed = seq::pack_text(text, table, bits, fill);
        INFO(bits << " bits, length " << length << ", fill " << fill);
        CHECK(packed.length == static_cast<std::int64_t>(length));
        CHECK(packed.bits == bits);
        CHECK((packed.words ==
               text_by_definition(text, table, static_cast<std::size_t>(bits), fill)));
      }
  }
}

TEST_CASE("texts long enough for several threads are packed alike", "[seq][host]") {
  test::Rng rng(test::seed());
  const auto text = test::random_text(rng, (std::size_t{5} << 20) + 13, 4);
  const auto code = seq::make_code(text, "");
  CHECK((seq::pack_planes(text, code.a, 2, 1).words == planes_by_definition(text, code.a, 2, 1)));
  CHECK((seq::pack_planes(text, code.a, 4, 0).words == planes_by_definition(text, code.a, 4, 0)));
  CHECK((seq::pack_text(text, code.a, 2, 3).words == text_by_definition(text, code.a, 2, 3)));
  CHECK((seq::pack_text(text, code.a, 8, 9).words == text_by_definition(text, code.a, 8, 9)));
}

TEST_CASE("codes of base sets pack like any other", "[seq][host]") {
  const std::string text = "ACGTNRYKMACGTTGCANBDHV";
  const auto code = seq::make_code(text, "", seq::Ambiguous::kMatch);
  CHECK((seq::pack_planes(text, code.a, code.planes, 0).words ==
         planes_by_definition(text, code.a, 4, 0)));
}

TEST_CASE("common prefix and suffix end at the first difference", "[seq][host]") {
  CHECK(seq::common_prefix("", "") == 0);
  CHECK(seq::common_suffix("", "A") == 0);
  CHECK(seq::common_prefix("ACG", "ACT") == 2);
  CHECK(seq::common_suffix("ACG", "TCG") == 2);
  CHECK(seq::common_suffix("CG", "ACG") == 2);
  test::Rng rng(test::seed());
  for (const auto length : kLengths) {
    const auto a = test::random_text(rng, length, 4);
    const auto longer = a + "C";
    CHECK(seq::common_prefix(a, a) == length);
    CHECK(seq::common_suffix(a, a) == length);
    CHECK(seq::common_prefix(a, longer) == length);
    CHECK(seq::common_suffix(a, "C" + a) == length);
    for (std::size_t at = 0; at < length; at += 1 + length / 70) {
      auto b = a;
      b[at] = 'x';
      if (seq::common_prefix(a, b + "tail") != at) FAIL("prefix, length " << length);
      if (seq::common_suffix("head" + a, b) != length - 1 - at) FAIL("suffix, length " << length);
    }
  }
}

}  // namespace
}  // namespace rhomb::packed_tests
