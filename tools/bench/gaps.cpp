// SPDX-License-Identifier: Apache-2.0
// rhomb bench gaps: variants and configurations of alignments with at most k gaps, all queries with
// all targets, the data in place and whole runs; the reference and parasail on one core beside.
#include "host/gaps/gaps.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "host/batch/texts.h"
#include "host/gaps/reference.h"
#include "tools/bench/cases.h"
#ifdef RHOMB_HAVE_PARASAIL
#include <parasail.h>
#endif

namespace rhomb::cli {
namespace {

Help gaps_bench_help() {
  return {
      "rhomb bench gaps [options]",
      R"(Measures variants of rhomb gaps: random queries and targets of four letters, every query with every
target, EDNAFULL with gaps of 10 and 0.5, for each number of gaps, length and number of targets. The
variants that end with b or h, and gaps-lanes with --align, walk back to the alignments too. All scores
are compared with each other, and with the reference's on a sample; exit code 6 if they differ. On one
core run beside: reference, the plain recurrence, with --align one that keeps its layers and walks back; without
--align and where it was found when rhomb was built parasail (its fastest for prefixes, sg_de_scan_16),
which has no bound on gaps. Each case, a variant with a
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

Group gaps_bench_group() {
  return {"Work",
          {{"max-gaps", "K,...", "gaps of an alignment, at most (default: 2)"},
           {"length", "M,...", "length of the queries (default: 200)"},
           {"target-length", "N", "length of the targets (default: 250)"},
           {"queries", "N", "how many (default: 100, as the paper has)"},
           {"targets", "N,...", "how many (default: 2048 on a GPU, 64 on a CPU)"},
           {"align", "", "gaps-lanes and the reference walk back to the alignments too"}}};
}

/// All queries with the first ones of the targets, over four letters; targets are like queries,
/// with pieces left out or put in.
class GapsWork {
 public:
  using Items = std::vector<gaps::Best>;
  static constexpr std::string_view kItems = "pairs";

  GapsWork(ocl::Device& device, int gaps, std::size_t m, std::size_t n, std::size_t queries,
           std::size_t targets, bool align)
      : device_(device), m_(m), n_(n), align_(align) {
    rules_.gaps = gaps;
    std::mt19937_64 random(1);
    const auto text = [&](std::size_t length) {
      std::string made;
      while (made.size() < length) made += "ACGT"[random() & 3];
      return made;
    };
    for (std::size_t i = 0; i < queries; ++i) query_memory_.add(text(m));
    for (std::size_t i = 0; i < targets; ++i) {
      std::string target(query_memory_[i % queries]);
      for (char& c : target)
        if (random() % 20 == 0) c = "ACGT"[random() & 3];
      target.erase(random() % target.size(), random() % 8);
      target.insert(random() % (target.size() + 1), text(random() % 8));
      target += text(n);
      target_memory_.add(target.substr(0, n));
    }
    queries_ = query_memory_.views();
    targets_ = target_memory_.views();
    for (std::uint32_t t = 0; t < targets; ++t)
      for (std::uint32_t q = 0; q < queries; ++q) tasks_.push_back({q, t});
  }

  static auto variants() { return gaps::variants(); }
  std::string name() const {
    return text_of(std::to_string(rules_.gaps), " gaps, ", std::to_string(m_), " symbols");
  }
  Json columns(const Case& one, std::size_t count) const {
    return {{"gaps", rules_.gaps},
            {"m", m_},
            {"n", n_},
            {"queries", queries_.size()},
            {"targets", std::max<std::size_t>(1, count / queries_.size())},
            {"align", one.variant.empty() ? align_ : walks(one.variant)}};
  }
  double cells(std::size_t count) const {
    return static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(count);
  }
  gaps::Answer run(const gaps::Variant& variant, const tune::Config& config, std::size_t count) {
    gaps::Problem problem = problem_of(std::span(tasks_).first(count));
    problem.align = walks(variant.name);
    problem.repeats = 1;
    return gaps::solve(variant.uses_opencl() ? &device_ : nullptr, variant, problem, config);
  }
  static const Items& items(const gaps::Answer& answer) { return answer.best; }
  std::string words(const gaps::Best& best) const {
    return text_of("score ", scoring_.text(best.score), ", end ", std::to_string(best.end));
  }
  static double seconds(const gaps::Answer& answer) { return answer.kernel; }
  static std::optional<double> whole(const gaps::Answer& answer) {
    return answer.compute + answer.transfer;
  }
  Items reference(const std::vector<std::size_t>& numbers) {
    std::vector<gaps::Task> tasks;
    for (const std::size_t i : numbers) tasks.push_back(tasks_[i]);
    return gaps::solve(nullptr, variants().back(), problem_of(tasks)).best;
  }
  /// The first alignments are gone through again.
  void check(const CaseResult&, const gaps::Answer& answer) const {
    for (std::size_t i = 0; i < std::min<std::size_t>(20, answer.alignments.size()); ++i)
      if (answer.best[i].found())
        gaps::prove(answer.alignments[i], answer.best[i], query(i), target(i), scoring_, rules_);
  }
  std::vector<CasePeer<gaps::Best>> peers() const {
    std::vector<CasePeer<gaps::Best>> all;
    if (align_) {
      all.push_back({"reference", [this](std::size_t i, const gaps::Best& expected) {
                       if (!expected.found()) return "";
                       const auto made =
                           gaps::reference::align(query(i), target(i), scoring_, rules_, expected);
                       gaps::prove(made, expected, query(i), target(i), scoring_, rules_);
                       return "";
                     }});
      return all;
    }
#ifdef RHOMB_HAVE_PARASAIL
    const std::shared_ptr<parasail_matrix_t> matrix(
        parasail_matrix_create("ACGT", scoring_.pair('A', 'A'), scoring_.pair('A', 'C')),
        parasail_matrix_free);
    all.push_back({"parasail", [this, matrix](std::size_t i, const gaps::Best& expected) {
                     const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> made(
                         parasail_sg_de_scan_16(query(i).data(), static_cast<int>(query(i).size()),
                                                target(i).data(),
                                                static_cast<int>(target(i).size()), -scoring_.open,
                                                -scoring_.extend, matrix.get()),
                         parasail_result_free);
                     // With any number of gaps there is nothing worse.
                     return made->score >= expected.score ? "" : scoring_.text(made->score);
                   }});
#endif
    all.push_back({"reference", [this](std::size_t i, const gaps::Best& expected) {
                     const auto best = gaps::reference::best(query(i), target(i), scoring_, rules_);
                     return best == expected ? "" : words(best);
                   }});
    return all;
  }

 private:
  bool walks(std::string_view variant) const {
    return variant.ends_with("-b") || variant.ends_with("-h") ||
           (align_ && variant == "gaps-lanes");
  }
  std::string_view query(std::size_t i) const { return queries_[tasks_[i].query]; }
  std::string_view target(std::size_t i) const { return targets_[tasks_[i].target]; }
  gaps::Problem problem_of(std::span<const gaps::Task> tasks) const {
    gaps::Problem problem;
    problem.queries = queries_;
    problem.targets = targets_;
    problem.tasks = tasks;
    problem.scoring = &scoring_;
    problem.rules = rules_;
    return problem;
  }

  ocl::Device& device_;
  gaps::Scoring scoring_ =
      gaps::make_scoring(gaps::find_matrix("EDNAFULL"), {10'000'000}, {500'000});
  gaps::Rules rules_;
  std::size_t m_, n_;
  bool align_;
  batch::Texts query_memory_, target_memory_;
  std::vector<std::string_view> queries_, targets_;
  std::vector<gaps::Task> tasks_;
};

}  // namespace

int bench_gaps(int argc, const char* const* argv) {
  CommandLine line(gaps_bench_help(),
                   {gaps_bench_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto gaps = parse_lengths(line, "max-gaps", "2", 0, gaps::kMostGaps);
  const auto lengths = parse_lengths(line, "length", "200", 1, 65'536);
  const auto n = static_cast<std::size_t>(
      parse_length(line.text("target-length", "250"), "--target-length", 1, 65'536));
  const auto queries = static_cast<std::size_t>(line.count("queries", 100, 1));
  return run_cases(
      line, gaps::variants(),
      [&](Session& session, Progress& progress, const std::vector<Case>& cases,
          const TimeShare& share) {
        const auto counts = parse_lengths(line, "targets",
                                          session.info()->limits.gpu ? "2048" : "64", 1, 1'000'000);
        CaseBench<GapsWork> bench(progress, line);
        for (const std::int64_t k : gaps)
          for (const std::int64_t m : lengths) {
            GapsWork work(*session.open(), static_cast<int>(k), static_cast<std::size_t>(m), n,
                          queries, static_cast<std::size_t>(counts.back()), line.has("align"));
            bench.begin();
            for (const std::int64_t count : counts)
              bench.measure_all(work, queries * static_cast<std::size_t>(count), cases, share);
          }
        return bench.results;
      });
}

}  // namespace rhomb::cli
