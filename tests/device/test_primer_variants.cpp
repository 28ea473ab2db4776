// SPDX-License-Identifier: Apache-2.0
// Every variant of the primer table against the reference.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "host/primer/self.h"
#include "tests/support/catch.h"
#include "tests/support/primers.h"

namespace rhomb::test::primer_variants_tests {
namespace {

/// Solves by `variant` and compares; how many cases were wrong, the first few told.
struct Checked {
  int wrong = 0, tried = 0;

  void check(const primer::Variant& variant, const tune::Config& config, const PrimerCase& one,
             const primer::Problem& problem, const std::vector<std::uint32_t>& expected) {
    const auto got = primer::solve(&device(), variant, problem, config).ends;
    ++tried;
    if (got == expected || ++wrong > 3) return;
    std::cerr << variant.name << " " << config.text() << ": " << shown(one) << "\n  got";
    for (const auto end : got) std::cerr << ' ' << end;
    std::cerr << "\n  not";
    for (const auto end : expected) std::cerr << ' ' << end;
    std::cerr << '\n';
  }
};

const char* const kWays[][2] = {
    {"cores", ""},
    {"cores", "BLOCK=3,PROBES=1"},
    {"cores", "BLOCK=16,PROBES=8"},
    {"dense", ""},
    {"conventional", "WG=32"},
    {"conventional", "WG=32,STOP=0,REDUCE=0,NEAR=0"},
    {"conventional", "WG=32,TILE=0,STOP=0,REDUCE=0,NEAR=0"},
    {"alternative", "WG=32"},
    {"alternative", "WG=32,STOP=1,REDUCE=0,NEAR=1,COUNT=1"},
    {"alternative", "WG=32,TILE=0,STOP=1,NEAR=0"},
};

}  // namespace

TEST_CASE("small primers are those of the reference", "[primer][device]") {
  const std::uint64_t seed = rhomb::test::seed();
  Rng rng(seed);
  std::vector<Checked> checked(std::size(kWays));
  for (int i = 0; i < 1100; ++i) {
    PrimerCase one = random_primers(rng, i % 8 == 0 ? 90 : 24, i % 8 == 0 ? 140 : 40, 8);
    if (i % 4 == 1) one.include_alpha(rng);
    auto problem = one.problem();
    if (i % 5 == 2) problem.longest = 4 + static_cast<std::uint32_t>(random_below(rng, 20));
    if (i % 7 == 3) problem.shortest = static_cast<std::uint32_t>(random_below(rng, 20));
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    if (i % 6 == 4) {
      problem.first = static_cast<std::uint32_t>(random_below(rng, m));
      problem.last =
          problem.first + static_cast<std::uint32_t>(random_below(rng, m - problem.first + 1));
    }
    const auto expected = primer::solve(nullptr, primer::reference_variant(), problem).ends;
    // What is known of other texts is what they themselves ask for.
    std::vector<std::uint32_t> known;
    if (i % 9 == 5 && one.texts.size() > 1 && !one.self) {
      auto of_first = problem;
      of_first.texts = problem.texts.first(1);
      known = primer::solve(nullptr, primer::reference_variant(), of_first).ends;
      problem.texts = problem.texts.subspan(1);
      problem.least = known;
    }
    for (std::size_t way = 0; way < std::size(kWays); ++way)
      checked[way].check(find_variant(primer::variants(), kWays[way][0]),
                         tune::Config::parse(kWays[way][1]), one, problem, expected);
  }
  int tried = 0;
  for (std::size_t way = 0; way < std::size(kWays); ++way) {
    INFO(kWays[way][0] << " " << kWays[way][1] << ", seed " << seed);
    CHECK(checked[way].wrong == 0);
    tried += checked[way].tried;
  }
  CHECK(tried >= 10'000);
}

namespace {

/// The ends by furthest rows on all diagonals, which the tests of the host compare with the
/// reference; that would take too long here.
std::vector<std::uint32_t> expected_ends(const primer::Problem& problem) {
  std::vector<std::uint32_t> ends;
  for (std::uint32_t j = problem.first; j < problem.last; ++j) {
    std::uint32_t longest = 0;
    for (std::uint32_t text = 0; text < problem.texts.size(); ++text)
      longest = std::max(longest, primer::longest_near(problem, j, primer::limit_of(problem, j),
                                                       text, -(1 << 30), 1 << 30));
    ends.push_back(primer::end_for(problem, j, longest + 1));
  }
  return ends;
}

/// Alpha with texts that have copies of its parts, near and far, some of them often.
PrimerCase related_primers(Rng& rng, std::size_t m, std::size_t n, std::uint32_t k) {
  PrimerCase one;
  one.alpha = random_text(rng, m, 4);
  const std::string repeat = random_text(rng, 150, 4);
  for (int i = 0; i < 2; ++i)
    one.alpha.insert(random_below(rng, one.alpha.size()), mutate(rng, repeat, 0.05, 4));
  one.k = k;
  for (std::size_t length : {n, n / 3, std::size_t{40}}) {
    std::string text = random_text(rng, length, 4);
    for (std::size_t i = 0; i < length / 2000; ++i) {
      std::string part = repeat;
      if (i % 3 == 0) {
        const std::size_t begin = random_below(rng, one.alpha.size());
        part = one.alpha.substr(begin, 30 + random_below(rng, one.alpha.size()));
      }
      text.insert(random_below(rng, text.size()),
                  mutate(rng, part, 0.01 * static_cast<double>(random_below(rng, 25)), 4));
    }
    one.texts.push_back(std::move(text));
  }
  return one;
}

}  // namespace

TEST_CASE("cores and dense in texts that they narrow", "[primer][device]") {
  const std::uint64_t seed = rhomb::test::seed();
  Rng rng(seed);
  for (const std::uint32_t k : {1u, 2u, 3u, 6u, 12u, 20u, 40u}) {
    PrimerCase one = related_primers(rng, 250, 8'000, k);
    if (k % 3 == 0) one.include_alpha(rng);
    auto problem = one.problem();
    if (k == 12) problem.longest = 60;
    const auto expected = expected_ends(problem);
    for (const char* const config : {"", "BLOCK=1,PROBES=1", "BLOCK=5,PROBES=3", "BLOCK=24"}) {
      INFO("k " << k << ", " << config << ", seed " << seed);
      const auto got =
          primer::solve(&device(), primer::cores_variant(), problem, tune::Config::parse(config));
      CHECK(got.ends == expected);
    }
    INFO("k " << k << ", seed " << seed);
    CHECK(primer::solve(&device(), primer::dense_variant(), problem).ends == expected);
  }
}

TEST_CASE("cores where long repeats are near everywhere", "[primer][device]") {
  const std::uint64_t seed = rhomb::test::seed();
  Rng rng(seed);
  for (const std::uint32_t k : {3u, 20u}) {
    // Wherever one ends another one is near, so no region with ends becomes small.
    PrimerCase one;
    const std::string unit = random_text(rng, 7, 4);
    std::string repeat;
    while (repeat.size() < 15'000) repeat += unit;
    one.alpha = random_text(rng, 60, 4) + mutate(rng, repeat.substr(0, 300), 0.02, 4) +
                random_text(rng, 60, 4);
    one.k = k;
    one.texts = {random_text(rng, 6000, 4) + mutate(rng, repeat, 0.01, 4) +
                 random_text(rng, 5000, 4)};
    const auto problem = one.problem();
    INFO("k " << k << ", seed " << seed);
    CHECK(primer::solve(&device(), primer::cores_variant(), problem).ends ==
          expected_ends(problem));
  }
}

TEST_CASE("many starts in long texts", "[primer][device]") {
  const std::uint64_t seed = rhomb::test::seed() + 1;
  Rng rng(seed);
  for (const std::uint32_t k : {5u, 30u}) {
    const PrimerCase one = related_primers(rng, 2500, 150'000, k);
    auto problem = one.problem();
    const auto got = primer::solve(&device(), primer::cores_variant(), problem);
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    // Each start's window in all texts once.
    double dense = 0;
    for (std::uint32_t j = 0; j < m; ++j)
      dense += (std::min(got.ends[j], m) - j) * primer::symbols_of(problem);
    CHECK(got.cells < 0.8 * dense);
    for (int i = 0; i < 30; ++i) {
      problem.first = static_cast<std::uint32_t>(random_below(rng, m));
      problem.last = problem.first + 1;
      INFO("k " << k << ", start " << problem.first << ", seed " << seed);
      CHECK(got.ends[problem.first] == expected_ends(problem).front());
    }
  }
}

TEST_CASE("distances and nearest sites on a device are those of the host", "[primer][device]") {
  const std::uint64_t seed = rhomb::test::seed();
  Rng rng(seed);
  for (int i = 0; i < 12; ++i) {
    PrimerCase one = related_primers(rng, 120, i % 3 == 0 ? 300 : 9000, 1);
    if (i % 2 == 0) one.include_alpha(rng);
    const auto problem = one.problem();
    const auto length = 1 + static_cast<std::uint32_t>(random_below(rng, 60));
    INFO("windows of " << length << ", seed " << seed << ", case " << i);
    CHECK(primer::distances(&device(), problem, length).ends ==
          primer::distances(nullptr, problem, length).ends);
    std::vector<primer::Window> windows;
    for (std::uint32_t j = 0; j + length <= one.alpha.size(); j += 7)
      windows.push_back({j, j + length});
    const auto got = primer::nearest_sites(&device(), problem, windows);
    const auto expected = primer::nearest_sites(nullptr, problem, windows);
    REQUIRE(got.size() == windows.size());
    for (std::size_t w = 0; w < windows.size(); ++w) {
      CHECK(got[w].distance == expected[w].distance);
      CHECK(got[w].text == expected[w].text);
      CHECK(got[w].begin == expected[w].begin);
      CHECK(got[w].end == expected[w].end);
      CHECK(got[w].cigar == expected[w].cigar);
      check_site(problem, windows[w], got[w]);
    }
  }
}

}  // namespace rhomb::test::primer_variants_tests
