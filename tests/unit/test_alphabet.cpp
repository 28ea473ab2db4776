// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/seq/alphabet.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::alphabet_tests {
namespace {

using seq::Ambiguous;
using seq::make_code;
using seq::Matching;
using test::contains;

int code_in(const std::array<std::uint8_t, 256>& table, char symbol) {
  return table[static_cast<unsigned char>(symbol)];
}

std::string all_bytes() {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  return bytes;
}

TEST_CASE("several threads see every symbol", "[alphabet]") {
  std::string text((std::size_t{4} << 20) + 5, 'A');
  for (const std::size_t at : {std::size_t{0}, text.size() / 4 - 1, text.size() / 4,
                               text.size() / 2 + 17, text.size() - 1}) {
    CAPTURE(at);
    std::string other = text;
    other[at] = 'T';
    for (const bool first : {true, false}) {
      const auto code = first ? make_code(other, "C", Ambiguous::kSymbol, 4)
                              : make_code("C", other, Ambiguous::kSymbol, 4);
      CHECK(code.planes == 2);
      CHECK(code.a['T'] == 2);
    }
  }
}

TEST_CASE("codes are ranks, and planes are as few as they can be", "[seq][host]") {
  const auto dna = make_code("GATTACA", "CCC");
  CHECK(code_in(dna.a, 'A') == 0);
  CHECK(code_in(dna.a, 'C') == 1);
  CHECK(code_in(dna.a, 'G') == 2);
  CHECK(code_in(dna.a, 'T') == 3);
  CHECK(dna.planes == 2);
  CHECK(dna.matching == Matching::kEqual);
  CHECK(dna.same_tables());

  CHECK(make_code("", "").planes == 1);
  CHECK(make_code("A", "").planes == 1);
  CHECK(make_code("AT", "T").planes == 1);
  CHECK(make_code("AT", "G").planes == 2);
  CHECK(make_code("ACGTN", "").planes == 3);
  CHECK(make_code("ABCDEFGH", "I").planes == 4);
  CHECK(make_code(all_bytes(), "").planes == 8);
  CHECK(make_code(all_bytes().substr(0, 128), "").planes == 7);
  CHECK(make_code(all_bytes().substr(0, 128), "\x80").planes == 8);
}

TEST_CASE("the symbols of many texts", "[seq][host]") {
  test::Rng rng(test::seed());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> texts(1 + test::random_below(rng, 12));
    std::set<unsigned char> occurring;
    for (std::string& text : texts) {
      const auto size = static_cast<int>(1 + test::random_below(rng, 9));
      const auto first = static_cast<char>(test::random_below(rng, round % 2 ? 8 : 256));
      text = test::random_text(rng, test::random_below(rng, 150), size, first);
      occurring.insert(text.begin(), text.end());
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    CHECK(seq::symbols_in(views, 1) == std::string(occurring.begin(), occurring.end()));
  }
}

TEST_CASE("every symbol is found, wherever it stands", "[seq][host]") {
  test::Rng rng(test::seed());
  for (int round = 0; round < 300; ++round) {
    const auto size = static_cast<int>(1 + test::random_below(rng, round % 2 ? 12 : 200));
    auto text = test::random_text(rng, test::random_below(rng, 200), size, '\x01');
    if (!text.empty() && round % 3 == 0) text[test::random_below(rng, text.size())] = '\0';
    // As chromosomes begin with N, which may not come again.
    if (round % 4 == 0) text.insert(0, test::random_below(rng, 70), '\xfe');
    const std::set<unsigned char> occurring(text.begin(), text.end());
    const auto code = round % 5 ? make_code(text, "") : make_code("", text);
    int rank = 0;
    for (const unsigned char symbol : occurring) CHECK(code.a[symbol] == rank++);
    CHECK((1 << code.planes) >= rank);
    CHECK((code.planes == 1 || (1 << (code.planes - 1)) < rank));
  }
}

TEST_CASE("equal symbols match and others do not", "[seq][host]") {
  const auto bytes = all_bytes();
  const auto code = make_code(bytes, bytes);
  for (const char x : bytes)
    for (const char y : bytes)
      if (code.match(x, y) != (x == y)) FAIL("bytes " << int{x} << " and " << int{y});
}

TEST_CASE("ambiguous letters are the IUPAC ones", "[seq][host]") {
  std::string ambiguous;
  for (const char c : all_bytes())
    if (seq::is_ambiguous(c)) ambiguous += c;
  CHECK(ambiguous == "BDHKMNRSVWYbdhkmnrsvwy");
}

TEST_CASE("ambiguous letters match when their sets share a base", "[seq][host]") {
  const std::string letters = "ACGTURYSWKMBDHVN";
  const std::string sets[] = {"A",  "C",  "G",  "T",   "T",   "AG",  "CT",  "CG",
                              "AT", "GT", "AC", "CGT", "AGT", "ACT", "ACG", "ACGT"};
  std::string lower = letters;
  for (char& c : lower) c = static_cast<char>(c + ('a' - 'A'));
  const auto code = make_code(letters, lower, Ambiguous::kMatch);
  CHECK(code.planes == 4);
  CHECK(code.matching == Matching::kSets);
  CHECK(code_in(code.a, 'A') == 1);
  CHECK(code_in(code.a, 'C') == 2);
  CHECK(code_in(code.a, 'G') == 4);
  CHECK(code_in(code.a, 'U') == 8);
  CHECK(code_in(code.b, 'n') == 15);
  for (std::size_t i = 0; i < letters.size(); ++i)
    for (std::size_t j = 0; j < letters.size(); ++j) {
      const bool share = sets[i].find_first_of(sets[j]) != std::string::npos;
      CHECK(code.match(letters[i], lower[j]) == share);
    }
}

TEST_CASE("sets of single bases need no set matching", "[seq][host]") {
  const auto code = make_code("ACGTacgt", "UuT", Ambiguous::kMatch);
  CHECK(code.matching == Matching::kEqual);
  CHECK(code.planes == 2);
  CHECK(code.match('T', 'u'));
  CHECK(code.match('a', 'A'));
  CHECK_FALSE(code.match('A', 'C'));
}

TEST_CASE("sets have no meaning for other symbols", "[seq][host]") {
  CHECK_THROWS_AS(make_code("ACGT", "ACE", Ambiguous::kMatch), UsageError);
  CHECK_THROWS_WITH(make_code("ACGT", "ACE", Ambiguous::kMatch), contains("'E'"));
  CHECK_THROWS_WITH(make_code("AC\x07", "A", Ambiguous::kMatch), contains("byte 7"));
}

TEST_CASE("ambiguous letters may match nothing", "[seq][host]") {
  const std::string a = "ACGTNRn";
  const std::string b = "ACGTNY";
  const auto code = make_code(a, b, Ambiguous::kMismatch);
  CHECK(code.planes == 3);  // four bases, and one code for each side
  CHECK_FALSE(code.same_tables());
  for (const char x : a)
    for (const char y : b) CHECK(code.match(x, y) == (x == y && !seq::is_ambiguous(x)));

  const auto one_side = make_code("ACGN", "ACG", Ambiguous::kMismatch);
  CHECK(one_side.planes == 2);
  CHECK(one_side.same_tables());
  for (const char y : std::string("ACG")) CHECK_FALSE(one_side.match('N', y));
  const auto other_side = make_code("ACG", "ACGN", Ambiguous::kMismatch);
  CHECK(other_side.same_tables());
  for (const char x : std::string("ACG")) CHECK_FALSE(other_side.match(x, 'N'));

  CHECK(make_code("N", "N", Ambiguous::kMismatch).planes == 1);
  CHECK_FALSE(make_code("N", "N", Ambiguous::kMismatch).match('N', 'N'));
  CHECK(make_code("ACGT", "TTT", Ambiguous::kMismatch).planes == 2);
  CHECK(make_code(all_bytes(), all_bytes(), Ambiguous::kMismatch).planes == 8);
}

}  // namespace
}  // namespace rhomb::alphabet_tests
