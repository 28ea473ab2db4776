// SPDX-License-Identifier: Apache-2.0
// Which engine answers a pair: the sketch of the distance, the cost model, the choice, and that the
// answer is right however wrong they are.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/distance/distance.h"
#include "host/engine/choose.h"
#include "host/engine/cost.h"
#include "host/engine/reference.h"
#include "host/engine/sketch.h"
#include "host/strip/strip.h"
#include "host/tune/store.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/genomes.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"

namespace rhomb::choose_tests {
namespace {

using test::shown;

ocl::Limits gpu() {
  ocl::Limits limits;
  limits.gpu = limits.nvidia = true;
  limits.compute_units = 132;
  limits.max_work_group = 1024;
  limits.global_bytes = std::uint64_t{140} << 30;
  limits.alloc_bytes = std::uint64_t{35} << 30;
  limits.local_bytes = 48u << 10;
  return limits;
}

ocl::Limits cpu() {
  ocl::Limits limits;
  limits.compute_units = 2;
  limits.max_work_group = 4096;
  limits.vector_ints = 16;
  limits.global_bytes = std::uint64_t{8} << 30;
  limits.alloc_bytes = std::uint64_t{2} << 30;
  return limits;
}

Problem problem_of(std::string_view a, std::string_view b, const seq::Code& code) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  return problem;
}

void check_sketch(const Sketch& sketch, std::string_view a, std::string_view b) {
  const auto m = static_cast<std::int64_t>(a.size()), n = static_cast<std::int64_t>(b.size());
  CHECK(sketch.distance >= std::abs(m - n));
  CHECK(sketch.distance <= 2 * std::max(m, n) + 1);
  CHECK(sketch.covered >= 0);
  CHECK(sketch.covered <= 1);
}

// ---- the sketch

void check_estimate(const std::string& what, std::string_view a, std::string_view b,
                    std::int64_t distance, double factor) {
  const Sketch sketch = sketch_distance(a, b);
  INFO(what << ": estimated " << sketch.distance << ", is " << distance << ", "
            << sketch.chain.size() << " anchors, covered " << sketch.covered);
  check_sketch(sketch, a, b);
  const auto estimate = static_cast<double>(sketch.distance);
  CHECK(estimate <= factor * static_cast<double>(distance) + 20);
  CHECK(estimate * factor + 20 >= static_cast<double>(distance));
}

TEST_CASE("a sketch comes near the distance of real genomes", "[choose][host]") {
  for (const auto& known : test::known_genomes()) {
    const auto x = test::genome(known.a), y = test::genome(known.b);
    check_estimate(known.what(), x, y, known.distance, 2);
    check_estimate("turned, " + known.what(), y, x, known.distance, 2);
  }
  CHECK(test::known_genomes().size() >= 6);
}

TEST_CASE("a sketch comes near the distance of random texts", "[choose][host]") {
  test::Rng rng(test::seed());
  for (const std::size_t length : {20'000u, 100'000u})
    for (const double rate : {0.001, 0.01, 0.05, 0.1, 0.2, 0.3}) {
      const auto a = test::random_text(rng, length, 4), b = test::mutate(rng, a, rate, 4);
      check_estimate("rate " + std::to_string(rate), a, b, test::peer_distance(a, b), 2);
    }
  for (const int alphabet : {2, 4, 20, 256}) {
    const char first = test::first_of(alphabet);
    const auto a = test::random_text(rng, 15'000, alphabet, first);
    const auto b = test::random_text(rng, 12'000, alphabet, first);
    check_estimate("unrelated, " + std::to_string(alphabet) + " symbols", a, b,
                   test::peer_distance(a, b), 2);
  }
  // A block of a tenth more, or of a tenth elsewhere.
  const auto a = test::random_text(rng, 50'000, 4);
  auto longer = test::mutate(rng, a, 0.01, 4);
  longer.insert(20'000, test::random_text(rng, 5000, 4));
  check_estimate("a block more", a, longer, test::peer_distance(a, longer), 2);
  const auto moved = a.substr(5000) + a.substr(0, 5000);
  check_estimate("a block moved", a, moved, test::peer_distance(a, moved), 2);
}

TEST_CASE("a sketch of the same text twice is next to nothing", "[choose][host]") {
  test::Rng rng(test::seed() + 1);
  for (const std::size_t length : {100u, 5000u, 300'000u}) {
    const auto a = test::random_text(rng, length, 4);
    const Sketch sketch = sketch_distance(a, a);
    INFO(length << " symbols");
    check_sketch(sketch, a, a);
    CHECK(sketch.distance <= 20 + static_cast<std::int64_t>(length) / 100);
  }
}

TEST_CASE("a sketch takes every text", "[choose][host]") {
  test::Rng rng(test::seed() + 2);
  std::vector<std::string> texts = {"",
                                    "A",
                                    "AC",
                                    "ACGTACGT",
                                    "ACGTACGTACGTACGTACGT",
                                    std::string(7, 'N'),
                                    std::string(100'000, 'A'),
                                    test::recipe::repeated("AC", 40'000),
                                    test::recipe::repeated("ACGTTGCA", 5000),
                                    std::string(5000, '\0'),
                                    std::string(5000, '\377')};
  for (const std::size_t length : {9u, 10u, 11u, 12u, 13u, 30u, 70'000u})
    texts.push_back(test::random_text(rng, length, 4));
  texts.push_back(test::random_text(rng, 30'000, 256, '\0'));
  for (const auto& a : texts)
    for (const auto& b : texts) {
      INFO(a.size() << " x " << b.size());
      check_sketch(sketch_distance(a, b), a, b);
    }
  for (std::uint64_t number = 0; number < 300; ++number) {
    const auto pair = test::random_pair(test::seed() + 3, number, 5000, number % 2 ? 4 : 256);
    INFO(pair.what);
    check_sketch(sketch_distance(pair.a, pair.b), pair.a, pair.b);
  }
}

TEST_CASE("a sketch is the same each time", "[choose][host]") {
  test::Rng rng(test::seed() + 4);
  const auto a = test::random_text(rng, 40'000, 4), b = test::mutate(rng, a, 0.1, 4);
  const Sketch first = sketch_distance(a, b), second = sketch_distance(a, b);
  CHECK(first.distance == second.distance);
  CHECK(first.chain.size() == second.chain.size());
}

// ---- the cost model

TEST_CASE("usual rates are positive, and more units are no slower", "[choose][host]") {
  for (auto limits : {gpu(), cpu(), ocl::Limits{}}) {
    double before = 1;
    for (const std::uint32_t units : {0u, 1u, 2u, 16u, 132u, 1000u}) {
      limits.compute_units = units;
      const Rates rates = usual_rates(limits);
      CHECK_FALSE(rates.source.empty());
      CHECK(rates.guessed);
      for (const auto& field : rate_fields()) {
        INFO(field.name);
        CHECK(rates.*field.value >= 0);
        CHECK(std::isfinite(rates.*field.value));
      }
      CHECK((rates.strip_cell > 0 && rates.wave_cell > 0 && rates.wave_close > 0));
      CHECK((rates.strip_launch > 0 && rates.wave_launch > 0 && rates.wave_step > 0));
      if (units > 0) {
        CHECK(rates.strip_cell <= before);
        before = rates.strip_cell;
      }
    }
  }
}

TEST_CASE("wider bands and longer texts take longer", "[choose][host]") {
  const auto code = seq::make_code("ACGT", "");
  for (const auto& limits : {gpu(), cpu()}) {
    const Rates rates = usual_rates(limits);
    // One shape for all lengths.
    const tune::Config config(limits.gpu ? std::map<std::string, int>{{"K", 4}, {"WG", 128}}
                                         : std::map<std::string, int>{{"K", 8}});
    double before = 0;
    for (std::size_t length = 1000; length <= 1'024'000; length *= 4) {
      const std::string a(length, 'A'), b(length, 'C');
      const auto& row = find_variant(strip::variants(), "strips-full");
      const auto plan = strip::plan(row, problem_of(a, b, code), limits, config);
      const strip::Band whole{plan.size.m, plan.size.n};
      const double seconds = strip_seconds(rates, plan, whole);
      INFO((limits.gpu ? "GPU, " : "CPU, ") << length << " symbols: " << seconds << " s");
      CHECK(seconds > 0);
      CHECK(seconds >= before);
      before = seconds;
      double narrower = 0;
      for (std::int64_t threshold = 0; threshold <= static_cast<std::int64_t>(length);
           threshold += 1 + static_cast<std::int64_t>(length) / 7) {
        const double now = strip_seconds(rates, plan, strip::band_of(plan.size, threshold));
        CHECK(now >= narrower * (1 - 1e-9));
        CHECK(now <= seconds * (1 + 1e-9));
        narrower = now;
      }
    }
    before = 0;
    for (std::int64_t distance = 0; distance < 2'000'000; distance = distance * 2 + 1) {
      const double seconds = wave_seconds(rates, 2'000'000, 2'000'000, distance);
      CHECK(seconds >= 0);
      CHECK(std::isfinite(seconds));
      if (distance > 0) CHECK(seconds > 0);
      // (Cells of texts with long matches may cost more than those of others.)
      if (!limits.gpu) CHECK(seconds >= before);
      before = seconds;
    }
  }
}

// ---- the choice

TEST_CASE("wavefronts for close texts, strips for unrelated ones", "[choose][host]") {
  test::Rng rng(test::seed() + 5);
  const auto code = seq::make_code("ABCD", "");
  const auto a = test::random_text(rng, 1'000'000, 4);
  auto close = a;
  for (std::size_t i = 5000; i < close.size(); i += 20'000) close[i] = close[i] == 'A' ? 'B' : 'A';
  close.front() = close.front() == 'A' ? 'B' : 'A';
  close.back() = close.back() == 'A' ? 'B' : 'A';
  const auto other = test::random_text(rng, 1'000'000, 4);
  for (const auto& limits : {gpu(), cpu()}) {
    INFO((limits.gpu ? "GPU" : "CPU"));
    const Rates rates = usual_rates(limits);
    const Choice near = choose(problem_of(a, close, code), limits, rates);
    CHECK(near.start == Choice::Start::kWave);
    CHECK(near.possible);
    CHECK(near.wave > 0);
    CHECK(near.wave <= near.strips);
    CHECK(near.patience >= near.wave);
    CHECK_FALSE(near.why.empty());
    const Choice far = choose(problem_of(a, other, code), limits, rates);
    CHECK(far.start != Choice::Start::kWave);
    CHECK(far.strips < far.wave);
    CHECK(far.patience < far.strips);
    CHECK_FALSE(far.why.empty());
    for (const Choice* choice : {&near, &far}) {
      CHECK(choice->threshold >= 0);
      CHECK(choice->threshold <= 1'000'000);
    }
    // A bound bounds the band, and makes strips cheaper.
    auto bounded = problem_of(a, other, code);
    bounded.max_distance = 50'000;
    const Choice less = choose(bounded, limits, rates);
    CHECK(less.threshold <= 50'000);
    CHECK(less.strips < far.strips);
  }
}

TEST_CASE("the corridor for long texts that are alike, without long gaps", "[choose][host]") {
  test::Rng rng(test::seed() + 12);
  const auto code = seq::make_code("ABCD", "");
  const auto a = test::random_text(rng, 3'000'000, 4), b = test::mutate(rng, a, 0.03, 4);
  const auto limits = cpu();
  const Rates rates = usual_rates(limits);
  const auto chosen = [&](const std::string& other, const seq::Code& with, std::int64_t most) {
    Problem problem = problem_of(a, other, with);
    problem.max_distance = most;
    return choose(problem, limits, rates);
  };
  const Choice alike = chosen(b, code, 3'000'000);
  CHECK(alike.start == Choice::Start::kCorridor);
  CHECK(alike.corridor > 0);
  CHECK(alike.corridor < std::min(alike.strips, alike.wave));
  CHECK_FALSE(alike.why.empty());
  // More than is asked for, in long gaps, too many edits, or symbols that are sets of bases.
  CHECK(chosen(b, code, alike.sketch.distance / 2).corridor == 0);
  const Choice moved = chosen(b.substr(1'000'000) + b.substr(0, 1'000'000), code, 3'000'000);
  CHECK(moved.corridor == 0);
  CHECK(moved.start != Choice::Start::kCorridor);
  CHECK(chosen(test::mutate(rng, a, 0.15, 4), code, 3'000'000).corridor == 0);
  const auto sets = seq::make_code("ACGT", "ACGN", seq::Ambiguous::kMatch);
  CHECK(chosen(b, sets, 3'000'000).corridor == 0);
}

TEST_CASE("pieces for long texts with long gaps and few edits besides", "[choose][host]") {
  test::Rng rng(test::seed() + 13);
  const auto code = seq::make_code("ABCD", "");
  const auto a = test::random_text(rng, 3'000'000, 4);
  const auto limits = cpu();
  const Rates rates = usual_rates(limits);
  const auto with_gap = [&](std::size_t size, double rate) {
    std::string b = a;
    b.insert(1'000'000, test::random_text(rng, size, 4));
    return test::mutate(rng, b, rate, 4);
  };
  const std::string b = with_gap(60'000, 0.005);
  const Problem problem = problem_of(a, b, code);
  const Choice choice = choose(problem, limits, rates);
  CHECK(choice.cut);
  CHECK(choice.start != Choice::Start::kCorridor);
  // Pieces are not cut again; a gap that is too long, too many edits, none that is long.
  CHECK_FALSE(choose(problem, limits, rates, &choice.sketch).cut);
  for (const auto& [size, rate] :
       {std::pair{std::size_t{600'000}, 0.005}, std::pair{std::size_t{60'000}, 0.06},
        std::pair{std::size_t{10}, 0.01}}) {
    INFO(size << " symbols, rate " << rate);
    const std::string other = with_gap(size, rate);
    CHECK_FALSE(choose(problem_of(a, other, code), limits, rates).cut);
  }
  // Gaps to and fro that together cost more than unlike texts do.
  std::string other;
  for (std::size_t at = 0; at < a.size(); at += 70000)
    other += a.substr(at, 20000) + test::random_text(rng, 30000, 4) + a.substr(at + 20000, 20000);
  const Choice astray = choose(problem_of(a, other, code), limits, rates);
  CHECK(astray.sketch.gaps > astray.sketch.distance);
  CHECK(astray.pieces == 0);
}

TEST_CASE("strips that do not fit are not chosen", "[choose][host]") {
  test::Rng rng(test::seed() + 6);
  const auto code = seq::make_code("ABCD", "");
  const auto a = test::random_text(rng, 400'000, 4), b = test::random_text(rng, 400'000, 4);
  auto limits = gpu();
  limits.global_bytes = limits.alloc_bytes = 100'000;
  const Choice choice = choose(problem_of(a, b, code), limits, usual_rates(limits));
  CHECK_FALSE(choice.possible);
  CHECK(choice.start == Choice::Start::kWave);
  CHECK(choice.patience > 1e9);  // never given up: there is nothing else
  CHECK_THAT(choice.why, test::contains("fit"));
}

TEST_CASE("any pair and bound can be chosen for", "[choose][host]") {
  for (const auto& limits : {gpu(), cpu(), ocl::Limits{}})
    for (std::uint64_t number = 0; number < 200; ++number) {
      const auto pair = test::random_pair(test::seed() + 7, number, 3000, 4);
      const auto code = seq::make_code(pair.a, pair.b);
      auto problem = problem_of(pair.a, pair.b, code);
      if (number % 3 == 1) problem.max_distance = static_cast<std::int64_t>(number);
      problem = trimmed(problem);
      if (easy_answer(problem)) continue;
      const Choice choice = choose(problem, limits, usual_rates(limits));
      INFO(pair.what << ", " << choice.why);
      CHECK_FALSE(choice.why.empty());
      CHECK(choice.threshold >= 0);
      CHECK(choice.threshold <= distance_limit(problem));
      CHECK((choice.strips >= 0 && choice.wave >= 0 && choice.patience >= 0));
    }
}

// ---- on a device

TEST_CASE("engine auto gives the distance, whoever is chosen", "[choose][device]") {
  test::Rng rng(test::seed() + 8);
  const auto same = [&](const std::string& what, const std::string& a, const std::string& b) {
    const auto expected = test::peer_distance(a, b);
    const auto answer = distance(&test::device(), a, b);
    INFO(what << ": " << answer.engine);
    CHECK(shown(answer.distance) == shown(expected));
    CHECK(answer.passes >= 1);
    CHECK(answer.passes <= 3);
    DistanceOptions bounded;
    bounded.max_distance = expected;
    CHECK(shown(distance(&test::device(), a, b, bounded).distance) == shown(expected));
    if (expected == 0) return;
    bounded.max_distance = expected - 1;
    CHECK(shown(distance(&test::device(), a, b, bounded).distance) == "nothing");
  };
  for (const std::size_t length : {300u, 5000u, 40'000u})
    for (const double rate : {0.0005, 0.005, 0.03, 0.1, 0.3}) {
      const auto a = test::random_text(rng, length, 4);
      same(std::to_string(length) + ", rate " + std::to_string(rate), a,
           test::mutate(rng, a, rate, 4));
    }
  for (const int alphabet : {2, 4, 20}) {
    same("unrelated", test::random_text(rng, 30'000, alphabet),
         test::random_text(rng, 25'000, alphabet));
    same("unequal", test::random_text(rng, 300, alphabet),
         test::random_text(rng, 45'000, alphabet));
  }
  for (std::uint64_t number = 0; number < 60; ++number) {
    const auto pair = test::random_pair(test::seed() + 9, number, 20'000, 4);
    same(pair.what, pair.a, pair.b);
  }
}

TEST_CASE("a sketch that is far off does not change the answer", "[choose][device]") {
  test::Rng rng(test::seed() + 10);
  const auto edlib = [](const std::string& a, const std::string& b) {
    return test::peer_distance(a, b);
  };
  std::vector<test::Pair> pairs;
  // No word occurs once: nothing to go by, and the texts are close.
  const auto tandem = test::recipe::repeated("ACGTTGCATT", 4000);
  pairs.push_back({"tandem repeat, close", "C" + tandem + "A",
                   "G" + test::mutate(rng, tandem, 0.002, 4) + "C"});
  const std::string run(40'000, 'A');
  pairs.push_back({"one symbol", "B" + run + "C", "C" + run.substr(150) + "B"});
  const auto unit = test::random_text(rng, 5000, 4);
  pairs.push_back({"a long repeat", "A" + test::recipe::repeated(unit, 8) + "B",
                   "C" + test::mutate(rng, test::recipe::repeated(unit, 8), 0.01, 4) + "D"});
  pairs.push_back({"a long repeat, once less", "A" + test::recipe::repeated(unit, 8) + "B",
                   "C" + test::recipe::repeated(unit, 7) + "D"});
  // Words in common all along, but each second symbol between them differs: closer than it is.
  std::string left, right;
  while (left.size() < 30'000) {
    const auto word = test::random_text(rng, 40, 4);
    left += word + test::random_text(rng, 60, 2, 'A');
    right += word + test::random_text(rng, 60, 2, 'C');
  }
  pairs.push_back({"islands", "A" + left + "B", "C" + right + "D"});
  pairs.push_back({"turned", left, {left.rbegin(), left.rend()}});
  // A substitution every few symbols: no word survives, and yet half of unrelated.
  auto base = test::random_text(rng, 30'000, 4), scarce = base;
  for (std::size_t i = 0; i < scarce.size(); i += 8) scarce[i] = scarce[i] == 'A' ? 'B' : 'A';
  scarce.back() = scarce.back() == 'A' ? 'B' : 'A';
  pairs.push_back({"every eighth symbol", base, scarce});
  for (const auto& pair : pairs) {
    const auto expected = edlib(pair.a, pair.b);
    const Sketch sketch = sketch_distance(pair.a, pair.b);
    INFO(pair.what << ", sketch " << sketch.distance << ", distance " << expected);
    CHECK(shown(distance(&test::device(), pair.a, pair.b).distance) == shown(expected));
    DistanceOptions strips;
    strips.engine = "strips";
    CHECK(shown(distance(&test::device(), pair.a, pair.b, strips).distance) == shown(expected));
    strips.max_distance = expected - 1;
    CHECK(shown(distance(&test::device(), pair.a, pair.b, strips).distance) == "nothing");
  }
}

TEST_CASE("a wavefront run that is given up has no distance", "[choose][device]") {
  test::Rng rng(test::seed() + 11);
  const auto a = test::random_text(rng, 3000, 4), b = test::random_text(rng, 3000, 4);
  const auto code = seq::make_code(a, b);
  const auto expected = test::peer_distance(a, b);
  for (const auto& row : wfa::variants()) {
    if (row.name == "reference") continue;
    INFO(row.name);
    const tune::Config config = row.name == "fused"     ? tune::Config::parse("STEPS=2,BATCH=1")
                                : row.name == "batched" ? tune::Config::parse("BATCH=5")
                                                        : tune::Config();
    // At once, later, never.
    for (const int after : {0, 1, 10, 1'000'000}) {
      auto problem = problem_of(a, b, code);
      int asked = 0;
      problem.give_up = [&](const Progress& progress) {
        CHECK(progress.cost < expected);
        return ++asked > after;
      };
      const auto answer = wfa::solve(&test::device(), row, problem, config);
      INFO("after " << after << ", asked " << asked);
      // (Rows that are there for comparison alone never ask.)
      if (row.name == "fused") CHECK(asked > 0);
      CHECK(answer.given_up == (asked > after));
      CHECK(shown(answer.distance) == (answer.given_up ? "nothing" : shown(expected)));
      if (after == 0 && row.name == "fused") CHECK(answer.given_up);
      if (after == 1'000'000) CHECK_FALSE(answer.given_up);
      CHECK(answer.cells >= 0);
      if (answer.given_up) CHECK(asked == after + 1);  // not asked again
    }
    // The next run is not given up.
    const auto again = wfa::solve(&test::device(), row, problem_of(a, b, code), config);
    CHECK_FALSE(again.given_up);
    CHECK(shown(again.distance) == shown(expected));
  }
}

TEST_CASE("wavefronts can be given up at any time, also when they have just met",
          "[choose][device]") {
  test::Rng rng(test::seed() + 17);
  const auto a = test::random_text(rng, 2000, 4), b = test::random_text(rng, 2000, 4);
  const auto code = seq::make_code(a, b);
  const auto expected = test::peer_distance(a, b);
  const auto& fused = find_variant(wfa::variants(), "fused");
  for (int after = 0; after < 60; ++after) {
    auto problem = problem_of(a, b, code);
    int asked = 0;
    problem.give_up = [&](const Progress&) { return ++asked > after; };
    const auto answer =
        wfa::solve(&test::device(), fused, problem, tune::Config::parse("STEPS=32,BATCH=1"));
    INFO("after " << after << ", asked " << asked);
    CHECK(answer.given_up == (asked > after));
    CHECK(shown(answer.distance) == (answer.given_up ? "nothing" : shown(expected)));
  }
}

TEST_CASE("a run of the strips or the reference that is given up has no distance",
          "[choose][strip][device]") {
  test::Rng rng(test::seed() + 13);
  const auto check = [](const auto& variant, Problem problem, const char* config,
                        std::int64_t expected) {
    for (const int after : {0, 1, 1'000'000}) {
      int asked = 0;
      double seconds = 0;
      problem.give_up = [&](const Progress& progress) {
        CHECK(progress.seconds >= seconds);
        seconds = progress.seconds;
        return ++asked > after;
      };
      const Answer answer = solve(&test::device(), variant, problem, tune::Config::parse(config));
      INFO(variant.name << " after " << after << ", asked " << asked);
      CHECK(asked > 0);
      CHECK(answer.given_up == (asked > after));
      CHECK(shown(answer.distance) == (answer.given_up ? "nothing" : shown(expected)));
      if (answer.given_up) CHECK(asked == after + 1);  // not asked again
      CHECK(seconds <= answer.compute);
    }
  };
  const auto a = test::random_text(rng, 3000, 4), b = test::random_text(rng, 3000, 4);
  const auto code = seq::make_code(a, b);
  const auto expected = test::peer_distance(a, b);
  for (const char* name : {"strips", "strips-full"})
    for (const char* config : {"SLAB=4,BATCH=1,FLOW=0", "SLAB=2,BATCH=2"})
      check(find_variant(strip::variants(), name), problem_of(a, b, code), config, expected);

  // Long enough for the reference to ask.
  const auto c = test::random_text(rng, 14'000, 4), d = test::random_text(rng, 14'000, 4);
  const auto far = test::peer_distance(c, d);
  const auto& reference = find_variant(wfa::variants(), "reference");
  check(reference, problem_of(c, d, code), "", far);
  auto bounded = problem_of(c, d, code);
  bounded.max_distance = far;
  check(reference, bounded, "", far);
}

/// Rates by which the wavefronts are always the faster ones, and nobody is given up soon.
tune::Store store_for_wavefronts(const ocl::DeviceInfo& device) {
  tune::Record record;
  record.kind = "rates";
  record.machine = tune::machine_of(device);
  Rates rates;
  rates.wave_launch = rates.wave_step = rates.wave_cell = rates.wave_close = 1e-12;
  rates.strip_cell = 1;
  for (const auto& field : rate_fields()) record.values[field.name] = rates.*field.value;
  tune::Store store;
  store.add(tune::line_of(record), false, "a test");
  return store;
}

TEST_CASE("strips go on where the wavefronts run out of memory", "[choose][device]") {
  test::Rng rng(test::seed() + 14);
  const auto a = test::random_text(rng, 60'000, 4), b = test::random_text(rng, 60'000, 4);
  ocl::DeviceInfo small = test::device().info();
  small.limits.alloc_bytes = 600'000;  // rows of 16384 diagonals are less, twice as many are more
  ocl::Device device(small);
  const tune::Store store = store_for_wavefronts(small);
  DistanceOptions options;
  options.store = &store;
  options.engine = "wavefront";
  CHECK_THROWS_AS(distance(&device, a, b, options), MemoryError);
  options.engine = "auto";
  const auto answer = distance(&device, a, b, options);
  CHECK(answer.engine == "strips");
  CHECK(answer.passes >= 2);
  CHECK(shown(answer.distance) == shown(test::peer_distance(a, b)));
}

TEST_CASE("patience is for computing, not for building and testing programs", "[choose][device]") {
  test::Rng rng(test::seed() + 15);
  const auto a = test::random_text(rng, 5000, 4), b = test::random_text(rng, 5000, 4);
  const auto code = seq::make_code(a, b);
  ocl::DeviceOptions uncached;
  uncached.cache = false;
  ocl::Device device(test::device().info(), uncached);
  auto problem = problem_of(a, b, code);
  std::vector<double> told;
  problem.give_up = [&](const Progress& progress) {
    told.push_back(progress.seconds);
    return false;
  };
  const double start = now();
  const auto answer = wfa::solve(&device, find_variant(wfa::variants(), "fused"), problem,
                                 tune::Config::parse("BATCH=1"));
  const double all = now() - start;
  REQUIRE_FALSE(told.empty());
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.front() >= 0);
  CHECK(told.back() <= answer.compute);
  CHECK(answer.build > 0);
  CHECK(told.back() + answer.build <= all);
}

TEST_CASE("an unknown device is measured only where that is allowed", "[choose][device]") {
  test::Rng rng(test::seed() + 16);
  // Strips take a device like this some seconds, as is usual; they are never reached.
  const auto a = test::random_text(rng, 1'000'000, 4), b = test::random_text(rng, 1'000'000, 4);
  ocl::DeviceInfo unknown = test::device().info();
  unknown.name = "Nobody's device " + std::to_string(getpid());  // the store outlives a run
  unknown.limits.compute_units = 1;
  unknown.limits.vector_ints = 1;
  ocl::Device device(unknown);
  const tune::Store nothing;
  DistanceOptions options;
  options.store = &nothing;
  options.progress = [](const Progress&) { throw std::runtime_error("enough"); };
  CHECK_THROWS_WITH(distance(&device, a, b, options), test::contains("enough"));
  CHECK(known_rates(unknown).guessed);
  options.may_measure = true;
  CHECK_THROWS_WITH(distance(&device, a, b, options), test::contains("enough"));
  CHECK_FALSE(known_rates(unknown).guessed);
}

TEST_CASE("progress of either engine comes to an end below 1", "[choose][device]") {
  test::Rng rng(test::seed() + 12);
  const auto a = test::random_text(rng, 20'000, 4), b = test::random_text(rng, 18'000, 4);
  const auto expected = test::peer_distance(a, b);
  for (const char* config : {"SLAB=4,BATCH=1", "SLAB=1,BATCH=7,FLOW=0", "WG=8,K=1,SLAB=8,BATCH=3"})
    for (const char* variant : {"strips", "strips-full"}) {
      INFO(variant << " " << config);
      DistanceOptions options;
      options.variant = variant;
      options.config = tune::Config::parse(config);
      std::vector<Progress> told;
      options.progress = [&](const Progress& progress) { told.push_back(progress); };
      CHECK(shown(distance(&test::device(), a, b, options).distance) == shown(expected));
      CHECK(told.size() > 5);
      Progress before;
      for (const auto& now : told) {
        CHECK(now.cost <= expected);
        CHECK(now.cells >= before.cells);
        CHECK((now.part >= 0 && now.part <= 1));
        before = now;
      }
    }
}

}  // namespace
}  // namespace rhomb::choose_tests
