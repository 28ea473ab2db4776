// SPDX-License-Identifier: Apache-2.0
// The strips in CUDA: their plans, and their answers beside those of the reference and of
// OpenCL. Compiled only with CUDA; what computes is left out where there is no CUDA device.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/distance/distance.h"
#include "host/engine/reference.h"
#include "host/strip/strip.h"
#include "tests/support/catch.h"
#include "tests/support/cuda.h"
#include "tests/support/pairs.h"

namespace rhomb::cuda_tests {
namespace {

using test::contains;
using test::h200;

const strip::Variant& cuda_strips() { return find_variant(strip::variants(), "cuda-strips"); }

bool runs_here() { return test::runs_here(cuda_strips(), "strips"); }

Problem problem_of(const test::Pair& pair, const seq::Code& code,
                   std::optional<std::int64_t> guess = {}, std::optional<std::int64_t> most = {}) {
  Problem problem;
  problem.a = pair.a;
  problem.b = pair.b;
  problem.code = &code;
  problem.guess = guess;
  problem.max_distance = most;
  return problem;
}

/// A pair of texts over an alphabet in which all `symbols` occur.
test::Pair whole_pair(std::uint64_t number, std::size_t longest, int symbols) {
  test::Rng rng(test::seed() + number);
  test::Pair pair = test::random_pair(test::seed(), number, longest, symbols);
  for (int i = 0; i < symbols; ++i) pair.a += static_cast<char>(test::first_of(symbols) + i);
  pair.b += test::random_text(rng, 40, symbols, test::first_of(symbols));
  return pair;
}

TEST_CASE("cuda: the row is never the first", "[cuda][host]") {
  CHECK(strip::variants().front().name != "cuda-strips");
  CHECK(cuda_strips().uses_cuda());
  DistanceOptions options;
  options.variant = "cuda-strips";
  CHECK_FALSE(needs_opencl(options));
  options.variant = "strips";
  CHECK(needs_opencl(options));
}

TEST_CASE("cuda: a plan has a kernel that was compiled", "[cuda][host]") {
  const test::Pair pair = test::random_pair(7, 7, 5000, 4);
  std::set<int> seen;
  for (int symbols : {1, 2, 4, 5, 16, 17, 256}) {
    const auto texts = whole_pair(1, 3000, symbols);
    const auto code = seq::make_code(texts.a, texts.b);
    const auto plan = strip::plan(cuda_strips(), problem_of(texts, code), h200());
    INFO(symbols << " symbols, " << code.planes << " planes, K=" << plan.shape.k);
    CHECK(plan.planes == (code.planes <= 2 ? 2 : 8));
    CHECK_FALSE(plan.sets);
    CHECK(plan.shape.flow);
    CHECK(plan.shape.group == 32);
    CHECK(plan.shape.block == 128);
    CHECK(plan.shape.lanes == 1);
    seen.insert(plan.planes);
    // What was used can be asked for.
    CHECK(strip::plan(cuda_strips(), problem_of(texts, code), h200(), plan.config).config.text() ==
          plan.config.text());
  }
  CHECK(seen == std::set<int>{2, 8});

  const auto sets = seq::make_code("ACGTN", "ACGR", seq::Ambiguous::kMatch);
  const auto plan = strip::plan(cuda_strips(), problem_of({"", "ACGTN", "CGRA"}, sets), h200());
  CHECK(plan.sets);
  CHECK(plan.planes == 4);

  const auto code = seq::make_code(pair.a, pair.b);
  for (int k = 1; k <= 33; ++k) {
    const auto config = tune::Config::parse("K=" + std::to_string(k));
    const bool compiled = k == 1 || k == 2 || k == 4 || k == 8 || k == 16;
    if (compiled)
      CHECK(strip::plan(cuda_strips(), problem_of(pair, code), h200(), config).shape.k == k);
    else
      CHECK_THROWS_AS(strip::plan(cuda_strips(), problem_of(pair, code), h200(), config),
                      tune::Unfit);
  }
  // Whatever the length, what is chosen is there.
  for (std::size_t length = 1; length < 50'000'000; length = length * 3 + 1) {
    const test::Pair even{"", std::string(length, 'A'), std::string(length, 'C')};
    const auto pure = seq::make_code("ACGT", "ACGT");
    Problem problem = problem_of(even, pure);
    for (const std::int64_t guess : {std::int64_t{1}, static_cast<std::int64_t>(length)}) {
      problem.guess = guess;
      CHECK_NOTHROW(strip::plan(cuda_strips(), problem, h200()));
    }
  }
  CHECK_THROWS_AS(strip::plan(cuda_strips(), problem_of(pair, code), ocl::Limits{}), tune::Unfit);
  CHECK_THROWS_AS(
      strip::plan(cuda_strips(), problem_of(pair, code), h200(), tune::Config::parse("WG=64")),
      UsageError);
}

TEST_CASE("cuda: without a device it says so", "[cuda][host]") {
  DistanceOptions options;
  options.variant = "cuda-strips";
  if (runs_here()) {
    const auto answer = distance(nullptr, "GATTACA", "GCATACAT", options);
    CHECK(answer.distance == 3);
    CHECK(answer.engine == "strips");
    CHECK(answer.variant == "cuda-strips");
    CHECK(answer.device == cuda_strips().cuda_device().name);
  } else {
    CHECK_THROWS_WITH(distance(nullptr, "GATTACA", "GCATACAT", options),
                      contains("no CUDA device"));
    CHECK_THROWS_AS(distance(nullptr, "GATTACA", "GCATACAT", options), ocl::DeviceError);
  }
}

/// All that the variant is asked on one pair.
void compare(const test::Pair& pair, const seq::Code& code, const tune::Config& config) {
  const std::int64_t distance = reference::edit_distance(pair.a, pair.b, code);
  const auto ask = [&](std::optional<std::int64_t> guess, std::optional<std::int64_t> most) {
    const auto got =
        strip::solve(nullptr, cuda_strips(), problem_of(pair, code, guess, most), config).distance;
    // -1: none within `most`.
    const std::int64_t expected = most && *most < distance ? -1 : distance;
    if (got.value_or(-1) != expected)
      FAIL(pair.what << ", " << config.text() << ", guess " << guess.value_or(-1) << ", most "
                     << most.value_or(-1) << ": " << got.value_or(-1) << " instead of "
                     << expected);
  };
  ask({}, {});
  ask(distance, {});
  ask(distance / 3, {});
  if (distance > 0) ask({}, distance - 1);
  ask({}, distance);
}

const std::vector<std::string>& configs() {
  static const std::vector<std::string> all = {
      "", "K=1", "K=2,SLAB=64", "K=4,SLAB=16,SLACK=1", "K=8,BATCH=1", "K=16", "K=1,SLAB=8,SLACK=2"};
  return all;
}

TEST_CASE("cuda: answers are those of the reference", "[cuda][device]") {
  if (!runs_here()) return;
  std::uint64_t number = 0;
  for (const auto& text : configs()) {
    const auto config = tune::Config::parse(text);
    for (const int symbols : {1, 2, 4, 5, 16, 200})
      for (int i = 0; i < 6; ++i) {
        const auto pair = whole_pair(number++, i < 4 ? 600 : 6000, symbols);
        compare(pair, seq::make_code(pair.a, pair.b), config);
      }
    test::Rng rng(test::seed() + 3);
    for (const auto& pair : test::shaped_pairs(rng))
      compare(pair, seq::make_code(pair.a, pair.b), config);
  }
  SUCCEED();
}

TEST_CASE("cuda: lengths where words, lanes and groups end", "[cuda][device]") {
  if (!runs_here()) return;
  test::Rng rng(test::seed() + 4);
  for (const std::size_t border : {32u, 64u, 128u, 2048u, 4096u})
    for (const auto& pair : test::border_pairs(rng, border))
      for (const char* config : {"K=1", "K=2", "K=4,SLAB=64"})
        compare(pair, seq::make_code(pair.a, pair.b), tune::Config::parse(config));
  SUCCEED();
}

TEST_CASE("cuda: sets of bases", "[cuda][device]") {
  if (!runs_here()) return;
  test::Rng rng(test::seed() + 5);
  const std::string letters = "ACGTNRYSWKMBDHV";
  const auto spell = [&](std::string text) {
    for (char& c : text) c = letters[static_cast<std::size_t>(c)];
    return text;
  };
  for (const auto& config : configs())
    for (const auto meaning : {seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch}) {
      const auto a = test::random_text(rng, 900, 15, '\0');
      const test::Pair pair{"IUPAC codes", spell(a), spell(test::mutate(rng, a, 0.2, 15, '\0'))};
      compare(pair, seq::make_code(pair.a, pair.b, meaning), tune::Config::parse(config));
    }
  SUCCEED();
}

TEST_CASE("cuda: answers are those of OpenCL, several groups a half", "[cuda][device]") {
  if (!runs_here()) return;
  if (ocl::list_devices().empty()) return;
  test::Rng rng(test::seed() + 6);
  const auto a = test::random_text(rng, 70'000, 4);
  for (const double rate : {0.002, 0.05, 0.7}) {
    const auto b = test::mutate(rng, a, rate, 4);
    for (const auto& config : configs()) {
      DistanceOptions options;
      options.variant = "cuda-strips";
      options.config = tune::Config::parse(config);
      const auto got = distance(nullptr, a, b, options);
      options = {};
      options.engine = "wavefront";
      const auto expected = distance(&test::device(), a, b, options);
      INFO("rate " << rate << ", " << config);
      CHECK(got.distance == expected.distance);
    }
  }
}

}  // namespace
}  // namespace rhomb::cuda_tests
