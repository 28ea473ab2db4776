// SPDX-License-Identifier: Apache-2.0
// gaps on the host: scores and matrices, the reference against an exhaustive search of this file's
// own, and the proof of alignments.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "host/error.h"
#include "host/gaps/reference.h"
#include "host/gaps/scoring.h"
#include "tests/support/catch.h"
#include "tests/support/cuda.h"
#include "tests/support/gaps.h"
#include "tests/support/random.h"
#ifdef RHOMB_HAVE_PARASAIL
#include <parasail.h>

#include <memory>
#endif

namespace rhomb::test::gaps_tests {
namespace {

using gaps::Decimal;
using gaps::Ends;
using gaps::Op;

/// All alignments of two texts, made up symbol by symbol, from the start on: each by itself, or
/// those together that have come to the same cell with as many gaps and the same last column.
class Alignments {
 public:
  Alignments(std::string_view query, std::string_view target, const gaps::Scoring& scoring,
             const gaps::Rules& rules)
      : query_(query),
        target_(target),
        scoring_(scoring),
        rules_(rules),
        starts_(rules.ends == Ends::kInfix ? target.size() : 0) {}

  /// The best score with the fewest gaps and the first end, by each alignment.
  gaps::Best by_each() {
    scores_.assign(kinds(), {});
    for (std::size_t start = 0; start <= starts_; ++start) go({start, 0, Op::kPair, 0}, 0);
    return best();
  }

  /// The same by cells.
  gaps::Best by_cells() {
    scores_.assign(kinds(), {});
    std::vector<std::int64_t> cells((target_.size() + 1) * (query_.size() + 1) * kinds() * 3,
                                    kNone);
    const auto cell = [&](const State& at) -> std::int64_t& {
      return cells[((at.i * (query_.size() + 1) + at.j) * kinds() + at.gaps) * 3 +
                   static_cast<std::size_t>(at.last)];
    };
    for (std::size_t start = 0; start <= starts_; ++start) cell({start, 0, Op::kPair, 0}) = 0;
    for (std::size_t i = 0; i <= target_.size(); ++i)
      for (std::size_t j = 0; j <= query_.size(); ++j)
        for (std::size_t gaps = 0; gaps < kinds(); ++gaps)
          for (const Op last : {Op::kPair, Op::kInsert, Op::kDelete})
            if (const std::int64_t score = cell({i, j, last, gaps}); score != kNone)
              visit({i, j, last, gaps}, score, [&](const State& to, std::int64_t more) {
                cell(to) = std::max(cell(to), more);
              });
    return best();
  }

 private:
  struct State {
    std::size_t i, j;  // symbols of the target and of the query
    Op last;
    std::size_t gaps;
  };
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  std::size_t kinds() const { return static_cast<std::size_t>(rules_.gaps) + 1; }

  void go(const State& at, std::int64_t score) {
    visit(at, score, [&](const State& to, std::int64_t more) { go(to, more); });
  }

  /// Notes the end if one is here, and calls next(state, score) for each column that may follow.
  template <class Next>
  void visit(const State& at, std::int64_t score, const Next& next) {
    const auto [i, j, last, gaps] = at;
    if (rules_.band && (i > j ? i - j : j - i) > *rules_.band) return;
    if (j == query_.size() && (rules_.ends != Ends::kGlobal || i == target_.size()) &&
        !(rules_.strict && last != Op::kPair)) {
      const auto [place, added] = scores_[gaps].emplace(i, score);
      if (!added) place->second = std::max(place->second, score);
    }
    if (i < target_.size() && j < query_.size())
      next({i + 1, j + 1, Op::kPair, gaps}, score + scoring_.pair(query_[j], target_[i]));
    for (const Op op : {Op::kInsert, Op::kDelete}) {
      const std::size_t di = op == Op::kDelete, dj = op == Op::kInsert;
      if (i + di > target_.size() || j + dj > query_.size()) continue;
      if (last == op)
        next({i + di, j + dj, op, gaps}, score + scoring_.extend);
      else if (gaps + 1 < kinds() && !(rules_.strict && last != Op::kPair))
        next({i + di, j + dj, op, gaps + 1}, score + scoring_.open);
    }
  }

  gaps::Best best() const {
    gaps::Best found;
    for (std::size_t gaps = 0; gaps < kinds(); ++gaps)
      for (const auto& [end, score] : scores_[gaps])
        if (score > found.score)
          found = {static_cast<std::int32_t>(score), static_cast<std::uint32_t>(end),
                   static_cast<std::uint32_t>(gaps)};
    return found;
  }

  std::string_view query_, target_;
  const gaps::Scoring& scoring_;
  const gaps::Rules& rules_;
  std::size_t starts_;
  std::vector<std::map<std::size_t, std::int64_t>> scores_;  // by gaps and end
};

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

gaps::Scoring scoring_of(std::string_view matrix, std::string_view open, std::string_view extend) {
  return gaps::make_scoring(gaps::find_matrix(std::string(matrix)), Decimal::parse(open, "open"),
                            Decimal::parse(extend, "extend"));
}

}  // namespace

TEST_CASE("scores are scaled exactly", "[gaps]") {
  const auto dna = scoring_of("EDNAFULL", "10", "0.5");
  CHECK(dna.scale == 2);
  CHECK(dna.open == -20);
  CHECK(dna.extend == -1);
  CHECK(dna.pair('A', 'A') == 10);
  CHECK(dna.pair('A', 'N') == -4);
  CHECK(dna.pair('T', 'U') == 10);
  CHECK(dna.gap(0) == 0);
  CHECK(dna.gap(3) == -22);
  CHECK(dna.text(123) == "61.5");
  CHECK(dna.text(-124) == "-62");
  CHECK_FALSE(dna.known['E']);
  const auto protein = scoring_of("eblosum62", "11", "1");
  CHECK(protein.scale == 1);
  CHECK(protein.pair('W', 'W') == 11);
  CHECK(protein.pair('A', '*') == -4);
  const auto fine =
      gaps::make_scoring(gaps::match_matrix(Decimal::parse("1.25", "x"), Decimal::parse("-1", "x")),
                         Decimal::parse("2.5", "x"), Decimal::parse("0.05", "x"));
  CHECK(fine.scale == 20);
  CHECK(fine.pair('x', 'x') == 25);
  CHECK(fine.pair('x', 'y') == -20);
  CHECK(fine.extend == -1);
  CHECK(fine.name == "match 1.25, mismatch -1");
}

TEST_CASE("matrices that everybody uses are symmetric", "[gaps]") {
  for (const auto& named : gaps::named_matrices()) {
    const gaps::Matrix matrix = gaps::find_matrix(std::string(named.name));
    const std::size_t size = matrix.symbols.size();
    CHECK(size == (named.name == "EDNAFULL" ? 16u : 24u));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        INFO(named.name << ", " << matrix.symbols[i] << matrix.symbols[j]);
        CHECK(matrix.scores[i * size + j].millionths == matrix.scores[j * size + i].millionths);
      }
  }
}

TEST_CASE("wrong scores are told by file and line", "[gaps]") {
  const auto parse = [](const char* text) {
    return message_of([&] { gaps::parse_matrix(text, "m.txt"); });
  };
  CHECK(gaps::parse_matrix("# c\n  A C\nC -1 2 # x\nA 1 -1\n", "m").scores[3].millionths ==
        2000000);
  CHECK_THAT(parse(""), test::contains("m.txt") && test::contains("no scores"));
  CHECK_THAT(parse(" A C\nA 1 2\n"), test::contains("column for 'C' but no row"));
  CHECK_THAT(parse(" A\nA 1\nC 1\n"), test::contains("line 3") && test::contains("no column"));
  CHECK_THAT(parse(" A C\nA 1\nC 1 2\n"), test::contains("1 scores for 2 columns"));
  CHECK_THAT(parse(" A C\nA 1 x\nC 1 2\n"), test::contains("'x' is not a score"));
  CHECK_THAT(parse(" A A\nA 1 1\n"), test::contains("two columns for 'A'"));
  CHECK_THAT(parse(" A\nA 1\nA 1\n"), test::contains("two rows for 'A'"));
  CHECK_THAT(parse("AC\n"), test::contains("not one symbol"));
  CHECK_THROWS_AS(Decimal::parse("1e3", "--open"), UsageError);
  CHECK_THROWS_AS(Decimal::parse("0.1234567", "--open"), UsageError);
  CHECK_THROWS_AS(Decimal::parse("", "--open"), UsageError);
  CHECK_THROWS_AS(scoring_of("EDNAFULL", "0", "1"), UsageError);
  CHECK_THROWS_AS(scoring_of("EDNAFULL", "-3", "1"), UsageError);
  CHECK_THROWS_AS(scoring_of("EDNAFULL", "1", "2"), UsageError);
  CHECK_THROWS_AS(scoring_of("EDNAFULL", "100", "0.000001"), UsageError);
  CHECK_THROWS_AS(gaps::find_matrix("no-such-file"), Error);
}

TEST_CASE("the reference finds what an exhaustive search does", "[gaps]") {
  constexpr std::uint64_t kSeed = 141;
  Rng rng(kSeed);
  int without = 0;
  for (int i = 0; i < 10'000; ++i) {
    // Each alignment by itself where there are few; else up to 70 symbols.
    const bool few = i % 4 < 3;
    const std::size_t longest = few ? 5 : i % 16 == 3 ? 70 : 24;
    const int alphabet = 2 + i / 7 % 19;
    const std::string target = random_text(rng, random_below(rng, longest + 1), alphabet);
    const std::string query = random_below(rng, 2) == 0
                                  ? mutate(rng, target, few ? 0.4 : 0.1, alphabet)
                                  : random_text(rng, random_below(rng, longest + 1), alphabet);
    auto rules = random_rules(rng, 0);
    rules.gaps = i % 7;
    const auto scoring = random_scoring(rng, alphabet);
    Alignments all(query, target, scoring, rules);
    const auto expected = all.by_cells();
    INFO("case " << i << ", seed " << kSeed << ": " << query << " in " << target << ", "
                 << shown(rules) << ", open " << scoring.open << ", extend " << scoring.extend);
    if (few) CHECK(all.by_each() == expected);
    const auto found = gaps::reference::best(query, target, scoring, rules);
    CHECK(found == expected);
    without += !found.found();
    if (!found.found()) continue;
    const auto alignment = gaps::reference::align(query, target, scoring, rules, found);
    CHECK_NOTHROW(gaps::prove(alignment, found, query, target, scoring, rules));
  }
  CHECK(without > 500);
  CHECK(without < 5000);
}

TEST_CASE("more gaps never score less, and empty texts have a score", "[gaps]") {
  const auto scoring = scoring_of("EDNAFULL", "10", "0.5");
  Rng rng(142);
  for (int i = 0; i < 100; ++i) {
    const std::string target = random_text(rng, 1 + random_below(rng, 60), 1, 'A');
    const std::string query = mutate(rng, target, 0.3, 1, 'A');
    std::int32_t before = gaps::Best::kNone;
    for (int k = 0; k <= 6; ++k) {
      const auto found = gaps::reference::best(query, target, scoring, {.gaps = k});
      CHECK(found.score >= before);
      before = found.score;
    }
  }
  CHECK(gaps::reference::best("", "", scoring, {}) == gaps::Best{0, 0, 0});
  CHECK(gaps::reference::best("", "ACGT", scoring, {.gaps = 2}) == gaps::Best{0, 0, 0});
  CHECK(gaps::reference::best("", "ACGT", scoring, {.gaps = 2, .ends = Ends::kGlobal}) ==
        gaps::Best{-23, 4, 1});
  CHECK_FALSE(gaps::reference::best("ACGT", "ACG", scoring, {}).found());
  CHECK(gaps::reference::best("ACGT", "ACG", scoring, {.gaps = 1}) == gaps::Best{10, 3, 1});
}

#ifdef RHOMB_HAVE_PARASAIL
TEST_CASE("with gaps enough for any alignment scores are parasail's", "[gaps]") {
  constexpr std::uint64_t kSeed = 146;
  Rng rng(kSeed);
  const auto scoring = scoring_of("EDNAFULL", "3", "0.5");
  const std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> matrix(
      parasail_matrix_create("ACGT", scoring.pair('A', 'A'), scoring.pair('A', 'C')),
      parasail_matrix_free);
  for (int i = 0; i < 2000; ++i) {
    const auto text = [&](std::size_t length) {
      std::string made;
      while (made.size() < length) made += "ACGT"[random_below(rng, 4)];
      return made;
    };
    // A query of 15 symbols has at most 32 gaps, two in front of each and two behind.
    const std::string query = text(1 + random_below(rng, 15));
    const std::string target = text(1 + random_below(rng, 60));
    for (const Ends ends : {Ends::kPrefix, Ends::kGlobal}) {
      const auto compute = ends == Ends::kPrefix ? parasail_sg_de : parasail_nw;
      const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> expected(
          compute(query.data(), static_cast<int>(query.size()), target.data(),
                  static_cast<int>(target.size()), -scoring.open, -scoring.extend, matrix.get()),
          parasail_result_free);
      INFO("case " << i << ", seed " << kSeed << ": " << query << " in " << target);
      // parasail leaves out the prefix without symbols.
      const auto none = static_cast<int>(scoring.gap(static_cast<std::int64_t>(query.size())));
      CHECK(gaps::reference::best(query, target, scoring, {.gaps = 32, .ends = ends}).score ==
            (ends == Ends::kPrefix ? std::max(expected->score, none) : expected->score));
    }
  }
}
#endif

TEST_CASE("words of gaps-lanes follow the device and the lengths", "[gaps]") {
  Rng rng(150);
  gaps::Scoring scoring;
  scoring.known.fill(true);
  scoring.open = -5;
  scoring.extend = -1;
  for (unsigned x = 0; x < 256; ++x)
    for (unsigned t = 0; t < 256; ++t) scoring.pairs[x << 8 | t] = x == t ? 4 : -3;
  GapTasks same, mixed;
  for (std::size_t i = 0; i < 32; ++i) {
    same.add(random_text(rng, 100, 4), random_text(rng, 120, 4));
    mixed.add(random_text(rng, 80 + i, 4), random_text(rng, 120, 4));
  }
  const auto used = [&](GapTasks& tasks, const gaps::Rules& rules, const ocl::Limits& limits,
                        const char* config) {
    return gaps::plan(gaps::variants().front(), tasks.problem(scoring, rules, false), limits,
                      tune::Config::parse(config))
        .config;
  };
  ocl::Limits cpu;
  cpu.vector_ints = 16;
  CHECK(used(same, {.gaps = 2}, cpu, "").get("DIAGONAL", -1) == 1);
  CHECK(used(mixed, {.gaps = 2}, cpu, "").get("DIAGONAL", -1) == 0);
  CHECK(used(mixed, {.gaps = 2}, cpu, "DIAGONAL=1").get("DIAGONAL", -1) == 1);
  CHECK(used(same, {.gaps = 0}, cpu, "").get("DIAGONAL", -1) == 0);
  CHECK_THROWS_AS(used(same, {.gaps = 2, .ends = Ends::kInfix}, cpu, "DIAGONAL=1"), tune::Unfit);

  CHECK(used(same, {.gaps = 2}, h200(), "").get("BITS", 0) == 16);
  // As the known-answer test of 32 bits asks: in 16 bits these scores are found otherwise.
  CHECK(used(same, {.gaps = 2}, h200(), "BITS=32,SCORES=0,DIAGONAL=0").get("BITS", 0) == 32);
  auto older = h200();
  older.capability = 86;
  CHECK(used(same, {.gaps = 2}, older, "").get("BITS", 0) == 32);
}

TEST_CASE("an alignment that is wrong is no proof", "[gaps]") {
  const auto scoring = scoring_of("EDNAFULL", "10", "0.5");
  const std::string query = "ACGTACGT", target = "ACTTACGTA";
  const gaps::Rules rules{.gaps = 1};
  const auto replayed = gaps::replay({0, {{Op::kPair, 8}}}, query, target, scoring, rules, true);
  CHECK(replayed.cigar.text() == "2=1X5=");
  CHECK(replayed.score == 62);
  CHECK(replayed.mismatches == 1);
  const auto gapped = gaps::replay({0, {{Op::kPair, 2}, {Op::kDelete, 1}, {Op::kPair, 6}}}, query,
                                   target, scoring, rules, true);
  CHECK(gapped.gaps == 1);
  CHECK(gapped.gap_symbols == 1);
  CHECK(gapped.end == 9);
  const auto wrong = [&](const gaps::Alignment& alignment, const gaps::Rules& by) {
    CHECK_THROWS_AS(gaps::replay(alignment, query, target, scoring, by), CheckError);
  };
  wrong({0, {{Op::kPair, 7}}}, rules);
  wrong({0, {{Op::kPair, 9}}}, rules);
  wrong({1, {{Op::kPair, 8}}}, rules);
  wrong({0, {{Op::kPair, 8}}}, {.gaps = 1, .ends = Ends::kGlobal});
  wrong({0, {{Op::kPair, 7}, {Op::kInsert, 1}, {Op::kDelete, 1}}}, rules);
  wrong({0, {{Op::kPair, 7}, {Op::kInsert, 1}}}, {.gaps = 1, .strict = true});
  wrong({0, {{Op::kDelete, 1}, {Op::kPair, 8}}}, {.gaps = 1, .band = 0});
  CHECK_THROWS_AS(gaps::prove({0, {{Op::kPair, 8}}}, {60, 8, 0}, query, target, scoring, rules),
                  CheckError);
}

}  // namespace rhomb::test::gaps_tests
