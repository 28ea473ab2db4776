// SPDX-License-Identifier: Apache-2.0
// What the host knows of primers: the reference against all substrings, and what is computed there.
#include <algorithm>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/primer/internal.h"
#include "host/primer/self.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/primers.h"

namespace rhomb::test::primer_tests {
namespace {

/// The least distance of the window and any substring of any text, each of which is looked at.
std::uint32_t least_distance(const PrimerCase& one, std::uint32_t begin, std::uint32_t end) {
  const std::string_view window = std::string_view(one.alpha).substr(begin, end - begin);
  std::int64_t least = end - begin;
  for (const std::string& text : one.texts)
    for (std::size_t s = 0; s <= text.size(); ++s)
      for (std::size_t e = s; e <= text.size(); ++e)
        least = std::min(least, reference::edit_distance(
                                    window, std::string_view(text).substr(s, e - s), one.code));
  return static_cast<std::uint32_t>(least);
}

}  // namespace

TEST_CASE("the paper's example, seen by eye", "[primer]") {
  PrimerCase one;
  one.alpha = "ACTG";
  one.texts = {"AGCAAG"};
  one.k = 2;
  one.code = seq::make_code("ACGT", "");
  CHECK(primer::solve(nullptr, primer::reference_variant(), one.problem()).ends ==
        std::vector<std::uint32_t>{3, 4, primer::kNone, primer::kNone});
}

TEST_CASE("the reference is what all substrings say", "[primer]") {
  Rng rng(seed());
  for (int i = 0; i < 600; ++i) {
    const PrimerCase one = random_primers(rng, 9, 7, 5);
    INFO(shown(one));
    const auto ends = primer::solve(nullptr, primer::reference_variant(), one.problem()).ends;
    REQUIRE(ends.size() == one.alpha.size());
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    for (std::uint32_t j = 0; j < m; ++j) {
      std::uint32_t expected = primer::kNone;
      for (std::uint32_t x = j + 1; x <= m && expected == primer::kNone; ++x)
        if (least_distance(one, j, x) >= one.k) expected = x;
      CHECK(ends[j] == expected);
      if (j > 0) CHECK(ends[j] >= ends[j - 1]);
    }
  }
}

TEST_CASE("lengths and ends that are asked for", "[primer]") {
  PrimerCase one;
  one.alpha = "ACTGACTG";
  one.texts = {"AGCAAG"};
  one.k = 2;
  one.code = seq::make_code("ACGT", "");
  const auto solved = [&](const primer::Problem& problem) {
    return primer::solve(nullptr, primer::reference_variant(), problem).ends;
  };
  constexpr auto kNo = primer::kNone;
  using List = std::vector<std::uint32_t>;
  CHECK(solved(one.problem()) == List{3, 4, 5, 7, 7, 8, kNo, kNo});
  auto problem = one.problem();
  problem.shortest = 4;
  CHECK(solved(problem) == List{4, 5, 6, 7, 8, kNo, kNo, kNo});
  problem = one.problem();
  problem.longest = 3;
  CHECK(solved(problem) == List{3, 4, 5, kNo, 7, 8, kNo, kNo});
  problem = one.problem();
  const List least = {5, 0, kNo, 6, 8, 8, 8, 8};
  problem.least = least;
  CHECK(solved(problem) == List{5, 4, kNo, 7, 8, 8, kNo, kNo});
  problem.first = 3;
  problem.last = 5;
  problem.least = {};
  CHECK(solved(problem) == List{7, 7});
}

TEST_CASE("a symbol does not match itself", "[primer]") {
  PrimerCase one;
  one.alpha = "ACGTTGCA";
  one.code = seq::make_code("ACGT", "");
  one.texts = {"CC" + one.alpha + "GG"};
  one.k = 1;
  CHECK(primer::solve(nullptr, primer::reference_variant(), one.problem()).ends ==
        std::vector<std::uint32_t>(8, primer::kNone));
  one.self = primer::Self{0, 2};
  const auto ends = primer::solve(nullptr, primer::reference_variant(), one.problem()).ends;
  CHECK(ends == std::vector<std::uint32_t>{2, 3, 4, 5, 6, 7, primer::kNone, primer::kNone});
}

TEST_CASE("wrong problems", "[primer]") {
  PrimerCase one;
  one.alpha = "ACGT";
  one.texts = {"ACG"};
  one.k = 1;
  const auto check = [&](auto change) {
    auto problem = one.problem();
    change(problem);
    CHECK_THROWS_AS(primer::solve(nullptr, primer::reference_variant(), problem), UsageError);
  };
  check([](primer::Problem& problem) { problem.k = 0; });
  check([](primer::Problem& problem) { problem.last = 5; });
  check([](primer::Problem& problem) { problem.self = primer::Self{0, 0}; });
  check([](primer::Problem& problem) { problem.self = primer::Self{1, 0}; });
  CHECK_THROWS_AS(primer::solve(nullptr, primer::reference_variant(), one.problem(),
                                tune::Config::parse("WG=64")),
                  UsageError);
  for (const auto& variant : primer::variants())
    if (variant.uses_opencl())
      CHECK_THROWS_AS(primer::solve(nullptr, variant, one.problem()), UsageError);
}

TEST_CASE("plans of all variants on invented devices", "[primer]") {
  PrimerCase one;
  one.alpha = "ACGT";
  one.texts = {"ACG"};
  for (const std::uint32_t k : {1u, 5u, 300u})
    for (const bool gpu : {false, true}) {
      one.k = k;
      ocl::Limits limits;
      limits.gpu = gpu;
      limits.vector_ints = gpu ? 1 : 16;
      for (const auto& variant : primer::variants()) {
        const auto plan = primer::plan(variant, one.problem(), limits);
        CHECK(plan.variant == variant.name);
        for (const auto& param : variant.space) CHECK(plan.config.has(param.name));
      }
      CHECK_THROWS_AS(primer::plan(primer::cores_variant(), one.problem(), limits,
                                   tune::Config::parse("BLOCK=0")),
                      tune::Unfit);
      CHECK_THROWS_AS(primer::plan(primer::alternative_variant(), one.problem(), limits,
                                   tune::Config::parse("TILE=0,NEAR=2")),
                      tune::Unfit);
      CHECK_THROWS_AS(primer::plan(primer::conventional_variant(), one.problem(), limits,
                                   tune::Config::parse("WG=100000")),
                      tune::Unfit);
    }
}

TEST_CASE("nearest ends by bit vectors are those of the matrix", "[primer]") {
  Rng rng(seed());
  for (int i = 0; i < 3000; ++i) {
    PrimerCase one = random_primers(rng, i % 10 == 0 ? 200 : 20, i % 10 == 0 ? 300 : 40, 8);
    if (i % 2 == 0) one.include_alpha(rng);
    const auto problem = one.problem();
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    const auto begin = static_cast<std::uint32_t>(random_below(rng, m));
    const auto end = begin + 1 + static_cast<std::uint32_t>(random_below(rng, m - begin));
    const auto text = static_cast<std::uint32_t>(random_below(rng, one.texts.size()));
    const auto n = static_cast<std::uint32_t>(one.texts[text].size());
    const auto from = static_cast<std::uint32_t>(random_below(rng, n + 1));
    const auto to = from + static_cast<std::uint32_t>(random_below(rng, n - from + 1));
    const auto skip = static_cast<std::uint32_t>(random_below(rng, 2) * 32);
    INFO(shown(one) << " window " << begin << ".." << end << " text " << text << " " << from << ".."
                    << to);
    std::vector<std::uint32_t> column(end - begin + 1);
    for (std::uint32_t r = 0; r < column.size(); ++r) column[r] = r;
    primer::Near expected{primer::kNone, 0};
    if (skip == 0) expected = {end - begin, from};
    for (std::uint32_t c = from; c < to; ++c) {
      std::uint32_t corner = 0;
      for (std::uint32_t r = 1; r < column.size(); ++r) {
        const std::uint32_t across =
            corner + (primer::matches(problem, begin + r - 1, text, c) ? 0 : 1);
        corner = column[r];
        column[r] = std::min({across, corner + 1, column[r - 1] + 1});
      }
      if (c + 1 - from >= skip && column.back() < expected.distance)
        expected = {column.back(), c + 1};
    }
    const auto found = primer::nearest_end(problem, {begin, end, text, from, to, skip});
    CHECK(found.distance == expected.distance);
    if (expected.distance != primer::kNone) CHECK(found.end == expected.end);
  }
}

TEST_CASE("the longest near prefix along all diagonals is that of the matrix", "[primer]") {
  Rng rng(seed());
  for (int i = 0; i < 2000; ++i) {
    PrimerCase one = random_primers(rng, 30, 40, 8);
    one.texts.resize(1);
    if (i % 2 == 0) one.include_alpha(rng);
    auto problem = one.problem();
    const auto ends = primer::solve(nullptr, primer::reference_variant(), problem).ends;
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    INFO(shown(one));
    for (std::uint32_t j = 0; j < m; ++j) {
      std::uint32_t longest = 0;
      for (std::uint32_t t = 0; t < one.texts.size(); ++t)
        longest = std::max(longest, primer::longest_near(problem, j, m - j, t, -1000000, 1000000));
      CHECK(primer::end_for(problem, j, longest + 1) == ends[j]);
    }
  }
}

TEST_CASE("nearest sites and distances on the host", "[primer]") {
  Rng rng(seed());
  for (int i = 0; i < 500; ++i) {
    PrimerCase one = random_primers(rng, 14, 20, 4);
    if (i % 2 == 0) one.include_alpha(rng);
    INFO(shown(one));
    const auto problem = one.problem();
    const auto m = static_cast<std::uint32_t>(one.alpha.size());
    const auto length = 1 + static_cast<std::uint32_t>(random_below(rng, m));
    std::vector<primer::Window> windows;
    for (std::uint32_t j = 0; j + length <= m; ++j) windows.push_back({j, j + length});
    const auto found = primer::distances(nullptr, problem, length).ends;
    REQUIRE(found.size() == windows.size());
    const auto sites = primer::nearest_sites(nullptr, problem, windows);
    REQUIRE(sites.size() == windows.size());
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (!one.self) CHECK(found[w] == least_distance(one, windows[w].begin, windows[w].end));
      CHECK(sites[w].distance == found[w]);
      check_site(problem, windows[w], sites[w]);
    }
  }
}

}  // namespace rhomb::test::primer_tests
