// SPDX-License-Identifier: Apache-2.0
// Every row of the wavefront table, in many configurations, against the reference: shapes with
// names, lengths about every border, and thousands of random pairs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::wfa_tests {
namespace {

using Distance = std::optional<std::int64_t>;
using test::shown;
using test::whole_code;

/// A row in one configuration.
struct Way {
  const wfa::Variant* row;
  tune::Config config;
  bool stepped = false;  ///< one launch a cost
  int tile = 0;          ///< tile length, the costs of a launch; 0: no tiles

  std::string text() const { return std::string(row->name) + " " + config.text(); }
  /// Whether so large a distance takes many launches.
  bool slow(std::int64_t distance) const {
    return (stepped || tile > 0) && distance > 300 * std::max(1, tile);
  }
};

// The least and the most of each tunable, tiles that leave a single diagonal to write, tiles that
// divide nothing, and what a GPU and a CPU would take.
constexpr const char* kFused[] = {"",
                                  "WG=1,VEC=1,DIAGS=3,STEPS=1,BATCH=1",
                                  "WG=1,VEC=1,DIAGS=5,STEPS=2,BATCH=2",
                                  "WG=1,VEC=1,DIAGS=32,STEPS=15,BATCH=16",
                                  "WG=2,VEC=1,DIAGS=2,STEPS=1,BATCH=3",
                                  "WG=3,VEC=1,DIAGS=7,STEPS=10,BATCH=1",
                                  "WG=8,VEC=1,DIAGS=1,STEPS=2,BATCH=2",
                                  "WG=8,VEC=1,DIAGS=5,STEPS=7,BATCH=16",
                                  "WG=32,VEC=1,DIAGS=1,STEPS=15,BATCH=1",
                                  "WG=32,VEC=1,DIAGS=8,STEPS=16,BATCH=2",
                                  "WG=64,VEC=1,DIAGS=1,STEPS=31,BATCH=5",
                                  "WG=64,VEC=1,DIAGS=4,STEPS=32,BATCH=64",
                                  "WG=3,VEC=1,DIAGS=2,STEPS=1,BATCH=2,WALK=1",
                                  "WG=3,VEC=1,DIAGS=5,STEPS=7,BATCH=1,WALK=1",
                                  "WG=8,VEC=1,DIAGS=1,STEPS=3,BATCH=16,WALK=1",
                                  "WG=32,VEC=1,DIAGS=2,STEPS=31,BATCH=4,WALK=1",
                                  "WG=64,VEC=1,DIAGS=1,STEPS=16,BATCH=64,WALK=1",
                                  "WG=1,VEC=4,DIAGS=1,STEPS=1,BATCH=1",
                                  "WG=1,VEC=4,DIAGS=5,STEPS=7,BATCH=16",
                                  "WG=1,VEC=8,DIAGS=3,STEPS=11,BATCH=2",
                                  "WG=1,VEC=8,DIAGS=8,STEPS=16,BATCH=1",
                                  "WG=1,VEC=16,DIAGS=2,STEPS=7,BATCH=4",
                                  "WG=1,VEC=16,DIAGS=32,STEPS=64,BATCH=1"};
constexpr const char* kBatched[] = {"", "WG=1,BATCH=1", "WG=7,BATCH=3", "WG=64,BATCH=1000"};
// With rows that spill to global memory soon, among others.
constexpr const char* kPairs[] = {"", "WG=1,ROOM=7", "WG=8,DIAGS=2,ROOM=64", "WG=64,DIAGS=4"};
constexpr const char* kOthers[] = {"", "WG=32"};
// A work-item a tile: tiles of one diagonal, lengths that divide nothing, groups of one, groups
// that the tiles never fill. test_wfa_tiles.cpp has the other lengths.
constexpr const char* kTiled[] = {"",
                                  "T=1,WG=1,BATCH=1",
                                  "T=1,WG=64,BATCH=1000",
                                  "T=2,WG=7,BATCH=7",
                                  "T=4,WG=32,BATCH=100",
                                  "T=5,WG=1,BATCH=7",
                                  "T=8,WG=64,BATCH=1",
                                  "T=16,WG=3,BATCH=1000"};
// A group a tile.
constexpr const char* kGroups[] = {"",
                                   "T=1,BATCH=1",
                                   "T=2,BATCH=1000",
                                   "T=3,BATCH=7",
                                   "T=7,BATCH=100",
                                   "T=16,BATCH=7",
                                   "T=63,BATCH=1"};

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  const auto pair = test::random_pair(1, 1, 300, 4);
  const auto code = seq::make_code(pair.a, pair.b);
  const auto add = [&](const wfa::Variant& row, const auto& configs) {
    for (const char* text : configs) {
      Way way{&row, tune::Config::parse(text), row.name != "fused"};
      try {
        const wfa::Problem problem{pair.a, pair.b, &code, {}, {}};
        way.tile = wfa::plan(row, problem, test::device().limits(), way.config).tile_length;
        if (way.tile > 0) way.stepped = false;
      } catch (const tune::Unfit&) {  // ways() leaves it out, and says so
      }
      ways.push_back(way);
    }
  };
  for (const auto& row : wfa::variants()) {
    if (row.name == "fused")
      add(row, kFused);
    else if (among(row.name, {"batched", "prefetch"}))
      add(row, kBatched);
    else if (among(row.name, {"group", "diamond"}))
      add(row, kGroups);
    else if (row.name == "wavefront-batch")
      add(row, kPairs);
    else if (among(row.name, {"tiled-global", "tiled-register", "tiled-local"}))
      add(row, kTiled);
    else if (!row.space.empty())
      add(row, kOthers);
    else
      ways.push_back({&row, {}});
  }
  return ways;
}

/// The ways that this device takes.
const std::vector<Way>& ways() {
  static const auto fitting = [] {
    const auto pair = test::random_pair(1, 1, 300, 4);
    const auto code = seq::make_code(pair.a, pair.b);
    std::vector<Way> found;
    for (const auto& way : all_ways()) try {
        wfa::plan(*way.row, {pair.a, pair.b, &code, {}, {}}, test::device().limits(), way.config);
        found.push_back(way);
      } catch (const tune::Unfit& why) {
        std::cerr << "left out: " << way.text() << ": " << why.what() << '\n';
      }
    return found;
  }();
  return fitting;
}

/// Solves with the bound `most` and reports an answer other than the one that follows from
/// `distance`.
void check(const Way& way, const test::Pair& pair, const seq::Code& code, std::int64_t distance,
           Distance most) {
  const bool found = !most || distance <= *most;
  wfa::Answer answer;
  std::string error;
  try {
    answer = wfa::solve(&test::device(), *way.row, {pair.a, pair.b, &code, most, {}}, way.config);
  } catch (const std::exception& thrown) {
    error = std::string("; error: ") + thrown.what();
  }
  if (answer.distance == (found ? Distance(distance) : std::nullopt) && error.empty() &&
      answer.cells >= 0 && answer.compute >= 0)
    return;
  FAIL_CHECK("RHOMB_TEST_SEED=" << test::seed() << "; " << way.text() << "; " << pair.what
                                << "; at most " << shown(most) << ": " << shown(answer.distance)
                                << " instead of " << (found ? std::to_string(distance) : "nothing")
                                << error << "\n  a " << shown(pair.a) << "\n  b " << shown(pair.b));
}

void check_bounds(const Way& way, const test::Pair& pair, const seq::Code& code,
                  std::int64_t distance) {
  check(way, pair, code, distance, std::nullopt);
  check(way, pair, code, distance, distance);
  check(way, pair, code, distance, distance + 1);
  check(way, pair, code, distance, 0);
  if (distance > 0) check(way, pair, code, distance, distance - 1);
  check(way, pair, code, distance, std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("enough configurations fit this device", "[wfa][device]") {
  std::size_t fused = 0;
  for (const auto& way : ways())
    if (way.row->name == "fused") ++fused;
  CHECK(fused >= 12);
  std::set<std::pair<std::string_view, int>> tiles;
  for (const auto& way : ways())
    if (way.tile > 0) tiles.emplace(way.row->name, way.tile);
  CHECK(tiles.size() >= 5 * 4);
  CHECK(ways().size() >= fused + wfa::variants().size() - 1);
  if (!test::device().limits().gpu) CHECK(ways().size() == all_ways().size());
}

TEST_CASE("texts of special shapes, with every kind of bound", "[wfa][device]") {
  test::Rng rng(test::seed());
  const auto code = whole_code(4);
  for (const auto& pair : test::shaped_pairs(rng)) {
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : ways()) {
      if (way.slow(distance)) {
        if (way.config.values().empty()) check(way, pair, code, distance, std::nullopt);
        continue;
      }
      if (way.row->name == "reference" && pair.a.size() * pair.b.size() > 1'000'000) continue;
      check_bounds(way, pair, code, distance);
    }
  }
}

TEST_CASE("one text much longer than the other", "[wfa][device]") {
  test::Rng rng(test::seed() + 1);
  const auto code = whole_code(4);
  const auto wide = test::random_text(rng, 5000, 3);
  const auto tall = test::random_text(rng, 3000, 4);
  for (test::Pair pair : {test::Pair{"1 x 5000", "C", wide}, test::Pair{"5000 x 1", wide, "D"},
                          test::Pair{"10 x 3000", tall.substr(100, 10), tall},
                          test::Pair{"3000 x 10", tall, test::random_text(rng, 10, 4)}}) {
    test::part_ends(pair, 4);
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : ways()) {
      if (!way.config.values().empty()) continue;
      check(way, pair, code, distance, std::nullopt);
      if (!among(way.row->name, {"fused", "diamond", "batched"})) continue;
      check(way, pair, code, distance, distance);
      check(way, pair, code, distance, distance - 1);
    }
  }
}

TEST_CASE("a block moved from one end to the other", "[wfa][device]") {
  // The only cheapest path runs as far off the diagonal of the end as its bound allows, so it is
  // lost where a row is cut a diagonal too short, or a tile is left out.
  test::Rng rng(test::seed() + 7);
  const auto code = whole_code(4);
  for (const auto& way : ways()) {
    if (way.stepped || way.row->name == "reference") continue;
    const int steps = way.tile > 0 ? way.tile : way.config.get("STEPS", 32);
    for (int size = 1; size <= 3 * steps + 2; size += steps > 20 && size < 2 * steps ? 3 : 1) {
      const auto text = test::random_text(rng, 6 * static_cast<std::size_t>(size) + 20, 3);
      const std::string block(static_cast<std::size_t>(size), 'D');
      const bool odd = size % 4 == 0;
      test::Pair pair{"block of " + std::to_string(size), block + text,
                      text + block + (odd ? "D" : "")};
      if (size % 2 == 0) std::swap(pair.a, pair.b);
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      for (const Distance most : {Distance(), Distance(distance), Distance(distance - 1)})
        check(way, pair, code, distance, most);
    }
  }
}

TEST_CASE("lengths about words, groups and tiles", "[wfa][device]") {
  test::Rng rng(test::seed() + 2);
  const auto code = whole_code(4);
  const auto check_all = [&](const Way& way, std::size_t border) {
    for (const auto& pair : test::border_pairs(rng, border)) {
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      for (const Distance most : {Distance(), Distance(distance), Distance(distance - 1)})
        check(way, pair, code, distance, most);
    }
  };
  for (const auto& way : ways()) {
    if (way.row->on_host) continue;
    for (const std::size_t border : {2u, 32u, 64u, 128u}) check_all(way, border);
    const std::string some(999, 'A'), other(999, 'B');
    const auto plan =
        wfa::plan(*way.row, {some, other, &code, {}, {}}, test::device().limits(), way.config);
    if (plan.tile_length > 0) {
      // A column's diagonals, those of a tile and of its neighbours, the costs of a band; and the
      // tiles of a group of them, where work-items have one each.
      const auto tile = static_cast<std::size_t>(plan.tile_length);
      const auto group = static_cast<std::size_t>(plan.stages.front().group);
      std::set<std::size_t> borders = {tile, 2 * tile, 2 * tile + 1, 4 * tile};
      if (plan.config.has("WG")) borders.insert(tile * group);
      for (const std::size_t border : borders)
        if (border >= 2 && border <= 600) check_all(way, border);
      continue;
    }
    // The first cost whose rows need a second group is (tile - 2 steps) / 2; both sides take it.
    const auto& stage = plan.stages.front();
    if (way.stepped || stage.tile() > 600) continue;
    check_all(way, static_cast<std::size_t>(stage.tile()));
    check_all(way, static_cast<std::size_t>(std::max(2, stage.tile() - 2 * stage.steps)));
    check_all(way, static_cast<std::size_t>(std::max(2, 2 * stage.steps)));
  }
}

TEST_CASE("all pairs of short texts", "[wfa][device]") {
  std::vector<std::string> texts = {""};
  for (std::size_t first = 0, length = 1; length <= 4; ++length)
    for (const auto last = texts.size(); first < last; ++first)
      for (const char c : {'A', 'B'}) texts.push_back(texts[first] + c);
  const auto code = whole_code(4);
  std::size_t number = 0;
  for (const auto& a : texts)
    for (const auto& b : texts) {
      const auto distance = reference::edit_distance(a, b, code);
      const auto& way = ways()[number++ % ways().size()];
      check(way, {"short", a, b}, code, distance, std::nullopt);
      check(way, {"short", a, b}, code, distance, static_cast<std::int64_t>(number % 5));
    }
}

TEST_CASE("random pairs agree with the reference", "[wfa][device]") {
  const char* wanted = std::getenv("RHOMB_TEST_PAIRS");
  const std::uint64_t total = wanted ? std::strtoull(wanted, nullptr, 10) : 10'000;
  const auto each = (total + ways().size() - 1) / ways().size();
  std::uint64_t number = 0;
  for (const auto& way : ways()) {
    // A second alphabet costs a program, so few have one; test_wfa_texts.cpp has all alphabets.
    const bool more = way.config.values().empty() || way.config.get("BATCH", 0) == 16;
    const int second = !more ? 4 : (way.stepped ? 256 : 20);
    for (std::uint64_t i = 0; i < each; ++i, ++number) {
      const int alphabet = number % 8 == 0 ? second : 4;
      const auto code = whole_code(alphabet);
      const auto pair = test::random_pair(test::seed(), number, 400, alphabet);
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      const Distance mosts[] = {{},           {},           Distance(),         distance,
                                distance - 1, distance + 1, (distance * 3) / 4, distance * 2};
      const Distance most = mosts[number / 8 % std::size(mosts)];
      check(way, pair, code, distance, most && *most < 0 ? Distance(0) : most);
    }
  }
  std::cerr << "wfa: " << number << " random pairs in " << ways().size()
            << " configurations compared with the reference\n";
  CHECK(number >= total);
}

}  // namespace
}  // namespace rhomb::wfa_tests
