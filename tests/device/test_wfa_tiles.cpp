// SPDX-License-Identifier: Apache-2.0
// What is special to the rows of tiles (cl/wfa/tiles.h): every tile length, any interval between
// two reads, texts smaller than a tile; and how many cells each row of the table computes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "host/engine/reference.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"

namespace rhomb::wfa_tiles_tests {
namespace {

using Distance = std::optional<std::int64_t>;
using test::Pair;
using test::shown;
using tune::Config;

constexpr const char* kItems[] = {"tiled-global", "tiled-register", "tiled-local"};
constexpr const char* kGroups[] = {"group", "diamond"};

const wfa::Variant& row_named(std::string_view name) { return find_variant(wfa::variants(), name); }

/// As wfa::solve(), but without the known-answer test of the program, which would take longer than
/// what is asked here.
wfa::Answer run(const wfa::Variant& row, const Config& config, const Pair& pair,
                const seq::Code& code, Distance most = {}) {
  const auto problem = trimmed({pair.a, pair.b, &code, most, {}});
  if (const auto easy = easy_answer(problem)) return *easy;
  auto plan = row.plan(problem, test::device().limits(), config);
  plan.self_test = true;
  return row.run(&test::device(), plan, problem);
}

/// Solves with no bound, the distance as bound, and one less and one more than that.
void check(const wfa::Variant& row, const Config& config, const Pair& pair, const seq::Code& code,
           std::int64_t distance) {
  for (const Distance most :
       {Distance(), Distance(distance), Distance(distance - 1), Distance(distance + 1)}) {
    if (most && *most < 0) continue;
    const std::string expected = most && *most < distance ? "nothing" : shown(distance);
    std::string found;
    std::string error;
    try {
      found = shown(run(row, config, pair, code, most).distance);
    } catch (const std::exception& thrown) {
      error = std::string("; error: ") + thrown.what();
    }
    if (found != expected || !error.empty())
      FAIL_CHECK("RHOMB_TEST_SEED=" << test::seed() << "; " << row.name << " " << config.text()
                                    << "; " << pair.what << "; at most " << shown(most) << ": "
                                    << found << " instead of " << expected << error << "\n  a "
                                    << shown(pair.a) << "\n  b " << shown(pair.b));
  }
  SUCCEED();
}

struct Solved {
  Pair pair;
  std::int64_t distance = 0;
};

/// Pairs for tiles of length `tile`: several bands and tiles, paths far from the last diagonal,
/// sides shorter than a tile.
std::vector<Solved> pairs_for(test::Rng& rng, int tile) {
  const auto length = static_cast<std::size_t>(tile);
  const auto text = [&](std::size_t size) { return test::random_text(rng, size, 3); };
  const auto some = text(8 * length + 60);
  const std::string block(2 * length + 1, 'D');
  std::vector<Pair> pairs = {
      {"unrelated", text(5 * length + 7), text(4 * length + 11)},
      {"mutated", some, test::mutate(rng, some, 0.15, 4)},
      {"block moved", block + some, some + block},
      {"no symbol in common", std::string(2 * length, 'A'), std::string(2 * length + 1, 'D')},
      {"few against many", text(1 + length / 2), text(6 * length)},
      {"many against few", text(5 * length + 1), text(2)}};
  std::vector<Solved> solved;
  for (Pair& pair : pairs) {
    test::part_ends(pair, 4);
    pair.what += ", " + std::to_string(pair.a.size()) + " x " + std::to_string(pair.b.size());
    solved.push_back({pair, reference::edit_distance(pair.a, pair.b)});
  }
  return solved;
}

/// Tries tiles of the lengths, each in one group size and one read interval of a random choice.
void check_lengths(const auto& rows, const std::vector<int>& tiles, std::uint64_t seed) {
  test::Rng rng(seed);
  const auto code = test::whole_code(4);
  std::size_t tried = 0;
  for (const int tile : tiles) {
    const auto pairs = pairs_for(rng, tile);
    for (const char* name : rows) {
      const auto& row = row_named(name);
      Config config;
      config.set("T", tile);
      constexpr int kBatches[] = {1, 2, 7, 100, 1000};
      config.set("BATCH", kBatches[test::random_below(rng, std::size(kBatches))]);
      constexpr int kSizes[] = {1, 2, 7, 16, 32, 64};
      if (row.space[1].name == "WG")
        config.set("WG", kSizes[test::random_below(rng, std::size(kSizes))]);
      try {
        for (const auto& [pair, distance] : pairs) check(row, config, pair, code, distance);
        ++tried;
      } catch (const tune::Unfit& why) {
        std::cerr << "left out: " << name << " " << config.text() << ": " << why.what() << '\n';
      }
    }
  }
  CHECK(tried >= std::size(rows) * tiles.size() / 2);
  if (!test::device().limits().gpu) CHECK(tried == std::size(rows) * tiles.size());
}

/// All up to 24, borders of words and teams, and a few more of a random choice up to `last`: each
/// length is a program, which takes PoCL a second.
std::vector<int> lengths_up_to(int last, std::initializer_list<int> more, std::uint64_t seed) {
  std::vector<int> made(24);
  std::iota(made.begin(), made.end(), 1);
  made.insert(made.end(), more);
  test::Rng rng(seed);
  for (int i = 0; i < 4; ++i)
    made.push_back(25 +
                   static_cast<int>(test::random_below(rng, static_cast<std::size_t>(last - 24))));
  return made;
}

TEST_CASE("tiles of some lengths, a work-item each", "[wfa][device]") {
  check_lengths(kItems, {3, 6, 9, 13, 24, 33}, test::seed());
}

TEST_CASE("tiles of some lengths, a group each", "[wfa][device]") {
  check_lengths(kGroups, {4, 6, 12, 20, 31, 33, 95}, test::seed() + 1);
}

TEST_CASE("tiles of many lengths, a work-item each", "[wfa][slow]") {
  check_lengths(kItems, lengths_up_to(64, {31, 32, 33, 63, 64}, test::seed()), test::seed() + 2);
}

TEST_CASE("tiles of many lengths, a group each", "[wfa][slow]") {
  check_lengths(kGroups, lengths_up_to(300, {31, 32, 33, 63, 127, 190, 255}, test::seed()),
                test::seed() + 3);
}

/// Few programs, for what is tried often.
struct Way {
  const char* row;
  const char* config;
};
constexpr Way kWays[] = {{"tiled-global", "T=2,WG=7"},
                         {"tiled-global", "T=16,WG=3"},
                         {"tiled-register", "T=4,WG=32"},
                         {"tiled-register", "T=5,WG=1"},
                         {"tiled-local", "T=1,WG=64"},
                         {"tiled-local", "T=8,WG=64"},
                         {"group", "T=1"},
                         {"group", "T=7"},
                         {"group", "T=63"},
                         {"diamond", "T=1"},
                         {"diamond", "T=7"},
                         {"diamond", "T=63"}};

TEST_CASE("texts smaller than a tile", "[wfa][device]") {
  test::Rng rng(test::seed() + 4);
  const auto code = test::whole_code(4);
  for (const auto& [name, config] : kWays) {
    const auto given = Config::parse(config);
    const auto tile = static_cast<std::size_t>(given.get("T", 0));
    for (const std::size_t m : {std::size_t{1}, std::size_t{2}, tile - 1, tile, tile + 1})
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{3}, tile - 1, tile, 2 * tile, 5 * tile + 3}) {
        if (m == 0 || n == 0) continue;
        for (const bool close : {false, true}) {
          Pair pair{std::to_string(m) + " x " + std::to_string(n), test::random_text(rng, m, 4),
                    test::random_text(rng, n, 4)};
          if (close) pair.b = (pair.b + pair.a).substr(m);
          test::part_ends(pair, 4);
          check(row_named(name), given, pair, code, reference::edit_distance(pair.a, pair.b));
        }
      }
  }
}

TEST_CASE("tiles of texts of very unequal lengths", "[wfa][device]") {
  test::Rng rng(test::seed() + 5);
  const auto code = test::whole_code(4);
  const auto wide = test::random_text(rng, 700, 3);
  std::vector<Solved> pairs;
  for (Pair pair : {Pair{"1 x 700, found", "C", wide}, Pair{"1 x 700, not found", "D", wide},
                    Pair{"700 x 1, not found", wide, "D"}, Pair{"700 x 1", wide, "C"},
                    Pair{"7 x 700", wide.substr(500, 7), wide},
                    Pair{"700 x 40", wide, test::random_text(rng, 40, 4)}}) {
    test::part_ends(pair, 4);
    pairs.push_back({pair, reference::edit_distance(pair.a, pair.b)});
  }
  for (const auto& [name, config] : kWays)
    for (const auto& [pair, distance] : pairs)
      check(row_named(name), Config::parse(config), pair, code, distance);
}

// ---- cells

/// What `row` says it computed for a pair without common ends. The answer itself is checked too.
double cells_of(const char* row, const char* config, const Pair& pair, std::int64_t distance,
                Distance most = {}) {
  static const auto code = test::whole_code(4);
  const auto answer = run(row_named(row), Config::parse(config), pair, code, most);
  INFO(row << " " << config << "; " << pair.what);
  CHECK(shown(answer.distance) == (most && *most < distance ? "nothing" : shown(distance)));
  return answer.cells;
}

/// Cells of all wavefronts up to cost `last`: the triangle, as far as it lies within the matrix.
double triangle(std::int64_t m, std::int64_t n, std::int64_t last) {
  double cells = 0;
  for (std::int64_t s = 0; s <= last; ++s)
    cells += static_cast<double>(std::min(s, m) + std::min(s, n) + 1);
  return cells;
}

/// Cells of the tiles that begin at a cost of at most `last` and have a diagonal of the matrix.
double diamonds(std::int64_t m, std::int64_t n, std::int64_t last, std::int64_t tile) {
  double tiles = 0;
  for (std::int64_t cost = 0; cost <= last; cost += tile)
    for (std::int64_t centre = -cost; centre <= cost; centre += 2 * tile)
      if (centre + (tile - 1) >= -m && centre - (tile - 1) <= n) ++tiles;
  return tiles * 2 * static_cast<double>(tile * tile);
}

Pair unrelated(test::Rng& rng, std::size_t m, std::size_t n) {
  Pair pair{"unrelated, " + std::to_string(m) + " x " + std::to_string(n),
            test::random_text(rng, m, 4), test::random_text(rng, n, 4)};
  test::part_ends(pair, 4);
  return pair;
}

TEST_CASE("cells of the rows with one launch a cost", "[wfa][device]") {
  test::Rng rng(test::seed() + 6);
  for (const auto& [m, n] : {std::pair{700, 700}, {900, 300}, {40, 1000}, {1, 77}, {600, 5}}) {
    const auto pair = unrelated(rng, static_cast<std::size_t>(m), static_cast<std::size_t>(n));
    const auto distance = test::peer_distance(pair.a, pair.b);
    const double expected = triangle(m, n, distance);
    for (const auto& [row, config] : {Way{"baseline", "WG=32"},
                                      {"dynamic", "WG=32"},
                                      {"batched", "WG=64,BATCH=1"},
                                      {"batched", "WG=64,BATCH=1000"},
                                      {"prefetch", "WG=64,BATCH=7"}}) {
      CHECK(cells_of(row, config, pair, distance) == expected);
      CHECK(cells_of(row, config, pair, distance, distance) == expected);
      if (distance - 1 >= std::abs(m - n) && distance > 1)
        CHECK(cells_of(row, config, pair, distance, distance - 1) == triangle(m, n, distance - 1));
    }
  }
}

TEST_CASE("cells of tiles, whatever the interval between two reads", "[wfa][device]") {
  test::Rng rng(test::seed() + 7);
  for (const auto& [m, n] : {std::pair{700, 700}, {900, 300}, {40, 1000}, {1, 77}, {600, 5}}) {
    const auto pair = unrelated(rng, static_cast<std::size_t>(m), static_cast<std::size_t>(n));
    const auto distance = test::peer_distance(pair.a, pair.b);
    for (const auto& [row, shape] : kWays) {
      const std::int64_t tile = Config::parse(shape).get("T", 0);
      const bool narrowed = row == std::string_view("diamond");
      for (const int batch : {1, 2, 3, 10, 64, 1000}) {
        const std::string config = std::string(shape) + ",BATCH=" + std::to_string(batch);
        INFO(row << " " << config << "; " << pair.what);
        // The last diagonal's cell of the last cost lies in one of two bands. If it is the first
        // one, and is read before the second one is begun, that is not needed.
        const auto good = [&](double cells, std::int64_t last) {
          const double all = diamonds(m, n, last, tile);
          if (narrowed) return cells > 0 && cells <= all;
          return cells == all || (batch < 1000 && cells == diamonds(m, n, last - tile, tile));
        };
        CHECK(good(cells_of(row, config.c_str(), pair, distance), distance));
        if (distance - 1 < std::abs(m - n) || distance == 1) continue;
        CHECK(good(cells_of(row, config.c_str(), pair, distance, distance - 1), distance - 1));
      }
    }
  }
}

TEST_CASE("the bound of the distance saves a part of the tiles", "[wfa][device]") {
  test::Rng rng(test::seed() + 8);
  for (const std::size_t length : {2000u, 4000u}) {
    const auto pair = unrelated(rng, length, length);
    const auto distance = test::peer_distance(pair.a, pair.b);
    const auto size = static_cast<std::int64_t>(length);
    for (const char* config : {"T=7,BATCH=1", "T=16,BATCH=7"}) {
      const double group = cells_of("group", config, pair, distance);
      const double diamond = cells_of("diamond", config, pair, distance);
      CHECK(diamond < 0.75 * group);
      // What no bound can save: the cells (k, r) with r + |k| <= d, half of all there are.
      CHECK(diamond >= 0.5 * triangle(size, size, distance));
      // Known from the start, the distance is the best bound there is.
      const double best = cells_of("diamond", config, pair, distance, distance);
      CHECK(best <= diamond);
      CHECK(best < 0.6 * group);
    }
  }
  // Little but an insertion: a bound given from the start leaves few tiles in each band.
  Pair close{"close, 3000 x 3400", test::random_text(rng, 3000, 4), ""};
  close.b = test::random_text(rng, 400, 4) + test::mutate(rng, close.a, 0.01, 4);
  test::part_ends(close, 4);
  const auto distance = test::peer_distance(close.a, close.b);
  CHECK(cells_of("diamond", "T=7,BATCH=1", close, distance, distance) <
        0.25 * cells_of("group", "T=7,BATCH=1", close, distance, distance));
}

TEST_CASE("wavefronts that meet compute half of the cells", "[wfa][device]") {
  test::Rng rng(test::seed() + 9);
  for (const std::size_t length : {2000u, 4000u}) {
    const auto pair = unrelated(rng, length, length);
    const auto distance = test::peer_distance(pair.a, pair.b);
    const double dynamic = cells_of("dynamic", "WG=32", pair, distance);
    for (const char* config :
         {"WG=32,VEC=1,DIAGS=1,STEPS=2,BATCH=4,WALK=0",
          "WG=32,VEC=1,DIAGS=2,STEPS=4,BATCH=1,WALK=1", "WG=1,VEC=8,DIAGS=8,STEPS=4,BATCH=4"}) {
      const double fused = cells_of("fused", config, pair, distance);
      CHECK(fused <= 0.55 * dynamic);
      CHECK(fused > 0.2 * dynamic);
    }
  }
}

}  // namespace
}  // namespace rhomb::wfa_tiles_tests
