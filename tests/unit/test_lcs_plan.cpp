// SPDX-License-Identifier: Apache-2.0
// What is decided before anything is computed: plans of the lcs rows on devices that nobody has,
// how targets are cut into chunks and tiles, and how they are packed.
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/lcs/pack.h"
#include "host/lcs/stages.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/plans.h"

namespace rhomb::lcs_plan_tests {
namespace {

using test::contains;
using test::limits_of;
using tune::Config;

/// A query of `m` symbols and `count` targets of `length`.
struct Asked {
  std::string query, text;
  std::vector<std::string_view> targets;
  seq::Code code;

  Asked(std::size_t m, std::size_t length, std::size_t count, int alphabet = 4)
      : query(m, 'A'), text(length, 'B'), targets(count, text), code(test::whole_code(alphabet)) {}
  lcs::Problem problem() const {
    lcs::Problem made;
    made.query = query;
    made.targets = targets;
    made.code = &code;
    return made;
  }
};

const lcs::Variant& row_of(std::string_view name) { return find_variant(lcs::variants(), name); }

void check_plan(const lcs::Plan& plan, const lcs::Variant& row, const lcs::Problem& problem,
                const ocl::Limits& limits) {
  for (const auto& param : row.space) {
    INFO(param.name);
    CHECK(plan.config.has(param.name));
  }
  CHECK(static_cast<std::size_t>(plan.group) <= limits.max_work_group);
  CHECK((plan.lanes == 1 || plan.group == 1));
  REQUIRE(plan.queries.size() == problem.all_queries().size());
  for (std::size_t q = 0; q < plan.queries.size(); ++q) {
    const lcs::QueryPlan& query = plan.queries[q];
    const int rows = plan.block_rows(query.size);
    CHECK(query.m == static_cast<std::int64_t>(problem.all_queries()[q].size()));
    CHECK(query.blocks * rows >= query.m);
    CHECK((query.blocks - 1) * rows < query.m);
    CHECK((query.operations > 0) == (query.m > 0));
  }
  CHECK(plan.sizes().size() <= 4);
  CHECK(plan.speed > 0);
  CHECK(plan.bytes > 0);
  CHECK(plan.bytes <= limits.global_bytes);
  for (const auto& [name, value] : plan.defines(plan.usual_size()))
    CHECK((!name.empty() && !value.empty()));
  std::set<std::uint32_t> seen;
  for (const auto& chunk : plan.chunks) {
    for (const auto& query : plan.queries) {
      if (query.m == 0) continue;
      CHECK(plan.launch_blocks(query, chunk) >= 1);
      CHECK(plan.launch_blocks(query, chunk) <= query.blocks);
    }
    for (const auto target : chunk.targets)
      if (target != lcs::Chunk::kNobody) CHECK(seen.insert(target).second);
  }
  CHECK(seen.size() == problem.targets.size());
}

TEST_CASE("every lcs variant has a sound plan on every device", "[lcs][host]") {
  for (const auto& asked :
       {Asked(1, 1, 1), Asked(1000, 500, 70), Asked(5000, 33, 3, 20), Asked(100, 200, 400, 256)})
    test::on_every_device(
        lcs::variants(),
        [&](const lcs::Variant& variant, const ocl::Limits& limits) {
          if (!variant.uses_opencl()) return;
          const auto problem = asked.problem();
          check_plan(lcs::plan(variant, problem, limits), variant, problem, limits);
        },
        [](const lcs::Variant& variant, const ocl::Limits& limits) {
          return variant.name != "strips-lcs" && limits.local_bytes <= 1u << 10;
        });
}

TEST_CASE("every value of every lcs tunable makes a plan or is refused", "[lcs][host]") {
  const Asked asked(3000, 700, 90), small(70, 40, 3);
  const auto problem = asked.problem();
  const auto good = test::with_every_value(
      lcs::variants(), [&](const lcs::Variant& variant, const ocl::Limits& limits,
                           const Config& config, const std::string& name) {
        const auto plan = lcs::plan(variant, problem, limits, config);
        check_plan(plan, variant, problem, limits);
        CHECK(plan.config.get(name, -1) == config.get(name, -1));
        // Self-tests plan their small problems with the configuration of the real one.
        const auto again = lcs::plan(variant, small.problem(), limits, plan.config);
        CHECK(again.defines(again.usual_size()) == plan.defines(plan.usual_size()));
      });
  CHECK(good > 300);
}

TEST_CASE("impossible lcs configurations are unfit, with a reason", "[lcs][host]") {
  const Asked asked(5000, 700, 90, 20);
  const struct {
    const char* row;
    const char* config;
    const char* reason;  ///< a part of it
  } cases[] = {
      {"strips-lcs", "WG=0", "WG=0"},
      {"strips-lcs", "WG=1000000", "WG=1000000"},
      {"strips-lcs", "LANES=2", "LANES=2"},
      {"strips-lcs", "LANES=4,WG=2", "LANES=4"},
      {"strips-lcs", "K=0", "K=0"},
      {"strips-lcs", "K=65", "K=65"},
      {"strips-lcs", "S=1", "S=1"},
      {"strips-lcs", "S=64", "S=64"},
      {"strips-lcs", "QUEUES=0", "QUEUES=0"},
      {"strips-lcs", "CHUNK=0", "CHUNK=0"},
      {"crochemore", "W=0", "W=0"},
      {"crochemore", "W=6", "W=6"},
      {"crochemore", "W=1000", "W=1000"},
      {"crochemore", "STORE=2", "STORE=2"},
      {"crochemore", "QUEUES=65", "QUEUES=65"},
      {"allison-dix", "W=-4", "W=-4"},
      {"allison-dix", "STORE=-1", "STORE=-1"},
  };
  for (const auto& [row, config, reason] : cases) {
    INFO(row << " " << config);
    test::check_unfit(
        [&] {
          lcs::plan(row_of(row), asked.problem(), limits_of("NVIDIA"), Config::parse(config));
        },
        {reason});
  }
  for (const auto& row : lcs::variants())
    CHECK_THROWS_AS(lcs::plan(row, asked.problem(), limits_of("NVIDIA"), Config::parse("COLOUR=1")),
                    UsageError);
}

TEST_CASE("alphabet strings that do not fit are unfit", "[lcs][host]") {
  const Asked large(100'000, 50, 5, 256);
  CHECK_THROWS_WITH(lcs::plan(row_of("crochemore"), large.problem(), limits_of("NVIDIA"),
                              Config::parse("STORE=0")),
                    contains("constant memory"));
  CHECK_THROWS_WITH(lcs::plan(row_of("allison-dix"), large.problem(), limits_of("NVIDIA"),
                              Config::parse("STORE=1,W=64")),
                    contains("local memory"));
  // By default there are as few words as have room.
  CHECK(lcs::plan(row_of("crochemore"), large.problem(), limits_of("NVIDIA")).usual_size() == 32);
}

TEST_CASE("the row with the fewest operations is chosen", "[lcs][host]") {
  const Asked paper(4096, 4096, 2000), reads(150, 150, 400'000), few(4096, 4096, 3);
  CHECK(lcs::choose(paper.problem(), limits_of("NVIDIA")).name == "crochemore");
  CHECK(lcs::choose(reads.problem(), limits_of("NVIDIA")).name == "strips-lcs");
  CHECK(lcs::choose(paper.problem(), limits_of("CPU with vectors of 16")).name == "strips-lcs");
  CHECK(lcs::choose(paper.problem(), limits_of("hardly any local memory")).name == "strips-lcs");
}

TEST_CASE("queries of many lengths share a few programs", "[lcs][host]") {
  test::Rng rng(test::seed() + 10);
  const std::string text(20'000, 'A');
  Asked asked(1, 450, 2000, 20);
  for (const std::size_t count : {1u, 2u, 5u, 100u}) {
    std::vector<std::string_view> queries;
    for (std::size_t q = 0; q < count; ++q)
      queries.push_back(std::string_view(text).substr(
          0, test::random_below(rng, rng() % 30 == 0 ? 20'000 : 900)));
    auto problem = asked.problem();
    problem.queries = queries;
    for (const auto& device : test::invented_devices())
      for (const auto& row : lcs::variants()) {
        if (!row.uses_opencl()) continue;
        INFO(row.name << " on " << device.name << ", " << count << " queries");
        try {
          const auto plan = lcs::plan(row, problem, device.limits);
          check_plan(plan, row, problem, device.limits);
          // Each alone would take hardly less.
          double alone = 0;
          for (const std::string_view query : queries) {
            auto one = asked.problem();
            one.query = query;
            tune::Config layout;
            if (plan.strips > 0) layout.set("S", plan.strips);
            alone += lcs::plan(row, one, device.limits, layout).operations();
          }
          CHECK(plan.operations() >= 0.999 * alone);
          CHECK(plan.operations() <= 1.15 * alone);
          if (count > 2) continue;
          CHECK(plan.operations() <= 1.021 * alone);
        } catch (const tune::Unfit&) {
          CHECK(device.limits.local_bytes <= 1u << 10);
        }
      }
  }
}

TEST_CASE("a row is chosen of those that have the tunables", "[lcs][host]") {
  const Asked paper(4096, 4096, 2000);
  const auto limits = limits_of("NVIDIA");
  CHECK(lcs::choose(paper.problem(), limits, Config::parse("K=8")).name == "strips-lcs");
  CHECK(lcs::choose(paper.problem(), limits, Config::parse("STORE=1")).name == "crochemore");
  for (const auto& each : lcs::candidates(paper.problem(), limits, Config::parse("K=8")))
    CHECK(each.unfit.empty() == (each.row->name == "strips-lcs"));
}

TEST_CASE("lanes take work-items' place, also where a GPU is asked for them", "[lcs][host]") {
  const Asked asked(500, 500, 500);
  const auto plan = lcs::plan(row_of("strips-lcs"), asked.problem(), limits_of("NVIDIA"),
                              Config::parse("LANES=16"));
  CHECK(plan.group == 1);
}

TEST_CASE("rows and strips follow the query", "[lcs][host]") {
  const auto shape = [](std::size_t m, std::size_t n, std::size_t count) {
    const Asked asked(m, n, count);
    return lcs::plan(row_of("strips-lcs"), asked.problem(), limits_of("NVIDIA"));
  };
  const auto long_query = shape(4096, 4096, 100'000);
  CHECK(long_query.strips == 32);
  CHECK(long_query.usual_size() == 32);
  // Few rows are not left to strips that do not exist.
  CHECK(shape(100, 4096, 1'000'000).rows() <= 128);
  // Where a step of 32 strips would be mostly waiting, targets share words.
  CHECK(shape(100, 20, 1'000'000).strips < 32);
}

TEST_CASE("a target that the device cannot hold says how much it needs", "[lcs][host]") {
  const Asked asked(1000, 500'000'000, 3);
  CHECK_THROWS_AS(lcs::plan(row_of("strips-lcs"), asked.problem(), limits_of("256 MB")),
                  MemoryError);
  CHECK_THROWS_WITH(lcs::plan(row_of("crochemore"), asked.problem(), limits_of("256 MB")),
                    contains("500000000") && contains("256 MiB"));
}

TEST_CASE("long launches are cut between blocks", "[lcs][host]") {
  const Asked asked(1'000'000, 100'000, 2000);
  const auto plan = lcs::plan(row_of("strips-lcs"), asked.problem(), limits_of("16 GiB"));
  for (const auto& chunk : plan.chunks) {
    const lcs::QueryPlan& query = plan.queries.front();
    const auto blocks = plan.launch_blocks(query, chunk);
    CHECK(blocks < query.blocks);
    const double of_block =
        static_cast<double>(chunk.symbols) * query.operations / static_cast<double>(query.blocks);
    CHECK((blocks == 1 || static_cast<double>(blocks) * of_block / plan.speed <= 0.25));
  }
}

TEST_CASE("chunks and tiles have every target once, and the longest first", "[lcs][host]") {
  test::Rng rng(test::seed() + 7);
  const std::string text(100'000, 'A');
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string_view> targets;
    const auto count = test::random_below(rng, 300);
    for (std::size_t i = 0; i < count; ++i)
      targets.push_back(std::string_view(text).substr(
          0, test::random_below(rng, rng() % 20 == 0 ? 100'000 : 70)));
    lcs::Cut cut;
    cut.lanes = 1 << (rng() % 5);
    cut.group = cut.lanes > 1 ? 1 : 1 + static_cast<int>(rng() % 40);
    cut.targets = 1 << (rng() % 4);
    cut.most_lanes = 1 + rng() % 200;
    cut.most_units = 1 + rng() % 20'000;
    const auto chunks = lcs::chunks_of(targets, cut);
    std::vector<int> seen(count, 0);
    std::size_t longest = text.size();
    for (const auto& chunk : chunks) {
      std::uint64_t units = 0, symbols = 0, first = 0;
      REQUIRE(!chunk.tiles.empty());
      for (const auto& tile : chunk.tiles) {
        CHECK(tile.base == units);
        CHECK(tile.first == first);
        CHECK(tile.width % static_cast<unsigned>(cut.lanes) == 0);
        CHECK(tile.width <= static_cast<unsigned>(cut.lanes * cut.group));
        const auto slots = static_cast<std::size_t>(cut.targets);
        for (std::size_t slot = tile.first * slots; slot < (tile.first + tile.width) * slots;
             ++slot) {
          const auto target = chunk.targets.at(slot);
          if (target == lcs::Chunk::kNobody) continue;
          ++seen[target];
          const auto size = targets[target].size();
          symbols += size;
          CHECK(size <= longest);
          longest = size;
          CHECK((size + 31) / 32 <= tile.units);
        }
        units += std::uint64_t{tile.units} * tile.width;
        first += tile.width;
      }
      CHECK(chunk.units == units);
      CHECK(chunk.symbols == symbols);
      CHECK((chunk.tiles.size() == 1 || units <= cut.most_units));
      CHECK((chunk.tiles.size() == 1 || first <= cut.most_lanes));
    }
    for (std::size_t i = 0; i < count; ++i) CHECK(seen[i] == (targets[i].empty() ? 0 : 1));
  }
}

TEST_CASE("one very long target does not make others take its memory", "[lcs][host]") {
  const std::string text(10'000'000, 'A');
  std::vector<std::string_view> targets(128, std::string_view(text).substr(0, 1000));
  targets.push_back(text);
  lcs::Cut cut;
  cut.group = 128;
  cut.most_lanes = 1000;
  const auto chunks = lcs::chunks_of(targets, cut);
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].units < 10'000'000 / 32 + 1 + 129 * 32);
}

TEST_CASE("targets are packed symbol by symbol", "[lcs][host]") {
  test::Rng rng(test::seed() + 8);
  for (int planes = 1; planes <= 8; ++planes)
    for (const int strips : {0, 4, 8, 16, 32}) {  // 0: codes
      INFO(planes << " planes, S=" << strips);
      seq::Code code;
      for (auto& c : code.b) c = static_cast<std::uint8_t>(rng() % (1u << planes));
      // Few symbols, which their low bits tell apart, and all others after a while.
      const int drawn = rng() % 2 ? 256 : 9;
      code.planes = planes;
      std::vector<std::string> texts;
      for (int i = 0; i < 50; ++i)
        texts.push_back(
            test::random_text(rng, test::random_below(rng, 140), i < 20 ? drawn : 256, '\0'));
      const std::vector<std::string_view> targets(texts.begin(), texts.end());
      lcs::Problem problem;
      problem.targets = targets;
      problem.code = &code;
      lcs::Plan plan;
      plan.planes = planes;
      plan.strips = strips;
      lcs::Cut cut;
      cut.group = 7;
      cut.targets = plan.targets_of_lane();
      cut.most_lanes = 1000;
      plan.chunks = lcs::chunks_of(targets, cut);
      REQUIRE(plan.chunks.size() == 1);
      const auto& chunk = plan.chunks[0];
      const auto words = static_cast<std::size_t>(plan.text_words());
      std::vector<std::uint32_t> text(chunk.units * words, 0xdeadbeef);
      const lcs::Packer packer(plan, problem);
      std::size_t packed = 0;
      for (const auto& piece : lcs::pieces_of(plan, chunk, 1 + rng() % 500)) {
        CHECK(piece.word == packed);
        packer.pack(piece, std::span(text).subspan(piece.word, piece.words));
        packed += piece.words;
      }
      CHECK(packed == text.size());

      const auto shared = static_cast<std::size_t>(cut.targets);
      for (const auto& tile : chunk.tiles)
        for (std::size_t slot = tile.first * shared; slot < (tile.first + tile.width) * shared;
             ++slot) {
          if (chunk.targets[slot] == lcs::Chunk::kNobody) continue;
          const std::string& target = texts[chunk.targets[slot]];
          const std::size_t lane = slot / shared - tile.first, of_lane = slot % shared;
          const auto word = [&](std::size_t number) {
            return text[tile.base * words + number * tile.width + lane];
          };
          for (std::size_t i = 0; i < target.size(); ++i) {
            const unsigned expected = code.b[static_cast<unsigned char>(target[i])];
            unsigned got = 0;
            if (strips == 0) {
              const std::size_t bits = words, each = 32 / bits;
              got = word(i / each) >> (bits * (i % each)) & ((1u << bits) - 1);
            } else {
              const auto s = static_cast<std::size_t>(strips);
              const std::size_t bit = of_lane * s + (s - 1 - i % s);
              for (int p = 0; p < planes; ++p)
                got |=
                    (word(i / s * static_cast<std::size_t>(planes) + static_cast<std::size_t>(p)) >>
                         bit &
                     1u)
                    << p;
            }
            if (got != expected) FAIL("symbol " << i << ": " << got << ", not " << expected);
          }
        }
    }
}

TEST_CASE("stages give all pieces in order, packed", "[lcs][host]") {
  test::Rng rng(test::seed() + 9);
  const Asked asked(1000, 5000, 700);
  const auto problem = asked.problem();
  for (const char* config : {"", "CHUNK=1", "CHUNK=3,WG=7"}) {
    const auto plan = lcs::plan(row_of("crochemore"), problem, limits_of("one compute unit"),
                                Config::parse(config));
    for (const bool all : {true, false}) {             // or leave off in the middle
      std::vector<std::vector<std::uint32_t>> memory;  // outlives the threads that pack into it
      lcs::Stages stages(plan, problem);
      memory.resize(stages.count());
      std::vector<std::uint32_t*> pointers;
      for (auto& words : memory) {
        words.resize(stages.words());
        pointers.push_back(words.data());
      }
      stages.start(pointers);
      const lcs::Packer packer(plan, problem);
      std::size_t words = 0, expected = 0;
      for (const auto& chunk : plan.chunks) {
        expected += chunk.units * static_cast<std::size_t>(plan.text_words());
        std::size_t next = 0;
        while (stages.next_chunk() == &chunk && (all || words < 100'000)) {
          while (stages.full()) {
            // A stage that is free may be overwritten at once.
            CHECK(stages.oldest() < stages.count());
            stages.free_oldest();
          }
          const auto [piece, stage] = stages.next();
          CHECK(piece->chunk == &chunk);
          CHECK(piece->word == next);
          next += piece->words;
          words += piece->words;
          std::vector<std::uint32_t> again(piece->words);
          packer.pack(*piece, again);
          CHECK(std::equal(again.begin(), again.end(), memory[stage].begin()));
        }
      }
      if (all) CHECK(words == expected);
      if (all) CHECK(stages.next_chunk() == nullptr);
    }
  }
}

}  // namespace
}  // namespace rhomb::lcs_plan_tests
