// SPDX-License-Identifier: Apache-2.0
// rhomb::distance() and explain_distance(): who is chosen, what is refused, what an answer says.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "host/engine/reference.h"
#include "host/strip/strip.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"

namespace rhomb::distance_tests {
namespace {

using test::contains;
using test::shown;

const std::string kA = "ACGTTGCAACGTGGTACC", kB = "ACGTGCAACTGTGTTACCA";
constexpr std::int64_t kDistance = 4;

DistanceOptions with_engine(const std::string& engine, const std::string& variant = "",
                            const std::string& config = "") {
  DistanceOptions options;
  options.engine = engine;
  options.variant = variant;
  options.config = tune::Config::parse(config);
  return options;
}

void check_timing(const DistanceAnswer& answer) {
  CHECK(answer.timing.read == 0);
  CHECK(answer.timing.build >= 0);
  CHECK(answer.timing.transfer >= 0);
  CHECK(answer.timing.compute >= 0);
  CHECK(answer.timing.total >= answer.timing.compute);
  CHECK(answer.timing.total < 600);
  CHECK(answer.cells >= 0);
  CHECK(answer.passes >= 1);
}

TEST_CASE("the reference needs no device", "[distance][host]") {
  CHECK(reference::edit_distance(kA, kB) == kDistance);
  for (const auto& options : {with_engine("reference"), with_engine("reference", "reference"),
                              with_engine("wavefront", "reference")}) {
    const auto answer = distance(nullptr, kA, kB, options);
    CHECK(shown(answer.distance) == shown(kDistance));
    CHECK(answer.engine == "reference");
    CHECK(answer.variant == "reference");
    CHECK(answer.device == "host");
    CHECK(answer.checked.empty());
    check_timing(answer);
  }
  auto options = with_engine("reference");
  options.check = true;
  CHECK_FALSE(distance(nullptr, kA, kB, options).checked.empty());
  CHECK_FALSE(distance(nullptr, kA, kA, options).checked.empty());
}

TEST_CASE("empty and equal texts", "[distance][host]") {
  const auto options = with_engine("reference");
  CHECK(shown(distance(nullptr, "", "", options).distance) == "0");
  CHECK(shown(distance(nullptr, "", kA, options).distance) == shown(std::int64_t{18}));
  CHECK(shown(distance(nullptr, kA, "", options).distance) == shown(std::int64_t{18}));
  CHECK(shown(distance(nullptr, kA, kA, options).distance) == "0");
  auto bounded = options;
  bounded.max_distance = 0;
  CHECK(shown(distance(nullptr, "", "", bounded).distance) == "0");
  CHECK(shown(distance(nullptr, kA, kA, bounded).distance) == "0");
  CHECK(shown(distance(nullptr, "", "A", bounded).distance) == "nothing");
  CHECK(shown(distance(nullptr, "A", "", bounded).distance) == "nothing");
}

TEST_CASE("what does not exist is a usage error that says what does", "[distance][host]") {
  for (const auto& options :
       {with_engine("warp"), with_engine(""), with_engine("wavefront", "quick"),
        with_engine("auto", "quick"), with_engine("reference", "fused"),
        with_engine("reference", "", "WG=64"), with_engine("wavefront", "reference", "WG=64"),
        with_engine("strips", "fused"), with_engine("wavefront", "strips"),
        with_engine("strips", "reference"), with_engine("strips", "", "DIAGS=2"),
        with_engine("auto", "strips", "DIAGS=2"), with_engine("auto", "", "WG=64")})
    CHECK_THROWS_AS(distance(nullptr, kA, kB, options), UsageError);
  CHECK_THROWS_WITH(distance(nullptr, kA, kB, with_engine("warp")),
                    contains("warp") && contains("wavefront") && contains("reference"));
  CHECK_THROWS_WITH(distance(nullptr, kA, kB, with_engine("auto", "quick")),
                    contains("quick") && contains("fused") && contains("baseline") &&
                        contains("strips, ") && contains("strips-full"));
  CHECK_THROWS_WITH(distance(nullptr, kA, kB, with_engine("auto", "", "WG=64")),
                    contains("engine or variant"));
  auto negative = with_engine("reference");
  negative.max_distance = -1;
  CHECK_THROWS_AS(distance(nullptr, kA, kB, negative), UsageError);
  auto sets = with_engine("reference");
  sets.ambiguous = seq::Ambiguous::kMatch;
  CHECK_THROWS_AS(distance(nullptr, "ACGT", "ACQT", sets), UsageError);
}

TEST_CASE("texts that are too long are refused before anyone reads them", "[distance][host]") {
  const std::string_view huge(kA.data(), std::size_t{1} << 31);
  const auto options = with_engine("reference");
  CHECK_THROWS_AS(distance(nullptr, huge, kB, options), UsageError);
  CHECK_THROWS_WITH(distance(nullptr, huge, kB, options),
                    contains("first text") && contains("2147483648") && contains("2^31"));
  CHECK_THROWS_WITH(distance(nullptr, kA, huge, options), contains("second text"));
  CHECK_THROWS_WITH(explain_distance(nullptr, kA, huge, options), contains("second text"));
}

TEST_CASE("short pairs are answered at once, without a device", "[distance][host]") {
  const auto automatic = with_engine("auto");
  CHECK(answered_at_once(1000, 1000, automatic));
  CHECK_FALSE(answered_at_once(1001, 1000, automatic));
  CHECK_FALSE(answered_at_once(1 << 17, 1 << 17, automatic));  // no wrap
  for (const char* engine : {"strips", "wavefront", "reference"})
    CHECK_FALSE(answered_at_once(10, 10, with_engine(engine)));
  CHECK_FALSE(answered_at_once(10, 10, with_engine("auto", "fused")));
  auto checked = automatic;
  checked.check = true;
  CHECK_FALSE(answered_at_once(10, 10, checked));

  const auto answer = distance(nullptr, kA, kB, automatic);
  CHECK(shown(answer.distance) == shown(kDistance));
  CHECK(answer.engine == "reference");
  CHECK(answer.device == "host");
  auto bounded = automatic;
  bounded.max_distance = kDistance - 1;
  CHECK(shown(distance(nullptr, kA, kB, bounded).distance) == "nothing");
}

TEST_CASE("the other engines need a device", "[distance][host]") {
  const std::string longer = kA + std::string(100'000, 'A');
  for (const auto& options : {DistanceOptions{}, with_engine("auto"), with_engine("wavefront"),
                              with_engine("wavefront", "baseline"), with_engine("strips"),
                              with_engine("strips", "strips-full")}) {
    CHECK_THROWS_AS(distance(nullptr, longer, kB, options), UsageError);
    // The engine is still open in the first two, so the message names one that needs none.
    CHECK_THROWS_WITH(distance(nullptr, longer, kB, options),
                      contains("device") || contains("'reference'"));
  }
}

/// Pairs that need no device, and bounds at the distance and below it.
void check_trivial_and_bounded(DistanceOptions options) {
  auto& device = test::device();
  for (const auto& [a, b] :
       {std::pair<std::string, std::string>{"", ""}, {"", "A"}, {"A", ""}, {kA, kA}}) {
    const auto trivial = distance(&device, a, b, options);
    CHECK(shown(trivial.distance) == shown(reference::edit_distance(a, b)));
    check_timing(trivial);
  }
  options.max_distance = kDistance;
  CHECK(shown(distance(&device, kA, kB, options).distance) == shown(kDistance));
  options.max_distance = kDistance - 1;
  CHECK(shown(distance(&device, kA, kB, options).distance) == "nothing");
}

TEST_CASE("every variant answers and says what it was", "[distance][device]") {
  auto& device = test::device();
  auto checked = with_engine("auto");
  checked.check = true;  // without, the host would answer
  const auto best = distance(&device, kA, kB, checked);
  CHECK(best.engine == "strips");  // so small a matrix is filled as soon as looked at
  CHECK(best.variant == "strips");
  CHECK(shown(best.distance) == shown(kDistance));
  for (const auto& row : wfa::variants())
    for (const char* engine : {"auto", "wavefront"}) {
      INFO(row.name << " by " << engine);
      auto options = with_engine(engine, std::string(row.name));
      options.check = true;
      const auto answer = distance(&device, kA, kB, options);
      CHECK(shown(answer.distance) == shown(kDistance));
      CHECK(answer.variant == row.name);
      CHECK(answer.engine == (row.name == "reference" ? "reference" : "wavefront"));
      CHECK(answer.device == (row.on_host ? "host" : device.info().name));
      CHECK_FALSE(answer.checked.empty());
      for (const auto& param : row.space) CHECK(answer.config.has(param.name));
      check_timing(answer);
      check_trivial_and_bounded(options);
    }
}

TEST_CASE("a forced configuration is used, an impossible one refused", "[distance][device]") {
  auto& device = test::device();
  const std::string config = "BATCH=2,DIAGS=4,STEPS=6,VEC=1,WALK=1,WG=8";
  const auto answer = distance(&device, kA, kB, with_engine("auto", "fused", config));
  CHECK(answer.config.text() == config);
  CHECK(shown(answer.distance) == shown(kDistance));
  for (const char* bad :
       {"WG=1000000", "DIAGS=0", "WG=3,VEC=4", "STEPS=0", "BATCH=0", "WALK=1,WG=1"}) {
    INFO(bad);
    CHECK_THROWS_AS(distance(&device, kA, kB, with_engine("wavefront", "", bad)), tune::Unfit);
  }
  for (const char* bad : {"WG=1000000", "K=0", "LANES=3", "SLAB=0", "BATCH=0", "LANES=4,WG=2"}) {
    INFO(bad);
    CHECK_THROWS_AS(distance(&device, kA, kB, with_engine("strips", "", bad)), tune::Unfit);
  }
  for (const char* engine : {"auto", "wavefront", "strips"})
    CHECK_THROWS_AS(distance(&device, kA, kB, with_engine(engine, "", "COLOUR=1")), UsageError);
}

TEST_CASE("every strips row answers and says what it was", "[distance][device]") {
  auto& device = test::device();
  for (const auto& row : strip::variants())
    for (const char* engine : {"auto", "strips"}) {
      INFO(row.name << " by " << engine);
      auto options = with_engine(engine, std::string(row.name));
      if (row.uses_cuda()) continue;  // test_cuda.cpp
      options.check = true;
      const auto answer = distance(&device, kA, kB, options);
      CHECK(shown(answer.distance) == shown(kDistance));
      CHECK(answer.variant == row.name);
      CHECK(answer.engine == "strips");
      CHECK(answer.device == device.info().name);
      CHECK(answer.checked == "reference");
      CHECK(answer.config.has("K"));
      CHECK(answer.cells > 0);
      check_timing(answer);
      check_trivial_and_bounded(options);
    }
  const std::string config = "BATCH=2,FLOW=0,K=3,LANES=1,SLAB=4,WG=8";
  const auto answer = distance(&device, kA, kB, with_engine("strips", "", config));
  CHECK(answer.config.text() == config);
  CHECK(shown(answer.distance) == shown(kDistance));
}

TEST_CASE("a check of strips and by strips where the reference would be slow",
          "[distance][device]") {
  test::Rng rng(test::seed() + 3);
  const auto a = test::random_text(rng, 20'000, 4);
  for (const double rate : {0.005, 0.2, 1.0}) {
    const auto b = test::mutate(rng, a, rate, 4);
    const auto expected = test::peer_distance(a, b);
    for (const char* variant : {"strips", "strips-full", "fused", ""}) {
      INFO("rate " << rate << ", variant " << variant);
      auto options = with_engine("auto", variant);
      options.check = true;
      const auto answer = distance(&test::device(), a, b, options);
      CHECK(shown(answer.distance) == shown(expected));
      CHECK_FALSE(answer.checked.empty());
      CHECK(answer.checked != answer.variant);
      options.max_distance = expected - 1;
      const auto beyond = distance(&test::device(), a, b, options);
      CHECK(shown(beyond.distance) == "nothing");
      CHECK_FALSE(beyond.checked.empty());
    }
  }
}

TEST_CASE("a check by another variant where the reference would be slow", "[distance][device]") {
  test::Rng rng(test::seed());
  const auto a = test::random_text(rng, 30'000, 4);
  const auto b = test::mutate(rng, a, 0.005, 4);
  DistanceOptions options;
  options.check = true;
  const auto answer = distance(&test::device(), a, b, options);
  CHECK(shown(answer.distance) == shown(test::peer_distance(a, b)));
  CHECK_FALSE(answer.checked.empty());
  CHECK(answer.checked != answer.variant);
  CHECK(answer.cells > 0);
  CHECK(answer.timing.compute > 0);
  check_timing(answer);
}

TEST_CASE("ambiguous letters mean what the options say", "[distance][device]") {
  DistanceOptions options;
  const std::string a = "ACNTRRA", b = "ANGTYCA";
  for (const auto ambiguous :
       {seq::Ambiguous::kSymbol, seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch}) {
    options.ambiguous = ambiguous;
    const auto expected = reference::edit_distance(a, b, seq::make_code(a, b, ambiguous));
    CHECK(shown(distance(&test::device(), a, b, options).distance) == shown(expected));
  }
}

TEST_CASE("progress never claims more than is known", "[distance][device]") {
  test::Rng rng(test::seed() + 1);
  const auto a = test::random_text(rng, 1500, 4), b = test::random_text(rng, 1400, 4);
  const auto expected = test::peer_distance(a, b);
  for (const auto& options :
       {with_engine("auto"), with_engine("auto", "fused", "STEPS=1,BATCH=1"),
        with_engine("auto", "fused", "STEPS=3,BATCH=2"), with_engine("auto", "batched", "BATCH=7"),
        with_engine("auto", "dynamic"), with_engine("auto", "prefetch", "BATCH=7"),
        with_engine("auto", "tiled-local", "T=3,BATCH=5"),
        with_engine("auto", "group", "T=5,BATCH=2"), with_engine("auto", "diamond", "T=5,BATCH=2"),
        with_engine("reference")}) {
    INFO(options.variant << " " << options.config.text());
    for (const auto most : {expected, expected - 1, expected / 2}) {
      INFO("at most " << most);
      std::vector<wfa::Progress> told;
      auto watched = options;
      watched.progress = [&](const wfa::Progress& progress) { told.push_back(progress); };
      if (most < expected) watched.max_distance = most;
      CHECK(shown(distance(&test::device(), a, b, watched).distance) ==
            (most < expected ? "nothing" : shown(expected)));
      if (!options.config.values().empty()) CHECK(told.size() > 5);
      wfa::Progress before;
      for (const auto& now : told) {
        CHECK(now.cost < expected);
        CHECK(now.cost >= before.cost);
        CHECK(now.cells >= before.cells);
        CHECK(now.expected >= 0);
        CHECK((now.part >= 0 && now.part <= 1));
        before = now;
      }
    }
  }
}

TEST_CASE("a run can be given up from within its progress", "[distance][device]") {
  test::Rng rng(test::seed() + 2);
  const auto a = test::random_text(rng, 1000, 4), b = test::random_text(rng, 1000, 4);
  for (const auto& options :
       {with_engine("auto", "fused", "STEPS=1,BATCH=1"), with_engine("auto", "batched", "BATCH=7"),
        with_engine("auto", "baseline"), with_engine("auto", "tiled-register", "T=2,BATCH=7"),
        with_engine("auto", "diamond", "T=7,BATCH=1")}) {
    auto stopped = options;
    stopped.progress = [](const wfa::Progress&) { throw std::runtime_error("enough"); };
    CHECK_THROWS_WITH(distance(&test::device(), a, b, stopped), contains("enough"));
    CHECK(shown(distance(&test::device(), a, b, options).distance) ==
          shown(test::peer_distance(a, b)));
  }
}

TEST_CASE("a check can be ended as the run before it can", "[distance][device]") {
  test::Rng rng(test::seed() + 4);
  const auto a = test::random_text(rng, 20'000, 4), b = test::mutate(rng, a, 0.1, 4);
  auto options = with_engine("auto", "strips", "BATCH=1");  // which wavefronts check
  options.check = true;
  std::stop_source stop;
  options.stop = stop.get_token();
  double least = 1;
  options.progress = [&](const Progress& now) {
    if (now.part == 1) stop.request_stop();  // only the check says that
    least = std::min(least, now.part);
  };
  CHECK_THROWS_WITH(distance(&test::device(), a, b, options), contains("was checked"));
  CHECK(least < 1);
}

using Lines = Facts;

/// The value of the line `name`, or "(none)".
std::string value_of(const Lines& lines, std::string_view name) {
  for (const auto& [key, value] : lines.all())
    if (key == name) return value;
  return "(none)";
}

TEST_CASE("an explanation says what would be done", "[distance][host]") {
  ocl::DeviceInfo gpu;
  gpu.name = "Invented GPU";
  gpu.driver = "7.3";
  gpu.limits.gpu = true;
  gpu.limits.compute_units = 20;
  const std::string a = kA + std::string(900, 'A') + "T", b = kB + std::string(800, 'C') + "G";
  for (const auto& row : wfa::variants()) {
    INFO(row.name);
    const auto lines = explain_distance(&gpu, a, b, with_engine("auto", std::string(row.name)));
    CHECK(value_of(lines, "lengths") ==
          std::to_string(a.size()) + " x " + std::to_string(b.size()));
    std::set<std::string> names;
    for (const auto& [name, value] : lines.all()) {
      CHECK_FALSE(value.empty());
      CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos);
      CHECK(names.insert(name).second);  // keys of one JSON object
    }
    if (row.on_host) {
      CHECK_THAT(value_of(lines, "engine"),
                 contains(row.name == "reference" ? "reference" : "wavefront"));
      CHECK(value_of(lines, "device") == "host");
      continue;
    }
    CHECK_THAT(value_of(lines, "engine"), contains("wavefront"));
    CHECK(value_of(lines, "variant") == row.name);
    CHECK(value_of(lines, "device") == "Invented GPU");
    CHECK(value_of(lines, "driver") == "7.3");
    for (const auto& param : row.space)
      CHECK_THAT(value_of(lines, "config"), contains(param.name + "="));
    std::string all;
    for (const auto& [name, value] : lines.all()) all += name + ": " + value + "\n";
    CHECK_THAT(all, contains("wfa/") && contains("device_bytes: "));
  }
  const auto forced = explain_distance(&gpu, a, b, with_engine("wavefront", "", "WG=32,DIAGS=2"));
  CHECK_THAT(value_of(forced, "config"), contains("WG=32") && contains("DIAGS=2"));
  for (const auto& row : strip::variants()) {
    if (row.uses_cuda()) continue;
    INFO(row.name);
    const auto lines = explain_distance(&gpu, a, b, with_engine("strips", std::string(row.name)));
    for (const auto& [name, value] : lines.all()) CHECK((!name.empty() && !value.empty()));
    CHECK(value_of(lines, "engine") == "strips");
    CHECK(value_of(lines, "variant") == row.name);
    CHECK_THAT(value_of(lines, "config"), contains("K="));
    CHECK_THAT(value_of(lines, "program"), contains("strip/") && contains("PLANES=2"));
    CHECK(std::stoll(value_of(lines, "device_bytes")) > 0);
    CHECK((value_of(lines, "first_threshold") == "(none)") == (row.name == "strips-full"));
  }
  // The choice and its reasons.
  const auto chosen = explain_distance(&gpu, a + std::string(5000, 'C'), b, with_engine("auto"));
  for (const char* name : {"rates", "strips_seconds", "choice", "engine"}) {
    INFO(name);
    CHECK(value_of(chosen, name) != "(none)");
  }
  CHECK(value_of(explain_distance(nullptr, a, b, with_engine("reference")), "device") == "host");
  CHECK_NOTHROW(explain_distance(&gpu, "", "", with_engine("auto")));
  CHECK_NOTHROW(explain_distance(&gpu, a, a, with_engine("auto")));
}

TEST_CASE("an explanation refuses what a run would refuse", "[distance][host]") {
  const ocl::DeviceInfo device;
  CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine("warp")), UsageError);
  CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine("auto", "quick")), UsageError);
  CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine("reference", "fused")), UsageError);
  for (const char* engine : {"auto", "wavefront", "strips"})
    CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine(engine, "", "COLOUR=1")),
                    UsageError);
  CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine("auto", "", "WG=32")), UsageError);
  for (const char* engine : {"wavefront", "strips"})
    CHECK_THROWS_AS(explain_distance(&device, kA, kB, with_engine(engine, "", "WG=1000000")),
                    tune::Unfit);
}

}  // namespace
}  // namespace rhomb::distance_tests
