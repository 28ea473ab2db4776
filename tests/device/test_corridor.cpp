// SPDX-License-Identifier: Apache-2.0
// The corridor on a device: its kernel against plain dynamic programming, distances against the
// reference over alphabets, shapes and divergences, and real genomes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/corridor/device_words.h"
#include "host/corridor/host_bands.h"
#include "host/distance/close.h"
#include "host/distance/distance.h"
#include "host/engine/reference.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/genomes.h"
#include "tests/support/pairs.h"
#include "tests/support/plain_bands.h"

namespace rhomb::corridor::device_tests {
namespace {

using test::random_below;
using test::Rng;
using test::shown;

const std::vector<const char*>& shapes() {
  static const std::vector<const char*> all = {"ROWS=64",
                                               "LANES=1,WG=1",
                                               "LANES=1,WG=8",
                                               "LANES=1,WG=8,TEAM=1",
                                               "LANES=1,WG=8,TEAM=2",
                                               "LANES=1,WG=8,TEAM=8,ROWS=544",
                                               "LANES=1,WG=32,TEAM=32,ROWS=1120",
                                               "LANES=1,WG=12,TEAM=3,ROWS=352",
                                               "LANES=1,WG=8,TEAM=2,ROWS=320",
                                               "LANES=1,WG=8,TEAM=4,ROWS=160",
                                               "LANES=1,WG=32,ROWS=512",
                                               "LANES=1,WG=32,ROWS=2048",
                                               "LANES=4"};
  return all;
}

/// All of them as wide: a group's windows are as wide as its widest, and wider ones know more
/// paths.
std::vector<Band> random_bands(Rng& rng, const Grid& grid) {
  std::vector<Band> bands;
  const auto words = static_cast<int>(random_below(rng, 12)) + 1;
  const auto every = static_cast<int>(random_below(rng, 9));
  for (std::size_t number = random_below(rng, 40) + 1; number > 0; --number) {
    Band band;
    band.block = static_cast<int>(random_below(rng, static_cast<std::size_t>(grid.blocks)));
    auto left = static_cast<std::int32_t>(random_below(rng, 30)) - 15;
    for (auto more = static_cast<int>(random_below(rng, 4)); more >= 0; --more) {
      if (band.block + static_cast<int>(band.left.size()) == grid.blocks) break;
      band.left.push_back(left);
      // Mostly a little, now and then beyond all that the window had.
      left += static_cast<std::int32_t>(random_below(rng, 5)) - 2;
      if (random_below(rng, 5) == 0) left += static_cast<std::int32_t>(random_below(rng, 40)) - 20;
    }
    band.words = words;
    band.every = every;
    if (random_below(rng, 2) == 0)
      for (int w = 0; w < band.words; ++w) {
        band.state.push_back(static_cast<std::uint32_t>(rng()));
        band.state.push_back(static_cast<std::uint32_t>(rng()) & ~band.state.back());
      }
    bands.push_back(std::move(band));
  }
  return bands;
}

std::optional<std::int64_t> solved(const std::string& a, const std::string& b,
                                   const seq::Code& code, const std::string& config,
                                   std::optional<std::int64_t> most = std::nullopt) {
  const Problem problem{a, b, &code, most};
  const auto settings = tune::Config::parse(config);
  const auto found = solve(&test::device(), variants().front(), problem, settings).distance;
  tune::Config of_host;
  for (const auto& [name, value] : settings.values())
    if (name == "ROWS" || name == "SEGMENTS") of_host.set(name, value);
  const auto& host = find_variant(variants(), kHostCorridor);
  CHECK(shown(solve(nullptr, host, problem, of_host).distance) == shown(found));
  return found;
}

}  // namespace

TEST_CASE("the kernel and the host compute what bands are", "[corridor][device]") {
  Rng rng(test::seed() + 10);
  auto& device = test::device();
  int far = 0;
  const auto run = [&](int letters, const std::string& shape) {
    const std::string a = test::random_text(rng, 700, letters, test::first_of(letters));
    const std::string b = test::mutate(rng, a, 0.1, letters, test::first_of(letters));
    const seq::Code code = test::whole_code(letters);
    const Problem problem{a, b, &code, {}, 10};
    Plan plan = variants().front().plan(
        problem, device.limits(),
        tune::Config::parse((shape.find("ROWS") == std::string::npos ? "ROWS=64," : "") + shape));
    keep_rows(plan, 64, 1e6);
    INFO(letters << " letters, " << plan.config.text());
    const DeviceTexts texts(device, pack(plan.grid, code, a, b, 0));
    DeviceBands computed(device, plan, texts, 0);
    const test::PlainBands plain(plan.grid, a, b, code);
    const HostBands host(plan.grid, code, a, b, 2),
        avx2(plan.grid, code, a, b, 3, Processor::kAvx2),
        any(plan.grid, code, a, b, 1, Processor::kAny);
    for (int round = 0; round < 5; ++round) {
      const std::vector<Band> bands = random_bands(rng, plan.grid);
      std::vector<Band> expected = bands;
      plain(expected);
      const auto check = [&](const char* who, const auto& compute) {
        std::vector<Band> found = bands;
        compute(found);
        for (std::size_t i = 0; i < bands.size(); ++i) {
          INFO(who << ", band " << i << " of " << bands.size() << ", block " << bands[i].block
                   << ", " << bands[i].words << " words");
          CHECK(found[i].score == expected[i].score);
          CHECK(found[i].state == expected[i].state);
          CHECK(found[i].kept == expected[i].kept);
        }
      };
      check("the device", [&](std::vector<Band>& some) { computed.compute(some); });
      check("the host", [&](std::vector<Band>& some) { host.compute(some); });
      check("the host with AVX2", [&](std::vector<Band>& some) { avx2.compute(some); });
      check("any host", [&](std::vector<Band>& some) { any.compute(some); });
      std::vector<FarWindow> windows;
      for (std::size_t count = 1 + random_below(rng, 40); count > 0; --count) {
        const auto first = static_cast<std::int64_t>(random_below(rng, 60)) - 30;
        const auto size = 1 + static_cast<std::int64_t>(random_below(rng, 20));
        windows.push_back(
            {static_cast<int>(random_below(rng, static_cast<std::size_t>(plan.grid.blocks))),
             {first, first + size},
             32 * first + static_cast<std::int64_t>(random_below(rng, 3000)) - 1500});
      }
      const auto near = static_cast<std::int64_t>(random_below(rng, 200));
      if (!far_program(plan)) continue;
      ++far;
      CHECK(computed.least_far(windows, near) == least_far(windows, near, plain, 2));
    }
  };
  for (const char* shape : shapes()) run(4, shape);
  for (const int letters : {2, 5, 20, 256}) {
    run(letters, "ROWS=64");
    run(letters, "LANES=1,WG=32,ROWS=256");
  }
  CHECK(far > 60);
}

TEST_CASE("texts of which words tell all are not given up for what windows would take",
          "[corridor][device]") {
  Rng rng(test::seed() + 16);
  const std::string a = test::random_text(rng, 2'000'000, 4);
  const std::string b = test::mutate(rng, a, 0.05, 4);
  const seq::Code code = seq::make_code(a, b);
  Problem problem{a, b, &code, {}};
  Sketch sketch;
  look(problem, sketch);
  const Variant& variant = variants().front();
  Plan plan = variant.plan(problem, test::device().limits(), {});
  // As on a GPU, whose strips are fast.
  plan.options.most_cells = 0.05 * 1.3 * static_cast<double>(sketch.distance) * 2e6;
  const Answer found = variant.run(&test::device(), plan, problem);
  CHECK(!found.passed_on);
  CHECK(shown(found.distance) ==
        shown(solve(nullptr, find_variant(variants(), kHostCorridor), problem, {}).distance));
}

TEST_CASE("a device finds the words that the host finds", "[corridor][device]") {
  Rng rng(test::seed() + 14);
  auto& device = test::device();
  for (const int letters : {4, 4, 4, 2, 1, 3, 20, 200})
    for (int round = 0; round < 5; ++round) {
      std::string a = test::random_text(rng, 1 + random_below(rng, 9000), letters);
      // Words that are frequent in one text or both, and all the same ones.
      if (round % 2 == 0) a += a.substr(0, a.size() / 2) + std::string(random_below(rng, 900), 'B');
      // Mostly one symbol: the longest words there are.
      if (round == 3)
        for (char& c : a)
          if (random_below(rng, 30) > 0) c = 'A';
      std::string b = test::mutate(rng, a, 0.04, letters);
      for (std::size_t copies = random_below(rng, 12); copies > 0; --copies)
        b += b.substr(random_below(rng, b.size()), 300);
      const seq::Code code = seq::make_code(a, b);
      const auto rows = static_cast<int>(32 << random_below(rng, 4));
      const Grid grid(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()),
                      rows);
      const auto reach = static_cast<std::int64_t>(random_below(rng, 400));
      std::vector<Range> hidden;
      for (int s = 0; s < grid.blocks; ++s) {
        const std::int64_t first = static_cast<std::int64_t>(random_below(rng, 20)) - 15;
        hidden.push_back({first, first + static_cast<std::int64_t>(random_below(rng, 9))});
      }
      WordSearch search(grid, a, code, {-reach, reach + 3}, hidden,
                        static_cast<std::int64_t>(random_below(rng, 3)) + 1, 1);
      // More and smaller tiles than texts of this length would have.
      search.tiles = {0};
      while (search.tiles.back() < grid.blocks)
        search.tiles.push_back(std::min(
            grid.blocks, search.tiles.back() + 1 + static_cast<int>(random_below(rng, 40))));
      INFO(letters << " letters, " << a.size() << " x " << b.size() << ", " << rows
                   << " rows, words of " << search.k << ", " << search.tiles.size()
                   << " tiles, seed " << test::seed());
      const DeviceTexts texts(device, pack(grid, code, a, b, 0));
      const Seeds expected = look_for_words(grid, a, b, code, search, 1);
      // One tile after the other, and many at once.
      for (const std::uint64_t bytes : {1u, 20000u, 1u << 26})
        CHECK((look_for_words(device, grid, texts, code.planes, a, search, bytes, 2) == expected));
      if (round == 0) CHECK(expected.words() > 0);
    }
}

TEST_CASE("corridors give the reference's distance", "[corridor][device]") {
  Rng rng(test::seed() + 11);
  const seq::Code dna = test::whole_code(4);
  for (const std::size_t m : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 300u, 1500u})
    for (const std::size_t n : {1u, 32u, 64u, 500u, 1490u}) {
      const std::string a = test::random_text(rng, m, 4);
      const std::string b = n > m ? test::random_text(rng, n, 4) : test::mutate(rng, a, 0.1, 4);
      INFO(m << " x " << b.size());
      CHECK(shown(solved(a, b, dna, "ROWS=64,SEGMENTS=5")) ==
            shown(reference::edit_distance(a, b)));
    }
  for (const double rate : {0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6})
    for (int round = 0; round < 12; ++round) {
      std::string a = test::random_text(rng, 1000 + random_below(rng, 5000), 4);
      std::string b = test::mutate(rng, a, rate, 4);
      const std::size_t place = random_below(rng, b.size());
      const std::size_t size = random_below(rng, b.size() / 3) + 1;
      if (round % 4 == 1) b.insert(place, test::random_text(rng, size, 4));
      if (round % 4 == 2) b.erase(place, size);
      if (round % 4 == 3) b.insert(place, b.substr(0, size));
      if (round % 2 == 1) std::swap(a, b);
      INFO("rate " << rate << ", round " << round << ", " << a.size() << " x " << b.size());
      const std::int64_t distance = reference::edit_distance(a, b);
      const std::string config = round % 3 == 0   ? (round % 2 == 0 ? "WORDS=1" : "WORDS=2")
                                 : round % 3 == 1 ? "ROWS=64"
                                                  : "ROWS=256,LANES=1,WG=4,TEAM=2";
      CHECK(shown(solved(a, b, dna, config)) == shown(distance));
      CHECK(shown(solved(a, b, dna, config, distance)) == shown(distance));
      if (distance > 0) CHECK(shown(solved(a, b, dna, config, distance - 1)) == "nothing");
    }
}

TEST_CASE("corridors of any symbols", "[corridor][device]") {
  Rng rng(test::seed() + 12);
  for (const int letters : {2, 5, 26, 256}) {
    const std::string a = test::random_text(rng, 3000, letters, test::first_of(letters));
    const std::string b = test::mutate(rng, a, 0.08, letters, test::first_of(letters));
    const seq::Code code = test::whole_code(letters);
    INFO(letters << " letters");
    CHECK(shown(solved(a, b, code, "ROWS=128")) == shown(reference::edit_distance(a, b)));
  }
  // N runs, and what N may mean.
  std::string a = test::random_text(rng, 3000, 4);
  for (char& c : a) c = "ACGT"[c - 'A'];
  std::string b = a.substr(0, 1200) + std::string(400, 'N') + a.substr(1700);
  a.replace(500, 300, 300, 'N');
  for (const auto ambiguous :
       {seq::Ambiguous::kSymbol, seq::Ambiguous::kMatch, seq::Ambiguous::kMismatch}) {
    const seq::Code code = seq::make_code(a, b, ambiguous);
    CHECK(shown(solved(a, b, code, "ROWS=128")) == shown(reference::edit_distance(a, b, code)));
  }
}

TEST_CASE("corridors of real genomes", "[corridor][device]") {
  for (const auto& pair : test::known_genomes()) {
    INFO(pair.what());
    DistanceOptions options;
    options.engine = "corridor";
    const std::string a = test::genome(pair.a), b = test::genome(pair.b);
    const auto answer = distance(&test::device(), a, b, options);
    CHECK(shown(answer.distance) == shown(pair.distance));
    CHECK_FALSE(answer.certificate.all().empty());
    options.variant = kHostCorridor;
    // (Those that are far apart are the host's wavefronts', a minute with sanitizers.)
    if (pair.distance < 50'000)
      CHECK(shown(distance(nullptr, a, b, options).distance) == shown(pair.distance));
    const auto way = host_way(a, b, DistanceOptions{});
    if (const auto close = distance_if_close(a, b, {})) {
      CHECK(shown(close->distance) == shown(pair.distance));
      CHECK(close->engine == way->engine);
    }
  }
}

TEST_CASE("what a corridor passes on, the strips answer", "[corridor][device]") {
  Rng rng(test::seed() + 13);
  const std::string a = test::random_text(rng, 130'000, 4), b = test::random_text(rng, 130'000, 4);
  DistanceOptions options;
  options.engine = "corridor";
  const auto answer = distance(&test::device(), a, b, options);
  CHECK(answer.engine == "strips");
  CHECK_FALSE(answer.certificate.all().empty());
  DistanceOptions by_host = options;
  by_host.variant = kHostCorridor;
  CHECK_FALSE(distance_unless_passed_on(a, b, by_host));
  options.engine = "strips";
  CHECK(shown(answer.distance) == shown(distance(&test::device(), a, b, options).distance));
}

TEST_CASE("what a corridor of the host passes on, its wavefronts answer", "[corridor][device]") {
  Rng rng(test::seed() + 15);
  const std::string a = test::random_text(rng, 70'000, 4);
  const std::string b = test::random_text(rng, 10'000, 4) + a.substr(0, 65'000);
  DistanceOptions options;
  options.engine = "corridor";
  options.variant = kHostCorridor;
  const auto answer = distance(nullptr, a, b, options);
  CHECK(answer.variant == wfa::kHost);
  CHECK_FALSE(answer.certificate.all().empty());
  options = {};
  options.engine = "wavefront";
  options.variant = wfa::kHost;
  CHECK(shown(answer.distance) == shown(distance(nullptr, a, b, options).distance));
}

TEST_CASE("limits below the distance, where the last diagonal is closed", "[corridor][device]") {
  // Shifted by 20 diagonals, and back and further by symbols behind the end, which the columns
  // behind the text have: their chunk stays open when that of the end is not.
  Rng rng(test::seed() + 11);
  for (int round = 0; round < 6; ++round) {
    const std::string first = test::random_text(rng, 600 + 13 * random_below(rng, 6), 4);
    const std::string second = test::random_text(rng, 3399, 4) + "C";
    const std::string a = "G" + first + second + std::string(36, 'A');
    const std::string b = "T" + first + test::random_text(rng, 20, 4) + second;
    const auto code = seq::make_code(a, b);
    const auto distance = reference::edit_distance_within(a, b, code, 200);
    REQUIRE(distance);
    for (std::int64_t most = 28; most <= *distance + 1; ++most) {
      INFO("limit " << most << ", distance " << *distance << ", seed " << test::seed());
      CHECK(solved(a, b, code, "", most) == (most < *distance ? std::nullopt : distance));
    }
  }
}

TEST_CASE("several devices find the corridor that one does, or it does without",
          "[corridor][device]") {
  Rng rng(test::seed() + 16);
  auto& device = test::device();
  const std::string a = test::random_text(rng, 40'000, 4), b = test::mutate(rng, a, 0.04, 4);
  const seq::Code code = seq::make_code(a, b);
  const Problem problem{a, b, &code, {}};
  const Variant& variant = variants().front();
  const auto config = tune::Config::parse("SHARED=1");
  const Answer alone = solve(&device, variant, problem, config);
  const auto shared = [&](const std::vector<ocl::Device*>& helpers) {
    OtherDevices others;
    for (std::size_t i = 0; i < helpers.size(); ++i) others.limits.push_back(device.limits());
    others.open = [&] { return helpers; };
    return solve(device, others, variant, problem, config);
  };
  ocl::Device second(device.info()), third(device.info());
  for (const auto& helpers : {std::vector{&second}, {&second, &third}, {&second, &device}}) {
    const Answer answer = shared(helpers);
    CHECK(answer.distance == alone.distance);
    const auto count = answer.certificate.number("devices");
    CHECK(count == std::ssize(helpers) + (helpers.back() == &device ? 0 : 1));
    CHECK(answer.certificate.number("lower_bound") == alone.certificate.number("lower_bound"));
    CHECK(answer.certificate.number("threshold") == alone.certificate.number("threshold"));
  }
  setenv("RHOMB_BUILD_OPTIONS", "-D__kernel=no_such_type", 1);
  ocl::Device broken(device.info());
  unsetenv("RHOMB_BUILD_OPTIONS");
  const Answer without = shared({&broken});
  CHECK(without.distance == alone.distance);
  CHECK(without.certificate.text("devices_left_out").find("does not compile") != std::string::npos);
  // Where nothing is gained, nothing is opened.
  const OtherDevices closed{{device.limits()}, [&]() -> std::vector<ocl::Device*> {
                              FAIL("it was opened");
                              return {};
                            }};
  CHECK(solve(device, closed, variant, problem, {}).distance == alone.distance);
}

}  // namespace rhomb::corridor::device_tests
