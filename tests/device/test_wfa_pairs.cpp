// SPDX-License-Identifier: Apache-2.0
// Wavefronts of many pairs at a time: every limit of a distance, border of a word, a team and a
// group, against the reference.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/rhomb.h"
#include "host/search/occurrence.h"
#include "host/wfa/pairs.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::test::wfa_pairs_tests {
namespace {

/// Texts, pairs of them, and what their distances are.
struct Work {
  std::vector<std::string> a, b;
  std::vector<wfa::PairTask> tasks;
  std::vector<std::int64_t> distances;

  void add(std::string first, std::string second, std::int64_t distance) {
    const auto number = static_cast<std::uint32_t>(a.size());
    a.push_back(std::move(first));
    b.push_back(std::move(second));
    tasks.push_back({number, number, 0, 0});
    distances.push_back(distance);
  }
};

/// How often the distances, up to `most`, are not those of the work; the first few are told.
int wrong(const Work& work, const seq::Code& code, std::int64_t most, const std::string& config,
          bool packed = false) {
  const wfa::Plan plan =
      wfa::plan_pairs(code, most, device().limits(), tune::Config::parse(config));
  const std::vector<std::string_view> a(work.a.begin(), work.a.end());
  const std::vector<std::string_view> b(work.b.begin(), work.b.end());
  std::vector<wfa::PairTask> tasks = work.tasks;
  for (wfa::PairTask& task : tasks)
    task.most = static_cast<std::uint32_t>(std::min(most, wfa::most_of(plan)));
  wfa::PairsProblem problem;
  problem.a = a;
  problem.b = b;
  problem.tasks = tasks;
  problem.code = &code;
  std::vector<wfa::PackedTexts> kept;
  if (packed) {
    kept.emplace_back(device(), a, code.a, code.planes, 1);
    kept.emplace_back(device(), b, code.b, code.planes, 1);
    problem.packed_a = &kept[0];
    problem.packed_b = &kept[1];
    problem.a = problem.b = {};
  }
  wfa::PairsBatch batch(device(), 0);
  batch.start(plan, problem);
  const wfa::PairsAnswer answer = batch.finish();
  REQUIRE(answer.distances.size() == tasks.size());
  int count = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::int64_t distance = work.distances[tasks[i].a];
    const std::int64_t expected = distance <= tasks[i].most ? distance : wfa::kBeyond;
    if (answer.distances[i] == expected || ++count > 3) continue;
    std::cerr << config << ", pair " << i << " of " << work.a[tasks[i].a].size() << " and "
              << work.b[tasks[i].b].size() << ": " << answer.distances[i] << " instead of "
              << expected << " (" << distance << ", up to " << tasks[i].most << ")\n";
  }
  return count;
}

void add_pairs(Work& work, Rng& rng, std::size_t m, int alphabet, const seq::Code& code) {
  const auto add = [&](std::string a, std::string b) {
    const std::int64_t distance = reference::edit_distance(a, b, code);
    work.add(std::move(a), std::move(b), distance);
  };
  const std::string text = random_text(rng, m, alphabet, first_of(alphabet));
  add(text, text);
  each_pair_about(rng, m, alphabet, add);
}

/// For GPUs, CPUs, and what divides nothing.
constexpr const char* kConfigs[] = {"", "WG=1,DIAGS=1,ROOM=64", "WG=32,DIAGS=2,ROOM=200",
                                    "WG=3,DIAGS=3,ROOM=91"};

}  // namespace

TEST_CASE("many pairs at a time have the distance of the reference", "[wfa][device]") {
  Rng rng(seed());
  for (const int alphabet : {4, 1, 2, 5, 26, 256}) {
    const seq::Code code = whole_code(alphabet);
    Work work;
    // About words, what a team walks in one go, and some lengths besides.
    for (const std::size_t m : {0u, 1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 257u, 1000u, 1023u,
                                1024u, 1025u, 1056u, 1057u, 2100u})
      if (alphabet == 4 || m < 1030) add_pairs(work, rng, m, alphabet, code);
    for (int i = 0; i < 60; ++i) add_pairs(work, rng, random_below(rng, 300), alphabet, code);
    for (const char* const config : kConfigs) {
      if (alphabet != 4 && config != kConfigs[0] && config != kConfigs[3]) continue;
      INFO(config << ", " << alphabet << " symbols, seed " << seed());
      CHECK(wrong(work, code, 600, config) == 0);
    }
  }
}

TEST_CASE("a limit that is reached, missed by one, or nought is kept", "[wfa][device]") {
  Rng rng(seed());
  const seq::Code code = whole_code(4);
  Work work;
  for (int i = 0; i < 300; ++i) {
    const std::string text = random_text(rng, random_below(rng, 200), 4);
    std::string other = mutate(rng, text, 0.05, 4);
    const std::int64_t distance = reference::edit_distance(text, other, code);
    work.add(text, std::move(other), distance);
  }
  for (const std::int64_t most : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 57, 58})
    CHECK(wrong(work, code, most, "ROOM=64") == 0);
  // Any pairs of the texts, which are packed once.
  work.tasks.clear();
  for (std::uint32_t i = 0; i < 300; ++i) work.tasks.push_back({299 - i, 299 - i, 0, 0});
  CHECK(wrong(work, code, 30, "", true) == 0);
}

TEST_CASE("sets of bases match many at a time", "[wfa][device]") {
  Rng rng(seed());
  const seq::Code code = seq::make_code("ACGTN", "ACGTNRY", seq::Ambiguous::kMatch);
  Work work;
  for (int i = 0; i < 200; ++i) {
    std::string text = random_text(rng, random_below(rng, 200), 4), other;
    for (char& c : text) c = "ACGT"[c - 'A'];
    other = text;
    for (char& c : other)
      if (random_below(rng, 10) == 0) c = "NRY"[random_below(rng, 3)];
    const std::int64_t distance = reference::edit_distance(text, other, code);
    work.add(std::move(text), std::move(other), distance);
  }
  CHECK(wrong(work, code, 100, "") == 0);
}

TEST_CASE("pairs that seem too far apart are given up, others are not", "[wfa][device]") {
  Rng rng(seed());
  const seq::Code code = whole_code(4);
  const std::string text = random_text(rng, 2000, 4);
  const std::vector<std::string> others{text, mutate(rng, text, 0.03, 4),
                                        random_text(rng, 2000, 4)};
  const std::vector<std::string_view> a(3, text), b(others.begin(), others.end());
  const std::vector<wfa::PairTask> tasks{{0, 0, 200, 200}, {1, 1, 200, 200}, {2, 2, 200, 200}};
  const wfa::Plan plan = wfa::plan_pairs(code, 200, device().limits(), {});
  wfa::PairsProblem problem;
  problem.a = a;
  problem.b = b;
  problem.tasks = tasks;
  problem.code = &code;
  wfa::PairsBatch batch(device(), 1);
  for (int i = 0; i < 2; ++i) {  // what it has is used again
    batch.start(plan, problem);
    const auto found = batch.finish().distances;
    CHECK(found[0] == 0);
    CHECK(found[1] == reference::edit_distance(text, others[1], code));
    CHECK(found[2] == wfa::kGivenUp);
  }
}

TEST_CASE("100,000 pairs of all lengths in one run, by every batch row",
          "[distance][device][slow]") {
  constexpr std::size_t kPairs = kSanitized ? 20'000 : 100'000;
  Rng rng(seed());
  const seq::Code code = whole_code(4);
  Work work;
  seq::Batch a, b;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double part = static_cast<double>(random_below(rng, 1001)) / 1000;
    const auto m = static_cast<std::size_t>(part * part * part * part * 5000);
    const std::string text = random_text(rng, m, 4);
    std::string other = i % 8 == 0 ? random_text(rng, random_below(rng, m + 1), 4)
                                   : mutate(rng, text, i % 3 == 0 ? 0.1 : 0.01, 4);
    const std::int64_t distance =
        text.empty() ? static_cast<std::int64_t>(other.size())
                     : static_cast<std::int64_t>(search::Finder(text, code).distance(other));
    a.push_back({"a", text});
    b.push_back({"b", other});
    work.add(text, std::move(other), distance);
  }
  CHECK(wrong(work, code, 100, "") == 0);
  Devices devices;
  for (const char* const variant : {"", "strips-batch"}) {
    DistanceOptions options;
    options.variant = variant;
    std::size_t next = 0, differ = 0;
    devices.distances(a, b, options, [&](const PairDistance& pair) {
      differ += pair.answer.distance == work.distances[next++] ? 0u : 1u;
    });
    CHECK(next == a.size());
    CHECK(differ == 0);
  }
}

}  // namespace rhomb::test::wfa_pairs_tests
