// SPDX-License-Identifier: Apache-2.0
// Plans of the strips without a device: the geometry holds together, every word is computed once
// and is there when it is taken, memory stays within the device, and what cannot run says why.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cl/strip/band.h"
#include "host/seq/packed.h"
#include "host/strip/geometry.h"
#include "host/strip/several.h"
#include "host/strip/strip.h"
#include "host/strip/texts.h"
#include "tests/support/catch.h"
#include "tests/support/plans.h"
#include "tests/support/random.h"

namespace rhomb::strip_plan_tests {
namespace {

using strip::Band;
using strip::Shape;
using strip::Size;
using test::contains;
using test::kA;
using test::kC;
using test::limits_of;
using test::problem;
using tune::Config;

const strip::Variant& strips() { return find_variant(strip::variants(), "strips"); }

// ---- sizes and bands

Shape shape_of(int group, int lanes, int k, int slab, bool flow = false, int slack = 0) {
  Shape shape;
  shape.group = shape.block = group;
  shape.lanes = lanes;
  shape.k = k;
  shape.slab = slab;
  shape.flow = flow;
  shape.slack = slack;
  return shape;
}

TEST_CASE("rows are filled up to whole lanes, columns by as many", "[strip][host]") {
  for (const int k : {1, 2, 3, 8, 32}) {
    const Shape shape = shape_of(1, 1, k, 1);
    for (const std::int64_t m : {1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 1000, 4096, 100'000})
      for (const std::int64_t more : {0, 1, 31, 32, 1000}) {
        const Size size = strip::size_of(m, m + more, shape);
        INFO("K=" << k << ", " << m << " x " << m + more);
        CHECK(size.m % shape.rows() == 0);
        CHECK(size.m >= m);
        CHECK(size.m - m < shape.rows());
        CHECK(size.padding == size.m - m);
        CHECK(size.n == m + more + size.padding);
        CHECK((size.upper + size.lower) * shape.rows() == size.m);
        CHECK((size.upper == size.lower || size.upper == size.lower + 1));
        CHECK(size.words() == (size.n + 31) / 32);
      }
  }
}

TEST_CASE("a band holds what a path of its cost can touch, and no more", "[strip][host]") {
  for (const std::int64_t more : {0, 1, 2, 5, 100})
    for (const std::int64_t above : {0, 1, 2, 3, 10, 11}) {
      Size size;
      size.m = 64;
      size.n = 64 + more;
      const std::int64_t threshold = more + above;
      const Band band = strip::band_of(size, threshold);
      INFO("delta " << more << ", threshold " << threshold);
      // A path to diagonal d and on to delta costs |d| + |delta - d| at least.
      const auto least = [&](std::int64_t d) { return std::abs(d) + std::abs(more - d); };
      CHECK(least(-band.below) <= threshold);
      CHECK(least(-band.below - 1) > threshold);
      CHECK(least(band.above) <= threshold);
      CHECK(least(band.above + 1) > threshold);
    }
}

TEST_CASE("the columns of a lane are those of the band, in whole words", "[strip][host]") {
  for (const std::int64_t rows : {32, 64, 96})
    for (const std::int64_t below : {0, 1, 31, 32, 33, 500})
      for (const std::int64_t above : {0, 1, 31, 32, 33, 500})
        for (const std::int64_t columns : {32, 33, 300, 640})
          for (std::int64_t lane = 0; lane < 12; ++lane) {
            // Rows i and columns j of cells of the lane, on a diagonal of the band.
            std::int64_t first = columns, last = -1;
            for (std::int64_t i = lane * rows; i < (lane + 1) * rows; ++i) {
              first = std::min(first, std::max<std::int64_t>(0, i - below));
              last = std::max(last, std::min(columns - 1, i + above));
            }
            if (first >= columns) continue;  // below the matrix
            const auto from = band_first(lane, rows, below);
            const auto end = band_end(lane, rows, above, columns);
            if (32 * from > first || 32 * from + 32 <= first || 32 * end <= last ||
                32 * end > last + 64 || 32 * end >= columns + 32)
              FAIL("rows " << rows << ", band -" << below << " .. " << above << ", columns "
                           << columns << ", lane " << lane << ": words " << from << " .. " << end
                           << " for columns " << first << " .. " << last);
          }
  SUCCEED();
}

// ---- schedules

/// What a kernel makes of a launch, for a group: the words [from, to) of its first lane's clock.
struct Part {
  std::int64_t from = 0, to = 0, begin = 0;
};

struct Pass {
  Shape shape;
  Size size;
  Band band;
  std::int64_t lanes;  ///< of the half in question

  std::int64_t first_lane(std::int64_t group) const { return group * shape.group_lanes(); }
  std::int64_t last_lane(std::int64_t group) const {
    return std::min((group + 1) * shape.group_lanes(), lanes) - 1;
  }
  std::int64_t groups() const { return (lanes + shape.group_lanes() - 1) / shape.group_lanes(); }
  std::int64_t first(std::int64_t lane) const { return band_first(lane, shape.rows(), band.below); }
  std::int64_t end(std::int64_t lane) const {
    return band_end(lane, shape.rows(), band.above, size.n);
  }
  /// All that a group has to do: until its last lane has put out its last word.
  std::int64_t starts(std::int64_t group) const { return first(first_lane(group)); }
  std::int64_t stops(std::int64_t group) const {
    return end(last_lane(group)) + 2 * (shape.group_lanes() - 1) + 1;
  }
  Part part(std::int64_t group, std::int64_t launch) const {
    const std::int64_t begin = launch * shape.slab - group * shape.delay();
    return {std::max(begin, starts(group)), std::min(begin + shape.slab, stops(group)), begin};
  }
};

/// Calls what(pass) for both halves of many small matrices.
template <class What>
void each_pass(const What& what) {
  test::Rng rng(test::seed());
  std::vector<Shape> shapes;
  for (const int group : {1, 2, 5})
    for (const int k : {1, 3})
      for (const int slab : {1, 2, 7, 64}) shapes.push_back(shape_of(group, 1, k, slab));
  for (const int lanes : {1, 4, 16})
    for (const int slab : {1, 3, 16})
      for (const int slack : {0, 1, 3, 16})
        if (slack <= slab) shapes.push_back(shape_of(1, lanes, 1, slab, true, slack));
  shapes.push_back(shape_of(32, 1, 1, 8, true, 4));
  for (const Shape& shape : shapes)
    for (int round = 0; round < 14; ++round) {
      const auto m = static_cast<std::int64_t>(1 + test::random_below(rng, 2500));
      const auto n = m + static_cast<std::int64_t>(round % 3 ? test::random_below(rng, 60)
                                                             : test::random_below(rng, 2500));
      Pass pass{shape, strip::size_of(m, n, shape), {}, 0};
      const std::int64_t delta = n - m;
      const std::int64_t thresholds[] = {delta, delta + 1, delta + 100, n};
      pass.band = round % 5 == 4 ? Band{pass.size.m, pass.size.n}
                                 : strip::band_of(pass.size, thresholds[round % 4]);
      for (const std::int64_t lanes : {pass.size.upper, pass.size.lower}) {
        pass.lanes = lanes;
        if (lanes > 0) what(pass);
      }
    }
}

std::string text_of(const Pass& pass) {
  const Shape& shape = pass.shape;
  return "group " + std::to_string(shape.group) + ", lanes " + std::to_string(shape.lanes) +
         ", K=" + std::to_string(shape.k) + ", slab " + std::to_string(shape.slab) +
         (shape.flow ? ", slack " + std::to_string(shape.slack) : "") + ", " +
         std::to_string(pass.size.m) + " x " + std::to_string(pass.size.n) + ", band -" +
         std::to_string(pass.band.below) + " .. " + std::to_string(pass.band.above);
}

TEST_CASE("every word of every group is in exactly one launch", "[strip][host]") {
  std::size_t passes = 0;
  each_pass([&](const Pass& pass) {
    ++passes;
    strip::Schedule schedule(pass.size, pass.shape, pass.band);
    if (pass.lanes == pass.size.upper) CHECK(schedule.groups() == pass.groups());
    std::vector<std::int64_t> next;  // word that each group must do next
    for (std::int64_t g = 0; g < pass.groups(); ++g) next.push_back(pass.starts(g));
    for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
      const auto active = schedule.active(launch);
      CHECK((active.first >= 0 && active.count >= 0));
      CHECK(active.first + active.count <= schedule.groups());
      for (std::int64_t g = active.first; g < active.first + active.count; ++g) {
        if (g >= pass.groups()) continue;  // of the upper half alone
        const Part part = pass.part(g, launch);
        if (part.from >= part.to) continue;
        auto& word = next[static_cast<std::size_t>(g)];
        if (part.from != word)
          FAIL(text_of(pass) << ": group " << g << " goes on at " << part.from << " instead of "
                             << word);
        word = part.to;
      }
    }
    for (std::int64_t g = 0; g < pass.groups(); ++g)
      if (next[static_cast<std::size_t>(g)] != pass.stops(g))
        FAIL(text_of(pass) << ": group " << g << " ends at " << next[static_cast<std::size_t>(g)]
                           << " instead of " << pass.stops(g));
  });
  CHECK(passes > 500);
}

TEST_CASE("a group takes in what was put out in the launch before", "[strip][host]") {
  each_pass([&](const Pass& pass) {
    if (pass.shape.flow) return;
    // What lies in the ring: [launch & 1][group][slot], the word of columns and its launch.
    struct Entry {
      std::int64_t word = -1, launch = -1;
    };
    std::map<std::vector<std::int64_t>, Entry> ring;
    strip::Schedule schedule(pass.size, pass.shape, pass.band);
    const std::int64_t lag = 2 * (pass.shape.group_lanes() - 1) + 1;
    for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
      const auto active = schedule.active(launch);
      // Groups of a launch run in any order, so nothing of this launch may be needed.
      for (const bool takes : {true, false})
        for (std::int64_t g = active.first; g < active.first + active.count; ++g) {
          if (g >= pass.groups()) continue;
          const Part part = pass.part(g, launch);
          for (std::int64_t q = part.from; q < part.to; ++q) {
            if (!takes) {
              ring[{launch & 1, g, q - part.begin}] = {q - lag, launch};
              continue;
            }
            if (g == 0 || q >= pass.end(pass.first_lane(g) - 1)) continue;  // made up
            const auto& entry = ring[{(launch & 1) ^ 1, g - 1, q - part.begin}];
            if (entry.word != q || entry.launch != launch - 1)
              FAIL(text_of(pass) << ": launch " << launch << ", group " << g << ", word " << q
                                 << ": takes word " << entry.word << " of launch " << entry.launch);
          }
        }
    }
  });
  SUCCEED();
}

TEST_CASE("words that flow are there in time and never overwritten", "[strip][host]") {
  each_pass([&](const Pass& pass) {
    if (!pass.shape.flow) return;
    strip::Schedule schedule(pass.size, pass.shape, pass.band);
    const std::int64_t lag = 2 * (pass.shape.group_lanes() - 1) + 1;
    const std::int64_t round = 2 * pass.shape.slab;
    constexpr std::int64_t kNotYet = -1;
    std::vector<std::vector<std::int64_t>> ring(
        static_cast<std::size_t>(pass.groups()),
        std::vector<std::int64_t>(static_cast<std::size_t>(round), kNotYet));
    for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
      const auto active = schedule.active(launch);
      // From the top: each group is as far ahead of the next one as it can ever be.
      for (std::int64_t g = active.first; g < active.first + active.count; ++g) {
        if (g >= pass.groups()) continue;
        const Part part = pass.part(g, launch);
        const auto place = static_cast<std::size_t>(g);
        const std::int64_t take_end = g == 0 ? 0 : pass.end(pass.first_lane(g) - 1);
        const bool gives = g + 1 < pass.groups();
        for (std::int64_t q = part.from; q < part.to; ++q) {
          if (q < take_end) {
            auto& slot = ring[place - 1][static_cast<std::size_t>(q % round)];
            if (slot != q)
              FAIL(text_of(pass) << ": launch " << launch << ", group " << g << " waits for word "
                                 << q << ", finds " << slot);
            slot = kNotYet;
          }
          const std::int64_t put = q - lag;
          if (gives && put >= pass.first(pass.last_lane(g) + 1) &&
              put < pass.end(pass.last_lane(g))) {
            auto& slot = ring[place][static_cast<std::size_t>(put % round)];
            if (slot != kNotYet)
              FAIL(text_of(pass) << ": launch " << launch << ", group " << g << " puts word " << put
                                 << " over " << slot);
            slot = put;
          }
        }
      }
    }
    for (const auto& slots : ring)
      for (const std::int64_t word : slots)
        if (word != kNotYet) FAIL(text_of(pass) << ": nobody took word " << word);
  });
  SUCCEED();
}

TEST_CASE("the cells of a schedule are those of its lanes", "[strip][host]") {
  const Shape shape = shape_of(4, 1, 2, 8);
  const Size size = strip::size_of(1000, 1100, shape);
  const strip::Schedule whole(size, shape, {size.m, size.n});
  CHECK(whole.cells() == static_cast<double>(size.m * size.words() * 32));
  const strip::Schedule band(size, shape, strip::band_of(size, 110));
  CHECK(band.cells() < whole.cells());
  CHECK(band.cells() >= static_cast<double>(size.m * 110));
  CHECK(band.launches() <= whole.launches());
}

// ---- plans

void check_plan(const strip::Plan& plan, const strip::Variant& variant, const ocl::Limits& limits) {
  for (const auto& param : variant.space) {
    INFO(param.name);
    if (param.name != "SLACK" || plan.shape.flow) CHECK(plan.config.has(param.name));
  }
  CHECK(plan.batch >= 1);
  CHECK(plan.bytes > 0);
  CHECK(plan.bytes <= limits.global_bytes);
  CHECK(plan.shape.k >= 1);
  CHECK(plan.shape.slab >= 1);
  CHECK(static_cast<std::size_t>(plan.shape.block) <= limits.max_work_group);
  CHECK(plan.shape.block % plan.shape.group == 0);
  CHECK((plan.shape.lanes == 1 || plan.shape.group == 1));
  CHECK((!plan.banded || plan.threshold >= plan.size.n - plan.size.m));
  CHECK(plan.threshold <= plan.max_distance);
  CHECK(plan.program.file.starts_with("strip/"));
  CHECK(!plan.program.kernel.empty());
  for (const auto& [name, value] : plan.program.defines) CHECK((!name.empty() && !value.empty()));
  const auto layout = strip::layout_of(plan.size, plan.shape, plan.planes);
  CHECK(layout.stride >= static_cast<std::uint32_t>(plan.size.upper));
}

TEST_CASE("every strips variant has a sound plan on every device", "[strip][host]") {
  for (const auto& [a, b] :
       {std::pair<std::string, std::string>{kA, kC}, {"A", "C"}, {"A", kC}, {kC, "AA"}})
    test::on_every_device(
        strip::variants(),
        [&](const strip::Variant& variant, const ocl::Limits& limits) {
          check_plan(strip::plan(variant, problem(a, b), limits), variant, limits);
        },
        [](const auto&, const ocl::Limits& limits) { return limits.local_bytes <= 1u << 10; });
}

TEST_CASE("every value of every strips tunable makes a plan or is refused", "[strip][host]") {
  const auto good = test::with_every_value(
      strip::variants(), [](const strip::Variant& variant, const ocl::Limits& limits,
                            const Config& config, const std::string& name) {
        const auto plan = strip::plan(variant, problem(), limits, config);
        check_plan(plan, variant, limits);
        if (name != "SLACK" || plan.shape.flow)
          CHECK(plan.config.get(name, -1) == config.get(name, -1));
      });
  CHECK(good > 200);
}

TEST_CASE("rows of a strip follow from the lanes that run at once", "[strip][host]") {
  ocl::Limits limits = limits_of("NVIDIA");
  limits.compute_units = 132;
  const auto rows = [&](std::size_t m, std::size_t n, std::int64_t guess, const char* config = "") {
    const std::string a(m, 'A'), b(n, 'C');
    Problem asked = problem(a, b);
    asked.guess = guess;
    return strip::plan(strips(), asked, limits, Config::parse(config)).shape.k;
  };
  // As few as leave each scheduler a group of 32 lanes, powers of two where that costs little.
  CHECK(rows(3'147'090, 3'282'708, 1'858'177) == 5);
  CHECK(rows(6'000'000, 6'000'000, 3'400'000) == 11);
  CHECK(rows(4'641'652, 4'897'452, 870'000) == 2);
  CHECK(rows(1'044'459, 1'072'950, 608'738) == 1);
  // Only these go with launches and with blocks.
  for (const std::int64_t guess : {870'000, 1'300'000, 1'858'177, 2'600'000}) {
    INFO("guess " << guess);
    CHECK(std::has_single_bit(static_cast<unsigned>(rows(3'147'090, 3'282'708, guess, "FLOW=0"))));
  }
}

TEST_CASE("a plan made from a plan's configuration is the same", "[strip][host]") {
  // Self-tests plan their small problems with the configuration of the real one.
  for (const auto& device : test::invented_devices())
    for (const char* text :
         {"", "SLAB=1", "SLAB=2,K=1", "FLOW=0,SLAB=1", "FLOW=1,WG=1,SLAB=1", "BATCH=1"}) {
      INFO(device.name << ", " << text);
      try {
        const auto plan = strip::plan(strips(), problem(), device.limits, Config::parse(text));
        const auto again = strip::plan(strips(), problem("AC", kC), device.limits, plan.config);
        CHECK(again.config.text() == plan.config.text());
        CHECK(again.program.defines == plan.program.defines);
      } catch (const tune::Unfit& why) {
        CHECK_THAT(std::string(why.what()), contains("="));
      }
    }
}

TEST_CASE("impossible strips are unfit, with a reason", "[strip][host]") {
  const struct {
    const char* config;
    const char* reason;  ///< a part of it
  } cases[] = {
      {"WG=1000000", "WG=1000000"},
      {"WG=0", "WG=0"},
      {"WG=-64", "WG=-64"},
      {"LANES=2", "LANES=2"},
      {"LANES=0", "LANES=0"},
      {"LANES=-1", "LANES=-1"},
      {"LANES=32", "LANES=32"},
      {"LANES=4,WG=2", "LANES=4"},
      {"K=0", "K=0"},
      {"K=-1", "K=-1"},
      {"K=-2", "K=-2"},
      {"K=33", "K=33"},
      {"K=1000000000", "K="},
      {"SLAB=0", "SLAB=0"},
      {"SLAB=-1", "SLAB=-1"},
      {"SLAB=65537", "SLAB=65537"},
      {"BATCH=0", "BATCH"},
      {"BATCH=-1", "BATCH"},
      {"FLOW=1,SLACK=-1", "SLACK=-1"},
      {"FLOW=1,SLAB=16,SLACK=17", "SLACK=17"},
      {"FLOW=0,SLAB=65536", "local"},
  };
  const auto check_unfit = [](const char* device, const std::string& config, const char* reason) {
    test::check_unfit(
        [&] { strip::plan(strips(), problem(), limits_of(device), Config::parse(config)); },
        {reason});
  };
  for (const char* device : {"NVIDIA", "16 GiB"})
    for (const auto& [config, reason] : cases) {
      std::string text = config;
      if (!limits_of(device).nvidia && text.starts_with("FLOW=1")) text += ",WG=1";
      INFO(device << ", " << text);
      check_unfit(device, text, reason);
    }
  // Groups of whole warps of 32 on NVIDIA, of one work-item on other devices.
  check_unfit("NVIDIA", "FLOW=1,WG=48", "WG=48");
  check_unfit("16 GiB", "FLOW=1,WG=64", "WG=64");
  // What nothing uses is not checked.
  CHECK_NOTHROW(
      strip::plan(strips(), problem(), limits_of("16 GiB"), Config::parse("FLOW=0,SLAB=1")));
  CHECK_NOTHROW(
      strip::plan(strips(), problem(), limits_of("NVIDIA"), Config::parse("FLOW=1,SLAB=2")));
  for (const auto& row : strip::variants())
    CHECK_THROWS_AS(strip::plan(row, problem(), limits_of("NVIDIA"), Config::parse("COLOUR=1")),
                    UsageError);
}

TEST_CASE("bounds and guesses decide the first band", "[strip][host]") {
  auto asked = problem();
  const auto plan = [&asked] { return strip::plan(strips(), asked, limits_of("16 GiB")); };
  CHECK(plan().max_distance == 1000);
  asked.max_distance = 217;
  CHECK(plan().max_distance == 217);
  CHECK(plan().threshold <= 217);
  asked.guess = 150;
  CHECK(plan().threshold == 150);
  for (const std::int64_t guess : {-5, 0, 99}) {  // never less than the difference of the lengths
    asked.guess = guess;
    CHECK(plan().threshold == 100);
  }
  asked.guess = std::int64_t{1} << 60;
  CHECK(plan().threshold == 217);
  asked.max_distance = std::int64_t{1} << 62;
  CHECK(plan().threshold == 1000);
  // The shorter text is the pattern.
  asked = problem(kA, kC);
  CHECK(plan().swapped);
  asked = problem(kC, kA);
  CHECK_FALSE(plan().swapped);
}

TEST_CASE("chromosomes fit on a common device", "[strip][host]") {
  const test::Long texts(250'000'000);
  for (const auto& row : strip::variants()) {
    // (Of several pairs none is as long as that.)
    if (row.name == "cuda-strips" || row.name == strip::kFlowBatch) continue;
    INFO(row.name);
    auto asked = problem(texts.a(), texts.b());
    asked.guess = 50'000'000;
    const auto plan = strip::plan(row, asked, limits_of("16 GiB"));
    check_plan(plan, row, limits_of("16 GiB"));
    // Two texts and their reverses at two bits a symbol, and as much again for edges and state.
    CHECK(plan.bytes >= 2u * 2 * 250'000'000 * 2 / 8);
    CHECK(plan.bytes < std::uint64_t{4} << 30);
    // Numbers on the clock of a pass fit 32 bits.
    const strip::Schedule schedule(plan.size, plan.shape, {plan.size.m, plan.size.n});
    CHECK(schedule.launches() * plan.shape.slab < std::int64_t{1} << 31);
    CHECK(plan.size.n == plan.size.m);
  }
}

TEST_CASE("a matrix that the device cannot hold says how large it is", "[strip][host]") {
  const test::Long texts(250'000'000);
  for (const auto& row : strip::variants()) {
    if (row.name == "cuda-strips") continue;
    INFO(row.name);
    auto asked = problem(texts.a(), texts.b());
    asked.guess = 1000;
    CHECK_THROWS_AS(strip::plan(row, asked, limits_of("256 MB")), MemoryError);
    CHECK_THROWS_WITH(strip::plan(row, asked, limits_of("256 MB")),
                      contains("2500000") && contains("256 MiB") && contains("64 MiB"));
  }
}

// ---- where the halves meet

int dh_of(const strip::Words& words, std::int64_t column) {
  const auto at = 2 * static_cast<std::size_t>(column / 32);
  const auto shift = static_cast<unsigned>(31 - column % 32);
  return static_cast<int>(words[at] >> shift & 1) - static_cast<int>(words[at + 1] >> shift & 1);
}

/// The sums of both edges by place, where both are known.
std::map<std::int64_t, std::int64_t> naive_sums(const strip::Edge& upper, const strip::Edge& lower,
                                                std::int64_t columns) {
  // value[c]: of the place with c columns to its left, where the edge is known.
  const auto values = [&](const strip::Edge& edge) {
    std::map<std::int64_t, std::int64_t> value;
    std::int64_t at = edge.start;
    value[32 * edge.first] = at;
    for (std::int64_t c = 32 * edge.first; c < std::min(32 * edge.end, columns); ++c)
      value[c + 1] = at += dh_of(edge.words, c);
    return value;
  };
  const auto a = values(upper), b = values(lower);
  std::map<std::int64_t, std::int64_t> sums;
  for (const auto& [place, value] : a) {
    const auto other = b.find(columns - place);
    if (other != b.end()) sums[place] = value + other->second;
  }
  return sums;
}

TEST_CASE("the least sum of two edges, at every alignment", "[strip][host]") {
  test::Rng rng(test::seed() + 1);
  const auto edge_of = [&](std::int64_t words) {
    strip::Edge edge;
    edge.first = static_cast<std::int64_t>(
        test::random_below(rng, static_cast<std::size_t>(rng() % 2 ? 1 : words)));
    edge.end = rng() % 2 ? words
                         : edge.first + 1 +
                               static_cast<std::int64_t>(test::random_below(
                                   rng, static_cast<std::size_t>(words - edge.first)));
    edge.start = static_cast<std::int64_t>(test::random_below(rng, 1000));
    // Mostly rising, mostly falling, or neither; now and then nothing for whole words.
    const auto kind = rng() % 4;
    for (std::int64_t w = 0; w < words; ++w) {
      auto up = static_cast<std::uint32_t>(rng()), down = static_cast<std::uint32_t>(rng());
      if (kind == 0) down &= static_cast<std::uint32_t>(rng() & rng());
      if (kind == 1) up &= static_cast<std::uint32_t>(rng() & rng());
      if (kind == 2 && rng() % 2) up = down = 0;
      edge.words.push_back(up & ~down);
      edge.words.push_back(down & ~up);
    }
    return edge;
  };
  std::size_t met = 0, apart = 0;
  for (std::int64_t columns = 1; columns <= 260; ++columns)
    for (int round = 0; round < 40; ++round) {
      const std::int64_t words = (columns + 31) / 32;
      const auto upper = edge_of(words), lower = edge_of(words);
      const auto sums = naive_sums(upper, lower, columns);
      if (sums.empty()) {
        ++apart;
        CHECK_THROWS_AS(strip::least_sum(upper, lower, columns), CheckError);
        continue;
      }
      ++met;
      std::int64_t expected = sums.begin()->second;
      for (const auto& [place, sum] : sums) expected = std::min(expected, sum);
      const auto got = strip::least_sum(upper, lower, columns);
      if (got != expected)
        FAIL(columns << " columns, upper " << upper.first << " .. " << upper.end << ", lower "
                     << lower.first << " .. " << lower.end << ": " << got << " instead of "
                     << expected);
      // Where that is, or another sum, up to a place.
      const std::int64_t end =
          std::next(sums.begin(), static_cast<std::ptrdiff_t>(test::random_below(rng, sums.size())))
              ->first;
      const std::int64_t wanted = rng() % 2 ? expected : sums.at(end);
      std::int64_t first = -1, last = -1;
      for (const auto& [place, sum] : sums)
        if (sum == wanted && place <= end) {
          last = place;
          if (first < 0) first = place;
        }
      INFO(columns << " columns to " << end << ", sum " << wanted);
      if (first < 0)
        CHECK_THROWS_AS(strip::least_places(upper, lower, columns, wanted, end), CheckError);
      else
        CHECK(strip::least_places(upper, lower, columns, wanted, end) == std::pair(first, last));
    }
  CHECK(met > 5000);
  CHECK(apart > 10);
}

TEST_CASE("the edge of a half without rows", "[strip][host]") {
  Size size;
  size.m = 32;
  size.n = 100;
  const auto edge = strip::empty_edge(size);
  CHECK(edge.first == 0);
  CHECK(edge.end == 4);
  CHECK(edge.start == 0);
  for (std::int64_t c = 0; c < size.n; ++c) CHECK(dh_of(edge.words, c) == 1);
}

// ---- texts as the kernels read them

void check_texts(const std::string& a, const std::string& b, const seq::Code& code,
                 const char* config) {
  auto asked = problem(a, b);
  asked.code = &code;
  const auto plan = strips().plan(asked, limits_of("16 GiB"), Config::parse(config));
  const auto texts = strip::pack(plan, asked);
  const auto layout = strip::layout_of(plan.size, plan.shape, plan.planes);
  REQUIRE(texts.pattern.size() == layout.pattern);
  REQUIRE(texts.text.size() == layout.text);
  INFO(config << ", " << a.size() << " x " << b.size());
  const auto planes = static_cast<std::size_t>(plan.planes);
  const unsigned fill = plan.sets ? (1u << planes) - 1 : 0;
  const auto codes = [&](const std::string& text, const auto& table, std::int64_t length) {
    std::vector<unsigned> made;
    for (const char c : text) made.push_back(table[static_cast<unsigned char>(c)]);
    made.resize(static_cast<std::size_t>(length), fill);
    return made;
  };
  const auto rows = plan.swapped ? codes(b, code.b, plan.size.m) : codes(a, code.a, plan.size.m);
  const auto columns = plan.swapped ? codes(a, code.a, plan.size.n) : codes(b, code.b, plan.size.n);
  CHECK(rows.size() <= columns.size());
  const auto spare = static_cast<std::size_t>(STRIP_TEXT_SPARE(plan.shape.group_lanes()));
  for (const std::size_t direction : {0u, 1u}) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t p = 0; p < planes; ++p) {
        const auto word = texts.pattern[direction * texts.pattern_reverse +
                                        (i / 32 + seq::Planes::kFrontWords) * planes + p];
        const unsigned expected = rows[direction ? rows.size() - 1 - i : i] >> p & 1u;
        if ((word >> i % 32 & 1u) != expected)
          FAIL("row " << i << ", plane " << p << ", " << direction);
      }
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t p = 0; p < planes; ++p) {
        const auto word = texts.text[(direction * planes + p) * texts.text_plane + spare + j / 32];
        const unsigned expected = columns[direction ? columns.size() - 1 - j : j] >> p & 1u;
        if ((word >> (31 - j % 32) & 1u) != expected)
          FAIL("column " << j << ", plane " << p << ", " << direction);
      }
  }
}

TEST_CASE("texts are packed bit by bit, both ways round", "[strip][host]") {
  test::Rng rng(test::seed() + 2);
  for (int planes = 1; planes <= 8; ++planes)
    for (const bool sets : {false, true}) {
      if (sets && planes != 4) continue;
      seq::Code code;
      // Two tables, as for letters that match nothing.
      for (auto* table : {&code.a, &code.b})
        for (auto& c : *table) c = static_cast<std::uint8_t>(rng() % (1u << planes));
      code.planes = planes;
      code.matching = sets ? seq::Matching::kSets : seq::Matching::kEqual;
      for (const std::size_t m : {1u, 31u, 32u, 33u, 64u, 65u, 96u, 97u, 300u})
        for (const std::size_t n : {1u, 32u, 95u, 96u, 257u})
          for (const char* config :
               {"WG=1,LANES=1,K=1,FLOW=0", "WG=8,LANES=1,K=3,FLOW=0", "WG=1,LANES=4,K=2,FLOW=1"})
            check_texts(test::random_text(rng, m, 256, '\0'), test::random_text(rng, n, 256, '\0'),
                        code, config);
    }
}

}  // namespace
}  // namespace rhomb::strip_plan_tests
