// SPDX-License-Identifier: Apache-2.0
// The wavefronts that the host computes, against the reference and edlib: eight diagonals at a time
// and the rest, before and after the wavefronts have gone too far, in one thread and in two.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/distance/close.h"
#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"
#include "tests/support/random.h"

namespace rhomb::wfa_host_tests {
namespace {

using test::random_below;
using test::random_text;
using test::shown;

std::optional<std::int64_t> solve(std::string_view a, std::string_view b, const seq::Code& code,
                                  std::optional<std::int64_t> most = {}, std::size_t threads = 1) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  problem.max_distance = most;
  problem.threads = threads;
  return wfa::solve(nullptr, find_variant(wfa::variants(), wfa::kHost), problem).distance;
}

void check_bounds(const std::string& a, const std::string& b, const seq::Code& code,
                  std::int64_t distance) {
  CAPTURE(test::seed(), shown(a), shown(b), code.planes);
  CHECK(solve(a, b, code) == distance);
  CHECK(solve(a, b, code, distance) == distance);
  CHECK(solve(a, b, code, distance + 1) == distance);
  if (distance > 0) CHECK(solve(a, b, code, distance - 1) == std::nullopt);
  if (distance > 1) CHECK(solve(a, b, code, distance / 2) == std::nullopt);
}

TEST_CASE("the host's wavefronts have the distance of the reference", "[wfa]") {
  test::Rng rng(test::seed());
  for (const int alphabet : {1, 2, 4, 20, 256})
    for (std::size_t m = 0; m < 70; ++m)
      test::each_pair_about(rng, m, alphabet, [&](const std::string& a, const std::string& b) {
        const auto code = seq::make_code(a, b);
        check_bounds(a, b, code, reference::edit_distance(a, b, code));
      });
}

TEST_CASE("the host's wavefronts know sets of bases, and symbols that match nothing", "[wfa]") {
  test::Rng rng(test::seed());
  for (std::size_t round = 0; round < 600; ++round) {
    const std::size_t m = random_below(rng, 200);
    const std::string text = random_text(rng, m, 4);
    const std::string a = test::as_nucleotides(rng, text, 5);
    const std::string b = test::as_nucleotides(rng, test::mutate(rng, text, 0.1, 4), 5);
    for (const auto ambiguous :
         {seq::Ambiguous::kSymbol, seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch}) {
      const auto code = seq::make_code(a, b, ambiguous);
      check_bounds(a, b, code, reference::edit_distance(a, b, code));
    }
  }
}

TEST_CASE("cheapest paths along the outermost diagonals of the host's wavefronts", "[wfa]") {
  test::Rng rng(test::seed());
  for (std::size_t gap = 1; gap < 2000; gap += 1 + random_below(rng, 1 + gap / 16)) {
    const std::string text = random_text(rng, random_below(rng, 3 * gap + 20), 4);
    const std::string more = random_text(rng, gap, 4);
    const auto code = seq::make_code("ABCD", "");
    const auto apart = static_cast<std::int64_t>(gap);
    CAPTURE(test::seed(), gap, text.size());
    CHECK(solve(text, more + text, code) == apart);
    CHECK(solve(text + more, text, code) == apart);
    // A block moved from one end to the other: two gaps, unless other edits cost less.
    const std::string moved = more + text, from = text + more;
    CHECK(solve(moved, from, code) ==
          reference::edit_distance_within(moved, from, code, 2 * apart));
    CHECK(solve(from, moved, code) == solve(moved, from, code));
  }
}

#ifdef RHOMB_HAVE_EDLIB
TEST_CASE("the host's wavefronts in one thread and in two have the distance of edlib", "[wfa]") {
  test::Rng rng(test::seed());
  // From about 3,000 on there is work for two threads at a time.
  for (const auto& [length, rate] : std::vector<std::pair<std::size_t, double>>{
           {1000, 0.9}, {3000, 0.3}, {20'000, 0.02}, {20'000, 0.4}, {60'000, 0.1}}) {
    std::string a = random_text(rng, length, 4), b = test::mutate(rng, a, rate, 4);
    if (random_below(rng, 2) == 0) b.erase(random_below(rng, length / 2), length / 7);
    if (random_below(rng, 2) == 0) a.swap(b);
    const auto code = seq::make_code(a, b);
    const std::int64_t distance = test::edlib_distance(a, b);
    CAPTURE(test::seed(), length, rate, distance);
    for (const std::size_t threads : {1u, 2u}) {
      CHECK(solve(a, b, code, {}, threads) == distance);
      CHECK(solve(a, b, code, distance, threads) == distance);
      CHECK(solve(a, b, code, distance - 1, threads) == std::nullopt);
    }
  }
}
#endif

TEST_CASE("the host is asked where texts are close, and nothing needs a device", "[wfa]") {
  test::Rng rng(test::seed());
  const std::string a = random_text(rng, 200'000, 4);
  const std::string close = test::mutate(rng, a, 0.01, 4), far = test::mutate(rng, a, 0.2, 4);
  const std::string near = test::mutate(rng, a, 0.05, 4);
  const auto way = [](std::string_view x, std::string_view y, const DistanceOptions& options = {}) {
    const auto found = host_way(x, y, options);
    return found ? found->variant : "none";
  };
  CHECK(way(a, close) == wfa::kHost);
  CHECK(way(a, near) == corridor::kHostCorridor);
  CHECK(way(a, far) == "none");
  CHECK(way(a, a.substr(0, 150'000)) == "none");
  CHECK(way("ACGT", "ACG") == "none");  // the reference answers that
  CHECK(way(a.substr(0, 5000), random_text(rng, 5000, 4)) == wfa::kHost);
  DistanceOptions limited, sets;
  limited.max_distance = 100'000;
  CHECK(way(a, near, limited) == wfa::kHost);
  sets.ambiguous = seq::Ambiguous::kMatch;
  CHECK(way(a, near, sets) == wfa::kHost);
  for (const auto& change : std::vector<void (*)(DistanceOptions&)>{
           [](DistanceOptions& o) { o.check = true; },
           [](DistanceOptions& o) { o.engine = "wavefront"; },
           [](DistanceOptions& o) { o.variant = "fused"; },
           [](DistanceOptions& o) { o.keeping.folder = "saved"; }}) {
    DistanceOptions asked;
    change(asked);
    CHECK(way(a, close, asked) == "none");
  }
  const auto found = distance_if_close(a, near, {});
  REQUIRE(found);
  CHECK(found->variant == corridor::kHostCorridor);
  CHECK(found->device == "host");
  CHECK(found->distance == solve(a, near, seq::make_code(a, near), {}, 2));
}

#ifdef RHOMB_HAVE_EDLIB
TEST_CASE("what the host does not find within its limit is not an answer", "[wfa]") {
  test::Rng rng(test::seed());
  // What differs lies between words that both have, so the sketch sees little of it.
  std::string a, b;
  while (a.size() < 90'000) {
    const std::string same = random_text(rng, 250, 4);
    a += same + random_text(rng, 160, 4);
    b += same + random_text(rng, 160, 4);
  }
  std::vector<std::optional<std::int64_t>> limits;
  const auto solve_it = [&](std::optional<std::int64_t> most) {
    DistanceOptions options;
    options.max_distance = most;
    return solve_by_host(options, *host_way(a, b, options), [&](const DistanceOptions& asked) {
      limits.push_back(asked.max_distance);
      return distance(nullptr, a, b, asked);
    });
  };
  REQUIRE(test::edlib_distance(a, b) > 16'000);
  REQUIRE(host_way(a, b, DistanceOptions{}));
  CHECK_FALSE(solve_it({}).has_value());
  CHECK_FALSE(solve_it(13'000).has_value());
  const auto within = solve_it(6000);
  REQUIRE(within.has_value());
  CHECK(within->distance == std::nullopt);
  CHECK(within->variant == wfa::kHost);
  CHECK(within->device == "host");
  CHECK(limits == std::vector<std::optional<std::int64_t>>{12'000, 12'000, 6000});
}
#endif

}  // namespace
}  // namespace rhomb::wfa_host_tests
