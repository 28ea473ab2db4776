// SPDX-License-Identifier: Apache-2.0
// Alignments by the device: whatever rows are kept and whichever engine, they are canonical.
#include <algorithm>
#include <numeric>
#include <string>

#include "host/align/align.h"
#include "host/align/reference.h"
#include "host/corridor/corridor.h"
#include "host/corridor/device_slabs.h"
#include "host/distance/run.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "host/strip/halves.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::align_device_tests {
namespace {

using test::Rng;

/// Rows are kept of lanes of 32 rows, and wavefronts alone never do.
AlignTuning small(std::uint64_t number, bool flow) {
  AlignTuning tuning;
  tuning.slab_rows = (const std::int64_t[]){32, 64, 100, 600}[number % 4];
  tuning.most_numbers = 0;
  tuning.follow = number % 8 < 4;
  tuning.piece = number % 3;
  tuning.memory = number % 5 == 0 ? 4000 : 1 << 24;
  if (number % 3 == 1) tuning.pair_cells = 2e4;
  tuning.strips = tune::Config::parse(flow ? "K=1,LANES=1,WG=1,FLOW=1,SLAB=16,SLACK=1"
                                           : "K=1,LANES=4,WG=1,FLOW=0,SLAB=16");
  if (flow && test::device().limits().gpu) tuning.strips.set("WG", 32);  // where groups wait
  return tuning;
}

/// Another one, of another host: it has half of a pair if it is asked to.
ocl::Device& other_device() {
  static ocl::Device other(test::device().info());
  return other;
}
OtherDevices other_of_another_host() {
  OtherDevices others;
  others.limits = {other_device().limits()};
  ++others.limits.front().host;
  others.open = [] { return std::vector<ocl::Device*>{&other_device()}; };
  return others;
}

/// Unlike at `rate`, or unrelated at 1, with a gap in the first text behind `at` symbols.
struct WithGap {
  std::string a, b;
  seq::Code code;
  Problem problem;

  WithGap(Rng& rng, double rate, std::size_t at) : a(test::random_text(rng, 12'000, 4)) {
    b = rate < 1 ? test::mutate(rng, a, rate, 4) : test::random_text(rng, 12'500, 4);
    b.insert(at, test::random_text(rng, 1'500, 4));
    code = seq::make_code(a, b);
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem.guess = static_cast<std::int64_t>(b.size());
  }
  WithGap(const WithGap&) = delete;
  WithGap& operator=(const WithGap&) = delete;
};

}  // namespace

TEST_CASE("alignments by rows of both halves are the canonical ones", "[align][strip][device]") {
  auto& device = test::device();
  int parts = 0, helped = 0;
  OtherDevices others = other_of_another_host();
  others.open = [&helped, open = others.open] {
    if (++helped % 10 == 0) throw ocl::DeviceError("the other device is broken", 0, "");
    return open();
  };
  for (std::uint64_t number = 0; number < (test::kSanitized ? 400 : 800); ++number) {
    const int alphabet = (const int[]){4, 2, 20, 4}[number % 4];
    const auto pair =
        test::random_pair(test::seed() + 6, number, number % 8 == 0 ? 6000 : 1500, alphabet);
    if (pair.a.size() * pair.b.size() > 20'000'000) continue;
    const auto expected = reference::alignment(pair.a, pair.b, seq::make_code(pair.a, pair.b));
    AlignOptions options;
    options.engine = "strips";
    INFO(pair.what);
    const auto answer =
        align_pair(&device, pair.a, pair.b, options, small(number, number % 16 == 3),
                   number % 5 < 2 ? others : OtherDevices());
    REQUIRE(answer.distance == expected.cost());
    REQUIRE(answer.cigar == expected);
    parts += answer.parts > 3;
  }
  CHECK(parts > 100);
  CHECK(helped > 50);
}

TEST_CASE("alignments by rows of wavefronts are the canonical ones", "[align][wfa][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 21);
  constexpr int kCases = test::kSanitized ? 500 : 1600;
  int parts = 0;
  for (std::uint64_t number = 0; number < kCases; ++number) {
    const int alphabet = (const int[]){4, 2, 20, 1, 4, 3}[number % 6];
    auto pair =
        test::random_pair(test::seed() + 22, number, number % 16 == 0 ? 3000 : 400, alphabet);
    if (number % 3 == 1) {
      // Repeats, and a text that neither begins nor ends with what both have.
      const auto v = test::random_text(rng, 1 + test::random_below(rng, 60), alphabet);
      std::string more;
      for (std::size_t i = test::random_below(rng, 5); i > 0; --i)
        more += test::mutate(rng, v, 0.02 * static_cast<double>(i), alphabet);
      const std::size_t at = test::random_below(rng, pair.a.size() + 1);
      pair.b = pair.a.substr(0, at) + more + test::mutate(rng, pair.a.substr(at), 0.05, alphabet);
      pair.a = pair.a.substr(0, at) + v + pair.a.substr(at);
    }
    if (pair.a.size() * pair.b.size() > 10'000'000) continue;
    trace::Trace trace;
    AlignOptions options;
    options.engine = "wavefront";
    options.trace = &trace;
    if (number % 12 == 4) {  // sets of bases
      for (std::string* text : {&pair.a, &pair.b})
        for (char& symbol : *text)
          symbol = test::random_below(rng, 20) == 0 ? 'N' : "ACGT"[(symbol - 'A') % 4];
      options.ambiguous = seq::Ambiguous::kMatch;
    }
    const auto expected =
        reference::alignment(pair.a, pair.b, seq::make_code(pair.a, pair.b, options.ambiguous));
    AlignTuning tuning = small(number, false);
    tuning.memory = 1 << 24;
    tuning.waves = tune::Config::parse(
        (const char*[]){"VEC=4,DIAGS=8,STEPS=1", "VEC=4,DIAGS=8,STEPS=5", "VEC=8,DIAGS=8,STEPS=31",
                        "VEC=1,WG=8,DIAGS=4,STEPS=8", "VEC=4,DIAGS=8,STEPS=3,BATCH=1"}[number % 5]);
    INFO(pair.what << ", number " << number);
    const auto answer = align_pair(&device, pair.a, pair.b, options, tuning);
    REQUIRE(answer.distance == expected.cost());
    REQUIRE(answer.cigar == expected);
    const auto passes = std::ranges::count(trace.phases(), trace::Work::kPass,
                                           [](const auto& phase) { return phase.work; });
    parts += answer.parts > 3 && passes == 0;  // not by the strips
  }
  CHECK(parts > kCases / 3);
}

TEST_CASE("kept rows say what places cost, up to a constant", "[align][strip][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 5);
  for (int number = 0; number < 12; ++number) {
    const auto a = test::random_text(rng, 700 + test::random_below(rng, 900), 4);
    const auto b = test::mutate(rng, a, 0.2, 4) + test::random_text(rng, 300, 4);
    const auto code = seq::make_code(a, b);
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem.guess = static_cast<std::int64_t>(b.size());  // the whole matrix
    const auto plan =
        strip::variants().front().plan(problem, device.limits(), small(0, number % 4 == 3).strips);
    const auto apart = 1 + static_cast<std::uint32_t>(number) % 4;
    strip::Halves halves(device, plan, problem, apart, number % 3 == 1 ? &other_device() : nullptr);
    const auto crossed = halves.solve();
    REQUIRE(crossed.answer.distance == reference::edit_distance(a, b, code));
    for (const std::size_t direction : {0u, 1u}) {
      const auto half = halves.half(direction);
      REQUIRE(half.rows.size() > 1);
      std::vector<strip::Halves::Wanted> wanted;
      for (std::size_t k = 0; k < half.rows.size(); ++k) {
        REQUIRE(half.rows[k] == static_cast<std::int64_t>(32 * apart * (k + 1)));
        wanted.push_back({direction, k, half.rows[k] - 70, half.rows[k] + 70});
      }
      const auto rows = halves.read(wanted);
      // What was appended is code 0, as the first symbol has it.
      std::string x = a + std::string(static_cast<std::size_t>(plan.size.padding), 'A');
      std::string y = b + std::string(static_cast<std::size_t>(plan.size.padding), 'A');
      REQUIRE(code.a['A'] == 0);
      if (direction == 1) {
        std::ranges::reverse(x);
        std::ranges::reverse(y);
      }
      for (const KeptRow& row : rows) {
        INFO("row " << row.row << " of direction " << direction << ", pair " << number);
        REQUIRE(row.first <= std::max<std::int64_t>(0, row.row - 70));
        REQUIRE(row.last() >= row.row + 70);
        std::vector<std::int32_t> costs(y.size() + 1);
        std::iota(costs.begin(), costs.end(), 0);
        for (std::int64_t i = 0; i < row.row; ++i) {
          std::int32_t diagonal = costs[0]++;
          for (std::size_t j = 1; j < costs.size(); ++j) {
            const std::int32_t pair =
                diagonal + (x[static_cast<std::size_t>(i)] == y[j - 1] ? 0 : 1);
            diagonal = costs[j];
            costs[j] = std::min({pair, diagonal + 1, costs[j - 1] + 1});
          }
        }
        const auto base = costs[static_cast<std::size_t>(row.first)];
        const auto end = std::min(row.last(), static_cast<std::int64_t>(y.size()));
        for (std::int64_t place = row.first; place <= end; ++place)
          REQUIRE(row.at(place) == costs[static_cast<std::size_t>(place)] - base);
      }
    }
  }
}

TEST_CASE("a guide that is begun in many places is one", "[align][strip][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 14);
  for (const double rate : {0.02, 1.0}) {
    const WithGap pair(rng, rate, 4'000);
    const Problem& problem = pair.problem;
    const auto plan =
        strip::variants().front().plan(problem, device.limits(), small(0, false).strips);
    strip::Halves halves(device, plan, problem, 1),
        shared(device, plan, problem, 1, &other_device());
    const std::int64_t distance = *halves.solve().answer.distance;
    REQUIRE(shared.solve().answer.distance == distance);
    const std::int64_t middle = 6'500, end = plan.size.n - middle;
    const auto guides = [&](std::size_t rows_each) {
      // Two devices say the same.
      strip::Halves& asked = rows_each == 7 || rows_each == 50 ? shared : halves;
      return asked.guide({{{middle, middle}, {end, end}}}, distance, false, false, rows_each);
    };
    const auto one = guides(std::size_t{1} << 20);
    for (const std::size_t direction : {0u, 1u}) REQUIRE(one[direction].places.size() > 150);
    for (const std::size_t rows_each : {1u, 7u, 50u, 120u}) {
      INFO("rate " << rate << ", " << rows_each << " rows each, seed " << test::seed());
      const auto many = guides(rows_each);
      for (const std::size_t direction : {0u, 1u}) {
        REQUIRE(many[direction].places == one[direction].places);
        for (std::size_t k = 0; k < one[direction].rows.size(); ++k) {
          REQUIRE(many[direction].rows[k].first == one[direction].rows[k].first);
          REQUIRE(many[direction].rows[k].words == one[direction].rows[k].words);
        }
      }
    }
  }
}

TEST_CASE("the guide goes where cheapest paths do", "[align][strip][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 8);
  struct Case {
    double rate;
    std::uint32_t apart;  // lanes of 32 rows
  };
  for (const auto& [rate, apart] :
       {Case{0.02, 8}, {0.2, 8}, {1, 8}, {0.02, 10}, {0.2, 3}, {1, 11}}) {
    const WithGap pair(rng, rate, 7'000);
    const auto& [a, b, code, problem] = pair;
    const auto plan =
        strip::variants().front().plan(problem, device.limits(), small(0, rate < 0.1).strips);
    strip::Halves halves(device, plan, problem, apart);
    const auto crossed = halves.solve();
    strip::Halves shared(device, plan, problem, apart, &other_device());
    REQUIRE(shared.solve().crossing.first == crossed.crossing.first);
    // The columns before each row.
    std::vector<std::int64_t> place{0};
    for (const auto& run : reference::alignment(a, b, code))
      for (std::uint32_t i = 0; i < run.length; ++i) {
        const std::int64_t next = place.back() + (run.edit != Edit::kInsert);
        if (run.edit == Edit::kDelete)
          place.back() = next;
        else
          place.push_back(next);
      }
    const std::int64_t middle = place[static_cast<std::size_t>(crossed.crossing.row)];
    const std::int64_t end = plan.size.n - middle;
    const auto guides =
        halves.guide({{{middle, middle}, {end, end}}}, *crossed.answer.distance, true, false);
    const auto same =
        shared.guide({{{middle, middle}, {end, end}}}, *crossed.answer.distance, true, false);
    REQUIRE(same[0].paths.size() == guides[0].paths.size());
    for (const std::size_t direction : {0u, 1u}) {
      REQUIRE(same[direction].places == guides[direction].places);
      REQUIRE(same[direction].ways.size() == guides[direction].ways.size());
      for (std::size_t slab = direction; slab < same[direction].ways.size(); ++slab)
        for (const std::size_t side : {0u, 1u}) {
          const auto &one = same[direction].ways[slab][side],
                     &other = guides[direction].ways[slab][side];
          REQUIRE(one.exit == other.exit);
          REQUIRE(one.entry == other.entry);
          REQUIRE((one.entry < 0 || (one.low == other.low && one.high == other.high)));
        }
    }
    std::size_t rows = 0, near = 0;
    // Ways that are on the canonical path stay there.
    std::size_t followed = 0;
    const auto& ways = guides[0].ways;
    REQUIRE(ways.size() == guides[0].rows.size() + 1);
    for (std::size_t slab = 1; slab + 1 < ways.size(); ++slab) {
      const auto on = [&](std::size_t kept) {
        return place[static_cast<std::size_t>(guides[0].rows[kept].row)];
      };
      for (const auto& way : ways[slab]) {
        if (way.exit != on(slab) || way.entry < 0) continue;
        REQUIRE(way.entry == on(slab - 1));
        ++followed;
      }
    }
    INFO("rate " << rate << ", " << apart << " lanes: " << followed << " of " << 2 * ways.size()
                 << " ways");
    CHECK(followed > (rate < 1 ? ways.size() : 8));
    for (const std::size_t direction : {0u, 1u}) {
      const auto half = halves.half(direction);
      const auto& guide = guides[direction];
      REQUIRE(guide.places.size() == half.rows.size());
      std::vector<strip::Halves::Wanted> wanted;
      for (std::size_t k = 0; k < half.rows.size(); ++k)
        wanted.push_back({direction, k, guide.rows[k].first, guide.rows[k].last() - 1});
      const auto read = halves.read(wanted);
      for (std::size_t k = 0; k < half.rows.size(); ++k) {
        const KeptRow& row = guide.rows[k];
        REQUIRE(row.row == half.rows[k]);
        REQUIRE(row.first == read[k].first);
        REQUIRE(row.words == read[k].words);
        REQUIRE(row.more_before == read[k].more_before);
        REQUIRE(row.more_behind == read[k].more_behind);
        REQUIRE(row.first <= guide.places[k]);
        REQUIRE(row.last() >= guide.places[k]);
        const std::int64_t above = direction == 0 ? row.row : plan.size.m - row.row;
        if (above > static_cast<std::int64_t>(a.size())) continue;
        const std::int64_t there = direction == 0 ? guide.places[k] : plan.size.n - guide.places[k];
        ++rows;
        near += std::abs(there - place[static_cast<std::size_t>(above)]) <= 100;
      }
    }
    INFO("rate " << rate << ": " << near << " of " << rows);
    CHECK(near * 2 > rows);
  }
}

TEST_CASE("ways through a much longer text are known to the device", "[align][strip][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 32);
  for (const std::size_t longer : {14'100u, 26'000u, 44'000u}) {
    const auto a = test::random_text(rng, 8'000, 4), b = test::random_text(rng, longer, 4);
    const auto code = seq::make_code(a, b);
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem.guess = static_cast<std::int64_t>(longer);
    const auto plan =
        strip::variants().front().plan(problem, device.limits(), small(0, false).strips);
    strip::Halves halves(device, plan, problem, 8);
    const auto crossed = halves.solve();
    const auto& crossing = crossed.crossing;
    const std::int64_t end = plan.size.n;
    const auto guides = halves.guide(
        {{{crossing.first, crossing.last}, {end - crossing.last, end - crossing.first}}},
        *crossed.answer.distance, true, false);
    for (const std::size_t direction : {0u, 1u}) {
      const auto& ways = guides[direction].ways;
      std::size_t known = 0, all = 0;
      for (std::size_t slab = 1; slab < ways.size(); ++slab)
        for (const auto& way : ways[slab]) {
          ++all;
          known += way.entry >= 0 ? 1u : 0u;
        }
      INFO(longer << " columns, direction " << direction << ": " << known << " of " << all);
      CHECK(all > 20);
      CHECK(3 * known > all);  // of 30, eight at most where guides drift too little
    }
  }
}

TEST_CASE("every engine leads to the same alignment", "[align][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 7);
  for (const double rate : {0.001, 0.02, 0.15, 0.6}) {
    const auto a = test::random_text(rng, 20'000, 4);
    auto b = test::mutate(rng, a, rate, 4);
    b.insert(10'000, test::random_text(rng, 500, 4));
    AlignOptions options;
    options.engine = "reference";
    const auto expected = align_pair(nullptr, a, b, options);
    for (const char* engine : {"auto", "strips", "wavefront", "corridor"})
      for (const std::int64_t rows : {0, 256, 4096}) {
        options.engine = engine;
        AlignTuning tuning;
        tuning.slab_rows = rows;
        if (rows > 0) tuning.most_numbers = 0;
        INFO("rate " << rate << ", engine " << engine << ", rows " << rows << " apart");
        const auto answer = align_pair(&device, a, b, options, tuning);
        REQUIRE(answer.distance == expected.distance);
        REQUIRE(answer.cigar == expected.cigar);
        const auto turned = align_pair(&device, b, a, options, tuning);
        REQUIRE(turned.distance == expected.distance);
      }
    options.variant = corridor::kHostCorridor;
    REQUIRE(align_pair(nullptr, a, b, options).cigar == expected.cigar);
    if (const auto close = align_if_close(a, b, {})) REQUIRE(close->cigar == expected.cigar);
  }
}

TEST_CASE("devices walk through slabs of corridors", "[align][corridor][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 21);
  for (int number = 0; number < 8; ++number) {
    // Codes of 1 to 8 bits, and sets of bases.
    const int symbols = (const int[]){4, 2, 6, 20, 4, 250, 9, 40}[number];
    const auto a = test::random_text(rng, 20'000, symbols);
    auto b = test::mutate(rng, a, number % 2 == 0 ? 0.02 : 0.004, symbols);
    b.insert(9'000, test::random_text(rng, 100, symbols));
    if (number == 6) b.insert(3'000, a.substr(3'000, 700));
    AlignOptions options;
    options.engine = "reference";
    options.gaps_right = number % 4 == 1;
    if (number == 4) options.ambiguous = seq::Ambiguous::kMatch;
    const auto expected = align_pair(nullptr, a, b, options);
    options.engine = "corridor";
    if (number % 4 >= 2) options.config = tune::Config::parse("LANES=1,WG=8");
    for (const std::int64_t rows : {0, 96, 1500}) {
      AlignTuning tuning;
      tuning.slab_rows = rows;
      tuning.follow = true;
      INFO("seed " << test::seed() << ", number " << number << ", rows " << rows << " apart");
      const auto answer = align_pair(&device, a, b, options, tuning);
      REQUIRE(answer.cigar == expected.cigar);
      // Its known-answer test wants most of the slabs to be the device's.
      const auto code = seq::make_code(a, b, options.ambiguous);
      const auto program = corridor::slabs_program(corridor::plan(corridor::variants().front(),
                                                                  {a, b, &code, std::nullopt, 1},
                                                                  device.limits(), options.config));
      REQUIRE(device.tested(program.file, program.defines));
    }
  }
}

TEST_CASE("what repeats make wide is aligned as a pair of its own", "[align][strip][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 13);
  int again = 0;
  for (int number = 0; number < 12; ++number) {
    // v stands once in the one text and two or three times, almost, in the other. (Exact copies are
    // a suffix or prefix of what lies between, and easy.)
    const auto u = test::random_text(rng, number % 2 == 0 ? 6000 : 500, 4);
    const auto v = test::random_text(rng, 2500, 4);
    const auto x = test::random_text(rng, number % 3 == 0 ? 3000 : 300, 4);
    std::string a = u + test::mutate(rng, v, 0.01, 4) + x;
    std::string b = u + test::mutate(rng, v, 0.01, 4) + test::mutate(rng, v, 0.01, 4) +
                    (number % 4 == 0 ? v : "") + test::mutate(rng, x, 0.1, 4);
    if (number % 3 == 2) std::swap(a, b);
    const auto expected = reference::alignment(a, b, seq::make_code(a, b));
    std::ptrdiff_t computed[2];
    for (const bool alone : {false, true}) {
      trace::Trace trace;
      AlignOptions options;
      options.engine = "strips";
      options.trace = &trace;
      AlignTuning tuning = small(0, false);
      tuning.memory = 1 << 24;
      tuning.pair_cells = alone ? 1e5 : 1e300;
      INFO("number " << number << ", as a pair of its own: " << alone);
      const auto answer = align_pair(&device, a, b, options, tuning);
      REQUIRE(answer.cigar == expected);
      computed[alone] = std::ranges::count(trace.phases(), trace::Work::kCompute,
                                           [](const auto& phase) { return phase.work; });
    }
    again += computed[true] > computed[false];
  }
  CHECK(again > 3);
}

TEST_CASE("the nearer strand is aligned", "[align][device]") {
  Rng rng(test::seed() + 8);
  std::string a = test::random_text(rng, 30'000, 4);
  for (char& c : a) c = "ACGT"[c - 'A'];
  std::string b(a.rbegin(), a.rend());
  for (char& c : b) c = c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : 'A';
  b[77] = b[77] == 'A' ? 'C' : 'A';
  AlignOptions options;
  options.both_strands = true;
  const auto answer = align_pair(&test::device(), a, b, options);
  CHECK(answer.strand == '-');
  CHECK(answer.distance == 1);
  CHECK(answer.cigar.text() == "77=1X29922=");
  CHECK(align_pair(&test::device(), a, a, options).strand == '+');
}

TEST_CASE("devices align texts and records", "[align][face][device]") {
  Devices devices;
  const auto answer = devices.align("GATTACA", "GATACA");
  CHECK(answer.distance == 1);
  CHECK(answer.cigar.text() == "2=1I4=");
  AlignOptions options;
  options.gaps_right = true;
  CHECK(devices.align("GATTACA", "GATACA", options).cigar.text() == "3=1I3=");
  const seq::Batch queries{{"a", "ACGT"}, {"b", "AC"}}, targets{{"c", "ACT"}, {"d", ""}};
  std::vector<std::string> found;
  const Totals totals = devices.alignments(queries, targets, {}, [&](const PairAlignment& one) {
    found.push_back(seq::names_of({one.query, one.target}) + ": " + one.answer.cigar.text());
  });
  CHECK(found == std::vector<std::string>{"a and c: 2=1I1=", "b and d: 2I"});
  CHECK(totals.queries == 2);
}

}  // namespace rhomb::align_device_tests
