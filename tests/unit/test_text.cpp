// SPDX-License-Identifier: Apache-2.0
// The program's reading of sizes, numbers and durations, and its writing of them.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "host/error.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tools/cli/text.h"

namespace rhomb::text_tests {

TEST_CASE("sizes are read with their units", "[text]") {
  CHECK(cli::parse_size("0", "x") == 0);
  CHECK(cli::parse_size("250", "x") == 250);
  CHECK(cli::parse_size("10k", "x") == 10'000);
  CHECK(cli::parse_size("10K", "x") == 10'000);
  CHECK(cli::parse_size("3M", "x") == 3'000'000);
  CHECK(cli::parse_size("3m", "x") == 3'000'000);
  CHECK(cli::parse_size("2G", "x") == 2'000'000'000);
  CHECK(cli::parse_size("1.5M", "x") == 1'500'000);
  CHECK(cli::parse_size("0.2k", "x") == 200);
  CHECK(cli::parse_size("0.001k", "x") == 1);
  CHECK(cli::parse_size("2.000000001G", "x") == 2'000'000'001);
  CHECK(cli::parse_size("007", "x") == 7);
}

TEST_CASE("what is not a size is refused by name", "[text]") {
  for (const std::string text :
       {"",    " ",   "k",    "-1",   "-1k",   "+1",    "1.5",     "0.0001k",
        "1e3", "10q", "10kk", "10 k", " 10",   "10 ",   "0x10",    "1,000",
        "1k5", "inf", "nan",  ".",    "1..5M", "-0.5k", "\xc2\xb5"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(cli::parse_size(text, "--memory"), UsageError);
    CHECK_THROWS_WITH(cli::parse_size(text, "--memory"),
                      test::contains("--memory: '" + text + "' is not"));
  }
  for (const std::string text :
       {"99999999999999999999", "9999999999G", "9223372036854775807k", "9000000000G"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(cli::parse_size(text, "--size"), test::contains("is too large"));
  }
  CHECK(cli::parse_size("8999999999G", "x") == 8'999'999'999'000'000'000);
}

TEST_CASE("random sizes come back as they were written", "[text]") {
  test::Rng rng(test::seed());
  for (int i = 0; i < 2000; ++i) {
    const auto whole = static_cast<std::int64_t>(test::random_below(rng, 1u << 30));
    const std::string digits = std::to_string(whole);
    CHECK(cli::parse_size(digits, "x") == whole);
    CHECK(cli::parse_size(digits + "k", "x") == whole * 1000);
    CHECK(cli::parse_size(digits + "M", "x") == whole * 1'000'000);
    CHECK(cli::parse_size(digits + "G", "x") == whole * 1'000'000'000);
    // As thousands with three digits after the point.
    const std::string after = std::to_string(1000 + whole % 1000).substr(1);
    CHECK(cli::parse_size(std::to_string(whole / 1000) + "." + after + "k", "x") == whole);
  }
}

TEST_CASE("random bytes are a size or a UsageError, never anything else", "[text]") {
  test::Rng rng(test::seed());
  constexpr std::string_view kSymbols = "0123456789.kKmMgG-+e x";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto left = test::random_below(rng, 24); left > 0; --left)
      text += kSymbols[test::random_below(rng, kSymbols.size())];
    CAPTURE(text);
    try {
      const auto size = cli::parse_size(text, "x");
      CHECK(size >= 0);
      CHECK(text.find_first_of("-+e x") == std::string::npos);
    } catch (const UsageError&) {
    }
  }
}

TEST_CASE("numbers and durations", "[text]") {
  CHECK(cli::parse_number("0.01", "x") == 0.01);
  CHECK(cli::parse_number("1e-3", "x") == 1e-3);
  for (const char* text : {"", "-1", "x", "1x", "nan", "inf", "1e999", " 1"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(cli::parse_number(text, "--divergence"), test::contains("--divergence: '"));
  }
  CHECK(cli::parse_duration("90", "x") == 90);
  CHECK(cli::parse_duration("90s", "x") == 90);
  CHECK(cli::parse_duration("5m", "x") == 300);
  CHECK(cli::parse_duration("1.5h", "x") == 5400);
  for (const char* text : {"", "s", "5 m", "5d", "-5m", "5mm"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(cli::parse_duration(text, "x"), UsageError);
  }
}

TEST_CASE("the word that was probably meant", "[text]") {
  const std::vector<std::string> verbs = {"distance", "search", "lcs", "devices"};
  CHECK(cli::nearest("distanse", verbs) == "distance");
  CHECK(cli::nearest("dist", verbs) == "distance");
  CHECK(cli::nearest("serach", verbs) == "search");
  CHECK(cli::nearest("lcd", verbs) == "lcs");
  CHECK(cli::nearest("banana", verbs).empty());
  CHECK(cli::did_you_mean("banana", verbs).empty());
  CHECK(cli::did_you_mean("devises", verbs) == " (did you mean 'devices'?)");
}

TEST_CASE("numbers are rounded as their exact value says, ties and what is beside them too",
          "[text]") {
  test::Rng rng(test::seed() + 31);
  for (int number = 0; number < 200'000; ++number) {
    const int digits = static_cast<int>(test::random_below(rng, 12));
    const double scale = std::pow(10.0, digits);
    double value = (static_cast<double>(test::random_below(rng, 10'000'000)) + 0.5) / scale;
    if (number % 3 == 1) value = std::nextafter(value, 0.0);
    if (number % 3 == 2) value = static_cast<double>(rng()) / 1e14;
    std::array<char, 64> exact;
    const auto end = std::to_chars(exact.data(), exact.data() + exact.size(), value,
                                   std::chars_format::fixed, digits)
                         .ptr;
    REQUIRE(cli::fixed(value, digits) == std::string(exact.data(), end));
  }
}

TEST_CASE("numbers for people", "[text]") {
  CHECK(cli::with_commas(0) == "0");
  CHECK(cli::with_commas(999) == "999");
  CHECK(cli::with_commas(1000) == "1,000");
  CHECK(cli::with_commas(-1234567) == "-1,234,567");
  CHECK(cli::human(17) == "17");
  CHECK(cli::human(999.6) == "1.00 k");
  CHECK(cli::human(812'000) == "812 k");
  CHECK(cli::human(3.25e9) == "3.25 G");
  CHECK(cli::human_bytes(139ull << 30) == "139 GiB");
  CHECK(cli::human_seconds(0.84) == "0.8 s");
  CHECK(cli::human_seconds(185) == "3 min 5 s");
  CHECK(cli::human_seconds(7800) == "2 h 10 min");
  CHECK(cli::human_seconds(std::numeric_limits<double>::infinity()) == "a long time");
  CHECK(cli::significant(0.0412345) == "0.0412345");
  CHECK(cli::significant(123456) == "123456");
  CHECK(cli::significant(0) == "0");
  CHECK(cli::field("a\tb\nc") == "a_b_c");
  CHECK(cli::field("") == "-");
  CHECK(cli::median({3, 1, 2}) == 2);
  CHECK(cli::median({4, 1, 2, 3}) == 2.5);
}

}  // namespace rhomb::text_tests
