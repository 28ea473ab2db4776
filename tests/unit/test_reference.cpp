// SPDX-License-Identifier: Apache-2.0
// The reference against known cases, a recursion written straight from the definition of the
// distance, itself (banded or not), and edlib.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

#ifdef RHOMB_HAVE_EDLIB
#include <edlib.h>
#endif

namespace rhomb::reference_tests {
namespace {

using reference::edit_distance;
using reference::edit_distance_within;
using seq::Ambiguous;
using seq::make_code;

// Distance of the suffixes a[i..] and b[j..]: every way to start, remembered.
class Recursion {
 public:
  Recursion(const std::string& a, const std::string& b, const seq::Code& code)
      : a_(a), b_(b), code_(code) {}

  std::int64_t from(std::size_t i, std::size_t j) {
    if (i == a_.size()) return static_cast<std::int64_t>(b_.size() - j);
    if (j == b_.size()) return static_cast<std::int64_t>(a_.size() - i);
    if (const auto known = known_.find({i, j}); known != known_.end()) return known->second;
    const std::int64_t both = from(i + 1, j + 1) + (code_.match(a_[i], b_[j]) ? 0 : 1);
    const auto answer = std::min({both, from(i + 1, j) + 1, from(i, j + 1) + 1});
    return known_[{i, j}] = answer;
  }

 private:
  const std::string& a_;
  const std::string& b_;
  const seq::Code& code_;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> known_;
};

TEST_CASE("distances known by hand", "[reference][host]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("saturday", "sunday") == 3);
  CHECK(edit_distance("intention", "execution") == 5);
  CHECK(edit_distance("ab", "ba") == 2);
  CHECK(edit_distance("AAAA", "TTTT") == 4);
  CHECK(edit_distance("Aa", "aA") == 2);
  CHECK(edit_distance(std::string(1000, 'A'), std::string(1, 'A')) == 999);
  CHECK(edit_distance(std::string("\0\xff", 2), std::string("\xff\0", 2)) == 2);
}

TEST_CASE("ambiguous letters count as the code says", "[reference][host]") {
  const std::string a = "ACNT";
  const std::string b = "ANGT";
  CHECK(edit_distance(a, b, make_code(a, b)) == 2);
  CHECK(edit_distance(a, b, make_code(a, b, Ambiguous::kMatch)) == 0);
  CHECK(edit_distance(a, b, make_code(a, b, Ambiguous::kMismatch)) == 2);
  CHECK(edit_distance(a, a, make_code(a, a, Ambiguous::kMismatch)) == 1);
  CHECK(edit_distance("RRA", "YC", make_code("RRA", "YC", Ambiguous::kMatch)) == 3);
}

TEST_CASE("all pairs of short texts agree with the recursion", "[reference][host]") {
  std::vector<std::string> texts = {""};
  for (std::size_t first = 0, length = 1; length <= 4; ++length) {
    const auto last = texts.size();
    for (; first < last; ++first)
      for (const char c : {'A', 'C', 'N'}) texts.push_back(texts[first] + c);
  }
  for (const auto ambiguous : {Ambiguous::kSymbol, Ambiguous::kMatch, Ambiguous::kMismatch})
    for (const auto& a : texts)
      for (const auto& b : texts) {
        const auto code = make_code(a, b, ambiguous);
        const auto expected = Recursion(a, b, code).from(0, 0);
        bool right = edit_distance(a, b, code) == expected;
        for (std::int64_t bound = -1; bound <= 5; ++bound) {
          const auto within = edit_distance_within(a, b, code, bound);
          right = right && within == (bound < expected ? std::nullopt : std::optional(expected));
        }
        if (!right) FAIL("'" << a << "' and '" << b << "', mode " << static_cast<int>(ambiguous));
      }
}

TEST_CASE("random pairs agree with the recursion, and bounded with unbounded",
          "[reference][host]") {
  test::Rng rng(test::seed());
  for (int round = 0; round < 150; ++round) {
    const auto alphabet = static_cast<int>(1 + test::random_below(rng, 6));
    const auto a = test::random_text(rng, test::random_below(rng, 60), alphabet);
    const auto b = round % 2 ? test::mutate(rng, a, 0.2, alphabet)
                             : test::random_text(rng, test::random_below(rng, 60), alphabet);
    const auto code = make_code(a, b);
    const auto expected = Recursion(a, b, code).from(0, 0);
    INFO("'" << a << "' and '" << b << "'");
    CHECK(edit_distance(a, b, code) == expected);
    CHECK(edit_distance(a, b) == expected);
    for (std::int64_t bound = 0; bound < 130; ++bound) {
      const auto within = edit_distance_within(a, b, code, bound);
      if (within != (bound < expected ? std::nullopt : std::optional(expected)))
        FAIL("bound " << bound << " distance " << expected);
    }
  }
}

TEST_CASE("longer pairs: bounded and unbounded agree", "[reference][host]") {
  test::Rng rng(test::seed() + 1);
  for (const double rate : {0.0, 0.01, 0.1, 0.5}) {
    const auto a = test::random_text(rng, 2000 + test::random_below(rng, 500), 4);
    const auto b = test::mutate(rng, a, rate, 4);
    const auto code = make_code(a, b);
    const auto distance = edit_distance(a, b, code);
    CHECK(edit_distance_within(a, b, code, distance) == distance);
    CHECK(edit_distance_within(b, a, code, distance) == distance);
    CHECK(edit_distance_within(a, b, code, 1'000'000'000'000) == distance);
    CHECK(edit_distance_within(a, b, code, distance - 1) == std::nullopt);
  }
}

TEST_CASE("progress is told and never decreases", "[reference][host]") {
  const std::string a(20000, 'A');
  const std::string b(10000, 'C');
  std::vector<double> parts;
  const auto code = make_code(a, b);
  CHECK(edit_distance(a, b, code, [&](double part) { parts.push_back(part); }) == 20000);
  CHECK(!parts.empty());
  CHECK(std::is_sorted(parts.begin(), parts.end()));
  for (const double part : parts) CHECK((part > 0 && part <= 1));
}

#ifdef RHOMB_HAVE_EDLIB
TEST_CASE("the reference agrees with edlib", "[reference][host]") {
  test::Rng rng(test::seed() + 2);
  for (int round = 0; round < 200; ++round) {
    const auto alphabet = static_cast<int>(1 + test::random_below(rng, 20));
    const auto a = test::random_text(rng, test::random_below(rng, 700), alphabet);
    const auto b = round % 3 ? test::mutate(rng, a, 0.15, alphabet)
                             : test::random_text(rng, test::random_below(rng, 700), alphabet);
    if (a.empty() || b.empty()) continue;  // edlib has no empty texts
    const auto result =
        edlibAlign(a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()),
                   edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, nullptr, 0));
    const int expected = result.editDistance;
    edlibFreeAlignResult(result);
    CHECK(edit_distance(a, b) == expected);
  }
}
#endif

}  // namespace
}  // namespace rhomb::reference_tests
