// SPDX-License-Identifier: Apache-2.0
// Plans of the wavefront table over invented devices: the geometry holds together, memory stays
// small, and what cannot run says why. No device is touched.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/plans.h"

namespace rhomb::wfa_plan_tests {
namespace {

using test::contains;
using test::kA;
using test::kC;
using test::kCode;
using test::problem;
using tune::Config;

const ocl::Limits kNvidia = test::limits_of("NVIDIA");

const wfa::Variant& row_named(std::string_view name) { return find_variant(wfa::variants(), name); }

// What must hold whatever the device.
void check_plan(const wfa::Plan& plan, const wfa::Variant& row, const ocl::Limits& limits) {
  REQUIRE(plan.variant != nullptr);
  CHECK(plan.variant->name == row.name);
  for (const auto& param : row.space) {
    INFO(param.name);
    CHECK(plan.config.has(param.name));
  }
  if (row.on_host) return;
  CHECK(plan.file.starts_with("wfa/"));
  CHECK(plan.batch >= 1);
  CHECK(plan.bytes > 0);
  CHECK(plan.bytes <= limits.global_bytes);
  CHECK(plan.most_bytes >= plan.bytes);
  REQUIRE(!plan.stages.empty());
  std::int64_t widest = 0;
  for (const auto& stage : plan.stages) {
    if (!stage.dense_matches && !stage.long_matches) {
      CHECK(stage.widest > widest);
      widest = stage.widest;
    }
    CHECK(stage.group >= 1);
    CHECK(static_cast<std::size_t>(stage.group) <= limits.max_work_group);
    CHECK((stage.lanes == 1 || stage.group == 1));
    CHECK(stage.diags >= 1);
    CHECK(stage.steps >= 1);
    if (row.name == "fused") {
      CHECK(stage.tile() > 2 * stage.steps);
      // The registers of a lane are bits of a word where a team shares the work.
      if (stage.lanes == 1) CHECK(stage.diags <= 32);
    }
    for (const auto& [name, value] : stage.defines) CHECK((!name.empty() && !value.empty()));
  }
  // The last stage must do for the widest rows there can be, of two directions where both are kept.
  CHECK(widest >= (row.name == "fused" ? 2 : 1) * plan.max_distance);
}

TEST_CASE("every variant has a sound plan on every device", "[wfa][host]") {
  for (const auto& [a, b] :
       {std::pair<std::string, std::string>{kA, kC}, {"A", "C"}, {"A", kC}, {kC, "AA"}})
    test::on_every_device(
        wfa::variants(),
        [&](const wfa::Variant& variant, const ocl::Limits& limits) {
          check_plan(wfa::plan(variant, problem(a, b), limits), variant, limits);
        },
        [](const wfa::Variant& variant, const ocl::Limits& limits) {
          // Only where hardly a group's edges fit, or no tile has the group that it needs.
          const bool group_per_tile = variant.name == "group" || variant.name == "diamond";
          return limits.local_bytes <= 1u << 10 || (group_per_tile && limits.max_work_group < 3);
        });
}

TEST_CASE("every value of every tunable makes a plan or is refused with a reason", "[wfa][host]") {
  const auto good = test::with_every_value(
      wfa::variants(), [](const wfa::Variant& variant, const ocl::Limits& limits,
                          const Config& config, const std::string& name) {
        const auto plan = wfa::plan(variant, problem(), limits, config);
        check_plan(plan, variant, limits);
        CHECK(plan.config.get(name, -1) == config.get(name, -1));
      });
  CHECK(good > 200);
}

/// `row` with `config` is refused on `limits`, for these reasons.
void check_unfit(std::string_view row, const std::string& config,
                 const std::vector<std::string>& reasons, const ocl::Limits& limits = kNvidia) {
  INFO(row << " " << config);
  test::check_unfit([&] { wfa::plan(row_named(row), problem(), limits, Config::parse(config)); },
                    reasons);
}

TEST_CASE("a whole configuration is used as it is", "[wfa][host]") {
  for (const char* text :
       {"BATCH=1,DIAGS=3,STEPS=1,VEC=1,WALK=0,WG=1", "BATCH=2,DIAGS=4,STEPS=127,VEC=1,WALK=0,WG=64",
        "BATCH=16,DIAGS=32,STEPS=255,VEC=16,WALK=0,WG=1",
        "BATCH=7,DIAGS=1,STEPS=15,VEC=1,WALK=1,WG=32", "BATCH=7,DIAGS=5,STEPS=9,VEC=4,WALK=0,WG=1",
        "BATCH=7,DIAGS=5,STEPS=4,VEC=1,WALK=1,WG=3"}) {
    INFO(text);
    const auto plan = wfa::plan(row_named("fused"), problem(), kNvidia, Config::parse(text));
    CHECK(plan.config.text() == text);
    REQUIRE(plan.stages.size() == 1);
    const auto& stage = plan.stages.front();
    CHECK(stage.group == plan.config.get("WG", 0));
    CHECK(stage.lanes == plan.config.get("VEC", 0));
    CHECK(stage.diags == plan.config.get("DIAGS", 0));
    CHECK(stage.steps == plan.config.get("STEPS", 0));
    CHECK(stage.walk == (plan.config.get("WALK", -1) == 1));
    CHECK(plan.batch == plan.config.get("BATCH", 0));
  }
}

TEST_CASE("a whole configuration of any row is used as it is", "[wfa][host]") {
  for (const auto& [name, text] : {std::pair{"prefetch", "BATCH=3,WG=77"},
                                   {"tiled-global", "BATCH=1,T=1000,WG=1"},
                                   {"tiled-register", "BATCH=9,T=64,WG=33"},
                                   {"tiled-local", "BATCH=1000,T=5,WG=224"},
                                   {"group", "BATCH=2,T=95"},
                                   {"diamond", "BATCH=2,T=1"}}) {
    INFO(name << " " << text);
    const auto plan = wfa::plan(row_named(name), problem(), kNvidia, Config::parse(text));
    CHECK(plan.config.text() == text);
    REQUIRE(plan.stages.size() == 1);
    if (plan.config.has("WG")) CHECK(plan.stages[0].group == plan.config.get("WG", 0));
    CHECK(plan.tile_length == plan.config.get("T", 0));
    CHECK(plan.batch == plan.config.get("BATCH", 0));
  }
}

TEST_CASE("impossible configurations are unfit, with a reason", "[wfa][host]") {
  const struct {
    const char* config;
    const char* reason;  ///< a part of it
  } cases[] = {
      {"WG=1000000", "WG=1000000"},
      {"WG=0", "WG"},
      {"WG=-64", "WG"},
      {"WG=3,VEC=4", "VEC=4"},
      {"VEC=3", "VEC"},
      {"VEC=0", "VEC"},
      {"VEC=32", "VEC"},
      {"VEC=2", "VEC"},
      {"DIAGS=0", "DIAGS"},
      {"DIAGS=-1", "DIAGS"},
      {"DIAGS=33,WG=64,VEC=1", "DIAGS"},
      {"DIAGS=1000000,WG=64", "DIAGS"},
      {"STEPS=0", "STEPS"},
      {"STEPS=-5", "STEPS"},
      {"BATCH=0", "BATCH"},
      {"BATCH=-1", "BATCH"},
      {"WG=64,VEC=1,DIAGS=4,STEPS=128", "STEPS=128"},
      {"WG=64,VEC=1,DIAGS=4,STEPS=1000000000", "STEPS"},
      {"WG=1,VEC=1,DIAGS=1", "STEPS"},  // no cell's neighbours are all in the tile
      {"WG=1,VEC=1,DIAGS=2", "STEPS"},
      {"WG=1,VEC=4,DIAGS=1,STEPS=2", "STEPS"},
      {"WG=1,VEC=16,DIAGS=2000000000", "DIAGS"},
      {"WALK=1,WG=1", "WALK=1"},  // a work-item alone walks by itself
      {"WALK=1,WG=2,DIAGS=4,STEPS=1", "WALK=1"},
      {"WALK=2", "WALK=2"},
      {"WALK=1,VEC=16", "WALK=1"},
      {"WALK=1,VEC=4,WG=1,DIAGS=8,STEPS=4", "WALK=1"},
  };
  for (const auto& [config, reason] : cases) check_unfit("fused", config, {reason});
  for (const char* name : {"baseline", "dynamic", "batched", "prefetch", "tiled-global",
                           "tiled-register", "tiled-local"})
    for (const char* config : {"WG=1000000", "WG=0", "WG=-1"}) check_unfit(name, config, {});
  for (const auto& row : wfa::variants())
    if (!row.space.empty() && row.space.back().name == "BATCH")
      for (const char* config : {"BATCH=0", "BATCH=-1"}) check_unfit(row.name, config, {"BATCH"});
}

TEST_CASE("what is said of stages leaves no width out", "[wfa][host]") {
  for (const auto& device : test::invented_devices()) {
    INFO(device.name);
    Facts facts;
    try {
      facts = wfa::explain(row_named("fused"), problem(), device.limits, {});
    } catch (const tune::Unfit&) {
      continue;
    }
    std::int64_t next = 0;
    for (int i = 1;; ++i) {
      const std::string name = "stage_" + std::to_string(i) + "_";
      const std::string range(facts.text(name + "diagonals"));
      if (range.empty()) break;
      INFO(name << " " << range);
      const std::size_t dash = range.find('-');
      REQUIRE(dash != std::string::npos);
      CHECK(std::stoll(range) == next);
      if (!facts.text(name + "symbols_per_edit").empty()) continue;
      const std::int64_t end = std::stoll(range.substr(dash + 1));
      CHECK(end >= next);
      next = end + 1;
    }
    CHECK(next > 1'000'000'000);
  }
}

TEST_CASE("a walk of groups is forced or forbidden for all widths", "[wfa][host]") {
  for (const auto& device : test::invented_devices())
    for (const bool walk : {false, true}) {
      if (walk && (!device.limits.gpu || device.limits.max_work_group == 1)) {
        CHECK_THROWS_WITH(
            wfa::plan(row_named("fused"), problem(), device.limits, Config::parse("WALK=1")),
            contains("WALK=1"));
        continue;
      }
      INFO(device.name << ", WALK=" << walk);
      try {
        const auto plan = wfa::plan(row_named("fused"), problem(), device.limits,
                                    Config::parse(walk ? "WALK=1" : "WALK=0"));
        for (const auto& stage : plan.stages) CHECK(stage.walk == walk);
      } catch (const tune::Unfit& why) {
        INFO(why.what());
        CHECK(device.limits.local_bytes <= 1u << 10);
      }
    }
}

TEST_CASE("tiles that do not fit are refused with the reason", "[wfa][host]") {
  const struct {
    const char* row;
    const char* device;
    const char* config;
    std::vector<std::string> reasons;  ///< parts of it
  } cases[] = {
      {"tiled-global", "NVIDIA", "T=0", {"T=0", "1024"}},
      {"tiled-global", "NVIDIA", "T=-1", {"T=-1", "1024"}},
      {"tiled-global", "NVIDIA", "T=1025", {"T=1025", "1024"}},
      {"tiled-global", "groups of 16", "T=2,WG=17", {"WG=17", "16"}},
      {"tiled-register", "NVIDIA", "T=0", {"T=0", "64"}},
      {"tiled-register", "NVIDIA", "T=65", {"T=65", "64"}},
      {"tiled-register", "NVIDIA", "T=2000000000", {"T=2000000000"}},
      {"tiled-local", "NVIDIA", "T=0", {"T=0"}},
      {"tiled-local", "NVIDIA", "T=-5", {"T=-5"}},
      {"tiled-local", "NVIDIA", "T=2000000000", {"T=2000000000"}},
      // 2 T + 1 cells of four bytes a work-item.
      {"tiled-local", "NVIDIA", "T=100,WG=128", {"T=100", "WG=128", "102912", "49152", "local"}},
      {"tiled-local", "NVIDIA", "T=48,WG=127", {"T=48", "WG=127", "49276", "local"}},
      {"tiled-local", "hardly any local memory", "T=8", {"T=8", "68 bytes of local", "64"}},
      // 2 T + 1 work-items a group, whole teams of 32 on NVIDIA.
      {"group", "NVIDIA", "T=0", {"T=0"}},
      {"group", "NVIDIA", "T=-1", {"T=-1"}},
      {"group", "NVIDIA", "T=2000000000", {"T=2000000000"}},
      {"group", "NVIDIA", "T=512", {"T=512", "1056", "1024"}},
      {"group", "CPU with vectors of 8", "T=1025", {"T=1025", "1024"}},
      {"group", "16 GiB", "T=128", {"T=128", "257", "256"}},
      {"group", "groups of 16", "T=8", {"T=8", "17", "16"}},
      {"group", "groups of 1", "T=1", {"T=1", "3", "1"}},
      // Two rows of a cell for each work-item and its neighbours, and a bound.
      {"group", "hardly any local memory", "T=3", {"T=3", "76 bytes of local", "64"}},
      {"group", "tiny local memory", "T=63", {"T=63", "1036 bytes of local", "1024"}},
      {"prefetch", "hardly any local memory", "WG=15", {"WG=15", "68 bytes of local", "64"}},
  };
  for (const auto& [row, device, config, reasons] : cases) {
    INFO(device);
    check_unfit(row, config, reasons, test::limits_of(device));
    if (row == std::string("group"))
      check_unfit("diamond", config, reasons, test::limits_of(device));
  }
  // The largest that do fit.
  const struct {
    const char* row;
    const char* device;
    const char* config;
  } fitting[] = {
      {"tiled-global", "NVIDIA", "T=1024"},
      {"tiled-register", "NVIDIA", "T=64"},
      {"tiled-local", "NVIDIA", "T=48,WG=126"},
      {"tiled-local", "NVIDIA", "T=1024,WG=5"},
      {"tiled-local", "hardly any local memory", "T=7"},
      {"group", "NVIDIA", "T=511"},
      {"group", "CPU with vectors of 8", "T=1024"},
      {"group", "16 GiB", "T=127"},
      {"group", "groups of 16", "T=7"},
      {"group", "hardly any local memory", "T=2"},
      {"diamond", "tiny local memory", "T=62"},
      {"prefetch", "hardly any local memory", "WG=14"},
  };
  for (const auto& [row, device, config] : fitting) {
    INFO(row << " on " << device << ", " << config);
    const auto limits = test::limits_of(device);
    if (std::string(config) == "T=1024" && std::string(row) == "group")
      CHECK(limits.local_bytes >= 4 * (2 * (2 * 1024 + 1 + 2) + 1));
    CHECK_NOTHROW(check_plan(wfa::plan(row_named(row), problem(), limits, Config::parse(config)),
                             row_named(row), limits));
  }
}

TEST_CASE("groups of tiles are whole teams on NVIDIA", "[wfa][host]") {
  for (const char* name : {"group", "diamond"})
    for (int tile = 1; tile <= 511; ++tile) {
      Config config;
      config.set("T", tile);
      INFO(name << " " << config.text());
      const auto plan = wfa::plan(row_named(name), problem(), kNvidia, config);
      REQUIRE(plan.stages.size() == 1);
      const int group = plan.stages.front().group;
      CHECK(group % 32 == 0);
      CHECK(group >= 2 * tile + 1);
      CHECK(group < 2 * tile + 1 + 32);
      if (tile > 127) continue;
      const auto other = wfa::plan(row_named(name), problem(), test::limits_of("16 GiB"), config);
      CHECK(other.stages.front().group == 2 * tile + 1);
    }
}

TEST_CASE("tiles and groups that a device can take are chosen", "[wfa][host]") {
  const auto chosen = [](const char* row, const ocl::Limits& limits, const char* config,
                         const char* tunable) {
    return wfa::plan(row_named(row), problem(), limits, Config::parse(config))
        .config.get(tunable, -1);
  };
  for (const char* name : {"group", "diamond"}) {
    CHECK(chosen(name, test::limits_of("groups of 16"), "", "T") == 7);
    CHECK(chosen(name, kNvidia, "", "T") > 31);
    CHECK(chosen(name, test::limits_of("CPU with vectors of 8"), "", "T") <= 31);
  }
  for (const char* name : {"tiled-global", "tiled-register", "tiled-local"}) {
    CHECK(chosen(name, test::limits_of("groups of 16"), "", "WG") == 16);
    CHECK(chosen(name, test::limits_of("groups of 1"), "", "WG") == 1);
  }
  // Half as many work-items until their cells fit, and no fewer.
  int halved = 0;
  for (const int tile : {1, 2, 7, 31, 200})
    for (const auto& [name, limits] : test::invented_devices()) {
      const auto config = "T=" + std::to_string(tile);
      INFO(name << ", " << config);
      const auto room = [&](int group) {
        return 4 * static_cast<std::uint64_t>((2 * tile + 1) * group);
      };
      if (room(1) > limits.local_bytes) {
        CHECK_THROWS_AS(chosen("tiled-local", limits, config.c_str(), "WG"), tune::Unfit);
        continue;
      }
      const int group = chosen("tiled-local", limits, config.c_str(), "WG");
      CHECK(group >= 1);
      CHECK(room(group) <= limits.local_bytes);
      auto plenty = limits;
      plenty.local_bytes = 1u << 30;
      const int usual = chosen("tiled-local", plenty, config.c_str(), "WG");
      CHECK(group <= usual);
      if (group == usual) continue;
      ++halved;
      CHECK(room(2 * group + 1) > limits.local_bytes);
    }
  CHECK(halved > 3);
}

std::map<std::string, std::string> defines_of(const char* row, const ocl::Limits& limits,
                                              const char* config, const seq::Code& code = kCode) {
  auto asked = problem();
  asked.code = &code;
  const auto plan = wfa::plan(row_named(row), asked, limits, Config::parse(config));
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : plan.stages.front().defines)
    CHECK(found.emplace(name, value).second);  // each once
  return found;
}

TEST_CASE("what programs are built with", "[wfa][host]") {
  using Found = std::map<std::string, std::string>;
  const auto plain = test::limits_of("16 GiB");
  const Found packed = {{"BITS", "2"}, {"SETS", "0"}}, planes = {{"PLANES", "2"}, {"SETS", "0"}};
  const auto with = [](Found found, const Found& more) {
    found.insert(more.begin(), more.end());
    return found;
  };
  for (const char* name : {"baseline", "dynamic", "batched", "prefetch"})
    CHECK(defines_of(name, plain, "WG=48") == with({{"WG", "48"}}, packed));
  for (const auto& [name, store] :
       {std::pair{"tiled-global", "0"}, {"tiled-register", "1"}, {"tiled-local", "2"}})
    CHECK(defines_of(name, plain, "T=5,WG=48") ==
          with({{"T", "5"}, {"WG", "48"}, {"STORE", store}}, packed));
  for (const auto& [name, dynamic] : {std::pair{"group", "0"}, {"diamond", "1"}}) {
    CHECK(defines_of(name, plain, "T=5") ==
          with({{"T", "5"}, {"WG", "11"}, {"DYNAMIC", dynamic}, {"TEAM", "1"}}, planes));
    CHECK(defines_of(name, kNvidia, "T=16") ==
          with({{"T", "16"}, {"WG", "64"}, {"DYNAMIC", dynamic}, {"TEAM", "32"}}, planes));
  }
  for (const char* walk : {"0", "1"})
    CHECK(defines_of("fused", plain, (std::string("WG=32,VEC=1,DIAGS=3,WALK=") + walk).c_str()) ==
          with({{"MANY", "0"},
                {"WG", "32"},
                {"VEC", "1"},
                {"DIAGS", "3"},
                {"WALK", walk},
                {"TEAM", "1"}},
               planes));
  for (const auto& [group, team] : {std::pair{"WG=64", "32"}, {"WG=48", "1"}, {"WG=1", "1"}})
    CHECK(defines_of("fused", kNvidia, group).at("TEAM") == team);
  CHECK(defines_of("fused", plain, "WG=1,VEC=8,DIAGS=3") ==
        with({{"VEC", "8"}, {"DIAGS", "3"}}, planes));
  const auto sets = seq::make_code("ACN", "ACG", seq::Ambiguous::kMatch);
  CHECK(defines_of("tiled-local", plain, "T=2,WG=1", sets).at("BITS") == "8");
  CHECK(defines_of("tiled-local", plain, "T=2,WG=1", sets).at("SETS") == "1");
  CHECK(defines_of("diamond", plain, "T=2", sets).at("PLANES") == std::to_string(sets.planes));
  CHECK(defines_of("diamond", plain, "T=2", sets).at("SETS") == "1");
}

TEST_CASE("memory of tiles is two texts and two rows", "[wfa][host]") {
  for (const char* name : {"tiled-global", "tiled-register", "tiled-local", "group", "diamond"})
    for (const int tile : {1, 2, 7, 31}) {
      Config config;
      config.set("T", tile);
      const auto plan = wfa::plan(row_named(name), problem(), kNvidia, config);
      INFO(name << " " << config.text());
      CHECK(plan.tile_length == tile);
      // Diagonals -1000 to 900, and 2 T more on both sides.
      CHECK(plan.first_row == 1901 + 4 * tile);
      CHECK(plan.bytes >= 2 * 4 * static_cast<std::uint64_t>(plan.first_row));
      CHECK(plan.bytes <= 2 * 4 * static_cast<std::uint64_t>(plan.first_row) + 2 * 1901);
      CHECK(plan.most_bytes == plan.bytes);
    }
  for (const char* name : {"fused", "baseline", "batched", "prefetch"})
    CHECK(wfa::plan(row_named(name), problem(), kNvidia).tile_length == 0);
}

TEST_CASE("more diagonals than a number of 32 bits can tell are refused", "[wfa][host]") {
  const test::Long texts(1'080'000'000);
  for (const auto& row : wfa::variants()) {
    if (row.name == "fused" || row.on_host) continue;
    INFO(row.name);
    CHECK_THROWS_AS(wfa::plan(row, problem(texts.a(), texts.b()), kNvidia), tune::Unfit);
    CHECK_THROWS_WITH(wfa::plan(row, problem(texts.a(), texts.b()), kNvidia), contains("216000"));
  }
}

TEST_CASE("a tunable that a row does not have is a usage error", "[wfa][host]") {
  for (const auto& row : wfa::variants()) {
    INFO(row.name);
    CHECK_THROWS_AS(wfa::plan(row, problem(), kNvidia, Config::parse("COLOUR=1")), UsageError);
  }
  CHECK_THROWS_AS(wfa::plan(row_named("baseline"), problem(), kNvidia, Config::parse("BATCH=1")),
                  UsageError);
  CHECK_THROWS_AS(wfa::plan(row_named("dynamic"), problem(), kNvidia, Config::parse("STEPS=1")),
                  UsageError);
  CHECK_THROWS_WITH(row_named("quick").name, contains("fused") && contains("reference"));
}

TEST_CASE("the bound is at most the longer length", "[wfa][host]") {
  for (const auto& row : wfa::variants()) {
    INFO(row.name);
    auto asked = problem();
    CHECK(wfa::plan(row, asked, kNvidia).max_distance == 1000);
    asked.max_distance = 17;
    CHECK(wfa::plan(row, asked, kNvidia).max_distance == 17);
    asked.max_distance = std::int64_t{1} << 62;
    CHECK(wfa::plan(row, asked, kNvidia).max_distance == 1000);
  }
}

TEST_CASE("common ends are stripped before planning", "[wfa][host]") {
  const auto head = std::string(5000, 'C'), tail = std::string(7000, 'A');
  for (const auto& row : wfa::variants()) {
    INFO(row.name);
    const auto whole = wfa::plan(row, problem(head + kA + tail, head + kC + tail), kNvidia);
    const auto bare = wfa::plan(row, problem(), kNvidia);
    CHECK(whole.max_distance == bare.max_distance);
    CHECK(whole.bytes == bare.bytes);
    CHECK_NOTHROW(wfa::plan(row, problem(kA, kA), kNvidia));
    CHECK_NOTHROW(wfa::plan(row, problem("", ""), kNvidia));
    CHECK_NOTHROW(wfa::plan(row, problem("", kA), kNvidia));
  }
}

TEST_CASE("the alphabet decides the planes", "[wfa][host]") {
  for (int planes = 1; planes <= 8; ++planes) {
    seq::Code code = kCode;
    code.planes = planes;
    const wfa::Problem asked{kA, kC, &code, {}, {}};
    const auto plan = wfa::plan(row_named("fused"), asked, kNvidia);
    CHECK(plan.planes == planes);
    CHECK_FALSE(plan.sets);
    CHECK(wfa::plan(row_named("batched"), asked, kNvidia).planes >= planes);
  }
  const auto sets = seq::make_code(kA, kC + "N", seq::Ambiguous::kMatch);
  const std::string b = "C" + kC + "NC";
  CHECK(wfa::plan(row_named("fused"), {kA, b, &sets, {}, {}}, kNvidia).sets);
  CHECK(wfa::plan(row_named("batched"), {kA, b, &sets, {}, {}}, kNvidia).sets);
}

TEST_CASE("memory for long texts is that of their planes", "[wfa][host]") {
  const std::size_t length = 250'000'000;
  const test::Long texts(length);
  const auto plan = wfa::plan(row_named("fused"), problem(texts.a(), texts.b()), kNvidia);
  CHECK(plan.max_distance == static_cast<std::int64_t>(length));
  // Two texts and their reverses, two bits a symbol.
  const std::uint64_t planes = 2 * 2 * length * 2 / 8;
  CHECK(plan.bytes >= planes);
  CHECK(plan.bytes < planes + planes / 20);
  CHECK(plan.first_row < 1 << 20);
  // A bound on the distance bounds the rows.
  auto bounded = problem(texts.a(), texts.b());
  bounded.max_distance = 1000;
  const auto close = wfa::plan(row_named("fused"), bounded, kNvidia);
  CHECK(close.most_bytes < planes + planes / 20);
  CHECK(close.first_row < 10'000);
}

TEST_CASE("texts that the device cannot hold are refused", "[wfa][host]") {
  const test::Long texts(250'000'000);
  for (const auto& device : test::invented_devices()) {
    if (device.name != "256 MB") continue;
    for (const auto& row : wfa::variants()) {
      INFO(row.name);
      if (row.on_host) continue;
      CHECK_THROWS_AS(wfa::plan(row, problem(texts.a(), texts.b()), device.limits), Error);
      CHECK_NOTHROW(wfa::plan(row, problem(), device.limits));
    }
  }
}

}  // namespace
}  // namespace rhomb::wfa_plan_tests
