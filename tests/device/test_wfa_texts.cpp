// SPDX-License-Identifier: Apache-2.0
// The wavefront table over what texts may be: alphabets of every size, ambiguous letters, long
// texts against other programs, real genomes, and rows wide enough for each stage of a plan.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/genomes.h"
#include "tests/support/pairs.h"
#include "tests/support/peers.h"

namespace rhomb::wfa_texts_tests {
namespace {

using Distance = std::optional<std::int64_t>;
using seq::Ambiguous;
using test::as_nucleotides;
using test::shown;

std::string solve(const wfa::Variant& row, const std::string& a, const std::string& b,
                  const seq::Code& code, Distance most = {}, const tune::Config& config = {}) {
  return shown(wfa::solve(&test::device(), row, {a, b, &code, most, {}}, config).distance);
}

const wfa::Variant& row_named(std::string_view name) { return find_variant(wfa::variants(), name); }

TEST_CASE("alphabets of every size", "[wfa][device]") {
  std::uint64_t number = 0;
  for (const int alphabet : {1, 2, 3, 4, 5, 8, 9, 16, 17, 20, 33, 64, 65, 128, 129, 200, 256}) {
    for (int i = 0; i < 12; ++i, ++number) {
      const auto pair = test::random_pair(test::seed() + 1, number, 300, alphabet);
      const auto code = seq::make_code(pair.a, pair.b);
      const auto distance = reference::edit_distance(pair.a, pair.b);
      for (const auto& row : wfa::variants()) {
        INFO(row.name << ", " << pair.what);
        CHECK(solve(row, pair.a, pair.b, code) == shown(distance));
        if (distance > 0) CHECK(solve(row, pair.a, pair.b, code, distance - 1) == "nothing");
      }
    }
  }
}

TEST_CASE("ambiguous letters that match by set, or match nothing", "[wfa][device]") {
  test::Rng rng(test::seed() + 2);
  for (int number = 0; number < 60; ++number) {
    const auto pair = test::random_pair(test::seed() + 2, static_cast<std::uint64_t>(number), 200,
                                        number % 2 ? 4 : 9);
    const auto one_in = std::size_t{2} << (number % 7);
    const auto a = as_nucleotides(rng, pair.a, one_in);
    // In a third of the pairs the second text has no ambiguous letters.
    const auto b = as_nucleotides(rng, pair.b, number % 3 ? one_in : std::size_t{1} << 40);
    for (const auto ambiguous : {Ambiguous::kSymbol, Ambiguous::kMatch, Ambiguous::kMismatch}) {
      const auto code = seq::make_code(a, b, ambiguous);
      const auto distance = reference::edit_distance(a, b, code);
      for (const auto& row : wfa::variants()) {
        INFO(row.name << ", " << pair.what << ", mode " << static_cast<int>(ambiguous) << "\n  "
                      << a << "\n  " << b);
        CHECK(solve(row, a, b, code) == shown(distance));
        CHECK(solve(row, b, a, seq::make_code(b, a, ambiguous), distance) == shown(distance));
        if (distance > 0) CHECK(solve(row, a, b, code, distance - 1) == "nothing");
      }
    }
  }
}

TEST_CASE("ambiguous letters everywhere, in several configurations", "[wfa][device]") {
  test::Rng rng(test::seed() + 3);
  const auto base = test::random_text(rng, 900, 4);
  const auto a = as_nucleotides(rng, base, 9);
  const auto b = as_nucleotides(rng, test::mutate(rng, base, 0.1, 4), 9);
  const std::string all_n(600, 'N');
  const std::pair<std::string, std::string> pairs[] = {
      {a, b}, {a, all_n}, {all_n, b}, {all_n, all_n}, {"A" + all_n + "C", "G" + all_n}};
  for (const auto ambiguous : {Ambiguous::kMatch, Ambiguous::kMismatch}) {
    const auto code = seq::make_code(a, b, ambiguous);
    for (const auto& [x, y] : pairs) {
      const auto distance = reference::edit_distance(x, y, code);
      for (const auto& [name, config] : {std::pair{"fused", "WG=8,VEC=1,DIAGS=3,STEPS=4"},
                                         {"fused", "WG=8,VEC=1,DIAGS=3,STEPS=4,WALK=1"},
                                         {"fused", "WG=1,VEC=4,DIAGS=3,STEPS=5"},
                                         {"prefetch", "WG=5"},
                                         {"tiled-global", "T=3,WG=2"},
                                         {"tiled-register", "T=2,WG=5"},
                                         {"tiled-local", "T=5,WG=3"},
                                         {"group", "T=3"},
                                         {"diamond", "T=9"}}) {
        INFO(name << " " << config << ", mode " << static_cast<int>(ambiguous) << ", " << x.size()
                  << " x " << y.size());
        CHECK(solve(row_named(name), x, y, code, {}, tune::Config::parse(config)) ==
              shown(distance));
      }
    }
  }
}

TEST_CASE("every size of a code, in several configurations of tiles", "[wfa][device]") {
  test::Rng rng(test::seed() + 8);
  for (const int alphabet : {1, 2, 4, 7, 16, 29, 64, 100, 256}) {
    const char first = test::first_of(alphabet);
    const auto a = test::random_text(rng, 700, alphabet, first);
    for (const auto& b : {test::mutate(rng, a, 0.1, alphabet, first),
                          test::random_text(rng, 650, alphabet, first), std::string(90, first)}) {
      const auto code = seq::make_code(a, b);
      const auto distance = reference::edit_distance(a, b);
      for (const auto& [name, config] : {std::pair{"tiled-register", "T=5,WG=3"},
                                         {"tiled-local", "T=9,WG=16"},
                                         {"group", "T=5"},
                                         {"diamond", "T=20"}}) {
        INFO(name << " " << config << ", " << alphabet << " symbols, " << a.size() << " x "
                  << b.size());
        const auto given = tune::Config::parse(config);
        CHECK(solve(row_named(name), a, b, code, {}, given) == shown(distance));
        CHECK(solve(row_named(name), b, a, seq::make_code(b, a), distance, given) ==
              shown(distance));
      }
    }
  }
}

TEST_CASE("symbols that differ and match all the same", "[wfa][device]") {
  // T and U are one base, and so are upper and lower case; nothing is ambiguous here.
  const auto check = [](const std::string& a, const std::string& b) {
    const auto code = seq::make_code(a, b, Ambiguous::kMatch);
    for (const auto& row : wfa::variants()) {
      INFO(row.name << ", " << a << " and " << b);
      CHECK(solve(row, a, b, code) == shown(reference::edit_distance(a, b, code)));
    }
  };
  check("TACT", "UATCCA");
  check("ACGTACGG", "ugguacgu");
  check("TTTTTTTTTT", "UUUUUUUU");
  check("TTTTTATTTTT", "UUUUUUUCUUUUUUU");
  check(std::string(500, 'T') + "ACC" + std::string(500, 't'),
        std::string(490, 'u') + "GA" + std::string(505, 'U'));
}

TEST_CASE("longer pairs agree with other programs", "[wfa][device]") {
  test::Rng rng(test::seed() + 4);
  std::uint64_t number = 0;
  for (const int alphabet : {4, 4, 4, 20, 2, 256})
    for (const std::size_t longest : {2000u, 6000u, 20000u}) {
      for (int i = 0; i < 4; ++i, ++number) {
        const auto pair = test::random_pair(test::seed() + 4, number, longest, alphabet);
        INFO(pair.what);
        const auto code = seq::make_code(pair.a, pair.b);
        const auto distance = test::peer_distance(pair.a, pair.b);
#if defined(RHOMB_HAVE_EDLIB) && defined(RHOMB_HAVE_WFA2)
        if (alphabet <= 26 && distance < 3000)
          CHECK(test::wfa2_distance(pair.a, pair.b) == distance);
#endif
        CHECK(solve(row_named("fused"), pair.a, pair.b, code) == shown(distance));
        CHECK(solve(row_named("fused"), pair.b, pair.a, code, distance) == shown(distance));
        if (distance > 0)
          CHECK(solve(row_named("fused"), pair.a, pair.b, code, distance - 1) == "nothing");
        if (distance >= 2500) continue;
        for (const char* name : {"batched", "prefetch", "tiled-local", "group", "diamond"}) {
          INFO(name);
          CHECK(solve(row_named(name), pair.a, pair.b, code) == shown(distance));
        }
      }
    }
}

TEST_CASE("rows as wide as the borders between the stages of a plan", "[wfa][device]") {
  test::Rng rng(test::seed() + 5);
  const auto& fused = row_named("fused");
  const auto code = seq::make_code("ACGT", "");
  const auto some = test::random_text(rng, 60'000, 4);
  const auto plan =
      wfa::plan(fused, {some, std::string(1000, 'A'), &code, {}, {}}, test::device().limits());
  // A row of cost s and its opposite have 2 (2 s + 1) diagonals, and s goes up to half the
  // distance.
  std::vector<std::int64_t> distances = {plan.first_row - 40, plan.first_row + 40};
  for (const auto& stage : plan.stages)
    for (const int off : {-2 * stage.steps, 0, 2 * stage.steps})
      distances.push_back(stage.widest / 2 + off);
  for (const auto aim : distances) {
    if (aim < 1 || aim > 40'000) continue;
    // Texts without a common symbol, and texts whose every edit is known to a peer.
    const auto length = static_cast<std::size_t>(aim);
    INFO("aiming at a distance of " << aim);
    CHECK(solve(fused, std::string(length, 'A'), std::string(length, 'C'), code) == shown(aim));
    CHECK(solve(fused, std::string(length, 'A'), std::string(length / 3, 'C'), code, aim) ==
          shown(aim));
    const auto text = test::random_text(rng, 6 * length, 4);
    const auto other = test::mutate(rng, text, 0.25, 4);
    CHECK(solve(fused, text, other, seq::make_code(text, other)) ==
          shown(test::peer_distance(text, other)));
  }
}

TEST_CASE("all stages of a plan made for a small GPU", "[wfa][device]") {
  test::Rng rng(test::seed() + 6);
  const auto& fused = row_named("fused");
  ocl::Limits small = test::device().limits();
  small.gpu = true;
  small.compute_units = 1;
  for (const std::size_t group : {16u, 64u}) {
    small.max_work_group = std::min(test::device().limits().max_work_group, group);
    // Texts of one edit in hundreds of symbols to two in three: rows grow fast, or hardly.
    for (const double rate : {0.002, 0.02, 0.1, 0.4, 1.0})
      for (const std::size_t length : {300u, 2000u, 12'000u}) {
        test::Pair pair{"", test::random_text(rng, length, 4), ""};
        pair.b = test::mutate(rng, pair.a, rate, 4);
        test::part_ends(pair, 4);
        const auto code = seq::make_code(pair.a, pair.b);
        wfa::Problem problem{pair.a, pair.b, &code, {}, {}};
        const auto distance = test::peer_distance(pair.a, pair.b);
        INFO("group " << group << ", rate " << rate << ", " << length << " symbols");
        auto plan = fused.plan(problem, small, {});
        CHECK(plan.stages.size() > 1);
        CHECK(shown(fused.run(&test::device(), plan, problem).distance) == shown(distance));
        problem.max_distance = distance - 1;
        plan = fused.plan(problem, small, {});
        CHECK(shown(fused.run(&test::device(), plan, problem).distance) == "nothing");
      }
  }
}

void check_genomes(std::int64_t most_fused, std::int64_t most_others, std::int64_t least) {
  for (const auto& known : test::known_genomes()) {
    if (known.distance < least || known.distance > most_fused) continue;
    const auto a = test::genome(known.a), b = test::genome(known.b);
    const auto code = seq::make_code(a, b);
    for (const auto& row : wfa::variants()) {
      if (row.name != "fused" && (known.distance > most_others || row.name == "reference"))
        continue;
      INFO(row.name << ", " << known.what());
      CHECK(solve(row, a, b, code) == shown(known.distance));
      if (row.name != "fused") continue;
      CHECK(solve(row, b, a, code, known.distance) == shown(known.distance));
      CHECK(solve(row, a, b, code, known.distance - 1) == "nothing");
    }
  }
}

TEST_CASE("real genomes", "[wfa][device]") {
  CHECK(test::known_genomes().size() >= 6);
  check_genomes(20'000, 200, 0);
}

TEST_CASE("real genomes, all rows and the most distant pair", "[wfa][slow]") {
  check_genomes(1'000'000, 7'000, 200);
}

}  // namespace
}  // namespace rhomb::wfa_texts_tests
