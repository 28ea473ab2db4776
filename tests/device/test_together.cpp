// SPDX-License-Identifier: Apache-2.0
// Many pairs at a time: which are computed together, and what comes out, whatever the blocks.
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "host/align/run.h"
#include "host/batch/threads.h"
#include "host/distance/run.h"
#include "host/distance/several.h"
#include "host/distance/together.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "host/rhomb.h"
#include "host/strip/several.h"
#include "host/wfa/meetings.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/words.h"

namespace rhomb::test::together_tests {
namespace {

/// This device, taken for a GPU.
ocl::DeviceInfo invented_gpu() {
  ocl::DeviceInfo info = device().info();
  info.name = "Invented GPU";
  info.limits.gpu = true;
  info.limits.compute_units = 132;
  return info;
}

seq::Sequence named(std::size_t number, std::string symbols) {
  return {"s" + std::to_string(number), std::move(symbols)};
}

/// Related and unrelated texts of many lengths, empty ones among them.
std::pair<seq::Batch, seq::Batch> pairs_of(Rng& rng, std::size_t count, std::size_t longest,
                                           int alphabet) {
  seq::Batch a, b;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t m = random_below(rng, random_below(rng, longest + 1) + 1);
    a.push_back(named(i, random_text(rng, m, alphabet)));
    b.push_back(named(i, i % 5 == 0   ? random_text(rng, random_below(rng, longest + 1), alphabet)
                         : i % 5 == 1 ? a.back().symbols
                                      : mutate(rng, a.back().symbols, 0.1, alphabet)));
  }
  return {std::move(a), std::move(b)};
}

/// The device of these tests.
std::vector<batch::DeviceChoice> here() {
  return {{&device().info(), []() -> ocl::Device& { return device(); }}};
}

std::int64_t expected(const seq::Sequence& a, const seq::Sequence& b) {
  return reference::edit_distance(a.symbols, b.symbols);
}

}  // namespace

TEST_CASE("Pairs that are computed together have the distance of the reference",
          "[distance][device][unoptimized]") {
  Rng rng(seed());
  for (const int alphabet : {1, 4, 26}) {
    const auto [a, b] = pairs_of(rng, 1500, 900, alphabet);
    std::vector<std::int64_t> distances;
    for (std::size_t i = 0; i < a.size(); ++i) distances.push_back(expected(a[i], b[i]));
    for (const std::string variant : {"", "strips-batch", "wavefront-batch", "band-batch"}) {
      DistanceOptions options;
      options.variant = variant;
      Together together(here(), PairList::by_order(a, b), options);
      REQUIRE(together.count() > 1000);
      std::map<std::string, int> used;
      for (std::size_t i = 0; i < a.size(); ++i) {
        INFO("pair " << i << ", " << alphabet << " symbols, " << variant << ", seed " << seed());
        // What is empty is answered by whoever answers others.
        CHECK(together.takes(i) == (!a[i].symbols.empty() && !b[i].symbols.empty()));
        if (!together.takes(i)) continue;
        const DistanceAnswer answer = together.answer(i);
        ++used[answer.variant];
        CHECK(answer.distance == distances[i]);
      }
      // Close ones by wavefronts or bands, others by strips, unless one of them is asked for.
      CHECK(used.size() == (variant.empty() ? 2 : 1));
      if (!variant.empty()) CHECK(used.contains(variant));
    }
  }
}

TEST_CASE("A few long pairs do not go through bands with short ones",
          "[distance][device][unoptimized]") {
  Rng rng(seed());
  auto [a, b] = pairs_of(rng, 1500, 900, 4);
  for (const std::size_t at : {7u, 700u, 1499u}) {
    a[at].symbols = random_text(rng, 6000, 4);
    b[at].symbols = mutate(rng, a[at].symbols, 0.1, 4);
  }
  const DistanceOptions options;
  Together together(here(), PairList::by_order(a, b), options);
  std::map<std::string, int> used;
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("pair " << i << ", seed " << seed());
    if (!together.takes(i)) continue;
    const DistanceAnswer answer = together.answer(i);
    CHECK(answer.distance == expected(a[i], b[i]));
    ++used[answer.variant];
    if (a[i].symbols.size() == 6000) CHECK(answer.variant != kBandBatch);
  }
  // On a GPU short ones do not, either.
  CHECK(used.contains(std::string(kBandBatch)) == !device().limits().gpu);
}

TEST_CASE("Bands find each distance that they are wide enough for",
          "[distance][device][unoptimized]") {
  Rng rng(seed());
  constexpr std::size_t kLengths[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 96, 97, 128, 200, 257};
  for (const auto& [alphabet, ambiguous, config] :
       std::initializer_list<std::tuple<int, seq::Ambiguous, const char*>>{
           {1, seq::Ambiguous::kSymbol, "LANES=1,K=1"},
           {2, seq::Ambiguous::kSymbol, "K=2"},
           {4, seq::Ambiguous::kSymbol, ""},
           {4, seq::Ambiguous::kMatch, "LANES=4,K=8"},
           {20, seq::Ambiguous::kSymbol, "LANES=8,K=4"},
           {256, seq::Ambiguous::kSymbol, "LANES=4,K=4"}}) {
    const bool sets = ambiguous == seq::Ambiguous::kMatch;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 150; ++i) {
      const std::size_t m = kLengths[random_below(rng, std::size(kLengths))];
      std::string a = random_text(rng, m, alphabet);
      if (sets)
        for (char& c : a) c = "ACGTNRY"[random_below(rng, 7)];
      std::string b = i % 4 == 0 ? random_text(rng, 1 + random_below(rng, 200), alphabet)
                                 : mutate(rng, a, 0.07 * static_cast<double>(i % 4), alphabet);
      if (sets)
        for (char& c : b)
          if (std::string_view("ACGTNRY").find(c) == std::string_view::npos) c = 'G';
      texts.push_back(std::move(a));
      texts.push_back(b.empty() ? "A" : std::move(b));
    }
    std::vector<std::string_view> a, b;
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      a.push_back(texts[i]);
      b.push_back(texts[i + 1]);
    }
    const seq::Code code = seq::make_code(seq::symbols_in(a, 1), seq::symbols_in(b, 1), ambiguous);
    std::vector<wfa::PairTask> tasks;
    std::vector<std::uint32_t> distances;
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      const auto distance = static_cast<std::uint32_t>(reference::edit_distance(a[i], b[i], code));
      for (const std::uint32_t most :
           {distance, distance + 1, distance + 30, distance / 2, std::max(distance, 1u) - 1}) {
        tasks.push_back({i, i, most, 0});
        distances.push_back(distance);
      }
    }
    BandsProblem problem;
    problem.a = a;
    problem.b = b;
    problem.tasks = tasks;
    problem.code = &code;
    BandsBatch batch(device(), 0);
    batch.start(plan_bands(code, tasks.size(), device().limits(), tune::Config::parse(config)),
                problem);
    const BandsAnswer answer = batch.finish();
    REQUIRE(answer.distances.size() == tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      INFO(a[tasks[i].a] << " and " << b[tasks[i].b] << ", up to " << tasks[i].most << ", "
                         << config << ", seed " << seed());
      CHECK((answer.distances[i] == distances[i] ||
             (answer.distances[i] == wfa::kBeyond && tasks[i].most < distances[i])));
    }
  }
}

TEST_CASE("Wherever blocks end, each pair has its own answer", "[distance][device][unoptimized]") {
  Rng rng(seed());
  seq::Batch a, b;  // of one length, for which there is one program
  for (std::size_t i = 0; i < 2000; ++i) {
    a.push_back(named(i, random_text(rng, i % 50 == 7 ? 0 : 400, 4)));
    b.push_back(named(i, mutate(rng, a.back().symbols, 0.1, 4) + "A"));
  }
  DistanceOptions options;
  for (const BlockLimits& most :
       {BlockLimits{11, 1 << 28, 1}, BlockLimits{100, 1 << 28, 1}, BlockLimits{1 << 20, 20'000, 1},
        BlockLimits{1 << 20, 1 << 28, 1e-4}}) {
    Together together(here(), PairList::by_order(a, b), options, most);
    REQUIRE(together.count() == 1960);
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO("pair " << i << ", blocks of " << most.pairs << ", seed " << seed());
      if (!together.takes(i)) continue;
      const auto answer = together.answer(i);
      CHECK(together.ready(i));
      if (i % 29 == 0) CHECK(answer.distance == expected(a[i], b[i]));
    }
  }
}

TEST_CASE("Blocks go to all devices in turn, answers keep their order", "[distance][device]") {
  Rng rng(seed());
  seq::Batch a, b;  // of one length, for which there is one program
  for (std::size_t i = 0; i < 1200; ++i) {
    a.push_back(named(i, random_text(rng, 400, 4)));
    b.push_back(
        named(i, i % 3 == 0 ? random_text(rng, 400, 4) : mutate(rng, a.back().symbols, 0.02, 4)));
  }
  ocl::Device second(device().info());
  int opened[2] = {0, 0};
  const std::vector<batch::DeviceChoice> devices{{&device().info(),
                                                  [&]() -> ocl::Device& {
                                                    ++opened[0];
                                                    return device();
                                                  }},
                                                 {&device().info(), [&]() -> ocl::Device& {
                                                    ++opened[1];
                                                    return second;
                                                  }}};
  for (const std::string variant : {"", "strips-batch"}) {
    DistanceOptions options;
    options.variant = variant;
    opened[1] = 0;
    Together together(devices, PairList::by_order(a, b), options, {70, 1 << 28, 1});
    REQUIRE(together.count() > 1000);
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO("pair " << i << ", seed " << seed());
      if (together.takes(i)) CHECK(together.answer(i).distance == expected(a[i], b[i]));
    }
    CHECK(opened[1] > 5);
  }
  CHECK(opened[0] > 5);
}

TEST_CASE("Each with each of the same texts takes half of the cells",
          "[distance][device][unoptimized]") {
  Rng rng(seed());
  seq::Batch texts;
  const std::string root = random_text(rng, 1200, 4);
  for (std::size_t i = 0; i < 40; ++i) texts.push_back(named(i, mutate(rng, root, 0.05, 4)));
  texts[7].symbols = "";
  texts[9].symbols = texts[8].symbols;
  DistanceOptions options;
  Together together(here(), PairList::all(texts, texts), options, {400, 1 << 28, 1});
  double cells = 0, all = 0;
  for (std::size_t i = 0; i < together.pairs().size(); ++i) {
    const auto [query, target] = together.pairs()[i];
    const seq::Sequence &a = texts[query], &b = texts[target];
    CHECK(together.takes(i) == (query != 7 && target != 7));
    if (!together.takes(i)) continue;
    const DistanceAnswer answer = together.answer(i);
    cells += answer.cells;
    all += static_cast<double>(a.symbols.size()) * static_cast<double>(b.symbols.size());
    if (i % 11 == 0) CHECK(answer.distance == expected(a, b));
  }
  CHECK(cells < 0.53 * all);
  // Other objects with the same texts are other texts.
  const seq::Batch same = texts;
  CHECK_FALSE(PairList::all(texts, same).square);
}

TEST_CASE("Pairs are computed together only where that is quicker", "[distance][device]") {
  Rng rng(seed());
  const auto divided = [&](std::size_t count, std::size_t length, const DistanceOptions& options) {
    seq::Batch texts;
    const std::string text = random_text(rng, length, 4);
    for (std::size_t i = 0; i < count; ++i) texts.push_back(named(i, text));
    return Together(&device().info(), PairList::by_order(texts, texts), options).count();
  };
  DistanceOptions options;
  CHECK(divided(2000, 1000, options) == 2000);
  CHECK(divided(1, 1000, options) == 0);
  CHECK(divided(20, 100, options) == 0);     // the host is quicker
  CHECK(divided(3, 500'000, options) == 0);  // each keeps a device busy
  options.engine = "wavefront";
  CHECK(divided(2000, 1000, options) == 0);
  options.engine = "auto";
  const auto [a, b] = pairs_of(rng, 200, 100, 4);
  CHECK(Together(nullptr, PairList::by_order(a, b), options).count() == 0);
}

TEST_CASE("Limits, checks, progress and stops hold for pairs that are computed together",
          "[distance][device][unoptimized]") {
  Rng rng(seed());
  const auto [a, b] = pairs_of(rng, 3000, 1000, 4);
  Devices devices;
  DistanceOptions options;
  options.max_distance = 20;
  options.check = true;
  double part = 0;
  options.progress = [&](const Progress& now) {
    CHECK(now.part >= part);
    part = now.part;
  };
  std::size_t next = 0, far = 0, together = 0;
  const Totals totals = devices.distances(a, b, options, [&](const PairDistance& pair) {
    CHECK(pair.query.name == a[next].name);
    const std::int64_t distance = expected(a[next], b[next]);
    CHECK(pair.answer.distance == (distance > 20 ? std::nullopt : std::optional(distance)));
    CHECK_FALSE(pair.answer.checked.empty());
    far += pair.answer.distance ? 0u : 1u;
    together += pair.answer.variant.ends_with("-batch") ? 1u : 0u;
    ++next;
  });
  CHECK(next == a.size());
  CHECK(far > 0);
  CHECK(together > 1000);
  CHECK(totals.checked == a.size());
  CHECK(part > 0);

  options = {};
  std::stop_source stop;
  options.stop = stop.get_token();
  stop.request_stop();
  const Together stopped(&device().info(), PairList::by_order(a, b), options);
  REQUIRE(stopped.count() > 0);
  CHECK_THROWS_AS(devices.distances(a, b, options, [](const PairDistance&) {}), Error);
}

TEST_CASE(
    "Several pairs are refused before the first one is computed if checkpoints are to be saved",
    "[distance]") {
  Rng rng(seed());
  std::vector<std::string> texts;
  for (int i = 0; i < 2; ++i) texts.push_back(random_text(rng, 300'000, 4));
  std::size_t next = 0;
  const batch::PairSource slow =
      batch::one_by_one({"pairs", [&](batch::SequencePair& into) {
                           if (next == texts.size()) return false;
                           // Long after the first one has been taken.
                           if (next > 0)
                             std::this_thread::sleep_for(std::chrono::milliseconds(200));
                           into.query = into.target = named(next, texts[next]);
                           ++next;
                           return true;
                         }});
  DistanceRunOptions options;
  options.keeping.folder = "nowhere";
  const tune::Store nothing;
  DistanceRun run(slow, options, {here, [&]() -> const tune::Store& { return nothing; }});
  try {
    run.next();
    FAIL("nothing was refused");
  } catch (const Error& error) {
    CHECK(error.kind() == Kind::kUsage);
  }
  CHECK(next == 2);
  CHECK_FALSE(std::filesystem::exists("nowhere"));
}

TEST_CASE("long pairs share launches on a GPU, and a square has each distance once",
          "[distance][device]") {
  // The device is taken for a GPU.
  const ocl::DeviceInfo info = invented_gpu();
  ocl::Device gpu(info), other(info);
  std::size_t devices = 1;
  const auto gpus = [&] {
    std::vector<batch::DeviceChoice> all{
        {&info, [&]() -> ocl::Device& { return gpu; }},
        {&info, [&]() -> ocl::Device& { return other; }},
        {&info,
         []() -> ocl::Device& { throw ocl::DeviceError("there is no third device", 0, ""); }}};
    all.resize(devices);
    return all;
  };
  Rng rng(seed() + 41);
  seq::Batch texts;
  const std::string first = random_text(rng, 24'000, 4);
  for (const double rate : {0.01, 0.03, 0.0, 0.02})
    texts.push_back(named(texts.size(), mutate(rng, first, rate, 4)));
  texts.push_back(named(texts.size(), random_text(rng, 9'000, 4)));  // far from all
  texts.push_back(named(texts.size(), first + random_text(rng, 900, 4)));
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> distances;
  for (const bool square : {true, false})
    for (const std::optional<std::int64_t> most : {std::optional<std::int64_t>(), {300}}) {
      devices = devices % 3 + 1;
      DistanceRunOptions options;
      options.max_distance = most;
      const seq::Batch others = square ? seq::Batch{} : texts;
      const tune::Store nothing;
      DistanceRun run(texts, square ? texts : others, options,
                      {gpus, [&]() -> const tune::Store& { return nothing; }});
      std::size_t count = 0, shared = 0;
      double spent = 0;
      while (const auto part = run.next())
        for (std::size_t i = 0; i < part->size(); ++i, ++count) {
          const DistanceAnswer answer = part->answer(i);
          const std::size_t q = count / texts.size(), t = count % texts.size();
          INFO(q << " and " << t << (square ? ", square" : ""));
          const auto [at, made] = distances.try_emplace(std::minmax(q, t));
          if (made)
            at->second = distance_by_words(texts[q].symbols, texts[t].symbols, bytes_code());
          const std::int64_t distance = at->second;
          CHECK(answer.distance ==
                (most && distance > *most ? std::nullopt : std::optional(distance)));
          if (answer.variant == wfa::kFusedBatch) ++shared;
          if (square && q > t) spent += answer.timing.total;
        }
      CHECK(count == texts.size() * texts.size());
      CHECK(shared > 8);
      if (square) CHECK(spent == 0);
    }
}

TEST_CASE("long pairs share launches though there are short ones between them",
          "[distance][device]") {
  const ocl::DeviceInfo info = invented_gpu();
  ocl::Device gpu(info);
  const auto gpus = [&] {
    return std::vector<batch::DeviceChoice>{{&info, [&]() -> ocl::Device& { return gpu; }}};
  };
  Rng rng(seed() + 47);
  const std::string first = random_text(rng, 30'000, 4);
  std::vector<std::pair<std::string, std::string>> texts;
  for (int i = 0; i < 40; ++i) {
    if (i % 3 == 0)
      texts.emplace_back(first, mutate(rng, first, 0.001 * (i % 7), 4));
    else if (i % 3 == 1)
      texts.emplace_back(random_text(rng, random_below(rng, 60), 4), random_text(rng, 50, 4));
    else
      texts.emplace_back(first.substr(0, 4000), random_text(rng, 3'000, 4));
  }
  auto next = texts.begin();
  const auto source = [&](batch::SequencePair& pair) {
    if (next == texts.end()) return false;
    pair.query.symbols = next->first;
    pair.target.symbols = next->second;
    ++next;
    return true;
  };
  const tune::Store nothing;
  DistanceRun run(batch::one_by_one({"", source}), {},
                  {gpus, [&]() -> const tune::Store& { return nothing; }});
  std::size_t count = 0, shared = 0;
  while (const auto part = run.next())
    for (std::size_t i = 0; i < part->size(); ++i, ++count) {
      INFO("pair " << count << ", RHOMB_TEST_SEED=" << seed());
      const DistanceAnswer answer = part->answer(i);
      CHECK(answer.distance == distance_by_words(texts[count].first, texts[count].second));
      if (answer.variant == wfa::kFusedBatch) ++shared;
    }
  CHECK(count == texts.size());
  CHECK(shared > 5);
}

TEST_CASE(
    "a GPU aligns long pairs some at a time, in order, and devices that fail are done without",
    "[distance][device]") {
  const ocl::DeviceInfo info = invented_gpu();
  ocl::Device gpu(info), other(info);
  Rng rng(seed() + 47);
  seq::Batch queries, targets;
  for (std::size_t i = 0; i < 24; ++i) {
    const std::size_t length = i % 5 == 3 ? 1'000 : 15'000 + random_below(rng, 3'000);
    targets.push_back(named(i, random_text(rng, length, 4)));
    queries.push_back(named(
        i, i % 3 == 0 ? random_text(rng, length, 4) : mutate(rng, targets.back().symbols, 0.1, 4)));
  }
  const tune::Store nothing;
  AlignOptions options;
  options.store = &nothing;
  options.threads = 8;
  const auto open_gpu = [&]() -> ocl::Device& { return gpu; };
  const auto open_other = [&]() -> ocl::Device& { return other; };
  const auto fail = []() -> ocl::Device& { throw Error(Kind::kDevice, "this one is broken"); };
  const std::vector<std::vector<batch::DeviceChoice>> sets{{{&info, open_gpu}},
                                                           {{&info, open_gpu}, {&info, open_other}},
                                                           {{&info, open_gpu}, {&info, fail}}};
  const auto aligned = [&](const std::vector<batch::DeviceChoice>& devices) {
    AlignRun run({options},
                 {[&] { return devices; }, [&]() -> const tune::Store& { return nothing; }});
    std::size_t next = 0;
    const auto source = [&](batch::SequencePair& pair) {
      if (next == queries.size()) return false;
      pair.query = queries[next];
      pair.target = targets[next++];
      return true;
    };
    std::vector<Cigar> cigars;
    run.pairs(
        batch::one_by_one({"", source}),
        [](const PairPlace& place, const seq::Pair&, AlignAnswer& answer) {
          return std::pair(place.number, std::move(answer.cigar));
        },
        [&](std::pair<std::uint64_t, Cigar> made) {
          CHECK(made.first == cigars.size());
          cigars.push_back(std::move(made.second));
        },
        [] {});
    return cigars;
  };
  for (const auto& devices : sets) {
    const auto cigars = aligned(devices);
    REQUIRE(cigars.size() == queries.size());
    for (std::size_t i = 0; i < cigars.size(); ++i) {
      INFO("pair " << i << ", RHOMB_TEST_SEED=" << seed());
      CHECK(cigars[i] == align_pair(&gpu, queries[i].symbols, targets[i].symbols, options).cigar);
    }
  }
  // Where the first one fails, all of them do, and nobody waits.
  CHECK_THROWS_AS(aligned({{&info, fail}, {&info, open_gpu}}), Error);
}

TEST_CASE("what launches are shared by is said of GPUs alone", "[distance][device]") {
  ocl::Limits limits;
  CHECK(ways_to_share(limits, {}).empty());
  limits.gpu = true;
  CHECK(ways_to_share(limits, {}) == "fused-batch");
  limits.nvidia = true;
  CHECK(ways_to_share(limits, {}) == "fused-batch, flow-batch");
  DistanceOptions options;
  options.variant = "strips";
  CHECK(ways_to_share(limits, options).empty());
}

TEST_CASE("strips of long pairs share launches beside wavefronts", "[distance][device]") {
  // The device is taken for a GPU, one that has strips flow.
  const ocl::DeviceInfo info = invented_gpu();
  ocl::Device gpu(info);
  Rng rng(seed() + 43);
  const std::string first = random_text(rng, 60'000, 4);
  std::vector<std::string> texts{mutate(rng, first, 0.001, 4), random_text(rng, 50'000, 4),
                                 mutate(rng, first, 0.2, 4),   random_text(rng, 3'000, 4),
                                 mutate(rng, first, 0.002, 4), first,
                                 first.substr(20'000)};
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (const std::string& text : texts) pairs.emplace_back(first, text);
  for (const std::optional<std::int64_t> most : {std::optional<std::int64_t>(), {20'000}}) {
    DistanceOptions options;
    options.max_distance = most;
    const tune::Store nothing;
    options.store = &nothing;
    std::set<std::string_view> variants;
    const auto answers = answer_several(gpu, pairs, options, true);
    REQUIRE(answers.size() == pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      INFO("pair " << i << ", RHOMB_TEST_SEED=" << seed());
      const std::int64_t distance = distance_by_words(first, texts[i], bytes_code());
      CHECK(answers[i].distance ==
            (most && distance > *most ? std::nullopt : std::optional(distance)));
      variants.insert(answers[i].variant);
    }
    CHECK(variants.contains(strip::kFlowBatch));
    CHECK(variants.contains(wfa::kFusedBatch));
  }
  DistanceOptions options;
  for (const DistanceAnswer& answer : answer_several(gpu, pairs, options, false))
    CHECK(answer.variant != strip::kFlowBatch);
}

TEST_CASE(
    "Pairs of all lengths in one run are right and in order, those before a damaged record too",
    "[distance][device]") {
  // RHOMB_TEST_PAIRS=100000 for a thorough run: minutes.
  const char* const asked = std::getenv("RHOMB_TEST_PAIRS");
  const std::size_t count = asked != nullptr ? std::strtoul(asked, nullptr, 10) : 1200;
  constexpr std::size_t kLongest = 5000;
  const std::uint64_t base = seed();  // which is not for threads
  /// Pair i, whoever asks for it.
  const auto pair_at = [base](std::size_t i) {
    Rng rng(base + i);
    const std::string a = random_text(rng, random_below(rng, kLongest + 1), 4);
    const double rate = std::array{0.0, 0.002, 0.02, 0.1, 0.3}[random_below(rng, 5)];
    return std::pair(a, i % 7 == 3 ? random_text(rng, random_below(rng, kLongest + 1), 4)
                                   : mutate(rng, a, rate, 4));
  };
  std::vector<std::int64_t> distances(count);
  batch::in_parts(count, batch::threads_of(0), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const auto [a, b] = pair_at(i);
      distances[i] = distance_by_words(a, b);
    }
  });
  for (std::size_t i = 0; i < count; i += count / 20 + 1) {
    const auto [a, b] = pair_at(i);
    CHECK(distances[i] == reference::edit_distance(a, b));
  }
  const auto records_of = [&](bool first, std::size_t damaged) {
    return Records::from(first ? "first" : "second",
                         [&, first, damaged, next = std::size_t{0}](seq::Sequence& into) mutable {
                           if (next == damaged)
                             throw InputError("first", "s" + std::to_string(next), 0, "damaged");
                           if (next == count) return false;
                           auto [a, b] = pair_at(next);
                           into = named(next++, first ? std::move(a) : std::move(b));
                           return true;
                         });
  };
  Devices devices;
  for (const std::string variant : {"", "strips-batch", "wavefront-batch", "band-batch"})
    for (const std::size_t damaged : {count + 1, count / 2}) {
      INFO(variant << ", seed " << seed());
      DistanceOptions options;
      options.variant = variant;
      std::size_t next = 0, wrong = 0;
      std::map<std::string, std::size_t> used;
      const auto take = [&](const PairDistance& pair) {
        if (pair.query.name != "s" + std::to_string(next) || pair.target.name != pair.query.name ||
            pair.answer.distance != distances[next])
          ++wrong;
        ++used[pair.answer.variant];
        ++next;
      };
      const auto run = [&] {
        devices.distances(records_of(true, damaged), records_of(false, count + 1), options, take);
      };
      if (damaged < count)
        CHECK_THROWS_AS(run(), InputError);
      else
        run();
      CHECK(next == std::min(count, damaged));
      CHECK(wrong == 0);
      // Close ones and others, where no variant was asked for. (Which variants these are depends on
      // how many pairs are there at a time.)
      CHECK((variant.empty() ? used.size() > 1 : used.contains(variant)));
    }
}

}  // namespace rhomb::test::together_tests
