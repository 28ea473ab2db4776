// SPDX-License-Identifier: Apache-2.0
// Long matches between few differences, on one diagonal or on many at a time, where the kernels
// leave the windows of 32 symbols and walk: alone, as a team, as a group (cl/wfa/extend.h, walk.h).
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"

namespace rhomb::wfa_matches_tests {
namespace {

using test::Pair;
using test::shown;

/// A row in one configuration, and how far its groups come in one round of a walk.
struct Way {
  const wfa::Variant* row;
  tune::Config config;
  std::size_t round = 64;
};

const std::vector<Way>& ways() {
  static const auto all = [] {
    std::vector<Way> found;
    const auto& fused = find_variant(wfa::variants(), "fused");
    for (const char* shape :
         {"WG=2,DIAGS=2,STEPS=1", "WG=3,DIAGS=5,STEPS=7,BATCH=2", "WG=4,DIAGS=8,STEPS=15,BATCH=1",
          "WG=7,DIAGS=3,STEPS=4", "WG=8,DIAGS=1,STEPS=3", "WG=16,DIAGS=6,STEPS=20,BATCH=3",
          "WG=32,DIAGS=2,STEPS=8", "WG=64,DIAGS=1,STEPS=31", "WG=64,DIAGS=4,STEPS=16,BATCH=1"})
      for (const char* walk : {"0", "1"}) {
        const auto config = tune::Config::parse(std::string("VEC=1,WALK=") + walk + "," + shape);
        // PoCL 3.1 compiles groups of one or two by another method, and then walks never end.
        if (config.get("WALK", 0) == 1 && config.get("WG", 1) < 3) continue;
        found.push_back({&fused, config, 64 * static_cast<std::size_t>(config.get("WG", 1))});
      }
    found.push_back({&fused, {}});
    for (const char* name : {"group", "diamond"})
      for (const char* config : {"T=1", "T=3,BATCH=7", "T=16", "T=63"})
        found.push_back({&find_variant(wfa::variants(), name), tune::Config::parse(config)});
    return found;
  }();
  return all;
}

void check(const Way& way, const Pair& pair, std::int64_t distance) {
  static const auto code = test::whole_code(4);
  for (const auto most :
       {std::optional<std::int64_t>(), std::optional(distance), std::optional(distance - 1)}) {
    const auto answer =
        wfa::solve(&test::device(), *way.row, {pair.a, pair.b, &code, most, {}}, way.config);
    const auto expected = most && *most < distance ? "nothing" : shown(distance);
    if (shown(answer.distance) != expected)
      FAIL_CHECK("RHOMB_TEST_SEED=" << test::seed() << "; " << way.row->name << " "
                                    << way.config.text() << "; " << pair.what << "; at most "
                                    << shown(most) << ": " << shown(answer.distance)
                                    << " instead of " << expected);
  }
  SUCCEED();
}

void check_all(const Pair& pair) {
  const auto distance = test::peer_distance(pair.a, pair.b);
  REQUIRE(distance > 0);
  for (const auto& way : ways()) check(way, pair, distance);
}

struct Solved {
  Pair pair;
  std::int64_t distance = 0;
};

/// Pairs with matches of exactly `length` symbols, or about so many.
const std::vector<Solved>& matches_of(std::size_t length) {
  static std::map<std::size_t, std::vector<Solved>> known;
  auto& pairs = known[length];
  if (!pairs.empty()) return pairs;
  test::Rng rng(test::seed() + length);
  const auto about = " of " + std::to_string(length);
  const auto text = [&] { return test::random_text(rng, length, 4); };
  const auto add = [&](const char* what, const std::string& a, const std::string& b) {
    pairs.push_back({{what + about, a, b}, test::peer_distance(a, b)});
  };
  // The last symbols differ in all of them, so that nothing is stripped.
  const auto x = text(), y = text(), z = text();
  add("matches on one diagonal", "A" + x + "C" + y + "D" + z + "A",
      "B" + x + "D" + y + "A" + z + "B");
  add("matches on diagonals on both sides", "A" + x + "CBA" + y + "D" + z + "AB",
      "B" + x + y + "DDAC" + z + "BA");
  // To the end of one text and not of the other one, whose first symbols' code is that of the spare
  // words behind the pattern.
  const std::string zeros(40, 'A'), ones(40, 'B');
  add("a match to the end", "A" + x, "B" + x + zeros);
  add("a match to the end of the longer text", "A" + x + ones, "B" + x);
  add("a match from the beginning", "B" + zeros + x + "C", x + "D");
  add("one symbol, many diagonals", "B" + std::string(length, 'A') + "BC",
      "CC" + std::string(length, 'A') + "D");
  for (const std::string_view unit : {"AB", "ABC", "AABDC"}) {
    // A period matches itself on every diagonal that is a multiple of it.
    std::string all = test::recipe::repeated(unit, length / unit.size() + 1);
    auto other = all;
    other[all.size() / 2] = other[all.size() / 2] == 'A' ? 'D' : 'A';
    add("periods", "B" + all + "C" + all + "C", "C" + all.substr(unit.size()) + other + "BD");
  }
  return pairs;
}

TEST_CASE("matches about the lengths of windows and rounds", "[wfa][device]") {
  for (const auto& way : ways()) {
    // A window; two; a work-item's patience, from the window on and from the diagonal's first
    // symbol; a round of the group, after that patience and alone.
    for (const std::size_t border :
         {std::size_t{32}, std::size_t{64}, std::size_t{512}, std::size_t{544}, way.round,
          544 + way.round, 544 + 2 * way.round})
      for (std::size_t length = border - 1; length <= border + 1; ++length)
        for (const auto& [pair, distance] : matches_of(length)) check(way, pair, distance);
  }
}

TEST_CASE("differences at any distance", "[wfa][device]") {
  test::Rng rng(test::seed() + 1);
  for (const std::size_t gap : {20u, 300u, 1500u, 9000u}) {
    const auto a = test::random_text(rng, std::max<std::size_t>(2000, 4 * gap), 4);
    Pair pair{"differences about " + std::to_string(gap) + " apart", a,
              test::mutate(rng, a, 1 / static_cast<double>(gap), 4)};
    test::part_ends(pair, 4);
    check_all(pair);
    check_all({"turned, " + pair.what, pair.b, pair.a});
  }
}

TEST_CASE("tandem repeats match on many diagonals", "[wfa][device]") {
  test::Rng rng(test::seed() + 2);
  for (const std::size_t unit : {1u, 2u, 7u, 31u, 32u, 33u, 60u}) {
    const auto one = test::random_text(rng, unit, 4);
    const auto all = test::recipe::repeated(one, 9000 / unit);
    Pair pair{"units of " + std::to_string(unit), all,
              test::mutate(rng, all.substr(2 * unit), 0.001, 4)};
    pair.a.insert(all.size() / 3, "ABCD");
    test::part_ends(pair, 4);
    check_all(pair);
    // A unit lost here and gained there, and nothing else.
    Pair moved{"lost and gained, " + pair.what, "A" + all.substr(unit) + "C" + all,
               "B" + all + "D" + all.substr(unit) + "AB"};
    check_all(moved);
  }
}

TEST_CASE("matches of tens of thousands of symbols", "[wfa][device]") {
  test::Rng rng(test::seed() + 3);
  const auto text = test::random_text(rng, 50'000, 4);
  auto other = text;
  other[20'011] = other[20'011] == 'A' ? 'B' : 'A';
  other.erase(33'000, 2);
  other.insert(45'000, "CAB");
  check_all({"five differences", "A" + text + "B", "C" + other + "D"});
  const std::string run(30'000, 'C');
  check_all({"one symbol", "A" + run + "B", "B" + run + "CCA"});
  check_all({"one symbol, a difference", "A" + run + "B" + run + "AC", "D" + run + run + "D"});
  const auto twice = text.substr(0, 20'000);
  check_all({"to the end of one text", "A" + twice, "B" + twice + text.substr(100, 30)});
}

}  // namespace
}  // namespace rhomb::wfa_matches_tests
