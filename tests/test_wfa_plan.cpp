// SPDX-License-Identifier: Apache-2.0
// Plans of the wavefront table over invented devices: the geometry holds together, memory stays
// small, and what cannot run says why. No device is touched.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/ocl/limits.h"
#include "host/seq/alphabet.h"
#include "host/wfa/wfa.h"
#include "tests/catch.h"

namespace rhomb {
namespace {

using test::contains;
using tune::Config;

struct Invented {
  std::string name;
  ocl::Limits limits;
};

std::vector<Invented> devices() {
  std::vector<Invented> made;
  const auto add = [&](const char* name, bool gpu) -> ocl::Limits& {
    made.push_back({name, {}});
    made.back().limits.gpu = gpu;
    return made.back().limits;
  };
  add("plain defaults", false);
  for (const auto width : {1u, 2u, 4u, 8u, 16u}) {
    auto& cpu = add("CPU", false);
    made.back().name += " with vectors of " + std::to_string(width);
    cpu.vector_ints = width;
    cpu.compute_units = 8;
    cpu.max_work_group = 4096;
  }
  auto& nvidia = add("NVIDIA", true);
  nvidia.nvidia = true;
  nvidia.compute_units = 132;
  nvidia.max_work_group = 1024;
  nvidia.global_bytes = std::uint64_t{140} << 30;
  nvidia.alloc_bytes = std::uint64_t{35} << 30;
  nvidia.local_bytes = 48u << 10;
  auto& amd = add("AMD-like", true);
  amd.compute_units = 60;
  amd.local_bytes = 64u << 10;
  auto& tiny_local = add("tiny local memory", true);
  tiny_local.local_bytes = 1u << 10;
  auto& no_local = add("hardly any local memory", true);
  no_local.local_bytes = 64;
  auto& groups16 = add("groups of 16", true);
  groups16.max_work_group = 16;
  auto& groups1 = add("groups of 1", true);
  groups1.max_work_group = 1;
  auto& one_unit = add("one compute unit", true);
  one_unit.compute_units = 1;
  auto& small = add("256 MB", true);
  small.global_bytes = 256u << 20;
  small.alloc_bytes = 64u << 20;
  return made;
}

const ocl::Limits kNvidia = [] {
  for (const auto& device : devices())
    if (device.name == "NVIDIA") return device.limits;
  return ocl::Limits{};
}();

const wfa::Row& row_named(std::string_view name) { return find_variant(wfa::variants(), name); }

const std::string kA(1000, 'A'), kC(900, 'C');
const seq::Code kCode = seq::make_code("AC", std::string("\0\1", 2));  // four symbols

wfa::Problem problem(std::string_view a = kA, std::string_view b = kC) {
  return {a, b, &kCode, {}, {}};
}

// What must hold whatever the device.
void check_plan(const wfa::Plan& plan, const wfa::Row& row, const ocl::Limits& limits) {
  CHECK(plan.variant == row.name);
  for (const auto& param : row.space) {
    INFO(param.name);
    CHECK(plan.config.has(param.name));
  }
  if (row.name == "reference") return;
  CHECK(plan.file.starts_with("wfa/"));
  CHECK(plan.batch >= 1);
  CHECK(plan.bytes > 0);
  CHECK(plan.bytes <= limits.global_bytes);
  CHECK(plan.most_bytes >= plan.bytes);
  REQUIRE(!plan.stages.empty());
  std::int64_t widest = 0;
  for (const auto& stage : plan.stages) {
    CHECK(stage.widest > widest);
    widest = stage.widest;
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
    CHECK(!plan.defines(stage).empty());
    for (const auto& [name, value] : plan.defines(stage)) CHECK((!name.empty() && !value.empty()));
  }
  // The last stage must do for the widest rows there can be, of two directions where both are kept.
  CHECK(widest >= (row.name == "fused" ? 2 : 1) * plan.max_distance);
}

TEST_CASE("every row has a sound plan on every device", "[wfa][host]") {
  for (const auto& device : devices())
    for (const auto& row : wfa::variants()) {
      INFO(row.name << " on " << device.name);
      for (const auto& [a, b] :
           {std::pair<std::string, std::string>{kA, kC}, {"A", "C"}, {"A", kC}, {kC, "AA"}}) {
        try {
          check_plan(wfa::plan(row, problem(a, b), device.limits), row, device.limits);
        } catch (const tune::Unfit& why) {
          // Only where hardly a group's edges fit.
          INFO(why.what());
          CHECK(device.limits.local_bytes <= 1u << 10);
        }
      }
    }
}

TEST_CASE("every value of every tunable makes a plan or is refused with a reason", "[wfa][host]") {
  std::size_t good = 0;
  for (const auto& device : devices())
    for (const auto& row : wfa::variants())
      for (const auto& param : row.space)
        for (const int value : param.values) {
          Config config;
          config.set(param.name, value);
          INFO(row.name << " on " << device.name << ", " << config.text());
          try {
            const auto plan = wfa::plan(row, problem(), device.limits, config);
            check_plan(plan, row, device.limits);
            CHECK(plan.config.get(param.name, -1) == value);
            ++good;
          } catch (const tune::Unfit& why) {
            CHECK_THAT(std::string(why.what()), contains("="));
          }
        }
  CHECK(good > 200);
}

TEST_CASE("a whole configuration is used as it is", "[wfa][host]") {
  for (const char* text :
       {"BATCH=1,DIAGS=3,STEPS=1,VEC=1,WG=1", "BATCH=2,DIAGS=4,STEPS=127,VEC=1,WG=64",
        "BATCH=16,DIAGS=32,STEPS=255,VEC=16,WG=1", "BATCH=7,DIAGS=1,STEPS=15,VEC=1,WG=32",
        "BATCH=7,DIAGS=5,STEPS=9,VEC=4,WG=1"}) {
    INFO(text);
    const auto plan = wfa::plan(row_named("fused"), problem(), kNvidia, Config::parse(text));
    CHECK(plan.config.text() == text);
    REQUIRE(plan.stages.size() == 1);
    const auto& stage = plan.stages.front();
    CHECK(stage.group == plan.config.get("WG", 0));
    CHECK(stage.lanes == plan.config.get("VEC", 0));
    CHECK(stage.diags == plan.config.get("DIAGS", 0));
    CHECK(stage.steps == plan.config.get("STEPS", 0));
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
  };
  for (const auto& [config, reason] : cases) {
    INFO(config);
    CHECK_THROWS_AS(wfa::plan(row_named("fused"), problem(), kNvidia, Config::parse(config)),
                    tune::Unfit);
    CHECK_THROWS_WITH(wfa::plan(row_named("fused"), problem(), kNvidia, Config::parse(config)),
                      contains(reason));
  }
  for (const char* name : {"baseline", "dynamic", "batched"}) {
    INFO(name);
    for (const char* config : {"WG=1000000", "WG=0", "WG=-1"})
      CHECK_THROWS_AS(wfa::plan(row_named(name), problem(), kNvidia, Config::parse(config)),
                      tune::Unfit);
  }
  CHECK_THROWS_AS(wfa::plan(row_named("batched"), problem(), kNvidia, Config::parse("BATCH=0")),
                  tune::Unfit);
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

/// Two texts of `length` symbols without common ends, in memory that is never written.
class Long {
 public:
  explicit Long(std::size_t length)
      : length_(length), zeros_(static_cast<char*>(std::calloc(length + 1, 1)), std::free) {
    REQUIRE(zeros_ != nullptr);
    zeros_.get()[0] = zeros_.get()[length] = 1;
  }
  std::string_view a() const { return {zeros_.get(), length_}; }
  std::string_view b() const { return {zeros_.get() + 1, length_}; }

 private:
  std::size_t length_;
  std::unique_ptr<char, decltype(&std::free)> zeros_;
};

TEST_CASE("memory for long texts is that of their planes", "[wfa][host]") {
  const std::size_t length = 250'000'000;
  const Long texts(length);
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
  const Long texts(250'000'000);
  for (const auto& device : devices()) {
    if (device.name != "256 MB") continue;
    for (const auto& row : wfa::variants()) {
      INFO(row.name);
      if (row.name == "reference") continue;
      CHECK_THROWS_AS(wfa::plan(row, problem(texts.a(), texts.b()), device.limits), Error);
      CHECK_NOTHROW(wfa::plan(row, problem(), device.limits));
    }
  }
}

}  // namespace
}  // namespace rhomb
