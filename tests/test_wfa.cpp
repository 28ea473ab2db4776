// SPDX-License-Identifier: Apache-2.0
// Every row of the wavefront table, in many configurations, against the reference: shapes with
// names, lengths about every border, and thousands of random pairs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "host/reference.h"
#include "host/seq/alphabet.h"
#include "host/wfa/wfa.h"
#include "tests/catch.h"
#include "tests/pairs.h"

namespace rhomb {
namespace {

using Distance = std::optional<std::int64_t>;

/// A row in one configuration.
struct Way {
  const wfa::Row* row;
  tune::Config config;
  bool stepped = false;  ///< one launch a cost: slow where launches are

  std::string text() const { return std::string(row->name) + " " + config.text(); }
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
                                  "WG=1,VEC=4,DIAGS=1,STEPS=1,BATCH=1",
                                  "WG=1,VEC=4,DIAGS=5,STEPS=7,BATCH=16",
                                  "WG=1,VEC=8,DIAGS=3,STEPS=11,BATCH=2",
                                  "WG=1,VEC=8,DIAGS=8,STEPS=16,BATCH=1",
                                  "WG=1,VEC=16,DIAGS=2,STEPS=7,BATCH=4",
                                  "WG=1,VEC=16,DIAGS=32,STEPS=64,BATCH=1"};
constexpr const char* kBatched[] = {"", "WG=1,BATCH=1", "WG=7,BATCH=3", "WG=64,BATCH=1000"};
constexpr const char* kOthers[] = {"", "WG=32"};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  const auto add = [&](const wfa::Row& row, const auto& configs) {
    for (const char* config : configs)
      ways.push_back({&row, tune::Config::parse(config), row.name != "fused"});
  };
  for (const auto& row : wfa::variants()) {
    if (row.name == "fused")
      add(row, kFused);
    else if (row.name == "batched")
      add(row, kBatched);
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

/// Codes of all symbols of the alphabet, so that each alphabet needs one program a configuration.
seq::Code whole_code(int alphabet) {
  std::string symbols;
  for (int i = 0; i < alphabet; ++i) symbols += static_cast<char>(test::first_of(alphabet) + i);
  return seq::make_code(symbols, "");
}

std::string shown(Distance distance) {
  return distance ? std::to_string(*distance) : std::string("nothing");
}

std::string shown(const std::string& text) {
  if (text.size() > 400) return "(long)";
  return '"' + text + '"';
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
  CHECK(ways().size() >= fused + wfa::variants().size() - 1);
  if (!test::device().limits().gpu) CHECK(ways().size() == all_ways().size());
}

TEST_CASE("texts of special shapes, with every kind of bound", "[wfa][device]") {
  test::Rng rng(test::seed());
  const auto code = whole_code(4);
  for (const auto& pair : test::shaped_pairs(rng)) {
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : ways()) {
      if (way.stepped && distance > 300) {
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
      if (way.row->name != "fused" && way.row->name != "batched") continue;
      check(way, pair, code, distance, distance);
      check(way, pair, code, distance, distance - 1);
    }
  }
}

TEST_CASE("a block moved from one end to the other", "[wfa][device]") {
  // The only cheapest path runs as far off the diagonal of the end as its bound allows, so it is
  // lost where a row is cut a diagonal too short.
  test::Rng rng(test::seed() + 7);
  const auto code = whole_code(4);
  for (const auto& way : ways()) {
    if (way.stepped || way.row->name == "reference") continue;
    const int steps = way.config.get("STEPS", 32);
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
    if (way.row->name == "reference") continue;
    for (const std::size_t border : {2u, 32u, 64u, 128u}) check_all(way, border);
    const auto plan =
        wfa::plan(*way.row, {std::string(999, 'A'), std::string(999, 'B'), &code, {}, {}},
                  test::device().limits(), way.config);
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
  const std::uint64_t total = wanted ? std::strtoull(wanted, nullptr, 10) : 5000;
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
}  // namespace rhomb
