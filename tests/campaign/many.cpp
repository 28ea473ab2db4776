// SPDX-License-Identifier: Apache-2.0
// Queries in texts, common subsequences, alignments with few gaps, primers: every variant.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "host/engine/reference.h"
#include "host/gaps/gaps.h"
#include "host/gaps/reference.h"
#include "host/lcs/lcs.h"
#include "host/primer/primer.h"
#include "host/search/occurrence.h"
#include "host/search/search.h"
#include "tests/campaign/campaign.h"
#include "tests/support/gaps.h"
#include "tests/support/words.h"

#ifdef RHOMB_HAVE_PARASAIL
#include <parasail.h>
#endif

namespace rhomb::campaign {
namespace {

template <class Variant>
const Variant& draw_variant(Rng& rng, std::span<const Variant> table) {
  for (;;) {
    const Variant& variant = any_of(rng, table);
    if (variant.uses_opencl()) return variant;
  }
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::string named(std::string_view variant, const tune::Config& config, const Symbols& symbols) {
  return std::string(variant) + " " + config.text() + (config.values().empty() ? "" : " ") + "on " +
         symbols.text();
}

/// A query and a text that it may occur in, once or twice, with differences.
void add_search(Rng& rng, Case& into, std::size_t longest, const Symbols& symbols) {
  std::string query = draw_text(rng, std::max<std::size_t>(1, draw_length(rng, longest)), symbols);
  const std::size_t m = query.size();
  const auto flank = [&] { return draw_text(rng, draw_length(rng, 1 + m / 4 + 40), symbols); };
  const auto edited = [&] {
    return draw_edited(rng, query, 0.3 * static_cast<double>(below(rng, 100)) / 100, symbols);
  };
  std::string text;
  switch (below(rng, 8)) {
    case 0:
      text = draw_text(rng, draw_length(rng, 2 * m + 2), symbols);
      break;
    case 1:
      text = query;
      break;
    case 2:
      text = query.substr(below(rng, m));
      break;
    case 3: {
      auto [a, b] = draw_pair(rng, longest, symbols);
      if (!a.empty()) query = std::move(a);
      text = std::move(b);
      break;
    }
    case 4:
      text = flank() + edited() + flank() + edited() + flank();
      break;
    default:
      text = flank() + edited() + flank();
  }
  into.a.push_back(std::move(query));
  into.b.push_back(std::move(text));
}

}  // namespace

Trial search_trial(Rng& rng, Context& context) {
  const search::Variant& variant = draw_variant(rng, search::variants());
  const Symbols symbols = draw_symbols(rng);
  const tune::Config config = draw_config(rng, variant.space);
  constexpr std::size_t kLongest[] = {32, 64, 64, 130, 130, 300, 1100};
  const std::size_t longest = draw_longest(rng, kLongest);
  const bool whole = variant.name == "strips-batch" && one_in(rng, 4);
  {
    const std::string query(longest, 'A');
    const std::string_view text = query;
    const search::Task task{0, 0, 0, static_cast<std::uint32_t>(longest), 0};
    search::Problem problem;
    problem.queries = problem.texts = {&text, 1};
    problem.tasks = {&task, 1};
    problem.code = &symbols.code;
    problem.whole = whole;
    search::plan(variant, problem, context.device->limits(), config);  // or does not fit
  }
  Trial trial;
  trial.what = named(variant.name, config, symbols) + (whole ? ", whole texts" : "") + ", up to " +
               std::to_string(longest);
  trial.draw = [=](Rng& numbers) {
    Case made;
    // Few lengths, as a program is made for some of them, or all.
    for (std::size_t i = draw_count(numbers, 20 + 60'000 / longest); i > 0; --i)
      add_search(numbers, made, longest, symbols);
    return made;
  };
  trial.check = [=, &variant, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    const auto queries = views(one.a), texts = views(one.b);
    std::vector<search::Task> tasks;
    for (std::uint32_t i = 0; i < queries.size(); ++i) {
      const auto n = static_cast<std::uint32_t>(texts[i].size());
      std::uint32_t begin = 0, length = n, skip = 0;
      if (!whole) {
        if (one_in(numbers, 3)) begin = static_cast<std::uint32_t>(below(numbers, n + 1));
        length = n - begin;
        if (one_in(numbers, 4)) length = static_cast<std::uint32_t>(below(numbers, length + 1));
        if (one_in(numbers, 3))
          skip = 32 * static_cast<std::uint32_t>(below(numbers, length / 32 + 2));
      }
      tasks.push_back({i, i, begin, length, skip});
    }
    search::Problem problem;
    problem.queries = queries;
    problem.texts = texts;
    problem.tasks = tasks;
    problem.code = &symbols.code;
    problem.whole = whole;
    problem.threads = below(numbers, 3);
    std::optional<search::ResidentTexts> resident;
    if (one_in(numbers, 3)) {
      std::uint32_t longest_piece = 0;
      for (const auto& task : tasks) longest_piece = std::max(longest_piece, task.length);
      resident.emplace(*device, texts, symbols.code, longest_piece);
      problem.resident = &*resident;
    }
    const search::Answer answer = search::solve(device, variant, problem, config);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const search::Task& task = tasks[i];
      const std::string_view piece = texts[i].substr(task.begin, task.length);
      search::Best expected;
      if (whole) {
        expected = {static_cast<std::uint32_t>(distance_of(queries[i], piece, symbols.code)),
                    task.length};
      } else {
        test::each_column(
            queries[i], piece, symbols.code, true, [&](std::size_t j, std::int64_t cost) {
              if (j >= task.skip && cost < expected.distance)
                expected = {static_cast<std::uint32_t>(cost), static_cast<std::uint32_t>(j)};
            });
        if (piece.size() * queries[i].size() < 5000) {
          const auto [distance, end] =
              reference::best_occurrence(queries[i], piece, symbols.code, task.skip);
          if (distance >= 0)
            expected = {static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(end)};
          else
            expected = {};
        }
      }
      const search::Best& got = answer.best[i];
      if (got == expected ||
          (got.distance == search::Best::kNone && expected.distance == search::Best::kNone))
        continue;
      return {"task " + std::to_string(i) + ", skip " + std::to_string(task.skip) + ": " +
              std::to_string(got.distance) + " at " + std::to_string(got.end) + " instead of " +
              std::to_string(expected.distance) + " at " + std::to_string(expected.end)};
    }
    return {"", tasks.size()};
  };
  return trial;
}

Trial occurrences_trial(Rng& rng, Context& context) {
  SearchOptions options;
  const Symbols symbols = draw_symbols(rng);
  options.ambiguous = symbols.ambiguous;
  if (one_in(rng, 2)) {
    const search::Variant& variant = draw_variant(rng, search::variants());
    options.variant = variant.name;
  }
  options.both_strands = symbols.nucleotides && one_in(rng, 2);
  options.pairs = one_in(rng, 3);
  options.cigar = one_in(rng, 2);
  const std::size_t kind = below(rng, 4);
  options.best = kind == 0;
  options.all_ends = kind == 1;
  constexpr std::size_t kLongest[] = {32, 64, 130, 300};
  const std::size_t longest = draw_longest(rng, kLongest);
  Trial trial;
  trial.what = "occurrences by " +
               named(options.variant.empty() ? "choice" : options.variant, {}, symbols) +
               (options.both_strands ? ", both strands" : "") + (options.pairs ? ", pairs" : "") +
               (options.best       ? ", best"
                : options.all_ends ? ", all ends"
                                   : "");
  trial.draw = [=](Rng& numbers) {
    Case made;
    for (std::size_t i = draw_count(numbers, 20); i > 0; --i)
      add_search(numbers, made, longest, symbols);
    // (A text without symbols is no record.)
    for (std::string& text : made.b)
      if (text.empty()) text = draw_text(numbers, 1, symbols);
    made.by_order = options.pairs;
    if (!options.pairs) {
      made.b.resize(1 + below(numbers, std::min<std::size_t>(made.b.size(), 6)));
      if (one_in(numbers, 3))
        made.b[0] += draw_text(numbers, below(numbers, tiny ? 200 : 5000), symbols);
    }
    return made;
  };
  trial.check = [=, &context](const Case& one, Rng& numbers) -> Outcome {
    SearchOptions asked = options;
    if (!options.best || one_in(numbers, 2))
      asked.most = static_cast<std::uint32_t>(below(numbers, 2 + longest / 4));
    if (!asked.most) asked.best = true;
    asked.threads = below(numbers, 3);
    if (one_in(numbers, 3)) asked.memory = 1000 + below(numbers, 100'000);
    struct Found {
      std::size_t query, target, start, end;
      char strand;
      std::uint32_t distance;
      std::string cigar;
      auto operator<=>(const Found&) const = default;
    };
    seq::Batch a, b;
    for (std::size_t i = 0; i < one.a.size(); ++i) a.push_back({std::to_string(i), one.a[i]});
    for (std::size_t i = 0; i < one.b.size(); ++i) b.push_back({std::to_string(i), one.b[i]});
    std::vector<Found> found;
    Devices& devices = one_in(numbers, 4) ? *context.several : *context.devices;
    devices.search(a, b, asked, [&](const Occurrence& each) {
      found.push_back({std::stoul(std::string(each.query)), std::stoul(std::string(each.target)),
                       each.start, each.end, each.strand, each.distance, std::string(each.cigar)});
    });
    // Ends, each with its least distance, of each query with each target on each strand.
    std::size_t next = 0;
    for (std::size_t q = 0; q < one.a.size(); ++q) {
      struct End {
        std::size_t target, end;
        char strand;
        std::uint32_t distance;
      };
      std::vector<End> ends;
      std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
      for (std::size_t t = options.pairs ? q : 0; t < (options.pairs ? q + 1 : one.b.size()); ++t)
        for (const char strand : std::string_view(options.both_strands ? "+-" : "+")) {
          const std::string query =
              strand == '+' ? one.a[q] : search::reverse_complement(one.a[q], one.b[t]);
          test::each_column(query, one.b[t], symbols.code, true,
                            [&](std::size_t j, std::int64_t cost) {
                              const auto distance = static_cast<std::uint32_t>(cost);
                              least = std::min(least, distance);
                              if (!asked.most || distance <= *asked.most)
                                ends.push_back({t, j, strand, distance});
                            });
        }
      // Occurrences of no symbols are left out, and whatever lies beside them.
      const bool some_empty = asked.most && *asked.most >= one.a[q].size();
      std::size_t of_query = 0;
      for (; next + of_query < found.size() && found[next + of_query].query == q; ++of_query) {
        const Found& each = found[next + of_query];
        const std::string query = each.strand == '+'
                                      ? one.a[q]
                                      : search::reverse_complement(one.a[q], one.b[each.target]);
        const std::string what = "query " + std::to_string(q) + " in " +
                                 std::to_string(each.target) + " at " + std::to_string(each.start) +
                                 ".." + std::to_string(each.end) + each.strand +
                                 std::to_string(each.distance);
        const auto same = std::find_if(ends.begin(), ends.end(), [&](const End& end) {
          return end.target == each.target && end.end == each.end && end.strand == each.strand &&
                 end.distance == each.distance;
        });
        if (same == ends.end()) return {what + " is none"};
        if (asked.best && each.distance != least) return {what + " is not the best"};
        const std::string part = one.b[each.target].substr(each.start, each.end - each.start);
        if (distance_of(query, part, symbols.code) != each.distance)
          return {what + " has another distance"};
      }
      if (asked.all_ends && !asked.best && !some_empty && of_query != ends.size())
        return {"query " + std::to_string(q) + ": " + std::to_string(of_query) +
                " ends instead of " + std::to_string(ends.size())};
      // One of each run of ends side by side, its best.
      std::size_t runs = 0;
      for (std::size_t i = 0; i < ends.size(); ++i)
        runs += i == 0 || ends[i].target != ends[i - 1].target ||
                        ends[i].strand != ends[i - 1].strand || ends[i].end != ends[i - 1].end + 1
                    ? 1u
                    : 0u;
      if (!asked.all_ends && !asked.best && !some_empty && of_query != runs)
        return {"query " + std::to_string(q) + ": " + std::to_string(of_query) +
                " occurrences instead of " + std::to_string(runs)};
      if (asked.best && !some_empty && of_query == 0 && !ends.empty())
        return {"query " + std::to_string(q) + " is not found"};
      next += of_query;
    }
    return {next == found.size() ? "" : "occurrences not in the order of queries", one.a.size()};
  };
  return trial;
}

namespace {

#ifdef RHOMB_HAVE_PARASAIL
/// By parasail: matches score 1, everything else nothing.
std::int64_t lcs_by_parasail(const std::string& a, const std::string& b) {
  static parasail_matrix_t* const matrix =
      parasail_matrix_create("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1, 0);
  parasail_result_t* const result = parasail_nw_scan_32(
      a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()), 0, 0, matrix);
  const int score = parasail_result_get_score(result);
  parasail_result_free(result);
  return score;
}
#endif

std::uint32_t lcs_of(const std::string& a, const std::string& b, const Symbols& symbols) {
  const std::uint32_t length = reference::lcs_length(a, b, symbols.code);
#ifdef RHOMB_HAVE_PARASAIL
  if (!symbols.nucleotides && symbols.letters <= 26 && !a.empty() && !b.empty() &&
      lcs_by_parasail(a, b) != length)
    throw std::logic_error("parasail says another length than the reference");
#endif
  return length;
}

}  // namespace

Trial lcs_trial(Rng& rng, Context& context) {
  const lcs::Variant& variant = draw_variant(rng, lcs::variants());
  const Symbols symbols = draw_symbols(rng);
  const tune::Config config = draw_config(rng, variant.space);
  constexpr std::size_t kLongest[] = {40, 130, 130, 300, 300, 1100};
  const std::size_t longest = draw_longest(rng, kLongest);
  {
    const std::string text(longest, 'A');
    const std::string_view target = text;
    lcs::Problem problem;
    problem.query = text;
    problem.targets = {&target, 1};
    problem.code = &symbols.code;
    lcs::plan(variant, problem, context.device->limits(), config);  // or does not fit
  }
  Trial trial;
  trial.what = named(variant.name, config, symbols) + ", up to " + std::to_string(longest);
  trial.draw = [=](Rng& numbers) {
    Case made = draw_pairs(numbers, draw_count(numbers, 4 + 6000 / longest), longest, symbols);
    made.a.resize(1 + below(numbers, std::min<std::size_t>(made.a.size(), 5)));
    made.by_order = false;
    return made;
  };
  trial.check = [=, &variant, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    const auto queries = views(one.a), targets = views(one.b);
    lcs::Problem problem;
    problem.queries = queries;
    problem.targets = targets;
    problem.code = &symbols.code;
    problem.threads = below(numbers, 3);
    const lcs::Answer answer = lcs::solve(device, variant, problem, config);
    for (std::size_t i = 0; i < one.a.size() * one.b.size(); ++i) {
      const std::string &query = one.a[i / one.b.size()], &target = one.b[i % one.b.size()];
      std::string wrong = differ("length " + std::to_string(i), answer.lengths.at(i),
                                 lcs_of(query, target, symbols));
      if (!wrong.empty()) return {wrong};
    }
    return {"", one.a.size() * one.b.size()};
  };
  return trial;
}

namespace {

#ifdef RHOMB_HAVE_PARASAIL
/// The best score of any number of gaps by parasail, for matches and mismatches of letters.
std::int64_t score_by_parasail(const std::string& query, const std::string& target,
                               const gaps::Scoring& scoring, gaps::Ends ends) {
  parasail_matrix_t* const matrix = parasail_matrix_create(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ", scoring.pair('A', 'A'), scoring.pair('A', 'B'));
  const auto run = ends == gaps::Ends::kGlobal   ? parasail_nw_scan_32
                   : ends == gaps::Ends::kPrefix ? parasail_sg_de_scan_32
                                                 : parasail_sg_dx_scan_32;
  parasail_result_t* const result =
      run(query.data(), static_cast<int>(query.size()), target.data(),
          static_cast<int>(target.size()), -scoring.open, -scoring.extend, matrix);
  const int score = parasail_result_get_score(result);
  parasail_result_free(result);
  parasail_matrix_free(matrix);
  // parasail leaves out the end of a free text in front of its first symbol.
  const std::int64_t alone = scoring.gap(static_cast<std::int64_t>(query.size()));
  return ends == gaps::Ends::kGlobal ? score : std::max<std::int64_t>(score, alone);
}
#endif

}  // namespace

Trial gaps_trial(Rng& rng, Context& context) {
  const gaps::Variant& variant = draw_variant(rng, gaps::variants());
  const int letters = 1 + static_cast<int>(below(rng, one_in(rng, 4) ? 26 : 5));
  const tune::Config config = draw_config(rng, variant.space);
  gaps::Rules rules = test::random_rules(rng, one_in(rng, 5) ? 32 : 4);
  if (rules.band && one_in(rng, 2)) rules.band = static_cast<std::uint32_t>(below(rng, 80));
  if (rules.band && one_in(rng, 10)) rules.band = 0xffffffffu >> below(rng, 3);
  const bool align = one_in(rng, 2);
  constexpr std::size_t kLongest[] = {24, 40, 70, 70, 200, 400};
  const std::size_t longest = draw_longest(rng, kLongest);
  const gaps::Scoring scoring = test::random_scoring(rng, letters);
  {
    const std::string text(longest, 'A');
    const std::string_view view = text;
    const gaps::Task task{0, 0};
    gaps::Problem problem;
    problem.queries = problem.targets = {&view, 1};
    problem.tasks = {&task, 1};
    problem.scoring = &scoring;
    problem.rules = rules;
    problem.align = align;
    gaps::plan(variant, problem, context.device->limits(), config);  // or does not fit
  }
  Symbols symbols;
  symbols.letters = letters;
  symbols.code = test::whole_code(letters);
  Trial trial;
  trial.what = named(variant.name, config, symbols) + ", " + test::shown(rules) +
               (align ? ", alignments" : "") + ", up to " + std::to_string(longest);
  trial.draw = [=](Rng& numbers) {
    test::GapTasks tasks;
    for (std::size_t i = draw_count(numbers, 10 + 8000 / longest); i > 0; --i)
      test::add_random(tasks, numbers, draw_length(numbers, longest), letters);
    Case made{std::move(tasks.queries), std::move(tasks.targets)};
    if (one_in(numbers, 3)) {
      auto [a, b] = draw_pair(numbers, longest, symbols);
      made.a.push_back(a);
      made.b.push_back(b);
    }
    return made;
  };
  trial.check = [=, &variant, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    const auto queries = views(one.a), targets = views(one.b);
    std::vector<gaps::Task> tasks;
    for (std::uint32_t i = 0; i < queries.size(); ++i) tasks.push_back({i, i});
    gaps::Problem problem;
    problem.queries = queries;
    problem.targets = targets;
    problem.tasks = tasks;
    problem.scoring = &scoring;
    problem.rules = rules;
    problem.align = align;
    problem.threads = below(numbers, 3);
    const gaps::Answer answer = gaps::solve(device, variant, problem, config);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const gaps::Best expected = gaps::reference::best(queries[i], targets[i], scoring, rules);
      const std::string what = "task " + std::to_string(i) + ": ";
      if (!(answer.best[i] == expected))
        return {what + test::shown(answer.best[i]) + " instead of " + test::shown(expected)};
#ifdef RHOMB_HAVE_PARASAIL
      // With so many gaps there is no bound on them.
      const bool alike = scoring.pair('A', 'A') == scoring.pair('B', 'B') || letters == 1;
      bool plain = letters <= 26 && !rules.strict && !rules.band;
      for (int x = 0; x < letters && plain; ++x)
        for (int y = 0; y < letters && plain; ++y)
          plain = scoring.pair(static_cast<char>('A' + x), static_cast<char>('A' + y)) ==
                  (x == y ? scoring.pair('A', 'A') : scoring.pair('A', 'B'));
      if (plain && alike && letters > 1 && !queries[i].empty() && !targets[i].empty() &&
          static_cast<std::size_t>(rules.gaps) >
              2 * std::min(queries[i].size(), targets[i].size()) + 1 &&
          score_by_parasail(one.a[i], one.b[i], scoring, rules.ends) != expected.score)
        throw std::logic_error(what + "parasail says another score than the reference");
#endif
      if (!align || !expected.found()) continue;
      try {
        gaps::prove(answer.alignments[i], expected, queries[i], targets[i], scoring, rules);
      } catch (const Error& error) {
        return {what + error.what()};
      }
    }
    return {"", tasks.size()};
  };
  return trial;
}

namespace {

/// The ends by their definition: M(j, x) for each x.
std::vector<std::uint32_t> ends_of(const primer::Problem& problem) {
  std::vector<std::uint32_t> ends;
  for (std::uint32_t j = problem.first; j < problem.last; ++j) {
    // Rows of Sellers' matrix, whose least number is M; no symbol matches itself.
    const auto longest = static_cast<std::uint32_t>(
        std::min<std::size_t>(problem.alpha.size() - j, problem.longest));
    std::vector<std::vector<std::uint32_t>> rows;
    for (const auto text : problem.texts) rows.emplace_back(text.size() + 1, 0);
    std::uint32_t end = primer::kNone;
    for (std::uint32_t length = 0; length <= longest; ++length) {
      std::uint32_t least = length;
      for (std::size_t t = 0; t < rows.size(); ++t) {
        auto& row = rows[t];
        if (length > 0) {
          const std::uint32_t i = j + length - 1;
          std::uint32_t corner = row[0]++;
          for (std::size_t c = 0; c + 1 < row.size(); ++c) {
            const bool self =
                problem.self && problem.self->text == t && c == problem.self->begin + i;
            const bool match = !self && problem.code->match(problem.alpha[i], problem.texts[t][c]);
            const std::uint32_t value =
                std::min({corner + (match ? 0u : 1u), row[c + 1] + 1, row[c] + 1});
            corner = row[c + 1];
            row[c + 1] = value;
          }
        }
        least = std::min(least, *std::min_element(row.begin(), row.end()));
      }
      if (least >= problem.k && length >= problem.shortest && length > 0) {
        end = j + length;
        break;
      }
    }
    ends.push_back(end);
  }
  return ends;
}

}  // namespace

Trial primer_trial(Rng& rng, Context& context) {
  const primer::Variant& variant = draw_variant(rng, primer::variants());
  Symbols symbols = draw_symbols(rng);
  const tune::Config config = draw_config(rng, variant.space);
  constexpr std::size_t kLongest[] = {16, 30, 60, 100};
  const std::size_t longest = draw_longest(rng, kLongest);
  const std::size_t most_k = 1 + below(rng, 9);
  {
    const std::string_view text = "ACGT";
    primer::Problem problem;
    problem.alpha = text;
    problem.last = 4;
    problem.texts = {&text, 1};
    problem.code = &symbols.code;
    primer::plan(variant, problem, context.device->limits(), config);  // or does not fit
  }
  Trial trial;
  trial.what = named(variant.name, config, symbols) + ", up to " + std::to_string(longest);
  trial.draw = [=](Rng& numbers) {
    Case made;
    made.by_order = false;
    auto [alpha, beta] = draw_pair(numbers, longest, symbols);
    if (alpha.empty()) alpha = draw_text(numbers, 1, symbols);
    for (std::size_t i = below(numbers, 4); i > 0; --i) {
      std::string text = draw_text(numbers, draw_length(numbers, 2 * longest), symbols);
      if (one_in(numbers, 2)) {
        const auto [at, size] = test::recipe::piece(numbers, alpha, longest);
        text.insert(below(numbers, text.size() + 1),
                    draw_edited(numbers, alpha.substr(at, size), 0.1, symbols));
      }
      made.b.push_back(std::move(text));
    }
    if (made.b.empty() || one_in(numbers, 2)) made.b.push_back(std::move(beta));
    made.a.push_back(std::move(alpha));
    return made;
  };
  trial.check = [=, &variant, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    const std::string& alpha = one.a[0];
    std::vector<std::string> texts = one.b;
    primer::Problem problem;
    problem.k = static_cast<std::uint32_t>(1 + below(numbers, most_k));
    if (one_in(numbers, 4)) problem.shortest = static_cast<std::uint32_t>(below(numbers, 20));
    if (one_in(numbers, 4)) problem.longest = 1 + static_cast<std::uint32_t>(below(numbers, 25));
    if (one_in(numbers, 3) && !texts.empty() && symbols.code.same_tables()) {
      const std::size_t text = below(numbers, texts.size());
      const std::size_t at = below(numbers, texts[text].size() + 1);
      texts[text].insert(at, alpha);
      problem.self = primer::Self{static_cast<std::uint32_t>(text), static_cast<std::uint32_t>(at)};
    }
    const auto all = views(texts);
    problem.alpha = alpha;
    problem.texts = all;
    problem.last = static_cast<std::uint32_t>(alpha.size());
    if (one_in(numbers, 5) && !alpha.empty()) {
      problem.first = static_cast<std::uint32_t>(below(numbers, alpha.size()));
      problem.last = problem.first +
                     static_cast<std::uint32_t>(below(numbers, alpha.size() - problem.first + 1));
    }
    problem.code = &symbols.code;
    problem.threads = below(numbers, 3);
    const auto expected = ends_of(problem);
    const auto got = primer::solve(device, variant, problem, config).ends;
    std::string wrong = differ("starts", got.size(), expected.size());
    for (std::size_t i = 0; i < expected.size() && wrong.empty(); ++i)
      wrong = differ("k " + std::to_string(problem.k) + ", " + std::to_string(problem.shortest) +
                         " to " + std::to_string(problem.longest) + " symbols, start " +
                         std::to_string(problem.first + i),
                     got[i], expected[i]);
    return {wrong};
  };
  return trial;
}

}  // namespace rhomb::campaign
