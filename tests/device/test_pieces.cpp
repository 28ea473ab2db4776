// SPDX-License-Identifier: Apache-2.0
// Pairs with long gaps, cut where a cheapest path is proven to go through: distances against the
// strips, and each cut by what the texts before and behind it cost.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "host/align/align.h"
#include "host/corridor/corridor.h"
#include "host/distance/distance.h"
#include "host/distance/methods.h"
#include "host/distance/pieces.h"
#include "host/engine/choose.h"
#include "host/engine/sketch.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/random.h"

namespace rhomb::corridor::device_tests {
namespace {

using test::random_below;
using test::Rng;

std::string text_of(Rng& rng, std::size_t size, int letters) {
  return test::random_text(rng, size, letters, test::first_of(letters));
}

/// A text, and one made of it with edits and long gaps of a kind.
test::Pair gapped(Rng& rng, std::size_t length, double rate, int kind, int letters) {
  test::Pair pair;
  pair.a = text_of(rng, length, letters);
  std::string b = pair.a;
  for (std::size_t gaps = 1 + random_below(rng, 3); gaps > 0; --gaps) {
    const std::size_t size = 60 + random_below(rng, length / 30);
    const std::size_t place = random_below(rng, b.size() - size);
    const auto at = b.begin() + static_cast<std::ptrdiff_t>(place);
    const auto end = at + static_cast<std::ptrdiff_t>(size);
    if (kind == 0) b.insert(place, text_of(rng, size, letters));
    if (kind == 1) b.erase(place, size);
    if (kind == 2) b.insert(place, b.substr(place, size));  // a copy beside it
    if (kind == 3) std::reverse(at, end);
    if (kind == 4) b.insert(random_below(rng, b.size()), b.substr(place, size));  // elsewhere
    if (kind == 5) {                                                              // moved
      const std::string moved = b.substr(place, size);
      b.erase(place, size);
      b.insert(random_below(rng, b.size()), moved);
    }
    if (kind == 6) {  // short units over and over, of another number in either
      std::string many;
      const std::string unit = text_of(rng, 1 + random_below(rng, 30), letters);
      while (many.size() < size) many += unit;
      pair.a.insert(random_below(rng, pair.a.size()), many);
      b.insert(place, many + many.substr(0, size / 2));
    }
    if (kind == 7) std::fill(at, end, test::first_of(letters));
  }
  pair.b = test::mutate(rng, b, rate, letters, test::first_of(letters));
  if (random_below(rng, 2) == 0) std::swap(pair.a, pair.b);
  pair.what = "kind " + std::to_string(kind) + ", rate " + std::to_string(rate) + ", " +
              std::to_string(letters) + " letters, " + std::to_string(pair.a.size()) + " x " +
              std::to_string(pair.b.size());
  return pair;
}

std::int64_t by_strips(std::string_view a, std::string_view b, const seq::Code& code) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  return *method_named(kStrips).solve(&test::device(), problem, {}).distance;
}

Problem problem_with(const test::Pair& pair, const seq::Code& code, const Sketch& sketch) {
  Problem problem;
  problem.a = pair.a;
  problem.b = pair.b;
  problem.code = &code;
  problem.guess = sketch.distance;
  problem.chain = sketch.chain;
  return problem;
}

/// Checks each of them; if `all`, that no cheapest path crosses its row elsewhere. How many there
/// are.
std::size_t check_cuts(const test::Pair& pair, const seq::Code& code, const Sketch& sketch,
                       const char* config, const CutsWanted& wanted) {
  const bool all = wanted.all;
  const Cuts cuts = find_cuts(test::device(), problem_with(pair, code, sketch),
                              tune::Config::parse(config), Rates{}, wanted)
                        .cuts;
  const std::int64_t distance = by_strips(pair.a, pair.b, code);
  std::int64_t i = 0, j = 0, sum = 0;
  for (const Cut& cut : cuts.cells) {
    INFO("cut at " << cut.i << ", " << cut.j);
    REQUIRE((cut.i >= i && cut.j >= j));
    const auto part = [](const std::string& text, std::int64_t from, std::int64_t to) {
      return std::string_view(text).substr(static_cast<std::size_t>(from),
                                           static_cast<std::size_t>(to - from));
    };
    const std::int64_t piece = by_strips(part(pair.a, i, cut.i), part(pair.b, j, cut.j), code);
    CHECK(piece <= cut.at_most);
    sum += piece;
    // Alone, too.
    const auto by_way_of = [&](std::int64_t column) {
      return by_strips(part(pair.a, 0, cut.i), part(pair.b, 0, column), code) +
             by_strips(part(pair.a, cut.i, std::ssize(pair.a)),
                       part(pair.b, column, std::ssize(pair.b)), code);
    };
    CHECK(by_way_of(cut.j) == distance);
    if (all && cut.i < std::ssize(pair.a) && cut.j < std::ssize(pair.b))
      for (const std::int64_t beside : {-90, -7, -2, -1, 1, 2, 7, 90})
        if (cut.j + beside >= 0 && cut.j + beside <= std::ssize(pair.b))
          CHECK(by_way_of(cut.j + beside) > distance);
    i = cut.i;
    j = cut.j;
  }
  if (!cuts.cells.empty()) CHECK(sum == distance);
  return cuts.cells.empty() ? 0 : cuts.cells.size() - 1;
}

}  // namespace

TEST_CASE("a cheapest path goes through each cut", "[pieces][device]") {
  Rng rng(test::seed() + 31);
  std::size_t cuts = 0, more = 0, fewer = 0;
  for (int kind = 0; kind < 8; ++kind)
    for (const double rate : {0.0, 0.003, 0.01, 0.03, 0.08}) {
      const int letters = kind % 4 == 3 && rate > 0.005 ? 20 : 4;
      const test::Pair pair = gapped(rng, 70'000 + random_below(rng, 90'000), rate, kind, letters);
      INFO(pair.what);
      const seq::Code code = seq::make_code(pair.a, pair.b);
      const char* const config = random_below(rng, 3) == 0 ? "ROWS=512" : "ROWS=256";
      const Sketch sketch = sketch_distance(pair.a, pair.b);
      const std::size_t by_words = check_cuts(pair, code, sketch, config, {});
      const std::size_t by_windows =
          check_cuts(pair, code, sketch, config, {.windows = Windows::kAlways});
      cuts += by_words;
      more += by_windows > by_words;
      fewer += by_windows < by_words;
    }
  CHECK(cuts > 20);
  CHECK(more > 2);
  CHECK(fewer <= more);
}

TEST_CASE("each cheapest path goes through each cut of all", "[pieces][device]") {
  Rng rng(test::seed() + 35);
  std::size_t cuts = 0;
  for (int kind = 0; kind < 8; ++kind)
    for (const double rate : {0.003, 0.03}) {
      // Of two letters there are many cheapest paths.
      const int letters = kind % 4 == 3 ? 2 : 4;
      const test::Pair pair = gapped(rng, 60'000 + random_below(rng, 60'000), rate, kind, letters);
      INFO(pair.what);
      const seq::Code code = seq::make_code(pair.a, pair.b);
      cuts +=
          check_cuts(pair, code, sketch_distance(pair.a, pair.b), "ROWS=256",
                     {.all = true, .windows = kind % 2 == 0 ? Windows::kAlways : Windows::kNever});
    }
  CHECK(cuts > 4);
}

TEST_CASE("alignments by pieces are the canonical ones", "[pieces][align][device]") {
  Rng rng(test::seed() + 36);
  int cut = 0;
  for (int round = 0; round < 24; ++round) {
    test::Pair pair =
        gapped(rng, 60'000 + random_below(rng, 60'000), 0.004 * (round % 5), round % 8, 4);
    INFO("round " << round << ", " << pair.what);
    AlignOptions options;
    options.gaps_right = round % 3 == 2;
    if (round % 4 == 1) {
      for (std::size_t at = 100; at < pair.a.size(); at += 5000) pair.a[at] = 'N';
      options.ambiguous = seq::Ambiguous::kMatch;
    }
    if (round % 6 == 5) pair.a.insert(0, pair.b.substr(0, 500));  // a gap in what both begin with
    AlignTuning tuning;
    tuning.pieces = false;
    const AlignAnswer expected = align_pair(&test::device(), pair.a, pair.b, options, tuning);
    tuning.pieces = true;
    tuning.cuts = tune::Config::parse("ROWS=256");
    const AlignAnswer found = align_pair(&test::device(), pair.a, pair.b, options, tuning);
    CHECK(found.distance == expected.distance);
    CHECK(found.cigar == expected.cigar);
    cut += found.variant == "pieces";
    // As on a GPU, where pieces share launches, and keep rows if they are not walked through at
    // once.
    tuning.cuts = tune::Config::parse("ROWS=256,ATONCE=4");
    tuning.rates = Rates{};
    tuning.most_numbers = round % 2 == 0 ? 0 : 5e5;
    const AlignAnswer shared = align_pair(&test::device(), pair.a, pair.b, options, tuning);
    CHECK(shared.distance == expected.distance);
    CHECK(shared.cigar == expected.cigar);
  }
  CHECK(cut > 8);
}

TEST_CASE("a reference that leads astray is no proof", "[pieces][device]") {
  Rng rng(test::seed() + 32);
  std::size_t cuts = 0;
  for (int round = 0; round < 16; ++round) {
    const test::Pair pair =
        gapped(rng, 40'000 + random_below(rng, 40'000), 0.005 * (round % 3), round % 8, 4);
    INFO("round " << round << ", " << pair.what);
    const seq::Code code = seq::make_code(pair.a, pair.b);
    Sketch sketch = sketch_distance(pair.a, pair.b);
    // From somewhere on, or for a while, beside the words that both have.
    const std::size_t from = random_below(rng, sketch.chain.size());
    const std::size_t end =
        round % 2 == 0 ? sketch.chain.size() : from + random_below(rng, sketch.chain.size() - from);
    const auto by = static_cast<std::int64_t>(random_below(rng, round % 4 < 2 ? 40 : 3000)) + 1;
    std::vector<Anchor> chain;
    for (std::size_t x = 0; x < sketch.chain.size(); ++x) {
      Anchor word = sketch.chain[x];
      if (x >= from && x < end) word.j += by;
      if (word.j <= std::ssize(pair.b) && (chain.empty() || word.j >= chain.back().j))
        chain.push_back(word);
    }
    sketch.chain = chain;
    cuts += check_cuts(
        pair, code, sketch, "ROWS=256",
        {.all = round % 4 == 3, .windows = round % 3 > 0 ? Windows::kAlways : Windows::kNever});
  }
  CHECK(cuts > 0);
}

TEST_CASE("pieces give the distance that strips give", "[pieces][device]") {
  Rng rng(test::seed() + 33);
  int cut = 0;
  std::int64_t together = 0;
  for (int round = 0; round < 16; ++round) {
    const test::Pair pair =
        gapped(rng, 90'000 + random_below(rng, 90'000), 0.005 * (round % 4), round % 8, 4);
    INFO("round " << round << ", " << pair.what);
    DistanceOptions options;
    options.engine = "strips";
    const std::int64_t distance =
        *rhomb::distance(&test::device(), pair.a, pair.b, options).distance;
    options.engine = "corridor";
    options.variant = "pieces";
    options.config =
        tune::Config::parse(round % 2 == 0 ? "FAR=1,ROWS=256,WORDS=2" : "ATONCE=3,ROWS=256");
    const DistanceAnswer found = rhomb::distance(&test::device(), pair.a, pair.b, options);
    CHECK(found.distance == distance);
    if (found.variant == "pieces" && !found.certificate.all().empty()) ++cut;
    options.max_distance = distance;
    CHECK(rhomb::distance(&test::device(), pair.a, pair.b, options).distance == distance);
    options.max_distance = distance - 1;
    CHECK(!rhomb::distance(&test::device(), pair.a, pair.b, options).distance);
    // As on a GPU, where wavefronts are what takes least.
    const seq::Code code = seq::make_code(pair.a, pair.b);
    Problem problem;
    problem.a = pair.a;
    problem.b = pair.b;
    problem.code = &code;
    const Answer shared = solve_pieces(test::device(), problem, Rates{},
                                       tune::Config::parse("ATONCE=4,FAR=1,ROWS=256"));
    CHECK((shared.passed_on || shared.distance == distance));
    for (const auto& [key, value] : shared.certificate.all())
      if (key == "pieces_in_shared_launches") together += std::stoll(value);
  }
  CHECK(cut > 4);
  CHECK(together > 1);
}

TEST_CASE("what a corridor is too wide for is cut", "[pieces][device]") {
  Rng rng(test::seed() + 36);
  const std::string a = test::random_text(rng, 3'000'000, 4);
  std::string b = a;
  std::reverse(b.begin() + 1'000'000, b.begin() + 1'016'000);
  b = test::mutate(rng, b, 0.01, 4);
  // A CPU of two cores, whatever this is.
  ocl::Limits limits = test::device().limits();
  limits.gpu = limits.nvidia = false;
  limits.compute_units = 2;
  limits.vector_ints = 16;
  const seq::Code code = seq::make_code(a, b);
  Problem problem{a, b, &code, {}};
  problem.threads = 2;
  const Choice choice = choose(problem, limits, usual_rates(limits));
  CHECK(choice.corridor > 0);
  CHECK(choice.cut);
  DistanceOptions options;
  options.may_measure = false;
  const DistanceAnswer found = rhomb::distance(&test::device(), a, b, options);
  options.engine = "strips";
  CHECK(rhomb::distance(&test::device(), a, b, options).distance == found.distance);
}

TEST_CASE("texts that nothing can be proven of are passed on", "[pieces][device]") {
  Rng rng(test::seed() + 34);
  DistanceOptions options;
  options.engine = "corridor";
  options.variant = "pieces";
  const auto same = [&](const std::string& a, const std::string& b) {
    INFO(a.size() << " x " << b.size());
    DistanceOptions strips = options;
    strips.engine = "strips";
    strips.variant = "";
    CHECK(rhomb::distance(&test::device(), a, b, options).distance ==
          rhomb::distance(&test::device(), a, b, strips).distance);
  };
  const std::string some = test::random_text(rng, 9000, 4);
  same(some, test::random_text(rng, 9500, 4));
  same(some, test::random_text(rng, 3, 4));
  same("A", some);
  same("", some);
  same(some, some);
  same(std::string(9000, 'A'), std::string(8000, 'A'));
  same(std::string(5000, 'A'), std::string(5000, 'B'));
  same(test::random_text(rng, 20'000, 256, test::first_of(256)),
       test::random_text(rng, 20'000, 256, test::first_of(256)));
}

}  // namespace rhomb::corridor::device_tests
