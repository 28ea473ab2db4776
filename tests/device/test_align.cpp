// SPDX-License-Identifier: Apache-2.0
// Alignments by the device: every depth of recursion and every engine gives the canonical one.
#include <string>

#include "host/align/align.h"
#include "host/align/reference.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "host/strip/strip.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::align_device_tests {
namespace {

using test::Rng;

Problem problem_of(std::string_view a, std::string_view b, const seq::Code& code) {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  return problem;
}

/// Costs of all prefixes of `b` with the whole of `a`, which begins on the first row with `top`.
std::vector<std::int32_t> last_row(std::string_view a, std::string_view b,
                                   std::vector<std::int32_t> row, const seq::Code& code) {
  while (row.size() <= b.size()) row.push_back(row.back() + 1);
  for (const char symbol : a) {
    std::int32_t diagonal = row[0]++;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::int32_t replaced = diagonal + (code.match(symbol, b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, diagonal + 1, row[j - 1] + 1});
    }
  }
  return row;
}

}  // namespace

TEST_CASE("parts that begin and end at several places", "[align][strip][device]") {
  auto& device = test::device();
  const auto code = test::whole_code(4);
  for (std::uint64_t number = 0; number < 150; ++number) {
    Rng rng(test::seed() + 5 + number);
    const auto rows = 32 * (3 + test::random_below(rng, 60));
    auto a = test::random_text(rng, rows, 4);
    auto b = test::mutate(rng, a, number % 2 ? 0.05 : 0.5, 4) + test::random_text(rng, 200, 4);
    // Costs that change by one at most and are no larger than what goes around.
    const auto ends = [&](std::size_t most) {
      std::vector<std::int32_t> costs{100};
      const auto count = test::random_below(rng, std::min(most, b.size()));
      while (costs.size() <= count)
        costs.push_back(costs.back() + static_cast<int>(test::random_below(rng, 3)) - 1);
      return costs;
    };
    const auto top = ends(150);
    auto bottom = ends(number % 3 ? 150 : 1);
    const auto problem = problem_of(a, b, code);
    const std::string a2(a.rbegin(), a.rend()), b2(b.rbegin(), b.rend());
    const std::vector<std::int32_t> turned(bottom.rbegin(), bottom.rend());
    // The whole matrix, so that no place is missed.
    const strip::Part part{top, bottom, static_cast<std::int64_t>(a.size() + b.size())};
    const auto plan = strip::plan_part(problem, part, device.limits());
    if (plan.size.lower == 0) continue;
    const auto found = strip::cross(device, plan, problem, part);
    const auto row = static_cast<std::size_t>(found.row);
    REQUIRE(row < a.size());
    const auto before = last_row(a.substr(0, row), b, top, code);
    auto after = last_row(a2.substr(0, a.size() - row), b2, turned, code);
    std::reverse(after.begin(), after.end());
    std::vector<std::int32_t> sums(before.size());
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = before[j] + after[j];
    const auto least = *std::min_element(sums.begin(), sums.end());
    std::size_t first = 0, last = sums.size() - 1;
    while (sums[first] != least) ++first;
    while (sums[last] != least) --last;
    INFO("part " << number << ", " << a.size() << " x " << b.size() << ", " << top.size() << " and "
                 << bottom.size() << " places, K " << plan.shape.k);
    REQUIRE(found.least == least);
    REQUIRE(found.first == static_cast<std::int64_t>(first));
    REQUIRE(found.before == std::vector<std::int32_t>(before.begin() + std::ptrdiff_t(first),
                                                      before.begin() + std::ptrdiff_t(last + 1)));
    REQUIRE(found.after == std::vector<std::int32_t>(after.begin() + std::ptrdiff_t(first),
                                                     after.begin() + std::ptrdiff_t(last + 1)));
  }
}

TEST_CASE("alignments by the device are the canonical ones, however deep it divides",
          "[align][device]") {
  auto& device = test::device();
  int divided = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const int alphabet = number % 7 == 0 ? 20 : 4;
    const auto pair = test::random_pair(test::seed() + 6, number, 6000, alphabet);
    const auto code = test::whole_code(alphabet);
    const auto longer = std::max(pair.a.size(), pair.b.size());
    if (longer == 0 || pair.a.size() * pair.b.size() > 20'000'000) continue;
    const auto expected = reference::alignment(pair.a, pair.b, code);
    const bool turned = pair.a.size() > pair.b.size();
    align::Codes codes;
    for (const char c : turned ? pair.b : pair.a)
      codes.rows.push_back(code.a[static_cast<unsigned char>(c)]);
    for (const char c : turned ? pair.a : pair.b)
      codes.columns.push_back(code.a[static_cast<unsigned char>(c)]);
    codes.planes = code.planes;
    codes.turned = turned;
    const auto problem =
        turned ? problem_of(pair.b, pair.a, code) : problem_of(pair.a, pair.b, code);
    if (problem.a.empty()) continue;
    align::DivideOptions options;
    options.most_rows = (const std::int64_t[]){0, 300, 1000, 3000}[number % 4];
    options.memory = number % 5 == 0 ? 2000 : 1 << 20;
    auto made = align::divide(&device, usual_rates(device.limits()), problem, codes,
                              expected.cost(), std::nullopt, options);
    made.backwards.reverse();
    INFO(pair.what << ", parts of " << *options.most_rows << " rows");
    REQUIRE(made.backwards == expected);
    divided += made.parts > 1;
  }
  CHECK(divided > 50);
}

TEST_CASE("every engine leads to the same alignment", "[align][device]") {
  auto& device = test::device();
  Rng rng(test::seed() + 7);
  for (const double rate : {0.001, 0.02, 0.15, 0.6}) {
    const auto a = test::random_text(rng, 40'000, 4);
    auto b = test::mutate(rng, a, rate, 4);
    b.insert(20'000, test::random_text(rng, 500, 4));
    AlignOptions options;
    options.engine = "reference";
    const auto expected = align_pair(nullptr, a, b, options);
    for (const char* engine : {"auto", "strips", "wavefront", "corridor"})
      for (const std::int64_t most_rows : {0, 700, 100'000}) {
        options.engine = engine;
        align::DivideOptions divide;
        divide.most_rows = most_rows;
        INFO("rate " << rate << ", engine " << engine << ", parts of " << most_rows);
        const auto answer = align_pair(&device, a, b, options, divide);
        REQUIRE(answer.distance == expected.distance);
        REQUIRE(answer.cigar == expected.cigar);
        const auto turned = align_pair(&device, b, a, options, divide);
        REQUIRE(turned.distance == expected.distance);
      }
  }
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
    found.push_back(one.query.name + one.target.name + one.answer.cigar.text());
  });
  CHECK(found == std::vector<std::string>{"ac2=1I1=", "bd2I"});
  CHECK(totals.queries == 2);
}

}  // namespace rhomb::align_device_tests
