// SPDX-License-Identifier: Apache-2.0
// The corridor's method without a device: bands are computed by plain dynamic programming. What
// windows tell and what follows from them is compared with the whole matrix, cell by cell;
// distances with the reference, for thresholds that are too low and too high, segments that are
// made to disagree, and paths that lead astray.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/corridor/certify.h"
#include "host/corridor/corridor.h"
#include "host/corridor/path.h"
#include "host/corridor/reference_path.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/plain_bands.h"
#include "tests/support/random.h"

namespace {
#define LANES 1
#define PLANES 3
#define SETS 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#undef RHOMB_CL_CELL_H
#undef RHOMB_CL_STRIP_LANES_H
#include "cl/corridor/tile.h"
#pragma GCC diagnostic pop
#undef LANES
#undef PLANES
#undef SETS
}  // namespace

namespace rhomb::corridor::unit_tests {
namespace {

using test::random_below;
using test::Rng;
using Matrix = std::vector<std::vector<std::int64_t>>;

/// Both texts, edited from one another in ways that corridors do not like.
test::Pair random_pair(Rng& rng, std::size_t length) {
  static const double kRates[] = {0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6};
  const double rate = kRates[random_below(rng, std::size(kRates))];
  const int letters = random_below(rng, 4) == 0 ? 2 : 4;
  test::Pair pair;
  pair.a = test::random_text(rng, random_below(rng, length) + 1, letters);
  const auto piece = [&](std::string& text) {
    const std::size_t from = random_below(rng, text.size());
    return text.substr(from, random_below(rng, text.size() - from) + 1);
  };
  const std::size_t kind = random_below(rng, 7);
  if (kind == 1) {  // a tandem repeat
    const std::string unit = test::random_text(rng, random_below(rng, 40) + 1, letters);
    std::string many;
    while (many.size() < length / 3) many += unit;
    pair.a.insert(random_below(rng, pair.a.size()), many);
  }
  if (kind == 2) pair.a += piece(pair.a);  // copies apart from each other
  pair.b = test::mutate(rng, pair.a, rate, letters);
  if (pair.b.empty()) pair.b = "A";
  const std::size_t place = random_below(rng, pair.b.size());
  if (kind == 3) pair.b.insert(place, test::random_text(rng, random_below(rng, length), letters));
  if (kind == 4) pair.b.erase(place, random_below(rng, pair.b.size() - place));
  if (kind == 5) {  // turned around
    const std::size_t size = random_below(rng, pair.b.size() - place) + 1;
    std::reverse(pair.b.begin() + static_cast<std::ptrdiff_t>(place),
                 pair.b.begin() + static_cast<std::ptrdiff_t>(place + size));
  }
  if (kind == 6) pair.b = test::random_text(rng, random_below(rng, length) + 1, letters);
  if (pair.b.empty()) pair.b = "A";
  if (random_below(rng, 2) == 0) std::swap(pair.a, pair.b);
  pair.what = "rate " + std::to_string(rate) + ", kind " + std::to_string(kind) + ", " +
              std::to_string(pair.a.size()) + " x " + std::to_string(pair.b.size());
  return pair;
}

/// Any path: what it says must not matter for the answer.
std::vector<Range> random_path(Rng& rng, const Grid& grid) {
  std::vector<Range> path;
  std::int64_t at = 0;
  for (int s = 0; s < grid.blocks; ++s) {
    const std::int64_t from = at;
    at += static_cast<std::int64_t>(random_below(rng, 5)) - 2;
    path.push_back({std::min(from, at), std::max(from, at) + 1});
  }
  path.back() = hull(path.back(), {chunk_of(grid.end()), chunk_of(grid.end()) + 1});
  return path;
}

struct Fixture {
  explicit Fixture(const test::Pair& of, int rows)
      : pair(of),
        grid(static_cast<std::int64_t>(pair.a.size()), static_cast<std::int64_t>(pair.b.size()),
             rows),
        code(seq::make_code(pair.a, pair.b)),
        plain(grid, pair.a, pair.b, code) {}

  /// Costs of the cheapest paths from the start to every place of a row, and on to the end.
  Matrix from_start() const {
    Matrix d(static_cast<std::size_t>(grid.m) + 1,
             std::vector<std::int64_t>(static_cast<std::size_t>(grid.n) + 1));
    for (std::size_t i = 0; i < d.size(); ++i)
      for (std::size_t j = 0; j < d[i].size(); ++j) {
        if (i == 0 || j == 0)
          d[i][j] = static_cast<std::int64_t>(i + j);
        else
          d[i][j] = std::min(
              {d[i - 1][j - 1] + !matches(i - 1, j - 1), d[i - 1][j] + 1, d[i][j - 1] + 1});
      }
    return d;
  }
  Matrix to_end() const {
    Matrix d(static_cast<std::size_t>(grid.m) + 1,
             std::vector<std::int64_t>(static_cast<std::size_t>(grid.n) + 1));
    const std::size_t m = d.size() - 1, n = d[0].size() - 1;
    for (std::size_t i = m + 1; i-- > 0;)
      for (std::size_t j = n + 1; j-- > 0;) {
        if (i == m || j == n)
          d[i][j] = static_cast<std::int64_t>(m - i + n - j);
        else
          d[i][j] = std::min({d[i + 1][j + 1] + !matches(i, j), d[i + 1][j] + 1, d[i][j + 1] + 1});
      }
    return d;
  }
  bool matches(std::size_t i, std::size_t j) const {
    return plain.match(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
  }

  /// The least cost of a block for each place that it is left at, wherever it was entered, or more
  /// than `near` diagonals from `middle`.
  std::vector<std::int64_t> least_costs(int block, std::int64_t middle = 0,
                                        std::int64_t near = -1) const {
    std::vector<std::int64_t> least;
    for (std::int64_t j = 0; j <= grid.n; ++j)
      least.push_back(
          std::max<std::int64_t>(0, near + 1 - std::abs(j - block * grid.rows - middle)));
    for (std::int64_t r = 0; r < grid.rows; ++r) {
      std::vector<std::int64_t> next{least[0] + 1};
      for (std::size_t j = 0; j + 1 < least.size(); ++j)
        next.push_back(
            std::min({least[j] + !plain.match(block * grid.rows + r, static_cast<std::int64_t>(j)),
                      least[j + 1] + 1, next[j] + 1}));
      least = std::move(next);
    }
    return least;
  }

  /// The least of these of the places in some chunks; nothing where the grid has none.
  std::optional<std::int64_t> least_in(const std::vector<std::int64_t>& least, int block,
                                       const Range& chunks) const {
    const std::int64_t row = (block + 1) * grid.rows;
    std::optional<std::int64_t> found;
    for (std::int64_t j = std::max<std::int64_t>(row + kChunk * chunks.first, 0);
         j <= std::min(row + kChunk * chunks.end, grid.n); ++j)
      found = std::min(found.value_or(1 << 30), least[static_cast<std::size_t>(j)]);
    return found;
  }

  Seeds seeds(const Range& seen, const std::vector<Range>& hidden, std::int64_t radius) const {
    return look_for_words(grid, pair.a, pair.b, code,
                          WordSearch(grid, pair.a, code, seen, hidden, radius, 1), 1);
  }

  test::Pair pair;
  Grid grid;
  seq::Code code;
  test::PlainBands plain;
};

/// Of some windows, or of all that can be.
Costs random_costs(Rng& rng, const Fixture& f, const Range& range) {
  Costs costs(f.grid.blocks);
  std::vector<Band> bands;
  const bool all = random_below(rng, 2) == 0;
  for (int s = 0; all && s < f.grid.blocks; ++s) bands.push_back(window(s, range, 3));
  for (int s = 0; s < f.grid.blocks; ++s)
    for (std::size_t some = random_below(rng, 4); some > 0; --some) {
      const std::int64_t first = range.first + static_cast<std::int64_t>(random_below(
                                                   rng, static_cast<std::size_t>(range.size())));
      const auto size = static_cast<std::int64_t>(random_below(rng, 6)) + 1;
      bands.push_back(window(s, {first, first + size}, static_cast<int>(random_below(rng, 4)) + 1));
    }
  f.plain(bands);
  for (const Band& band : bands) {
    const WindowCosts found = costs_of(band);
    costs.add(band.block, found.first, found.cost);
  }
  if (random_below(rng, 2) == 0) {
    std::vector<Range> hidden;
    for (int s = 0; s < f.grid.blocks; ++s) {
      const std::int64_t first = range.first + static_cast<std::int64_t>(random_below(
                                                   rng, static_cast<std::size_t>(range.size())));
      hidden.push_back({first, first + static_cast<std::int64_t>(random_below(rng, 4))});
    }
    costs.set_seeds(f.seeds({range.first - 8, range.end + 8}, hidden,
                            static_cast<std::int64_t>(random_below(rng, 3)) + 1));
  }
  return costs;
}

/// Few chunks of each boundary, or all.
Near random_near(Rng& rng, const Grid& grid, const Range& all) {
  Near near = everywhere(grid, all);
  if (random_below(rng, 2) == 0) return near;
  for (Range& range : near) {
    range.first +=
        static_cast<std::int64_t>(random_below(rng, static_cast<std::size_t>(all.size())));
    range.end = range.first + static_cast<std::int64_t>(random_below(rng, 6));
  }
  return near;
}

}  // namespace

TEST_CASE("a tile is the plain recurrence", "[corridor]") {
  Rng rng(test::seed());
  for (int round = 0; round < 200; ++round) {
    u32 rows[3], columns[3];
    for (u32& word : rows) word = static_cast<u32>(rng());
    for (u32& word : columns) word = static_cast<u32>(rng());
    // Neighbours that differ by -1, 0 or 1 along the top and down the left edge.
    u32 plus = static_cast<u32>(rng()), minus = static_cast<u32>(rng()) & ~plus;
    u32 left_plus = static_cast<u32>(rng()), left_minus = static_cast<u32>(rng()) & ~left_plus;
    std::vector<int> above{0}, left{0};
    for (unsigned x = 0; x < 32; ++x) {
      above.push_back(above.back() + static_cast<int>(plus >> x & 1) -
                      static_cast<int>(minus >> x & 1));
      left.push_back(left.back() + static_cast<int>(left_plus >> (31 - x) & 1) -
                     static_cast<int>(left_minus >> (31 - x) & 1));
    }
    std::vector<int> right{above.back()};
    for (unsigned r = 0; r < 32; ++r) {
      std::vector<int> next{left[r + 1]};
      for (unsigned c = 0; c < 32; ++c) {
        bool match = true;
        for (unsigned p = 0; p < 3; ++p)
          match = match && (rows[p] >> (31 - r) & 1) == (columns[p] >> c & 1);
        next.push_back(std::min({above[c] + !match, above[c + 1] + 1, next[c] + 1}));
      }
      above = next;
      right.push_back(above.back());
    }
    tile_edit(rows, columns, &plus, &minus, &left_plus, &left_minus);
    for (unsigned x = 0; x < 32; ++x) {
      CHECK(above[x + 1] - above[x] ==
            static_cast<int>(plus >> x & 1) - static_cast<int>(minus >> x & 1));
      CHECK(right[x + 1] - right[x] == static_cast<int>(left_plus >> (31 - x) & 1) -
                                           static_cast<int>(left_minus >> (31 - x) & 1));
    }
  }
}

TEST_CASE("windows never tell more than a block costs", "[corridor]") {
  Rng rng(test::seed() + 1);
  std::int64_t tight = 0;
  for (int round = 0; round < 40; ++round) {
    const test::Pair pair = random_pair(rng, 300);
    INFO(pair.what);
    const Fixture f(pair, 64);
    for (int s = 0; s < f.grid.blocks; ++s) {
      const std::vector<std::int64_t> least = f.least_costs(s);
      const auto first = static_cast<std::int64_t>(random_below(rng, 12)) - 6;
      std::vector<Band> bands{window(s, {first, first + 3}, 2)};
      f.plain(bands);
      const WindowCosts found = costs_of(bands[0]);
      REQUIRE(found.first == first - 1);
      REQUIRE(found.cost.size() == 5);
      for (std::size_t i = 0; i < found.cost.size(); ++i) {
        const std::int64_t chunk = found.first + static_cast<int>(i);
        const auto true_cost = f.least_in(least, s, {chunk, chunk + 1});
        if (!true_cost) continue;
        CHECK(found.cost[i] <= *true_cost);
        tight += found.cost[i] == *true_cost;
      }
    }
  }
  CHECK(tight > 100);
}

TEST_CASE("windows far away never tell more than a block costs", "[corridor]") {
  Rng rng(test::seed() + 2);
  std::int64_t tight = 0;
  for (int round = 0; round < 160; ++round) {
    const test::Pair pair = random_pair(rng, 300);
    INFO(pair.what);
    const Fixture f(pair, 64);
    const auto near = static_cast<std::int64_t>(random_below(rng, 80));
    std::vector<FarWindow> windows;
    for (int s = 0; s < f.grid.blocks; ++s) {
      const auto first = static_cast<std::int64_t>(random_below(rng, 12)) - 6;
      windows.push_back({s,
                         {first, first + 1 + static_cast<std::int64_t>(random_below(rng, 4))},
                         static_cast<std::int64_t>(random_below(rng, 300)) - 150});
    }
    const std::vector<std::int32_t> found = least_far(windows, near, f.plain, 1);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const auto& [s, chunks, middle] = windows[i];
      const auto true_cost = f.least_in(f.least_costs(s, middle, near), s, chunks);
      if (!true_cost) continue;
      CHECK(found[i] <= *true_cost);
      tight += found[i] == *true_cost;
    }
  }
  CHECK(tight > 100);
}

TEST_CASE("the reference path costs what a path does, across long gaps, too", "[corridor]") {
  Rng rng(test::seed() + 12);
  int across = 0, alike = 0;
  for (int round = 0; round < 60; ++round) {
    // Substitutions alone, so that places beside the gap are known.
    std::string a = test::random_text(rng, 300 + random_below(rng, 900), 4);
    std::string b = a;
    const double rate = std::vector{0.0, 0.005, 0.03}[random_below(rng, 3)];
    for (char& symbol : b)
      if (static_cast<double>(random_below(rng, 100'000)) < rate * 1e5) symbol = 'N';
    const std::size_t at =
        round % 5 == 0 ? a.size() - random_below(rng, 40) : random_below(rng, a.size());
    const std::size_t gap = 1100 + random_below(rng, 1500);
    b.insert(at, test::random_text(rng, gap, 4));
    if (round % 3 == 0) a[random_below(rng, a.size())] = 'N';
    std::vector<Anchor> words;
    for (std::size_t i = 0; i + 16 < a.size(); i += 8) {
      const std::size_t j = i + (i < at ? 0 : gap);
      if (i + 16 <= at || i >= at)
        if (a.compare(i, 16, b, j, 16) == 0)
          words.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
    }
    using seq::Ambiguous;
    const auto ambiguous = std::vector{Ambiguous::kSymbol, Ambiguous::kMismatch,
                                       Ambiguous::kMatch}[random_below(rng, 3)];
    const seq::Code code = seq::make_code(a, b, ambiguous);
    const Grid grid(std::ssize(a), std::ssize(b), 256);
    const test::PlainBands plain(grid, a, b, code);
    INFO("round " << round << ", gap of " << gap << " at " << at << " of " << a.size());
    ReferencePath path(grid, a, b, words, 2, &code), by_bands(grid, a, b, words, 1);
    std::vector<Band> bands = path.bands(8), all = by_bands.bands(8);
    path.pay(bands, plain);
    by_bands.pay(all, plain);
    REQUIRE(std::ssize(all) == grid.blocks);
    across += static_cast<int>(all.size() - bands.size());
    for (int s = 0; s < grid.blocks; ++s) {
      INFO("block " << s);
      REQUIRE(path.diagonal(s) == by_bands.diagonal(s));
      const auto part = [](const std::string& text, std::int64_t from, std::int64_t to) {
        const auto size = std::ssize(text);
        return std::string_view(text).substr(static_cast<std::size_t>(std::min(from, size)),
                                             static_cast<std::size_t>(std::min(to, size) - from));
      };
      const std::int64_t least = reference::edit_distance(
          part(a, path.row(s), path.row(s + 1)), part(b, path.column(s), path.column(s + 1)), code);
      CHECK(path.paid(s, s + 1) >= least);
      alike += path.paid(s, s + 1) == least;
      CHECK(path.paid(s, s + 1) <= by_bands.paid(s, s + 1) + 40);
    }
  }
  INFO(across << " blocks across, " << alike << " of all cost no more than they must");
  CHECK(across > 40);
  CHECK(alike > 120);
}

TEST_CASE("words never tell more than a block costs", "[corridor]") {
  Rng rng(test::seed() + 7);
  std::int64_t told = 0;
  for (int round = 0; round < 100; ++round) {
    const test::Pair pair = random_pair(rng, 400);
    INFO(pair.what);
    const Fixture f(pair, 32 << random_below(rng, 4));
    const Range all = reachable(f.grid, f.grid.m + f.grid.n);
    std::vector<Range> hidden;
    for (int s = 0; s < f.grid.blocks; ++s) hidden.push_back({s % 5 - 2, s % 5 - 1});
    const Seeds seeds = f.seeds({all.first - 9, all.end + 9}, hidden, round % 3 + 1);
    for (int s = 0; s < f.grid.blocks; ++s) {
      const std::vector<std::int64_t> least = f.least_costs(s);
      std::vector<std::int32_t> costs(static_cast<std::size_t>(all.size()));
      seeds.raise(s, all, costs);
      std::int32_t lowest = costs.front();
      for (std::size_t i = 0; i < costs.size(); ++i) {
        const std::int64_t chunk = all.first + static_cast<std::int64_t>(i);
        if (const auto true_cost = f.least_in(least, s, {chunk, chunk + 1}))
          CHECK(costs[i] <= *true_cost);
        told += costs[i] > 0;
        lowest = std::min(lowest, costs[i]);
        CHECK(seeds.least(s, {all.first, chunk + 1}) <= lowest);
      }
    }
  }
  CHECK(told > 1000);
}

TEST_CASE("bounds are bounds, and no good path leaves the corridor", "[corridor]") {
  Rng rng(test::seed() + 2);
  std::int64_t narrowed = 0;
  for (int round = 0; round < 150; ++round) {
    const test::Pair pair = random_pair(rng, 400);
    INFO(pair.what);
    const Fixture f(pair, 32 << random_below(rng, 3));
    const Matrix start = f.from_start(), end = f.to_end();
    const std::int64_t distance = start.back().back();
    REQUIRE(distance == end[0][0]);
    const Range all = reachable(f.grid, f.grid.m + f.grid.n);
    const Costs costs = random_costs(rng, f, all);
    const Near near = random_near(rng, f.grid, all);
    const auto forward = lower_bounds(f.grid, costs, all, near, true);
    const auto backward = lower_bounds(f.grid, costs, all, near, false);
    const std::int64_t threshold = distance + static_cast<std::int64_t>(random_below(rng, 5));
    const Corridor corridor = Bounds(f.grid, costs, threshold).corridor(near);
    CHECK(corridor.lower <= distance);
    REQUIRE_FALSE(corridor.empty());
    // Asked again with another `near` at some boundaries, it is what it is at once.
    Bounds again(f.grid, costs, threshold, 1 + static_cast<std::size_t>(round % 2));
    Near changed = near;
    again.corridor(changed);
    for (int time = 0; time < 3; ++time) {
      const Near others = random_near(rng, f.grid, all);
      for (std::uint64_t left = random_below(rng, 4); left > 0; --left) {
        const std::size_t at = random_below(rng, changed.size());
        changed[at] = others[at];
      }
      const Corridor expected = Bounds(f.grid, costs, threshold).corridor(changed);
      const Corridor found = again.corridor(changed);
      CHECK(found.lower == expected.lower);
      CHECK(found.at == expected.at);
      CHECK(found.block == expected.block);
    }
    // Too low a threshold leaves a corridor or none, and never a wrong bound.
    if (distance > 0) CHECK(Bounds(f.grid, costs, distance - 1).corridor(near).lower <= distance);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i <= f.grid.m; ++i)
      for (std::int64_t j = 0; j <= f.grid.n; ++j) {
        const std::int64_t d = start[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        const std::int64_t e = end[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        const bool good = d + e <= threshold;
        const auto s = static_cast<std::size_t>(i / f.grid.rows);
        const auto inside = [&](const Range& range) {
          return j - i >= 32 * range.first && j - i <= 32 * range.end;
        };
        if (i % f.grid.rows == 0) {
          const std::int64_t chunk = chunk_of(j - i);
          const auto at = static_cast<std::size_t>(chunk - all.first);
          // A place between two chunks is of both.
          for (const std::size_t c : {at, (j - i) % 32 == 0 && at > 0 ? at - 1 : at}) {
            wrong += forward[s][c] > d;
            wrong += backward[s][c] > e;
          }
          wrong += good && !inside(corridor.at[s]);
        }
        if (good && s < corridor.block.size()) wrong += !inside(corridor.block[s]);
      }
    CHECK(wrong == 0);
    for (std::size_t s = 0; s < corridor.block.size(); ++s)
      narrowed += corridor.block[s].size() < reachable(f.grid, threshold).size();
  }
  CHECK(narrowed > 20);  // otherwise nothing was proven
}

TEST_CASE("what is known of blocks is kept apart", "[corridor]") {
  Costs costs(1);
  costs.add(0, 5, {1, 2, 3});
  costs.add(0, -2, {4});
  costs.add(0, 6, {7, 1, 1, 1});
  REQUIRE(costs.of(0).size() == 2);
  CHECK(costs.of(0)[0].range() == Range{-2, -1});
  CHECK(costs.of(0)[1].first == 5);
  CHECK(costs.of(0)[1].cost == std::vector<std::int32_t>{1, 7, 3, 1, 1});
  CHECK(costs.unknown(0, {-4, 12}) == std::vector<Range>{{-4, -2}, {-1, 5}, {10, 12}});
  CHECK(costs.unknown(0, {6, 8}).empty());
  costs.add(0, -1, {1, 1, 1, 1, 1, 1});  // joins them
  REQUIRE(costs.of(0).size() == 1);
  CHECK(costs.of(0)[0].range() == Range{-2, 10});
}

namespace {

/// Costs along rows that were kept are those of paths, and exact where cheapest paths are.
void check_rows(const Fixture& f, std::span<const KeptRow> rows) {
  const Matrix start = f.from_start(), end = f.to_end();
  std::int64_t before = -1, wrong = 0;
  for (const KeptRow& kept : rows) {
    CHECK(kept.row > before);
    before = kept.row;
    const auto i = static_cast<std::size_t>(kept.row);
    for (std::size_t j = 0; j < start[i].size(); ++j) {
      const std::int64_t cost = kept.at(static_cast<std::int64_t>(j));
      const bool cheapest = start[i][j] + end[i][j] == start.back().back();
      wrong += cheapest ? cost != start[i][j] : cost < start[i][j];
    }
  }
  CHECK(wrong == 0);
}

/// Of so many pairs, with thresholds, bounds, segments and paths that are wrong now and then.
void check_certified(Rng& rng, int rounds) {
  int repeated = 0, second = 0, beyond = 0;
  std::size_t rows = 0, kept = 0;
  for (int round = 0; round < rounds; ++round) {
    const test::Pair pair = random_pair(rng, 500);
    INFO("round " << round << ": " << pair.what);
    const Fixture f(pair, 32 << random_below(rng, 3));
    const std::int64_t distance = reference::edit_distance(pair.a, pair.b);
    CertifyOptions options;
    options.margin = 2 + static_cast<int>(random_below(rng, 3));
    options.piece = 1 + static_cast<int>(random_below(rng, 8));
    options.segments = 1 + static_cast<int>(random_below(rng, 9));
    options.every = static_cast<int>(random_below(rng, 4));
    options.most_kept = static_cast<double>(200 << random_below(rng, 12));
    options.most = static_cast<std::int64_t>(std::max(pair.a.size(), pair.b.size()));
    const std::size_t kind = random_below(rng, 4);
    if (kind == 1)
      options.threshold = static_cast<std::int64_t>(
          random_below(rng, static_cast<std::size_t>(distance + distance / 8 + 4)));
    if (kind == 2)
      options.most =
          static_cast<std::int64_t>(random_below(rng, static_cast<std::size_t>(2 * distance + 2)));
    if (random_below(rng, 3) == 0)
      options.disturb = [&](int, Words& words) {
        for (std::size_t i = 0; i < words.size(); i += 2) {
          words[i] = static_cast<std::uint32_t>(rng());
          words[i + 1] = static_cast<std::uint32_t>(rng()) & ~words[i];
        }
      };
    options.near = static_cast<std::int64_t>(random_below(rng, 5));
    if (random_below(rng, 2) == 0)
      options.seeds = [&](const Range& seen, const std::vector<Range>& hidden,
                          std::int64_t radius) { return f.seeds(seen, hidden, radius); };
    const bool astray = random_below(rng, 3) == 0;
    const std::vector<Range> path =
        astray ? random_path(rng, f.grid)
               : probable_path(f.grid, sketch_distance(pair.a, pair.b, 1).chain);
    const Certificate found = certify(f.grid, path, f.plain, options);
    INFO("rows " << f.grid.rows << ", most " << options.most << ", first threshold "
                 << options.threshold.value_or(-1) << ", path " << found.best << ", threshold "
                 << found.threshold << ", runs " << found.runs << ", astray " << astray);
    CHECK_FALSE(found.given_up);
    CHECK(found.lower <= distance);
    if (distance <= options.most)
      CHECK(found.distance == distance);
    else
      CHECK_FALSE(found.distance);
    if (found.distance && options.every > 0) check_rows(f, found.rows);
    rows += found.rows.size();
    kept += found.rows.size() - static_cast<std::size_t>(found.rows.empty() ? 0 : found.segments);
    repeated += found.repeated;
    second += found.runs > 2;  // the first path, and two corridors
    beyond += distance > options.most;
  }
  CHECK(repeated > 20);  // segments that disagreed
  CHECK(second > 0);     // thresholds that were too low
  CHECK(kept > rows / 4);
  CHECK(beyond > 5);
}

}  // namespace

TEST_CASE("the certified distance is the reference's", "[corridor]") {
  Rng rng(test::seed() + 3);
  check_certified(rng, 600);
}

TEST_CASE("the certified distances of 20,000 pairs are the reference's", "[corridor][slow]") {
  Rng rng(test::seed() + 8);
  check_certified(rng, test::kSanitized ? 1'000 : 20'000);
}

TEST_CASE("a run that would take too long is given up", "[corridor]") {
  Rng rng(test::seed() + 4);
  const test::Pair pair{"", test::random_text(rng, 2000, 4), test::random_text(rng, 1900, 4)};
  const Fixture f(pair, 64);
  const auto path = probable_path(f.grid, sketch_distance(pair.a, pair.b, 1).chain);
  CertifyOptions options;
  options.most = 2000;
  options.most_cells = 1e5;
  const Certificate found = certify(f.grid, path, f.plain, options);
  CHECK(found.given_up);
  CHECK_FALSE(found.distance);
  CHECK_FALSE(found.why.empty());

  options.most_cells = 0;
  int asked = 0;
  options.give_up = [&](std::int64_t, std::int64_t, double) { return ++asked == 2; };
  CHECK(certify(f.grid, path, f.plain, options).given_up);
  CHECK(asked == 2);
}

TEST_CASE("the probable path leads from the start to the end", "[corridor]") {
  Rng rng(test::seed() + 5);
  for (int round = 0; round < 50; ++round) {
    const test::Pair pair = random_pair(rng, 5000);
    INFO(pair.what);
    const Fixture f(pair, 256);
    const auto path = probable_path(f.grid, sketch_distance(pair.a, pair.b, 1).chain);
    REQUIRE(path.size() == static_cast<std::size_t>(f.grid.blocks));
    const auto holds = [](const Range& range, std::int64_t diagonal) {
      return range.first <= chunk_of(diagonal) && chunk_of(diagonal) < range.end;
    };
    CHECK(holds(path.front(), 0));
    CHECK(holds(path.back(), f.grid.end()));
    for (std::size_t s = 1; s < path.size(); ++s)
      CHECK(std::max(path[s - 1].first, path[s].first) < std::min(path[s - 1].end, path[s].end));
  }
}

TEST_CASE("a word at the start of the first text alone leads nobody astray", "[corridor]") {
  Rng rng(test::seed() + 6);
  const std::string word = test::random_text(rng, 30, 4);
  const std::string a = word + test::random_text(rng, 100, 4);
  const std::string b = "D" + test::random_text(rng, 300, 3) + a;
  const Fixture f({"", a, b}, 64);
  const auto path = probable_path(f.grid, sketch_distance(a, b, 1).chain);
  CHECK(path.front().first <= 0);
  CertifyOptions options;
  options.most = 1000;
  CHECK(certify(f.grid, path, f.plain, options).distance == reference::edit_distance(a, b));
}

TEST_CASE("the corridor's plan", "[corridor]") {
  const seq::Code code = test::whole_code(4);
  const std::string a(50'000, 'A'), b = "C" + a.substr(2) + "B";
  const Problem problem{a, b, &code, {}, 100};
  ocl::Limits cpu;
  cpu.vector_ints = 16;
  cpu.compute_units = 2;
  const auto& variant = variants().front();
  const auto planned = [&](const std::string& config) {
    return plan(variant, problem, cpu, tune::Config::parse(config));
  };
  CHECK(planned("").lanes == 16);
  CHECK(planned("").group == 1);
  CHECK(planned("ROWS=64").grid.rows == 64);
  CHECK(planned("").bytes() <= cpu.global_bytes);
  ocl::Limits gpu = cpu;
  gpu.gpu = true;
  CHECK(plan(variant, problem, gpu).lanes == 1);
  CHECK(plan(variant, problem, gpu).group == 32);
  CHECK(plan(variant, problem, gpu, tune::Config::parse("LANES=4")).group == 1);
  for (const char* config : {"ROWS=40", "ROWS=0", "WG=2,LANES=4", "LANES=3", "WG=4096", "MARGIN=1",
                             "PIECE=0", "SEGMENTS=0"})
    CHECK_THROWS_AS(planned(config), tune::Unfit);
  CHECK_THROWS_AS(planned("K=4"), UsageError);
  ocl::Limits small = cpu;
  small.global_bytes = small.alloc_bytes = 10'000;
  CHECK_THROWS_AS(plan(variant, problem, small), MemoryError);
}

}  // namespace rhomb::corridor::unit_tests
