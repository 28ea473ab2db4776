// SPDX-License-Identifier: Apache-2.0
// rhomb bench search: variants and configurations of the search on many pairs of a query and a
// candidate, the data in place and with copies, and edlib beside; all answers compared.
#include "host/search/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "host/seq/reader.h"
#include "tools/bench/bench.h"
#include "tools/bench/cases.h"
#include "tools/bench/peer.h"
#include "tools/bench/search_pool.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kFirst = "strips-batch";  ///< others are compared with it
constexpr std::size_t kPairs = 20'000'000;           ///< as Chacon et al. 2014 have them

Help help() {
  return {
      "rhomb bench search [options] [[READS] TEXT]",
      R"(Measures variants of rhomb search: queries of m symbols, each compared with up to 20 candidates of
1.2 m symbols. Queries are cut from READS where these are long enough, else they are copies of pieces
of TEXT with edits at 5% of the positions. Candidates are the places of TEXT that share words with the
query, and random places. Without files TEXT is random.

A case is a variant with a configuration. First strips-batch as it is planned runs on all pairs, then
each case on as many as it computes in about --limit seconds, then the fastest case of each variant on
five times as many, also with copies. All answers are compared with each other,
and with the reference's and edlib's on a sample; exit code 6 if they differ. Each case is a record:
  program, variant, config, device, m, n, pairs, runs
  seconds, gcups               of the launches, the data in place; the median
  seconds_whole, gcups_whole   with copies of queries, tasks and answers; NA but for the fastest case
                               of each variant
  cores                        how many of a CPU are used; NA for a GPU
  times_peer, times_peer_core  gcups / that of edlib (mode HW, one core) for this m; the same / cores
  note                         why it was not measured; -
JSON also has the key asked: the configuration as it was asked for.
)",
      R"(  rhomb bench search --format table
  rhomb bench search reads.fa.gz genome.fa.gz --length 100,1000 --pairs 1M
  rhomb bench search genome.fa.gz --length 200 --case strips-batch --case 'coop W=1/2/4' --format json
)"};
}

Group work_group() {
  return {
      "Work",
      {{"length", "M,...", "lengths of the queries (default: 100,200,400,600,800,1000)"},
       {"pairs", "N", "pairs of each length (default: 20M; on a CPU, as many as take a second)"},
       {"limit", "TIME", "about the time that the launches of a case take (default: 0.1)"}}};
}

SearchMaterial read_material(const CommandLine& line) {
  auto files = line.files();
  if (files.size() > 2) line.files(2);
  seq::Batch reads, texts;
  if (files.size() == 2) reads = seq::read_file(files.front());
  if (files.empty())
    texts.push_back(random_sample(1'000'000, std::nullopt, 1).query);
  else
    texts = seq::read_file(files.back());
  return {reads, texts};
}

class SearchBench {
 public:
  SearchBench(Session& session, Progress& progress, const CommandLine& line)
      : session_(session),
        progress_(progress),
        material_(read_material(line)),
        runs_(line.count("runs", 3, 1)),
        limit_(parse_duration(line.text("limit", "0.1"), "--limit")),
        batch_(session.open()) {
    if (line.has("pairs"))
      pairs_ =
          static_cast<std::size_t>(parse_length(line.text("pairs"), "--pairs", 1, 1'000'000'000));
    if (limit_ <= 0) throw UsageError("--limit: nothing runs in no time" + line.pointer());
  }

  /// All that is measured for queries of one length.
  void measure(std::uint32_t m, const std::vector<Case>& cases, double seconds) {
    const TimeShare share(seconds);
    SearchPool pool(material_, m);
    start(pool);
    const std::size_t first = results_.size();
    results_.push_back(run(pool, {std::string(kFirst), {}}, std::nullopt, false));
    if (!results_.back().measured()) throw tune::Unfit(results_.back().why);
    check_reference(pool);
    run_peers(pool);
    for (const Case& one : cases) {
      if (one.variant == kFirst && one.config.values().empty()) continue;  // it was the first
      if (share.left() > 0.2 * seconds) {
        results_.push_back(run(pool, one, limit_, false));
      } else {
        results_.push_back(result_of(pool, one, 0));
        results_.back().why = kNoTime;
      }
    }
    run_fastest(pool, first);
  }

  const std::vector<CaseResult>& results() const { return results_; }

 private:
  bool gpu() const { return session_.info()->limits.gpu; }

  static CaseResult result_of(const SearchPool& pool, const Case& one, std::size_t pairs) {
    CaseResult result{.asked = one};
    result.work = {{"m", pool.m()}, {"n", pool.n()}, {"pairs", pairs}};
    result.peer_group = std::to_string(pool.m());
    result.cells = static_cast<double>(pairs) * pool.m() * pool.n();
    return result;
  }

  /// Runs the first `pairs` tasks: `runs` times the launches alone, or all of it with copies.
  void time(CaseResult& result, SearchPool& pool, std::size_t pairs, int runs, bool copies) {
    const auto& variant = find_variant(search::variants(), result.asked.variant);
    search::Problem problem = pool.problem(pairs);
    if (!variant.uses_cuda()) problem.resident = &*kept_;
    problem.repeats = copies ? 1 : runs;
    std::vector<double> kernel, whole;
    for (int i = 0; i < (copies ? runs : 1); ++i) {
      batch_.start(variant, problem, result.asked.config);
      const search::Answer answer = batch_.finish();
      kernel.push_back(answer.kernel);
      whole.push_back(answer.compute);
      if (i == 0) check(result, answer.best);
      result.config = answer.config;
      if (expected_.size() < pairs && variant.name == kFirst) expected_ = answer.best;
    }
    result.runs = runs;
    result.kernel = median(kernel);
    if (copies) result.whole = median(whole);
  }

  /// On as many pairs as the launches compute in `seconds`; nothing: all of them.
  CaseResult run(SearchPool& pool, const Case& one, std::optional<double> seconds, bool copies) {
    const bool uses_cuda = find_variant(search::variants(), one.variant).uses_cuda();
    CaseResult result = result_of(pool, one, 0);
    progress_.start(text_of("m = ", std::to_string(pool.m()), ", ", result.name()));
    attempt(result, uses_cuda, [&] {
      std::size_t pairs = pool.size();
      if (seconds) pairs = std::min(pairs, gpu() ? std::size_t{1} << 18 : std::size_t{1} << 12);
      for (int i = 0; seconds && i < 3 && pairs < pool.size(); ++i) {
        CaseResult pilot = result;
        time(pilot, pool, pairs, 1, false);
        // Few tasks do not fill a device: they tell too low a rate.
        if (pilot.kernel > *seconds / 3) break;
        const double more = std::min(*seconds / std::max(pilot.kernel, 1e-7), 64.0);
        pairs = std::min(pool.size(), static_cast<std::size_t>(static_cast<double>(pairs) * more));
      }
      result = result_of(pool, one, pairs);
      time(result, pool, pairs, runs_, copies);
    });
    progress_.finish();
    return result;
  }

  /// The fastest case of each variant, with copies; it takes the place of the first measurement.
  void run_fastest(SearchPool& pool, std::size_t first) {
    for (const auto& variant : search::variants()) {
      CaseResult* best = nullptr;
      for (std::size_t i = first; i < results_.size(); ++i) {
        CaseResult& one = results_[i];
        if (one.asked.variant != variant.name || !one.measured()) continue;
        if (best == nullptr || one.gcups() > 1.02 * best->gcups()) best = &one;
      }
      if (best == nullptr) continue;
      const bool all = best->asked.variant == kFirst && best->asked.config.values().empty();
      const CaseResult again =
          run(pool, best->asked, all ? std::nullopt : std::optional(5 * limit_), true);
      if (again.measured()) *best = again;
    }
  }

  void check(const CaseResult& result, const std::vector<search::Best>& best) const {
    const std::size_t known = std::min(best.size(), expected_.size());
    for (std::size_t i = 0; i < known; ++i)
      if (!(best[i] == expected_[i]))
        throw CheckError(text_of(result.name(), ", pair ", std::to_string(i), ": distance ",
                                 std::to_string(best[i].distance), ", end ",
                                 std::to_string(best[i].end), "; ", kFirst, " says ",
                                 std::to_string(expected_[i].distance), ", ",
                                 std::to_string(expected_[i].end), "; please report this"));
  }

  void check_distance(const SearchPool& pool, std::size_t i, std::string_view who,
                      std::int64_t distance) const {
    if (distance == expected_[i].distance) return;
    throw CheckError(text_of("m = ", std::to_string(pool.m()), ", pair ", std::to_string(i), ": ",
                             who, " says ", std::to_string(distance), ", ", kFirst, " ",
                             std::to_string(expected_[i].distance), "; please report this"));
  }

  /// Some pairs from everywhere in the pool.
  void check_reference(const SearchPool& pool) const {
    constexpr double kCells = 5e7;
    const double cells = static_cast<double>(pool.m()) * pool.n();
    const std::size_t count =
        std::clamp<std::size_t>(static_cast<std::size_t>(kCells / cells), 8, 500);
    search::Problem problem = pool.problem(pool.size());
    std::vector<search::Task> tasks;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      numbers.push_back(i * (pool.size() - 1) / (count - 1));
      tasks.push_back(pool.task(numbers.back()));
    }
    problem.tasks = tasks;
    const auto best = search::solve(nullptr, search::variants().back(), problem).best;
    for (std::size_t i = 0; i < count; ++i) {
      check_distance(pool, numbers[i], "the reference", best[i].distance);
      if (best[i].end != expected_[numbers[i]].end)
        throw CheckError(text_of("m = ", std::to_string(pool.m()), ", pair ",
                                 std::to_string(numbers[i]),
                                 ": another end than the reference's; "
                                 "please report this"));
    }
  }

  /// Makes the tasks: as many as were asked for, or as fit a second of a CPU.
  void start(SearchPool& pool) {
    expected_.clear();
    std::size_t pairs = pairs_.value_or(kPairs);
    const std::size_t few = std::min<std::size_t>(pairs, 4096);
    pool.grow(few);
    if (!kept_)
      kept_.emplace(*session_.open(), std::array{material_.text()}, material_.code(),
                    static_cast<std::uint32_t>(material_.text().size()));
    if (!pairs_ && !gpu()) {
      constexpr double kSeconds = 0.7;
      CaseResult pilot = result_of(pool, {std::string(kFirst), {}}, few);
      time(pilot, pool, few, 1, false);
      const double most = kSeconds * static_cast<double>(few) / std::max(pilot.kernel, 1e-7);
      pairs = std::clamp(static_cast<std::size_t>(most), few, kPairs / 10);
      expected_.clear();
    }
    pool.grow(pairs);
  }

  void run_peers(const SearchPool& pool) {
    for (const SearchPeer& peer : built_in_search_peers()) {
      progress_.start(text_of("m = ", std::to_string(pool.m()), ", ", peer.name));
      CaseResult result;
      const std::size_t pairs = time_peer(result, pool.size(), runs_, 0.3, [&](std::size_t i) {
        check_distance(pool, i, peer.name, peer.distance(pool.query_of(i), pool.piece_of(i)));
      });
      results_.push_back(result_of(pool, {}, pairs));
      results_.back().program = peer.name;
      results_.back().runs = result.runs;
      results_.back().kernel = result.kernel;
      progress_.finish();
    }
  }

  Session& session_;
  Progress& progress_;
  SearchMaterial material_;
  int runs_;
  double limit_;
  std::optional<std::size_t> pairs_;
  search::AsyncBatch batch_;
  std::optional<search::ResidentTexts> kept_;
  std::vector<search::Best> expected_;  // of the tasks of the pool
  std::vector<CaseResult> results_;
};

}  // namespace

int bench_search(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {work_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto cases = parse_cases(line, search::variants());
  const auto lengths = parse_lengths(line, "length", "100,200,400,600,800,1000", 16, 10'000);
  const TimeShare share = parse_budget(line);
  Bench bench(line);
  Session& session = bench.open(true);
  SearchBench measuring(session, bench.progress, line);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    measuring.measure(static_cast<std::uint32_t>(lengths[i]), cases, share.of(lengths.size() - i));
  bench.write(records_of(measuring.results(), *session.info()));
  return 0;
}

}  // namespace rhomb::cli
