// SPDX-License-Identifier: Apache-2.0
// rhomb bench gaps: variants and configurations of alignments with at most k gaps, all queries with
// all targets, the data in place and whole runs; the reference and parasail on one core beside.
#include "host/gaps/gaps.h"

#include <algorithm>
#include <optional>
#include <random>

#include "host/gaps/reference.h"
#include "tools/bench/bench.h"
#include "tools/bench/cases.h"
#ifdef RHOMB_HAVE_PARASAIL
#include <parasail.h>
#endif

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb bench gaps [options]",
      R"(Measures variants of rhomb gaps: random queries and targets of four letters, every query with every
target, EDNAFULL with gaps of 10 and 0.5, for each number of gaps, length and number of targets. The
variants that end with b or h, and gaps-lanes with --align, walk back to the alignments too. All scores
are compared with each other, and with the reference's on a sample; exit code 6 if they differ. On one
core run beside: reference, the plain recurrence, and where it was found when rhomb was built parasail
(its fastest for prefixes, sg_de_scan_16), which has no bound on gaps. Each case, a variant with a
configuration, is a record:
  program, variant, config, device, gaps, m, n, queries, targets, align, runs
  seconds, gcups               of the launches, the data in place; the median; cells are those of one layer
  seconds_whole, gcups_whole   with packing, copies and reads; the median
  cores                        how many of a CPU are used; NA for a GPU
  times_peer, times_peer_core  gcups / that of the reference for the same work; the same / cores
  note                         why it was not measured; -
JSON also has the key asked: the configuration as it was asked for.
)",
      R"(  rhomb bench gaps --format table
  rhomb bench gaps --max-gaps 1,2,3 --queries 200 --targets 1024 --case gaps-lanes
  rhomb bench gaps --length 50,100,150,200 --target-length 250 --targets 16,2048 --format json
  rhomb bench gaps --align --case gaps-lanes --case multi-b --case 'single-b WG=64/128'
)"};
}

Group work_group() {
  return {"Work",
          {{"max-gaps", "K,...", "gaps of an alignment, at most (default: 2)"},
           {"length", "M,...", "length of the queries (default: 200)"},
           {"target-length", "N", "length of the targets (default: 250)"},
           {"queries", "N", "how many (default: 100, as the paper has)"},
           {"targets", "N,...", "how many (default: 2048 on a GPU, 64 on a CPU)"},
           {"align", "", "gaps-lanes walks back to the alignments too"}}};
}

/// Texts over four letters; targets are like queries, with pieces left out or put in.
struct Work {
  std::vector<std::string> queries, targets;
  std::vector<std::string_view> query_views, target_views;
  std::vector<gaps::Task> tasks;

  Work(std::size_t count, std::size_t m, std::size_t most, std::size_t n) {
    std::mt19937_64 random(1);
    const auto text = [&](std::size_t length) {
      std::string made;
      while (made.size() < length) made += "ACGT"[random() & 3];
      return made;
    };
    for (std::size_t i = 0; i < count; ++i) queries.push_back(text(m));
    for (std::size_t i = 0; i < most; ++i) {
      std::string target = queries[i % count];
      for (char& c : target)
        if (random() % 20 == 0) c = "ACGT"[random() & 3];
      target.erase(random() % target.size(), random() % 8);
      target.insert(random() % (target.size() + 1), text(random() % 8));
      target += text(n);
      target.resize(n);
      targets.push_back(std::move(target));
    }
    query_views.assign(queries.begin(), queries.end());
    target_views.assign(targets.begin(), targets.end());
    for (std::uint32_t t = 0; t < most; ++t)
      for (std::uint32_t q = 0; q < count; ++q) tasks.push_back({q, t});
  }
};

class GapsBench {
 public:
  GapsBench(Session& session, Progress& progress, const CommandLine& line)
      : session_(session),
        progress_(progress),
        scoring_(gaps::make_scoring(gaps::find_matrix("EDNAFULL"), {10'000'000}, {500'000})),
        runs_(line.count("runs", 3, 1)),
        n_(static_cast<std::size_t>(
            parse_length(line.text("target-length", "250"), "--target-length", 1, 65'536))),
        queries_(static_cast<std::size_t>(line.count("queries", 100, 1))),
        targets_(parse_lengths(line, "targets", session.info()->limits.gpu ? "2048" : "64", 1,
                               1'000'000)),
        align_(line.has("align")) {}

  /// All cases for queries of m symbols and so many gaps.
  void measure(int gaps, std::size_t m, const std::vector<Case>& cases, const TimeShare& share) {
    const auto most = static_cast<std::size_t>(std::ranges::max(targets_));
    const Work work(queries_, m, most, n_);
    std::vector<std::int32_t> expected;
    for (const std::int64_t targets : targets_) {
      for (const Case& one : cases) {
        CaseResult result = result_of(gaps, m, static_cast<std::size_t>(targets), one);
        if (share.left() > 0)
          measure(result, work, gaps, expected, share);
        else
          result.why = kNoTime;
        results_.push_back(std::move(result));
      }
    }
    if (!expected.empty()) run_peers(work, gaps, m, expected);
  }

  const std::vector<CaseResult>& results() const { return results_; }

 private:
  static bool walks(const Case& one) {
    return one.variant.ends_with("-b") || one.variant.ends_with("-h");
  }

  CaseResult result_of(int gaps, std::size_t m, std::size_t targets, const Case& one) const {
    CaseResult result{.asked = one};
    const bool align = walks(one) || (align_ && one.variant.ends_with("gaps-lanes"));
    result.work = {{"gaps", gaps},       {"m", m},        {"n", n_}, {"queries", queries_},
                   {"targets", targets}, {"align", align}};
    result.peer_group = text_of(std::to_string(gaps), " gaps, ", std::to_string(m), " symbols");
    result.cells = static_cast<double>(m) * static_cast<double>(n_) *
                   static_cast<double>(queries_) * static_cast<double>(targets);
    return result;
  }

  gaps::Problem problem_of(const Work& work, int gaps, std::size_t targets) const {
    gaps::Problem problem;
    problem.queries = work.query_views;
    problem.targets = std::span(work.target_views).first(targets);
    problem.tasks = std::span(work.tasks).first(targets * queries_);
    problem.scoring = &scoring_;
    problem.rules.gaps = gaps;
    return problem;
  }

  void compare(const CaseResult& result, std::size_t i, std::int32_t found, std::int32_t right,
               std::string_view who) const {
    if (found == right) return;
    throw CheckError(text_of(result.name(), ", ", result.peer_group, ": pair ", std::to_string(i),
                             " scores ", scoring_.text(found), "; ", who, " ", scoring_.text(right),
                             "; please report this"));
  }

  void check(const CaseResult& result, const Work& work, const gaps::Problem& problem,
             const gaps::Answer& answer, std::vector<std::int32_t>& expected) const {
    for (std::size_t i = 0; i < answer.best.size(); ++i) {
      if (i < expected.size())
        compare(result, i, answer.best[i].score, expected[i], "others say");
      else
        expected.push_back(answer.best[i].score);
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(20, answer.best.size()); ++i) {
      const std::string_view query = work.query_views[problem.tasks[i].query];
      const std::string_view target = work.target_views[problem.tasks[i].target];
      const auto best = gaps::reference::best(query, target, scoring_, problem.rules);
      compare(result, i, answer.best[i].score, best.score, "the reference says");
      if (problem.align && best.found())
        gaps::prove(answer.alignments[i], best, query, target, scoring_, problem.rules);
    }
  }

  void measure(CaseResult& result, const Work& work, int gaps, std::vector<std::int32_t>& expected,
               const TimeShare& share) {
    const auto& variant = find_variant(gaps::variants(), result.asked.variant);
    const auto targets = result.work.at("targets").get<std::size_t>();
    progress_.start(
        text_of(result.name(), ", ", result.peer_group, ", ", std::to_string(targets), " targets"));
    attempt(result, variant.uses_cuda(), [&] {
      std::vector<double> kernel, whole;
      gaps::Problem problem = problem_of(work, gaps, targets);
      problem.align = result.work.at("align").get<bool>();
      problem.repeats = 1;
      while (static_cast<int>(kernel.size()) < runs_ && (kernel.empty() || share.left() > 0)) {
        const gaps::Answer answer = gaps::solve(variant.uses_opencl() ? session_.open() : nullptr,
                                                variant, problem, result.asked.config);
        kernel.push_back(answer.kernel);
        whole.push_back(answer.compute + answer.transfer);
        if (kernel.size() == 1) check(result, work, problem, answer, expected);
        result.config = answer.config;
      }
      result.runs = static_cast<int>(kernel.size());
      result.kernel = median(kernel);
      result.whole = median(whole);
    });
    progress_.finish();
  }

  /// On a sample of the pairs whose scores are known.
  void run_peers(const Work& work, int gaps, std::size_t m,
                 const std::vector<std::int32_t>& expected) {
    const auto add = [&](const char* name, const auto& score) {
      CaseResult result = result_of(gaps, m, 1, {});
      result.program = name;
      progress_.start(text_of(name, ", ", result.peer_group));
      const std::size_t count = time_peer(result, expected.size(), runs_, 0.3, [&](std::size_t i) {
        score(result, i, work.query_views[work.tasks[i].query],
              work.target_views[work.tasks[i].target]);
      });
      result.cells = static_cast<double>(m) * static_cast<double>(n_) * static_cast<double>(count);
      results_.push_back(std::move(result));
      progress_.finish();
    };
#ifdef RHOMB_HAVE_PARASAIL
    const std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> matrix(
        parasail_matrix_create("ACGT", scoring_.pair('A', 'A'), scoring_.pair('A', 'C')),
        parasail_matrix_free);
    add("parasail", [&](const CaseResult& result, std::size_t i, std::string_view query,
                        std::string_view target) {
      const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> made(
          parasail_sg_de_scan_16(query.data(), static_cast<int>(query.size()), target.data(),
                                 static_cast<int>(target.size()), -scoring_.open, -scoring_.extend,
                                 matrix.get()),
          parasail_result_free);
      // With any number of gaps there is nothing worse.
      if (made->score < expected[i]) compare(result, i, made->score, expected[i], "others say");
    });
#endif
    add("reference", [&](const CaseResult& result, std::size_t i, std::string_view query,
                         std::string_view target) {
      gaps::Rules rules;
      rules.gaps = gaps;
      compare(result, i, gaps::reference::best(query, target, scoring_, rules).score, expected[i],
              "others say");
    });
  }

  Session& session_;
  Progress& progress_;
  gaps::Scoring scoring_;
  int runs_;
  std::size_t n_, queries_;
  std::vector<std::int64_t> targets_;
  bool align_;
  std::vector<CaseResult> results_;
};

}  // namespace

int bench_gaps(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {work_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto cases = parse_cases(line, gaps::variants());
  const auto gaps = parse_lengths(line, "max-gaps", "2", 0, gaps::kMostGaps);
  const auto lengths = parse_lengths(line, "length", "200", 1, 65'536);
  const TimeShare share = parse_budget(line);
  Bench bench(line);
  Session& session = bench.open(true);
  GapsBench measuring(session, bench.progress, line);
  for (const std::int64_t k : gaps)
    for (const std::int64_t m : lengths)
      measuring.measure(static_cast<int>(k), static_cast<std::size_t>(m), cases, share);
  bench.write(records_of(measuring.results(), *session.info()));
  return 0;
}

}  // namespace rhomb::cli
