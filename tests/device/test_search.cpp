// SPDX-License-Identifier: Apache-2.0
// Every row of the search's table against the reference: random queries and pieces of texts of all
// sizes and alphabets, and sizes about every border.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/search/search.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"
#include "tests/support/search_tasks.h"

namespace rhomb::test::search_tests {
namespace {

int wrong_answers(const search::Variant& row, const tune::Config& config, Tasks& tasks,
                  const seq::Code& code) {
  return wrong_answers(&device(), row, config, tasks, code);
}

/// A query of `m` symbols and a text about it, from a recipe.
void add_random(Tasks& tasks, Rng& rng, std::size_t m, int alphabet) {
  const char first = first_of(alphabet);
  const auto flank = [&] {
    return random_text(rng, random_below(rng, 1 + m / 4 + 40), alphabet, first);
  };
  std::string query = random_text(rng, m, alphabet, first);
  std::string text;
  switch (random_below(rng, 8)) {
    case 0:
      text = random_text(rng, random_below(rng, 2 * m + 2), alphabet, first);
      break;
    case 1:
      text = query;
      break;
    case 2:
      text = query.substr(random_below(rng, m));
      break;
    case 3:
      query = std::string(m, first);
      text = std::string(random_below(rng, 2 * m + 2), first);
      break;
    case 4:  // twice, so that the first of two ends counts
      text = flank() + mutate(rng, query, 0.05, alphabet, first) + flank() +
             mutate(rng, query, 0.05, alphabet, first) + flank();
      break;
    default:
      text = flank() +
             mutate(rng, query, 0.3 * static_cast<double>(random_below(rng, 100)) / 100, alphabet,
                    first) +
             flank();
  }
  const auto skip = random_below(rng, 3) == 0 ? 32 * random_below(rng, 1 + text.size() / 32) : 0;
  tasks.add(std::move(query), std::move(text), static_cast<std::uint32_t>(random_below(rng, 5)),
            static_cast<std::uint32_t>(skip));
}

struct Case {
  std::string variant;
  std::string config;
  std::size_t longest;  // query
  std::vector<int> alphabets;
};

/// Few enough programs that PoCL builds them in a minute, and something of everything.
std::vector<Case> cases() {
  const auto& limits = device().limits();
  std::vector<Case> all = {
      {"strips-batch", "", 1200, {1, 2, 4, 5, 20, 256}},
      {"strips-batch", limits.gpu ? "LANES=1,WG=32" : "LANES=4", 300, {1, 4, 5}},
      {"coop", "", 300, {4}},
      {"coop", "R=32,W=4", 128, {1, 2, 5, 20, 256}},
      {"coop", "R=8,W=1,VIA=0,WG=64", 128, {4, 5}},
      {"coop", "R=16,W=2,VIA=0,PROFILE=1", 128, {4, 256}},
      {"coop", "R=3,W=2,VIA=3,WG=64", 640, {4, 5}},
      {"coop", "R=1,W=1,VIA=3", 1024, {2}},
      {"task-private", "", 300, {1, 4, 20, 256}},
      {"task-private", "WG=32", 128, {4}},
      {"task-local", "WG=32", 128, {2, 4, 256}},
      {"task-local", "WG=64", 64, {20}}};
  if (limits.nvidia) {
    all.push_back({"coop", "R=8,W=1,VIA=1", 128, {4, 5}});
    all.push_back({"coop", "R=8,W=3,VIA=2,WG=128", 384, {4, 5}});
    all.push_back({"coop", "R=1,W=1,VIA=2,PROFILE=1", 1024, {4}});
    all.push_back({"coop", "R=10,W=4,VIA=3,PROFILE=1", 384, {4}});
  }
  return all;
}

}  // namespace

TEST_CASE("queries of one length are found as the reference finds them", "[search][device]") {
  constexpr std::uint64_t kSeed = 61;
  Rng rng(kSeed);
  const auto code = whole_code(4);
  for (const std::size_t m :
       {1u, 7u, 31u, 32u, 33u, 100u, 200u, 257u, 1000u, 1024u, 1025u, 2100u}) {
    Tasks tasks;
    for (int i = 0; i < (m < 300 ? 500 : 60); ++i) add_random(tasks, rng, m, 4);
    for (const char* variant : {"strips-batch", "coop", "task-private", "task-local"}) {
      // A program each; those of one and of two words stand for the others.
      if (std::string_view(variant) != "strips-batch" && m != 32 && m != 33 && m != 2100) continue;
      INFO(variant << ", queries of " << m << ", seed " << kSeed);
      const auto& row = find_variant(search::variants(), variant);
      CHECK(wrong_answers(row, {}, tasks, code) == 0);
    }
  }
}

TEST_CASE("queries of all lengths are found as the reference finds them", "[search][device]") {
  constexpr std::uint64_t kSeed = 62;
  Rng rng(kSeed);
  std::map<std::string, std::size_t> count;
  for (const auto& [variant, config, longest, alphabets] : cases()) {
    const auto& row = find_variant(search::variants(), variant);
    for (const int alphabet : alphabets) {
      Tasks tasks;
      const int some = longest <= 128 ? 4000 : longest <= 300 ? 2000 : 800;
      for (int i = 0; i < some; ++i) {
        const double part = static_cast<double>(random_below(rng, 1001)) / 1000;
        add_random(tasks, rng,
                   1 + static_cast<std::size_t>(part * part * static_cast<double>(longest - 1)),
                   alphabet);
      }
      count[variant] += tasks.tasks.size();
      INFO(variant << " " << config << ", " << alphabet << " symbols, seed " << kSeed);
      CHECK(wrong_answers(row, tune::Config::parse(config), tasks, whole_code(alphabet)) == 0);
    }
  }
  for (const auto& [variant, tried] : count) {
    INFO(variant);
    CHECK(tried >= 10'000);
  }
}

TEST_CASE("lengths that most queries have, beside rare ones", "[search][device]") {
  struct Mixture {
    std::vector<std::size_t> common, rare;
  };
  // Near each other, on both sides of what slots take, in strips of several passes.
  const std::vector<Mixture> mixtures = {
      {{100, 101, 104}, {1, 36, 60, 75, 88, 99}},
      {{31, 32, 33}, {1, 2, 3, 100}},
      {{255, 256, 257}, {36, 101, 254, 258}},
      {{1000, 1024, 1025}, {30, 700, 1026, 2100}},
      {{150, 151}, {}},
  };
  const std::uint64_t seed = rhomb::test::seed();
  Rng rng(seed);
  for (const auto& [common, rare] : mixtures)
    for (const int alphabet : {4, 5}) {
      Tasks tasks;
      for (const std::size_t m : common)
        for (int i = 0; i < 50; ++i) add_random(tasks, rng, m, alphabet);
      for (const std::size_t m : rare)
        for (int i = 0; i < 3; ++i) add_random(tasks, rng, m, alphabet);
      for (const char* const variant : {"strips-batch", "coop"}) {
        INFO(variant << ", " << common.front() << " and others, " << alphabet << " symbols, seed "
                     << seed);
        CHECK(wrong_answers(find_variant(search::variants(), variant), {}, tasks,
                            whole_code(alphabet)) == 0);
      }
    }
}

TEST_CASE("queries and pieces about the borders of words", "[search][device]") {
  Rng rng(65);
  std::vector<std::size_t> borders = {0, 1, 2};
  for (const std::size_t border : {32u, 64u, 96u, 128u, 256u})
    for (std::size_t length = border - 1; length <= border + 1; ++length) borders.push_back(length);
  for (const auto& [variant, config, longest, alphabets] : cases()) {
    Tasks tasks;
    for (const std::size_t m : borders)
      for (const std::size_t n : borders) {
        if (m == 0 || m > longest) continue;
        std::string query = random_text(rng, m, 2), text = mutate(rng, query, 0.1, 2);
        while (text.size() < n) text += random_text(rng, 1, 2) + query;
        // At the end of the piece, so that the last columns count.
        tasks.add(query, text.substr(text.size() - n));
        tasks.add(query, std::string(n, 'A'), 0, static_cast<std::uint32_t>(n / 32 * 32));
        tasks.add(query, random_text(rng, n, 2), 0, 32);
      }
    INFO(variant << " " << config);
    CHECK(wrong_answers(find_variant(search::variants(), variant), tune::Config::parse(config),
                        tasks, whole_code(alphabets.front() == 1 ? 4 : alphabets.front())) == 0);
  }
}

TEST_CASE("sets of bases match where they share one", "[search][device]") {
  constexpr std::uint64_t kSeed = 66;
  Rng rng(kSeed);
  Tasks tasks;
  for (int i = 0; i < 1000; ++i) {
    add_random(tasks, rng, 1 + random_below(rng, 64), 4);
    tasks.queries.back() = as_nucleotides(rng, tasks.queries.back(), 9);
    tasks.texts.back() = as_nucleotides(rng, tasks.texts.back(), 9);
  }
  const auto code = seq::make_code("ACGTUacgtuNRYSWKMBDHVnry", "", seq::Ambiguous::kMatch);
  for (const auto& [variant, config] :
       {std::pair("strips-batch", ""), std::pair("coop", "R=32,W=2"),
        std::pair("coop", "R=16,W=1,VIA=3,PROFILE=1"), std::pair("task-private", "")}) {
    INFO(variant << " " << config << ", seed " << kSeed);
    CHECK(wrong_answers(find_variant(search::variants(), variant), tune::Config::parse(config),
                        tasks, code) == 0);
  }
}

#ifdef RHOMB_HAVE_EDLIB
TEST_CASE("queries are found where edlib finds them first", "[search][device]") {
  constexpr std::uint64_t kSeed = 67;
  Rng rng(kSeed);
  Tasks tasks;
  for (int i = 0; i < 2000; ++i) {
    add_random(tasks, rng, 1 + random_below(rng, 128), 4);
    tasks.tasks.back().skip = 0;
  }
  const auto code = whole_code(4);
  const auto problem = tasks.problem(code);
  std::vector<search::Best> expected;
  for (const search::Task& task : tasks.tasks) {
    const auto& query = tasks.queries[task.query];
    const auto piece = tasks.texts[task.text].substr(task.begin, task.length);
    const auto result = edlibAlign(
        query.data(), static_cast<int>(query.size()), piece.data(), static_cast<int>(piece.size()),
        edlibNewAlignConfig(-1, EDLIB_MODE_HW, EDLIB_TASK_DISTANCE, nullptr, 0));
    REQUIRE(result.status == EDLIB_STATUS_OK);
    // The empty occurrence at the very start is the first where nothing is better.
    expected.push_back(result.editDistance >= static_cast<int>(query.size())
                           ? search::Best{static_cast<std::uint32_t>(query.size()), 0}
                           : search::Best{static_cast<std::uint32_t>(result.editDistance),
                                          static_cast<std::uint32_t>(result.endLocations[0] + 1)});
    edlibFreeAlignResult(result);
  }
  for (const auto& [variant, config] :
       {std::pair("strips-batch", ""), std::pair("coop", "R=32,W=4"),
        std::pair("coop", "R=8,W=1,VIA=0,WG=64"), std::pair("task-private", ""),
        std::pair("task-local", "WG=32")}) {
    INFO(variant << " " << config << ", seed " << kSeed);
    const auto& row = find_variant(search::variants(), variant);
    const auto got = search::solve(&device(), row, problem, tune::Config::parse(config));
    CHECK(got.best == expected);
  }
}
#endif

TEST_CASE("few tasks, no task, and pieces without symbols", "[search][device]") {
  Rng rng(63);
  const auto code = whole_code(4);
  for (const auto& [variant, config, longest, alphabets] : cases()) {
    if (std::ranges::find(alphabets, 4) == alphabets.end()) continue;
    const auto& row = find_variant(search::variants(), variant);
    for (const int count : {0, 1, 3, 4, 5, 63, 64, 65, 257}) {
      Tasks tasks;
      for (int i = 0; i < count; ++i) add_random(tasks, rng, 50, 4);
      INFO(variant << " " << config << ", " << count << " tasks");
      CHECK(wrong_answers(row, tune::Config::parse(config), tasks, code) == 0);
    }
    Tasks empty;
    empty.add("ACGT", "");
    empty.add("ACGT", "", 0, 32);
    empty.add("A", "C");
    CHECK(wrong_answers(row, tune::Config::parse(config), empty, code) == 0);
  }
}

TEST_CASE("several batches at a time, over resident texts, answer as problems by themselves",
          "[search][device]") {
  constexpr std::uint64_t kSeed = 64;
  Rng rng(kSeed);
  const auto code = whole_code(4);
  std::vector<std::string> texts;
  for (const std::size_t length : {0u, 5000u, 31u, 32u, 1000u})
    texts.push_back(random_text(rng, length, 4));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const search::ResidentTexts kept(device(), views, code, 300);
  const auto& reference = find_variant(search::variants(), "reference");

  // Problems of several sizes, so that what a batch has must grow and is then too large.
  struct Round {
    std::vector<std::string> queries;
    std::vector<std::string_view> views;
    std::vector<search::Task> tasks;
  };
  std::vector<Round> rounds(9);
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    Round& round = rounds[r];
    for (std::size_t i = 0; i < r * 37 % 100; ++i) {
      const auto& text = texts[i % texts.size()];
      const auto begin = random_below(rng, text.size() + 1);
      const auto length = std::min<std::size_t>(random_below(rng, 300), text.size() - begin);
      round.queries.push_back(mutate(rng, text.substr(begin, 50), 0.1, 4) + "A");
      round.tasks.push_back({static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(i % texts.size()),
                             static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(length),
                             i % 3 == 0 ? 32u : 0u});
    }
    round.views.assign(round.queries.begin(), round.queries.end());
  }
  const auto problem_of = [&](const Round& round, bool keep) {
    search::Problem problem;
    problem.queries = round.views;
    if (!keep) problem.texts = views;
    problem.tasks = round.tasks;
    problem.code = &code;
    problem.resident = keep ? &kept : nullptr;
    return problem;
  };

  for (const auto& [variant, config, longest, alphabets] : cases()) {
    if (std::ranges::find(alphabets, 4) == alphabets.end()) continue;
    INFO(variant << " " << config << ", seed " << kSeed);
    const auto& row = find_variant(search::variants(), variant);
    std::vector<search::AsyncBatch> batches;
    for (std::size_t queue = 0; queue < 3; ++queue) batches.emplace_back(&device(), queue);
    const auto land = [&](std::size_t number) {
      const auto expected = search::solve(nullptr, reference, problem_of(rounds[number], false));
      const auto got = batches[number % batches.size()].finish();
      CHECK(got.best == expected.best);
      CHECK(got.cells == expected.cells);
    };
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      auto& batch = batches[r % batches.size()];
      if (batch.busy()) land(r - batches.size());
      CHECK_FALSE(batch.busy());
      // What was given goes before the answer comes, as the interface allows.
      auto gone = std::make_unique<Round>(rounds[r]);
      gone->views.assign(gone->queries.begin(), gone->queries.end());
      batch.start(row, problem_of(*gone, r % 4 != 0), tune::Config::parse(config));
      CHECK(batch.busy());
    }
    for (std::size_t r = rounds.size() - batches.size(); r < rounds.size(); ++r) land(r);
  }

  search::AsyncBatch batch(nullptr);
  batch.start(reference, problem_of(rounds[1], false));
  CHECK(batch.finish().best.size() == rounds[1].tasks.size());
  CHECK_THROWS_AS(batch.finish(), UsageError);
}

TEST_CASE("texts that were kept otherwise are refused", "[search][device]") {
  const std::vector<std::string_view> texts{"ACGTACGTACGTACGTACGT"}, queries{"ACG"};
  const auto code = whole_code(4), wider = whole_code(20);
  const search::ResidentTexts kept(device(), texts, code, 10);
  const auto& row = find_variant(search::variants(), "strips-batch");
  std::vector<search::Task> tasks{{0, 0, 0, 11, 0}};
  search::Problem problem;
  problem.queries = queries;
  problem.tasks = tasks;
  problem.code = &code;
  problem.resident = &kept;
  CHECK_THROWS_AS(search::solve(&device(), row, problem), UsageError);
  tasks[0].length = 10;
  CHECK(search::solve(&device(), row, problem).best[0] == search::Best{0, 3});
  problem.code = &wider;
  CHECK_THROWS_AS(search::solve(&device(), row, problem), UsageError);
}

TEST_CASE("lengths near each other share a program, and so do rare ones", "[search]") {
  const std::string text(5000, 'A');
  const std::vector<std::string_view> texts{text};
  const auto code = whole_code(4);
  ocl::Limits limits;
  limits.max_work_group = 1024;
  limits.gpu = true;
  const auto programs = [&](const std::vector<std::pair<std::size_t, int>>& counts) {
    std::vector<std::string_view> queries;
    std::vector<search::Task> tasks;
    for (const auto& [length, count] : counts)
      for (int i = 0; i < count; ++i) {
        tasks.push_back({static_cast<std::uint32_t>(queries.size()), 0, 0, 120, 0});
        queries.push_back(std::string_view(text).substr(0, length));
      }
    search::Problem problem;
    problem.queries = queries;
    problem.texts = texts;
    problem.tasks = tasks;
    problem.code = &code;
    std::string all;
    for (const search::Shape& shape :
         search::plan(find_variant(search::variants(), "strips-batch"), problem, limits, {})
             .shapes) {
      all += all.empty() ? "" : "; ";
      all += std::to_string(shape.count);
      for (const auto& [name, value] : shape.defines)
        if (name == "SLOT" || name == "K" || name == "HEAD" || name == "MIXED" || name == "CHAIN")
          all += (" " + name).append("=").append(value);
    }
    return all;
  };
  CHECK(programs({{100, 10}}) == "10 SLOT=8 K=13 HEAD=4 MIXED=0 CHAIN=0");
  CHECK(programs({{100, 7}, {101, 9}}) == "16 SLOT=8 K=13 HEAD=4 MIXED=0 CHAIN=0");
  // Of 1,000 queries ten are shorter, of five lengths.
  CHECK(programs({{36, 2}, {50, 2}, {60, 2}, {70, 2}, {99, 2}, {100, 700}, {101, 290}}) ==
        "990 SLOT=8 K=13 HEAD=4 MIXED=0 CHAIN=0; 10 SLOT=8 K=16 HEAD=15 MIXED=1 CHAIN=0");
  // One program for queries in one pass, one for those that take several.
  CHECK(programs({{1024, 5}, {2048, 5}}) ==
        "5 SLOT=32 K=32 HEAD=0 MIXED=0 CHAIN=0; 5 SLOT=32 K=32 HEAD=0 MIXED=0 CHAIN=1");
}

namespace {

int value_of(const ocl::Defines& defines, std::string_view name) {
  const auto found = std::ranges::find(defines, name, &std::pair<std::string, std::string>::first);
  return found == defines.end() ? 0 : std::stoi(found->second);
}

/// Whether the program of a shape was built for queries of `m` symbols; see cl/search/slots.h,
/// batch.h and coop.h.
bool takes(const search::Shape& shape, int m) {
  const auto value = [&](std::string_view name) { return value_of(shape.defines, name); };
  if (m < 1) return false;
  if (value("SLOT") > 0) {
    const int strips = (m + value("K") - 1) / value("K");
    if (strips * value("K") - m > value("HEAD")) return false;
    if (strips > value("SLOT") && value("CHAIN") == 0) return false;
    return value("MIXED") == 1 || strips % value("SLOT") == 0;
  }
  const int above = 32 * shape.strips - m;
  return above >= 0 &&
         (value("HEAD") == value("W") || above <= 32 * value("HEAD"));  // both 0: search/task.h
}

/// Sets of few and many lengths of queries, near each other and far apart, short and long.
std::vector<std::size_t> random_lengths(Rng& rng, std::size_t most) {
  std::vector<std::size_t> lengths;
  const std::size_t count = 1 + random_below(rng, random_below(rng, 4) == 0 ? 40 : 4);
  const std::size_t about = 1 + random_below(rng, std::size_t{1} << random_below(rng, 17));
  while (lengths.size() < count) {
    const std::size_t near = about + random_below(rng, random_below(rng, 2) == 0 ? 4 : about + 1);
    lengths.push_back(std::min(most, near));
  }
  return lengths;
}

}  // namespace

TEST_CASE("a program is tested with queries that it was planned for", "[search]") {
  const std::string text(200000, 'A');
  const std::vector<std::string_view> texts{text};
  Rng rng(20);
  std::vector<ocl::Limits> devices(3);
  devices[0].vector_ints = 8;
  devices[1].vector_ints = 16;
  devices[2].gpu = true;
  for (ocl::Limits& limits : devices) limits.max_work_group = 1024;
  int shapes = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto lengths = random_lengths(rng, text.size());
    const auto code = whole_code(round % 2 == 0 ? 4 : 20);
    std::vector<std::string_view> queries;
    std::vector<search::Task> tasks;
    for (const std::size_t length : lengths) {
      queries.push_back(std::string_view(text).substr(0, length));
      const auto copies = random_below(rng, 3) == 0 ? 50u : 1u;
      for (std::size_t i = 0; i < copies; ++i)
        tasks.push_back({static_cast<std::uint32_t>(queries.size() - 1), 0, 0, 1000, 0});
    }
    search::Problem problem;
    problem.queries = queries;
    problem.texts = texts;
    problem.tasks = tasks;
    problem.code = &code;
    tune::Config config;
    for (const search::Variant& row : search::variants()) {
      if (row.uses_cuda()) continue;
      const bool k = row.name == "strips-batch" && round % 3 == 0;
      if (k) config = tune::Config::parse("K=" + std::to_string(1 + random_below(rng, 32)));
      try {
        const auto plan =
            search::plan(row, problem, devices[random_below(rng, 3)], k ? config : tune::Config());
        for (const search::Shape& shape : plan.shapes) {
          ++shapes;
          std::string what(row.name);
          for (const auto& [name, value] : shape.defines) what += " " + name + "=" + value;
          INFO(what);
          REQUIRE(!shape.tested.empty());
          for (const std::uint32_t m : shape.tested) {
            INFO(m);
            REQUIRE(takes(shape, static_cast<int>(m)));
            REQUIRE(m <=
                    std::max<std::uint32_t>(row.name == "strips-batch" ? 2048 : 0, shape.longest));
          }
        }
      } catch (const tune::Unfit&) {
      }
    }
  }
  CHECK(shapes > 5000);
}

// What programs were built and tested before does not hide a test that is wrong.
TEST_CASE("sets of lengths on a device that has tested nothing yet", "[search][device]") {
  ocl::DeviceOptions options;
  options.cache = false;
  ocl::Device fresh(device().info(), options);
  const auto& row = find_variant(search::variants(), "strips-batch");
  const auto code = whole_code(4);
  Rng rng(21);
  const auto check = [&](std::vector<std::size_t> lengths, const char* config) {
    Tasks tasks;
    for (const std::size_t m : lengths)
      for (int i = 0; i < 3; ++i) add_random(tasks, rng, m, 4);
    CHECK(wrong_answers(&fresh, row, tune::Config::parse(config), tasks, code) == 0);
  };
  check({18, 20}, "");
  check({10, 12}, "");
  check({43, 56}, "K=4");
  check({2500}, "");  // several passes
  check(random_lengths(rng, 300), "");
}

TEST_CASE("what does not fit says why", "[search]") {
  const std::string long_query(3000, 'A');
  const std::vector<std::string_view> queries{long_query}, texts{"ACGT"};
  const std::vector<search::Task> tasks{{0, 0, 0, 4, 0}};
  const auto code = whole_code(4);
  search::Problem problem;
  problem.queries = queries;
  problem.texts = texts;
  problem.tasks = tasks;
  problem.code = &code;
  ocl::Limits limits;
  limits.max_work_group = 128;
  limits.gpu = true;
  const auto why = [&](const char* variant, const char* config) {
    try {
      const auto made = search::plan(find_variant(search::variants(), variant), problem, limits,
                                     tune::Config::parse(config));
      return "fits: " + made.config.text();
    } catch (const tune::Unfit& unfit) {
      return std::string(unfit.what());
    }
  };
  CHECK(why("task-local", "") ==
        "columns of 94 words, two for each of WG=64 work-items, need 48128 bytes of local memory, "
        "the device has 32768");
  CHECK(why("task-private", "WG=256") ==
        "WG=256 is not between 1 and 128, the largest group of the device");
  CHECK(why("coop", "W=2") ==
        "columns of 94 words of 32 symbols are more than 32 lanes can have with W=2");
  CHECK(why("coop", "R=32,W=4") ==
        "columns of 94 words of 32 symbols are more than the lanes of R=32 can have with W=4");
  CHECK(why("coop", "WG=48") == "WG=48 is not a multiple of 32, a team's lanes");
  CHECK(why("coop", "VIA=2") ==
        "VIA=2 needs a GPU of NVIDIA, whose lanes reach each other's registers");
  CHECK(why("coop", "WG=64,R=4,W=12") == "fits: PROFILE=0,R=4,VIA=3,W=12,WG=64");
  limits.nvidia = true;
  CHECK(why("coop", "R=1,VIA=2") == "fits: PROFILE=0,R=1,VIA=2,W=3,WG=64");
}

TEST_CASE("a search without a query is refused", "[search]") {
  const std::vector<std::string_view> queries{""}, texts{"ACGT"};
  const std::vector<search::Task> tasks{{0, 0, 0, 4, 0}};
  const auto code = whole_code(4);
  search::Problem problem;
  problem.queries = queries;
  problem.texts = texts;
  problem.tasks = tasks;
  problem.code = &code;
  CHECK_THROWS_AS(search::solve(nullptr, find_variant(search::variants(), "reference"), problem),
                  UsageError);
}

}  // namespace rhomb::test::search_tests
