// SPDX-License-Identifier: Apache-2.0
// Every row of the strips' table, in many configurations, against the reference: shapes with names,
// lengths about every border, thousands of random pairs with good and bad guesses of the distance,
// alphabets of every size, long pairs against other programs, and real genomes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/strip/several.h"
#include "host/strip/strip.h"
#include "tests/support/catch.h"
#include "tests/support/genomes.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"
#include "tests/support/words.h"

namespace rhomb::strip_tests {
namespace {

using Distance = std::optional<std::int64_t>;
using seq::Ambiguous;
using test::as_nucleotides;
using test::shown;
using test::whole_code;

/// A row in one configuration.
struct Way {
  const strip::Variant* row;
  tune::Config config;

  std::string text() const { return std::string(row->name) + " " + config.text(); }
};

/// What makes a program of its own, and how it is run: one program serves several ways.
struct Program {
  const char* built;
  std::vector<const char*> run;
};

// The least and the most of each tunable, numbers that divide nothing, and what a GPU and a CPU
// would take.
const std::vector<Program>& programs() {
  static const std::vector<Program> all = {
      {"", {""}},
      {"WG=1,LANES=1,K=1,FLOW=0", {"SLAB=1,SLACK=0,BATCH=1", "SLAB=2,BATCH=3"}},
      {"WG=1,LANES=1,K=2,FLOW=1", {"SLAB=1,SLACK=0,BATCH=1", "SLAB=2,SLACK=2,BATCH=2"}},
      {"WG=1,LANES=1,K=3,FLOW=1", {"SLAB=3,SLACK=1,BATCH=2", "SLAB=64,SLACK=64"}},
      {"WG=1,LANES=1,K=32,FLOW=0", {"SLAB=4"}},
      {"WG=2,LANES=1,K=1,FLOW=0", {"SLAB=1,SLACK=0,BATCH=1", "SLAB=5,BATCH=128"}},
      {"WG=3,LANES=1,K=2,FLOW=0", {"SLAB=7,BATCH=1", "SLAB=32"}},
      {"WG=7,LANES=1,K=3,FLOW=0", {"SLAB=16"}},
      {"WG=16,LANES=1,K=8,FLOW=0", {"SLAB=4"}},
      {"WG=32,LANES=1,K=1,FLOW=0", {"SLAB=3,SLACK=3,BATCH=1", "SLAB=64"}},
      {"WG=64,LANES=1,K=1,FLOW=0", {"SLAB=16"}},
      {"WG=64,LANES=1,K=4,FLOW=0", {"SLAB=64,BATCH=8"}},
      {"WG=1,LANES=4,K=1,FLOW=0", {"SLAB=1,SLACK=0,BATCH=1", "SLAB=9"}},
      {"WG=1,LANES=4,K=6,FLOW=1", {"SLAB=2,BATCH=1", "SLAB=4,SLACK=4", "SLAB=32"}},
      {"WG=1,LANES=4,K=8,FLOW=0", {"SLAB=6"}},
      {"WG=1,LANES=8,K=1,FLOW=1", {"SLAB=1,SLACK=1,BATCH=1", "SLAB=5,SLACK=2"}},
      {"WG=1,LANES=8,K=3,FLOW=0", {"SLAB=1,SLACK=1", "SLAB=16,BATCH=1"}},
      {"WG=1,LANES=8,K=32,FLOW=1", {"SLAB=8"}},
      {"WG=1,LANES=16,K=1,FLOW=0", {"SLAB=4,BATCH=1", "SLAB=256"}},
      {"WG=1,LANES=16,K=2,FLOW=1", {"SLAB=2,SLACK=0,BATCH=1", "SLAB=64,SLACK=8"}},
      {"WG=1,LANES=16,K=4,FLOW=0", {"SLAB=11"}},
      {"WG=1,LANES=16,K=16,FLOW=1", {"SLAB=16"}},
  };
  return all;
}

/// What a row takes of a configuration. Words of several pairs always flow, and a launch is a whole
/// pass.
std::optional<tune::Config> config_of(const strip::Variant& row, const std::string& text) {
  const auto all = tune::Config::parse(text);
  if (row.name != strip::kFlowBatch) return all;
  if (all.get("FLOW", 1) == 0) return std::nullopt;
  tune::Config own;
  for (const auto& param : row.space)
    if (const auto value = all.get(param.name, -1); value >= 0) own.set(param.name, value);
  return own;
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const auto& row : strip::variants()) {
    if (row.uses_cuda()) continue;  // not OpenCL's
    // Blocks have no flowing words, and fill each pair up to 3,072 rows: some of the others do.
    const bool in_blocks = row.name == "strips-blocks";
    std::size_t number = 0;
    for (const auto& program : programs())
      for (const char* run : program.run) {
        const std::string_view built = program.built;
        if (in_blocks && (!built.ends_with("FLOW=0") || number++ % 4 != 3)) continue;
        const auto config =
            config_of(row, program.built + std::string(*program.built && *run ? "," : "") + run);
        if (config) ways.push_back({&row, *config});
        if (row.name == strip::kFlowBatch) break;
      }
  }
  return ways;
}

Problem problem_of(std::string_view a, std::string_view b, const seq::Code& code,
                   Distance most = {}, Distance guess = {}) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  problem.max_distance = most;
  problem.guess = guess;
  return problem;
}

/// The ways that this device takes.
const std::vector<Way>& ways() {
  static const auto fitting = [] {
    const auto pair = test::random_pair(1, 1, 300, 4);
    const auto code = seq::make_code(pair.a, pair.b);
    std::vector<Way> found;
    for (const auto& way : all_ways()) try {
        strip::plan(*way.row, problem_of(pair.a, pair.b, code), test::device().limits(),
                    way.config);
        found.push_back(way);
      } catch (const tune::Unfit& why) {
        std::cerr << "left out: " << way.text() << ": " << why.what() << '\n';
      }
    return found;
  }();
  return fitting;
}

/// Whether the matrix was gone through as often as it must: again if the distance lies beyond the
/// first band and is still of interest. Without a guess the first band is the row's own choice.
bool right_passes(const Way& way, const Problem& problem, std::int64_t distance, int passes) {
  if (easy_answer(trimmed(problem))) return passes == 1;
  const auto plan = strip::plan(*way.row, problem, test::device().limits(), way.config);
  if (plan.banded && !problem.guess) return passes == 1 || passes == 2;
  const bool again = plan.banded && distance > plan.threshold && plan.threshold < plan.max_distance;
  return passes == (again ? 2 : 1);
}

std::uint64_t solved = 0;  ///< problems, for the last line of a run

/// Solves with the bound `most` and an estimate, and reports an answer other than the one that
/// follows from `distance`.
void check(const Way& way, const test::Pair& pair, const seq::Code& code, std::int64_t distance,
           Distance most = {}, Distance guess = {}) {
  ++solved;
  const bool found = !most || distance <= *most;
  const auto problem = problem_of(pair.a, pair.b, code, most, guess);
  Answer answer;
  std::string error;
  try {
    answer = strip::solve(&test::device(), *way.row, problem, way.config);
    const auto rest = trimmed(problem);
    if (!right_passes(way, problem, distance, answer.passes))
      error = "; " + std::to_string(answer.passes) + " passes";
    // A band of one diagonal has as many cells as the shorter text.
    const double least =
        easy_answer(rest) ? 0
        : way.row->name == "strips-full"
            ? static_cast<double>(rest.a.size() * rest.b.size())
            : static_cast<double>(std::min(rest.a.size(), rest.b.size())) * answer.passes;
    if (answer.cells < least) error += "; cells: " + std::to_string(answer.cells);
    if (answer.given_up) error += "; given up";
  } catch (const std::exception& thrown) {
    error = std::string("; error: ") + thrown.what();
  }
  if (answer.distance == (found ? Distance(distance) : std::nullopt) && error.empty() &&
      answer.compute >= 0)
    return;
  FAIL_CHECK("RHOMB_TEST_SEED=" << test::seed() << "; " << way.text() << "; " << pair.what
                                << "; at most " << shown(most) << "; guess " << shown(guess) << ": "
                                << shown(answer.distance) << " instead of "
                                << (found ? std::to_string(distance) : "nothing") << error
                                << "\n  a " << shown(pair.a) << "\n  b " << shown(pair.b));
}

/// Every kind of bound and estimate.
void check_bounds(const Way& way, const test::Pair& pair, const seq::Code& code,
                  std::int64_t distance) {
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  check(way, pair, code, distance);
  check(way, pair, code, distance, distance);
  check(way, pair, code, distance, distance + 1, distance);
  check(way, pair, code, distance, 0);
  if (distance > 0) check(way, pair, code, distance, distance - 1, distance / 3);
  check(way, pair, code, distance, kHuge, kHuge);
  check(way, pair, code, distance, {}, 0);
  check(way, pair, code, distance, {}, 1);
  check(way, pair, code, distance, {}, distance / 2);
  check(way, pair, code, distance, {}, distance);
  check(way, pair, code, distance, {}, 2 * distance + 7);
}

TEST_CASE("enough strip configurations fit this device", "[strip][device]") {
  std::set<std::string> configs;
  for (const auto& way : ways()) configs.insert(way.config.text());
  CHECK(configs.size() >= 20);
  if (!test::device().limits().gpu) CHECK(ways().size() == all_ways().size());
}

TEST_CASE("strips: texts of special shapes, with every kind of bound", "[strip][device]") {
  test::Rng rng(test::seed());
  const auto code = whole_code(4);
  std::size_t number = 0;
  for (const auto& pair : test::shaped_pairs(rng)) {
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : ways()) {
      // All bounds where that is fast; else one of the estimates.
      if (pair.a.size() * pair.b.size() < 300'000) {
        check_bounds(way, pair, code, distance);
      } else {
        const Distance guesses[] = {{}, distance, distance / 2, 0};
        check(way, pair, code, distance, {}, guesses[number++ % std::size(guesses)]);
      }
    }
  }
}

TEST_CASE("strips: all pairs of short texts", "[strip][device]") {
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
      check(way, {"short", a, b}, code, distance, {}, 0);
      check(way, {"short", a, b}, code, distance, static_cast<std::int64_t>(number % 5));
    }
}

/// Pairs whose lengths lie about `border`, with their distances.
struct Solved {
  test::Pair pair;
  std::int64_t distance = 0;
};

const std::vector<Solved>& pairs_about(std::size_t border) {
  static std::map<std::size_t, std::vector<Solved>> known;
  auto& pairs = known[border];
  if (!pairs.empty()) return pairs;
  test::Rng rng(test::seed() + border);
  // Only a few, where many borders of many ways are to be tried: all lengths, all kinds.
  for (auto& pair : test::border_pairs(rng, border)) pairs.push_back({std::move(pair), 0});
  // One side about the border, the other one anywhere.
  for (std::size_t length = border - 1; length <= border + 1; ++length) {
    test::Pair pair{"about " + std::to_string(border) + " against less",
                    test::random_text(rng, length, 4),
                    test::random_text(rng, 1 + test::random_below(rng, border), 4)};
    if (length % 2 == 0) std::swap(pair.a, pair.b);
    test::part_ends(pair, 4);
    pairs.push_back({pair, 0});
  }
  for (auto& [pair, distance] : pairs) distance = test::peer_distance(pair.a, pair.b);
  return pairs;
}

TEST_CASE("strips: lengths about every border", "[strip][device]") {
#ifdef RHOMB_HAVE_EDLIB
  constexpr std::size_t kLongest = 17'000;
#else
  constexpr std::size_t kLongest = 2'200;
#endif
  const auto code = whole_code(4);
  std::size_t number = 0;
  for (const auto& way : ways()) {
    const std::string unlike(3000, 'B');
    const auto some = problem_of("AC", unlike, code);
    const auto plan = strip::plan(*way.row, some, test::device().limits(), way.config);
    const auto rows = static_cast<std::size_t>(plan.shape.rows());
    const auto group = rows * static_cast<std::size_t>(plan.shape.group_lanes());
    const auto slab = 32 * static_cast<std::size_t>(plan.shape.slab);
    // A word, a lane, a lane in either half, a group, a group in either half, three and four
    // groups, a launch.
    std::set<std::size_t> borders = {32,        rows,      2 * rows,  3 * rows, group,
                                     2 * group, 3 * group, 4 * group, slab};
    for (const std::size_t border : borders) {
      if (border < 2 || border > kLongest) continue;
      const auto& pairs = pairs_about(border);
      // Every pair of short ones, some of the long ones.
      const std::size_t step = border <= 300 ? 1 : border <= 2100 ? 3 : 7;
      for (std::size_t i = number++ % step; i < pairs.size(); i += step) {
        const auto& [pair, distance] = pairs[i];
        const Distance guesses[] = {{}, distance, distance / 2, 0, distance + 40};
        check(way, pair, code, distance, {}, guesses[(number + i) % std::size(guesses)]);
      }
    }
  }
}

TEST_CASE("strips: one text much longer than the other", "[strip][device]") {
  test::Rng rng(test::seed() + 1);
  const auto code = whole_code(4);
  const auto wide = test::random_text(rng, 3000, 3);
  const auto vast = test::random_text(rng, 100'000, 4);
  std::vector<test::Pair> pairs = {
      {"1 x 3000, not found", "D", wide},
      {"3000 x 1, found", "A" + wide + "C", "B"},
      {"5 x 100000", vast.substr(70'000, 5), vast},
      {"100000 x 5", vast, "AAAAA"},
      {"33 x 100000", test::random_text(rng, 33, 4), vast},
      {"700 x 20000", test::random_text(rng, 700, 4), vast.substr(0, 20'000)}};
  std::size_t number = 0;
  for (test::Pair& pair : pairs) {
    test::part_ends(pair, 4);
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : ways()) {
      // A launch for each word of columns takes its time.
      if (pair.a.size() + pair.b.size() > 50'000 && way.config.get("SLAB", 64) < 4) continue;
      const Distance guesses[] = {{}, distance, 0};
      check(way, pair, code, distance, {}, guesses[number % std::size(guesses)]);
      if (++number % 4 == 0) check(way, pair, code, distance, distance - 1);
    }
  }
}

TEST_CASE("strips: a block moved, so that the path leaves the diagonal", "[strip][device]") {
  // The only cheapest path runs as far off the diagonal of the end as its bound allows, so it is
  // lost where a band is cut a diagonal too short.
  test::Rng rng(test::seed() + 7);
  const auto code = whole_code(4);
  for (const auto& way : ways()) {
    if (way.row->name != "strips") continue;
    for (const int size : {1, 2, 15, 31, 32, 33, 63, 64, 65, 100, 129}) {
      const auto text = test::random_text(rng, 8 * static_cast<std::size_t>(size) + 20, 3);
      const std::string block(static_cast<std::size_t>(size), 'D');
      const std::string odd = size % 2 ? "D" : "";
      test::Pair pair{"block of " + std::to_string(size), block + text, text + block + odd};
      if (size % 3 == 0) std::swap(pair.a, pair.b);
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      check(way, pair, code, distance, {}, distance);
      check(way, pair, code, distance, distance);
      check(way, pair, code, distance, {}, distance - 1);
      check(way, pair, code, distance, distance - 1);
    }
  }
}

TEST_CASE("strips: a block inserted or lost in close texts", "[strip][device]") {
  test::Rng rng(test::seed() + 8);
  const auto code = whole_code(4);
  for (const std::size_t block : {40u, 700u, 1500u}) {
    const auto base = test::random_text(rng, 4000, 4);
    auto other = test::mutate(rng, base, 0.01, 4);
    other.insert(1000 + block / 2, test::random_text(rng, block, 4));
    // Lost again further on: the ends lie on the same diagonal, the middle does not.
    auto back = other;
    back.erase(3000, block);
    for (const test::Pair& pair :
         {test::Pair{"inserted", base, other}, test::Pair{"inserted and lost", base, back},
          test::Pair{"lost", other, base}}) {
      const auto distance = test::peer_distance(pair.a, pair.b);
      std::size_t number = 0;
      for (const auto& way : ways()) {
        if (way.config.get("SLAB", 64) < 2) continue;
        const Distance guesses[] = {distance, distance / 4, {}, distance - 1};
        check(way, pair, code, distance, {}, guesses[number++ % std::size(guesses)]);
      }
    }
  }
}

TEST_CASE("strips: what was solved before does not matter", "[strip][device]") {
  test::Rng rng(test::seed() + 9);
  const auto code = whole_code(4);
  std::vector<Solved> pairs;
  for (const std::size_t length : {2500u, 40u, 1200u, 1u, 5000u, 300u}) {
    test::Pair pair{"in a row", test::random_text(rng, length, 4), ""};
    pair.b = length % 3 ? test::mutate(rng, pair.a, 0.05, 4) : test::random_text(rng, length, 4);
    if (pair.b.empty()) pair.b = "C";
    test::part_ends(pair, 4);
    pairs.push_back({pair, reference::edit_distance(pair.a, pair.b, code)});
  }
  for (const auto& way : ways())
    for (const auto& [pair, distance] : pairs) {
      check(way, pair, code, distance, {}, distance / 2);
      check(way, pair, code, distance, {}, distance / 2);
      check(way, {"other way round", pair.b, pair.a}, code, distance, {}, distance);
    }
}

TEST_CASE("strips: random pairs agree with the reference", "[strip][device]") {
  const char* wanted = std::getenv("RHOMB_TEST_PAIRS");
  const std::uint64_t total = wanted ? std::strtoull(wanted, nullptr, 10) : 10'000;
  const auto each = (total + ways().size() - 1) / ways().size();
  std::uint64_t number = 0;
  const auto code = whole_code(4);
  for (const auto& way : ways())
    for (std::uint64_t i = 0; i < each; ++i, ++number) {
      const auto pair =
          test::random_pair(test::seed() + 10, number, number % 50 == 0 ? 3000 : 400, 4);
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      const Distance mosts[] = {
          {}, {}, {}, distance, distance - 1, distance + 1, (distance * 3) / 4, distance * 2};
      const Distance guesses[] = {
          {},     0, 1, distance, distance, distance - 1, distance / 2, distance * 2, distance + 33,
          1 << 30};
      const Distance most = mosts[number % std::size(mosts)];
      check(way, pair, code, distance, most && *most < 0 ? Distance(0) : most,
            guesses[number / 8 % std::size(guesses)]);
    }
  std::cerr << "strips: " << number << " random pairs in " << ways().size()
            << " configurations compared with the reference\n";
  CHECK(number >= total);
}

/// One way of each kind of kernel, for what needs a program of its own each time.
const std::vector<Way>& kinds() {
  static const auto some = [] {
    std::vector<Way> found;
    for (const char* config :
         {"", "WG=3,LANES=1,K=1,FLOW=0,SLAB=4", "WG=1,LANES=4,K=1,FLOW=1,SLAB=4,SLACK=2"})
      for (const auto& row : strip::variants()) {
        if (row.uses_cuda()) continue;
        const auto pair = test::random_pair(1, 1, 300, 4);
        const auto code = seq::make_code(pair.a, pair.b);
        const auto own = config_of(row, config);
        if (!own) continue;
        try {
          const Way way{&row, *own};
          strip::plan(row, problem_of(pair.a, pair.b, code), test::device().limits(), way.config);
          found.push_back(way);
        } catch (const tune::Unfit& why) {
          std::cerr << "left out: " << config << ": " << why.what() << '\n';
        }
      }
    return found;
  }();
  return some;
}

TEST_CASE("strips: alphabets of every size", "[strip][device][unoptimized]") {
  std::uint64_t number = 0;
  for (const int alphabet : {1, 2, 3, 4, 5, 8, 9, 16, 17, 20, 33, 64, 65, 128, 129, 200, 256}) {
    const auto code = whole_code(std::max(alphabet, 2));  // a recipe takes two at least
    for (int i = 0; i < 12; ++i, ++number) {
      const auto pair = test::random_pair(test::seed() + 11, number, 600, alphabet);
      const auto distance = reference::edit_distance(pair.a, pair.b);
      for (const auto& way : kinds()) {
        // (Programs of work-groups take long to compile on CPUs.)
        if (way.config.get("WG", 1) > 1 && alphabet > 16 && alphabet < 256) continue;
        check(way, pair, code, distance, {}, i % 3 == 0 ? Distance(distance / 2) : std::nullopt);
        if (distance > 0 && i % 2) check(way, pair, code, distance, distance - 1);
      }
    }
  }
}

TEST_CASE("strips: ambiguous letters that match by set, or match nothing",
          "[strip][device][unoptimized]") {
  test::Rng rng(test::seed() + 2);
  const auto all = [&](const test::Pair& pair) {
    for (const auto ambiguous : {Ambiguous::kSymbol, Ambiguous::kMatch, Ambiguous::kMismatch}) {
      const auto code = seq::make_code(pair.a, pair.b, ambiguous);
      const auto distance = reference::edit_distance(pair.a, pair.b, code);
      const auto turned = seq::make_code(pair.b, pair.a, ambiguous);
      for (const auto& way : kinds()) {
        check(way, pair, code, distance);
        check(way, {"turned, " + pair.what, pair.b, pair.a}, turned, distance, distance, 0);
        if (distance > 0) check(way, pair, code, distance, distance - 1);
      }
    }
  };
  for (int number = 0; number < 60; ++number) {
    auto pair = test::random_pair(test::seed() + 12, static_cast<std::uint64_t>(number), 500,
                                  number % 2 ? 4 : 9);
    const auto one_in = std::size_t{2} << (number % 7);
    pair.a = as_nucleotides(rng, pair.a, one_in);
    // In a third of the pairs the second text has no ambiguous letters.
    pair.b = as_nucleotides(rng, pair.b, number % 3 ? one_in : std::size_t{1} << 40);
    all(pair);
  }
  const std::string all_n(600, 'N');
  all({"all N", all_n, all_n});
  all({"all N", "A" + all_n + "C", "G" + all_n});
  all({"T and U", std::string(500, 'T') + "ACC" + std::string(500, 't'),
       std::string(490, 'u') + "GA" + std::string(505, 'U')});
}

TEST_CASE("strips: genomes with a few letters beside A, C, G and T", "[strip][device]") {
  // Where a word of columns and the rows have no such letter, kernels may leave out planes.
  test::Rng rng(test::seed() + 13);
  for (int number = 0; number < 40; ++number) {
    // Three and four planes; single letters, and blocks of N, in one text or both.
    const std::string more = number % 2 ? "N" : "NRYSWKMBN";
    const auto strew = [&](std::string text) {
      for (std::size_t i = rng() % 200; i < text.size(); i += 1 + rng() % 300)
        text[i] = more[test::random_below(rng, more.size())];
      if (rng() % 2 && text.size() > 200)
        text.replace(test::random_below(rng, text.size() - 200), 100 + rng() % 90, 90, 'N');
      return text;
    };
    std::string base = test::random_text(rng, 40 + test::random_below(rng, 3000), 4);
    for (char& c : base) c = "ACGT"[c - 'A'];
    test::Pair pair{"few N", base, ""};
    pair.b = test::mutate(rng, number % 5 ? base : base.substr(base.size() / 3), 0.05, 1, 'T');
    if (number % 3) pair.a = strew(pair.a);
    if (number % 3 != 1) pair.b = strew(pair.b);
    const auto code = seq::make_code("ACGT" + more, "");
    const auto distance = reference::edit_distance(pair.a, pair.b, code);
    for (const auto& way : kinds()) {
      check(way, pair, code, distance, {}, number % 2 ? Distance(distance) : std::nullopt);
      check(way, {"turned", pair.b, pair.a}, code, distance, {}, distance / 2);
    }
    // The codes that a user gets, of which there may be other numbers.
    const auto own = seq::make_code(pair.a, pair.b);
    check(kinds()[static_cast<std::size_t>(number) % kinds().size()], pair, own, distance);
  }
}

TEST_CASE("strips: longer pairs agree with other programs", "[strip][device]") {
  test::Rng rng(test::seed() + 4);
  std::uint64_t number = 0;
  const auto both = [&](const test::Pair& pair, bool small_distance) {
    const auto code = seq::make_code(pair.a, pair.b);
    const auto distance = test::peer_distance(pair.a, pair.b);
#if defined(RHOMB_HAVE_EDLIB) && defined(RHOMB_HAVE_WFA2)
    if (small_distance) CHECK(test::wfa2_distance(pair.a, pair.b) == distance);
#else
    static_cast<void>(small_distance);
#endif
    for (const auto& way : kinds()) {
      check(way, pair, code, distance, {}, distance / 2);
      if (way.row->name != "strips") continue;
      check(way, {"turned, " + pair.what, pair.b, pair.a}, code, distance, distance);
      if (distance > 0) check(way, pair, code, distance, distance - 1, distance / 5);
    }
  };
  for (const int alphabet : {4, 4, 20})
    for (const std::size_t longest : {3000u, 12'000u}) {
      for (int i = 0; i < 3; ++i, ++number) {
        const auto pair = test::random_pair(test::seed() + 4, number, longest, alphabet);
        both(pair, false);
      }
    }
#ifdef RHOMB_HAVE_EDLIB
  // 10,000 to 50,000 symbols: unrelated ones, close ones, and a long block that moved.
  both({"unrelated", test::random_text(rng, 20'011, 4), test::random_text(rng, 17'003, 4)}, false);
  const auto base = test::random_text(rng, 50'000, 4);
  both({"1%", base, test::mutate(rng, base, 0.01, 4)}, true);
  both({"20%", base.substr(0, 30'000), test::mutate(rng, base.substr(0, 30'000), 0.2, 4)}, false);
  both({"block moved", base.substr(0, 30'000),
        test::mutate(rng, base.substr(4000, 26'000) + base.substr(0, 4000), 0.002, 4)},
       false);
#endif
}

TEST_CASE("strips: real genomes", "[strip][device]") {
  for (const auto& known : test::known_genomes()) {
    const auto distance = known.distance;
    const test::Pair pair{known.what(), test::genome(known.a), test::genome(known.b)};
    const auto code = seq::make_code(pair.a, pair.b);
    for (const auto& row : strip::variants()) {
      if (row.uses_cuda()) continue;
      const Way way{&row, {}};
      check(way, pair, code, distance, {}, distance + distance / 10);
      if (row.name != "strips") continue;
      check(way, {"turned, " + pair.what, pair.b, pair.a}, code, distance, distance);
      check(way, pair, code, distance, distance - 1);
      check(way, pair, code, distance, {}, distance / 3);
    }
  }
  CHECK(test::known_genomes().size() >= 6);
  std::cerr << "strips: " << solved << " problems solved\n";
}

TEST_CASE("strips: pairs of all lengths share launches", "[strip][device][unoptimized]") {
  // With guesses that are too small for some, limits that some exceed, and of one group and more.
  test::Rng rng(test::seed() + 61);
  for (const auto& way : ways()) {
    if (way.row->name != strip::kFlowBatch) continue;
    for (const int alphabet : {4, 20}) {
      INFO("RHOMB_TEST_SEED=" << test::seed() << "; " << way.text() << ", " << alphabet
                              << " symbols");
      std::deque<std::pair<std::string, std::string>> texts;
      std::string first, second;  // with all symbols
      for (const std::size_t length :
           {1u, 31u, 32u, 33u, 700u, 1023u, 1024u, 1025u, 2049u, 5000u}) {
        const std::string base = test::random_text(rng, length, alphabet);
        texts.emplace_back(base, test::random_text(rng, length + rng() % 3, alphabet));
        texts.emplace_back(base, test::mutate(rng, base, 0.05, alphabet));
        texts.emplace_back(base, test::random_text(rng, 1 + rng() % 300, alphabet));
        for (const auto& [a, b] : texts) first += a, second += b;
      }
      const auto code = seq::make_code(first, second);
      std::vector<Problem> problems;
      std::vector<std::int64_t> distances;
      for (const auto& [a, b] : texts) {
        Problem problem = trimmed(problem_of(a, b, code));
        const std::int64_t distance = test::distance_by_words(a, b, code);
        switch (problems.size() % 4) {
          case 0:
            problem.guess = distance;
            break;
          case 1:
            problem.guess = distance / 3;
            break;
          case 2:
            problem.max_distance = distance - 1;
            break;
          default:
            break;
        }
        if (easy_answer(problem)) continue;
        problems.push_back(problem);
        distances.push_back(distance);
      }
      std::vector<strip::Plan> plans;
      for (const auto& problem : problems)
        plans.push_back(strip::plan(*way.row, problem, test::device().limits(), way.config));
      int told = 0;
      const auto all = strip::solve_several(test::device(), plans, problems, 2, nullptr,
                                            [&](const Progress& progress) {
                                              ++told;
                                              CHECK(progress.part <= 1);
                                              return false;
                                            });
      CHECK(told > 0);
      CHECK_FALSE(all.given_up);
      REQUIRE(all.answers.size() == problems.size());
      bool again = false;
      for (std::size_t i = 0; i < problems.size(); ++i) {
        INFO(problems[i].a.size() << " x " << problems[i].b.size());
        const auto most = problems[i].max_distance;
        CHECK(all.answers[i].distance ==
              (most && distances[i] > *most ? std::nullopt : Distance(distances[i])));
        again = again || all.answers[i].passes > 1;
      }
      CHECK(again);
      CHECK(strip::solve_several(test::device(), plans, problems, 2, nullptr, [](const Progress&) {
              return true;
            }).given_up);
    }
  }
}

TEST_CASE("a device without warps is not given teams of 32", "[strip][device]") {
  if (test::device().limits().nvidia) return;
  CHECK_THROWS_WITH(test::device().kernel("strip/flow.cl", "strip_flow",
                                          {{"WG", "32"},
                                           {"TEAM", "32"},
                                           {"LANES", "1"},
                                           {"K", "4"},
                                           {"PLANES", "2"},
                                           {"SETS", "0"}}),
                    test::contains("TEAM is 32"));
}

}  // namespace
}  // namespace rhomb::strip_tests
