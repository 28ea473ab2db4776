// SPDX-License-Identifier: Apache-2.0
// Alignments of many pairs at a time, walked on the device: they are the canonical ones, whatever
// the texts, the distance, the groups and the width of cells.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "host/align/align.h"
#include "host/align/batch.h"
#include "host/align/paths.h"
#include "host/align/reference.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/plans.h"

namespace rhomb::test::align_paths_tests {
namespace {

struct Work {
  std::vector<std::string> a, b;
  std::vector<align::PathTask> tasks;
  std::vector<Cigar> expected;

  void add(std::string first, std::string second, const seq::Code& code) {
    Cigar path = reference::alignment(first, second, code);
    if (path.cost() == 0) return;  // nothing to find
    const auto number = static_cast<std::uint32_t>(a.size());
    tasks.push_back({number, number, static_cast<std::uint32_t>(path.cost())});
    expected.push_back(std::move(path));
    a.push_back(std::move(first));
    b.push_back(std::move(second));
  }
};

/// How many of the device's paths are not the expected ones; the first few are told.
int wrong(const Work& work, const seq::Code& code, const std::string& config, std::uint32_t groups,
          std::int64_t longest = 3000) {
  align::PathsPlan plan =
      align::plan_paths(code, longest, device().limits(), tune::Config::parse(config));
  if (groups > 0) plan.groups = groups;
  const std::vector<std::string_view> a(work.a.begin(), work.a.end());
  const std::vector<std::string_view> b(work.b.begin(), work.b.end());
  const wfa::PackedTexts packed_a(device(), a, code.a, code.planes, 1);
  const wfa::PackedTexts packed_b(device(), b, code.b, code.planes, 1);
  align::PathsProblem problem;
  problem.a = &packed_a;
  problem.b = &packed_b;
  problem.tasks = work.tasks;
  problem.code = &code;
  align::PathsBatch batch(device(), groups % 2);
  batch.start(plan, problem);
  const align::PathsAnswer answer = batch.finish();
  REQUIRE(answer.first.size() == work.tasks.size());
  int count = 0;
  for (std::size_t i = 0; i < work.tasks.size(); ++i) {
    const Cigar found = align::path_of(
        answer.edits.subspan(answer.first[i], work.tasks[i].distance), work.a[i].size());
    if (found == work.expected[i] || ++count > 3) continue;
    std::cerr << config << ", pair " << i << ": " << shown(work.a[i]) << " and " << shown(work.b[i])
              << ": " << found.text() << " instead of " << work.expected[i].text() << '\n';
  }
  return count;
}

void add_pairs(Work& work, Rng& rng, std::size_t m, int alphabet, const seq::Code& code) {
  each_pair_about(rng, m, alphabet, [&](std::string a, std::string b) {
    work.add(std::move(a), std::move(b), code);
  });
}

}  // namespace

TEST_CASE("paths of many pairs at a time are the canonical ones", "[align][device]") {
  Rng rng(seed() + 40);
  for (const int alphabet : {4, 1, 2, 3, 5, 26, 256}) {
    const seq::Code code = whole_code(alphabet);
    Work work;
    // About words, what a team walks in one go, and some lengths besides.
    for (const std::size_t m :
         {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 257u, 1023u, 1024u, 1025u, 1057u})
      if (alphabet == 4 || m < 1000) add_pairs(work, rng, m, alphabet, code);
    for (int i = 0; i < 150; ++i)
      add_pairs(work, rng, random_below(rng, i % 10 == 0 ? 300 : 40), alphabet, code);
    INFO(alphabet << " symbols, seed " << seed());
    CHECK(wrong(work, code, "", 0) == 0);
    CHECK(wrong(work, code, "WG=1", 1) == 0);
    if (alphabet > 4) continue;
    // Several work-items a group, where rows are shorter and longer, and cells of 32 bits.
    for (const char* const config : {"WG=2", "WG=3", "WG=32", "WG=64"})
      CHECK(wrong(work, code, config, 5) == 0);
    CHECK(wrong(work, code, "", 3, 70'000) == 0);
  }
}

TEST_CASE("paths are canonical for all short pairs of two symbols", "[align][device]") {
  const seq::Code code = whole_code(2);
  std::vector<std::string> texts;
  for (std::size_t length = 0; length <= 5; ++length)
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      texts.emplace_back(length, 'A');
      for (std::size_t i = 0; i < length; ++i)
        if (bits >> i & 1u) texts.back()[i] = 'B';
    }
  Work work;
  for (const std::string& a : texts)
    for (const std::string& b : texts) work.add(a, b, code);
  CHECK(work.tasks.size() == 63 * 62);
  CHECK(wrong(work, code, "", 0) == 0);
  CHECK(wrong(work, code, "WG=2", 7) == 0);
}

TEST_CASE("paths go through sets of bases, and through codes of two tables", "[align][device]") {
  Rng rng(seed() + 41);
  for (const auto ambiguous : {seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch}) {
    const seq::Code code = seq::make_code("ACGTNRY", "ACGTNRY", ambiguous);
    Work work;
    for (int i = 0; i < 200; ++i) {
      std::string text = random_text(rng, random_below(rng, 200), 4);
      for (char& c : text) c = "ACGT"[c - 'A'];
      std::string other = text;
      for (char& c : other)
        if (random_below(rng, 10) == 0) c = "NRYA"[random_below(rng, 4)];
      other.erase(random_below(rng, other.size() + 1), random_below(rng, 5));
      work.add(std::move(other), std::move(text), code);
    }
    CHECK(wrong(work, code, "", 0) == 0);
  }
}

TEST_CASE("cells have 32 bits where positions need them", "[align][device]") {
  const ocl::Limits limits = device().limits();
  const seq::Code code = whole_code(4);
  const std::int64_t most = wfa::most_in_local_memory(limits);
  CHECK(align::plan_paths(code, 0xffff - 2 - most, limits, {}).cell_bytes == 2);
  CHECK(align::plan_paths(code, 0xffff - 1 - most, limits, {}).cell_bytes == 4);
  // On both sides of the border.
  Rng rng(seed() + 42);
  for (const std::size_t m : {65'000u, 65'600u}) {
    Work work;
    const std::string text = random_text(rng, m, 4);
    std::string other = text;
    for (std::size_t at = 100; at < m; at += 4000) other.erase(at, 1 + at % 3);
    other += "ABCD";
    // (The plain matrix would take 16 GB: the engine for one pair knows the path.)
    const auto a = static_cast<std::int64_t>(text.size());
    work.a = {text};
    work.b = {other};
    const std::int64_t longest = std::max<std::int64_t>(a, static_cast<std::int64_t>(other.size()));
    AlignOptions options;
    options.engine = "reference";
    const AlignAnswer answer = align_pair(nullptr, text, other, options);
    work.tasks = {{0, 0, static_cast<std::uint32_t>(*answer.distance)}};
    work.expected = {answer.cigar};
    CHECK(wrong(work, code, "", 0, longest) == 0);
  }
}

TEST_CASE("a plan of paths says which distances there is memory for", "[align]") {
  ocl::Limits limits;
  limits.gpu = true;
  limits.compute_units = 10;
  limits.max_work_group = 1024;
  limits.local_bytes = 48 << 10;
  limits.global_bytes = 1u << 30;
  limits.alloc_bytes = 1u << 28;
  const seq::Code code = whole_code(4);
  const align::PathsPlan plan = align::plan_paths(code, 1000, limits, {});
  REQUIRE(plan.stages.size() == 2);
  CHECK(plan.stages[0].most < plan.stages[1].most);
  CHECK(plan.bytes == 1u << 28);
  CHECK(plan.most() == plan.stages[1].most);
  limits.alloc_bytes = 1u << 20;
  const std::int64_t most = align::plan_paths(code, 1000, limits, {}).most();
  CHECK(most > 1000);
  // Rows of both sides, and their margins.
  CHECK((most + 1) * (most + 1) / 2 + 4 * most + 6 <= (1 << 20) / 2);
  CHECK_THROWS_AS(align::plan_paths(code, 1000, limits, tune::Config::parse("WG=0")), tune::Unfit);
}

TEST_CASE("a device aligns many pairs together, and leaves what it cannot to others",
          "[align][face][device]") {
  Rng rng(seed() + 43);
  seq::Batch queries, targets;
  for (int i = 0; i < 700; ++i) {
    const int kind = i % 10;
    const std::string text = random_text(rng, random_below(rng, kind == 0 ? 40 : 400), 4);
    std::string other = kind < 7    ? mutate(rng, text, 0.03 * kind, 4)
                        : kind == 7 ? text
                        : kind == 8 ? random_text(rng, random_below(rng, 300), 4)
                                    : std::string();
    queries.push_back({"q" + std::to_string(i), text});
    targets.push_back({"t" + std::to_string(i), std::move(other)});
  }
  Devices devices;
  // Together, however few they are; with distances that are too large, checked, mirrored.
  for (int way = 0; way < 5; ++way) {
    AlignOptions options;
    if (way > 0) options.variant = "wavefront-batch";
    if (way == 2) options.max_distance = 12;
    options.check = way == 3;
    options.gaps_right = way == 4;
    std::size_t next = 0, together = 0;
    devices.alignments(queries, targets, options, [&](const PairAlignment& one) {
      const std::size_t i = next++;
      REQUIRE(one.query.name == queries[i].name);
      std::string a = queries[i].symbols, b = targets[i].symbols;
      if (options.gaps_right) {
        std::ranges::reverse(a);
        std::ranges::reverse(b);
      }
      Cigar expected = reference::alignment(a, b, seq::make_code(a, b));
      if (options.gaps_right) expected.reverse();
      together += one.answer.variant == "wavefront-batch" ? 1u : 0u;
      if (options.max_distance && expected.cost() > *options.max_distance) {
        REQUIRE(!one.answer.distance);
      } else {
        REQUIRE(one.answer.distance == expected.cost());
        REQUIRE(one.answer.cigar == expected);
      }
    });
    CHECK(next == queries.size());
    if (way > 0) CHECK(together > 500);
  }
  // Each with each: texts are shared.
  queries.resize(20);
  targets.erase(targets.begin() + 15, targets.end());
  AlignOptions options;
  options.all_pairs = true;
  options.variant = "wavefront-batch";
  std::size_t next = 0;
  devices.alignments(queries, targets, options, [&](const PairAlignment& one) {
    const std::string &a = queries[next / 15].symbols, &b = targets[next % 15].symbols;
    ++next;
    REQUIRE(one.answer.cigar == reference::alignment(a, b, seq::make_code(a, b)));
  });
  CHECK(next == 300);
}

TEST_CASE("which pairs are aligned together", "[align]") {
  ocl::Limits limits;
  limits.gpu = true;
  limits.compute_units = 100;
  limits.clock_mhz = 1500;
  limits.local_bytes = 48 << 10;
  const seq::Sequence text{"a", std::string(1000, 'A')}, none{"b", ""},
      part{"c", std::string(300, 'A')}, huge{"d", std::string((1 << 20) + 1, 'A')};
  const std::vector<seq::Pair> pairs{{text, text}, {none, text}, {text, huge}, {text, part}};
  const auto pair_of = [&](std::size_t i) { return pairs[i % pairs.size()]; };
  AlignOptions options;
  const align::BatchAligner aligner(options, 2);
  CHECK(aligner.possible());
  CHECK(aligner.worthwhile(100'000, pair_of, 0.1));
  CHECK(!aligner.worthwhile(40, pair_of, 0.1));
  const auto upto = aligner.choose(100'000, pair_of, limits);
  CHECK(upto[0] > 100);
  CHECK(upto[1] == 0);
  CHECK(upto[2] == 0);
  CHECK(upto[0] <= static_cast<std::uint32_t>(wfa::most_in_local_memory(limits)));
  // A slow device is given only close ones, and nothing that must be further apart.
  limits.clock_mhz = 1;
  limits.compute_units = 1;
  const auto slow = aligner.choose(100'000, pair_of, limits);
  CHECK(slow[0] < upto[0]);
  CHECK(slow[3] == 0);
  // Memory is enough for so many symbols of texts.
  options.memory = 8 * 4500;
  const auto few = align::BatchAligner(options, 2)
                       .choose(
                           4, [&](std::size_t) { return pairs[0]; }, test::limits_of("NVIDIA"));
  CHECK(std::ranges::count(few, 0u) == 2);
  options.memory = 0;
  // What is asked for, and what cannot be.
  options.variant = "wavefront-batch";
  const align::BatchAligner asked(options, 2);
  CHECK(asked.worthwhile(1, pair_of, 0.1));
  options.both_strands = true;
  CHECK(!asked.possible());
  options.both_strands = false;
  options.variant = "fused";
  CHECK(!align::BatchAligner(options, 2).possible());
}

}  // namespace rhomb::test::align_paths_tests
