// SPDX-License-Identifier: Apache-2.0
// rhomb bench search: variants and configurations of the search on many pairs of a query and a
// candidate, the data in place and with copies, and edlib beside; all answers compared.
#include "host/search/search.h"

#include <algorithm>
#include <array>
#include <optional>

#include "host/seq/reader.h"
#include "tools/bench/cases.h"
#include "tools/bench/peer.h"
#include "tools/bench/search_pool.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kFirst = "strips-batch";  ///< others are compared with it
constexpr std::size_t kPairs = 20'000'000;           ///< as Chacon et al. 2014 have them

Help search_bench_help() {
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

Group search_bench_group() {
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

/// Pairs of queries of one length and their candidates.
class SearchWork {
 public:
  using Items = std::vector<search::Best>;
  static constexpr std::string_view kItems = "pairs";

  SearchWork(search::AsyncBatch& batch, const search::ResidentTexts& kept,
             const SearchMaterial& material, std::uint32_t m)
      : batch_(batch), kept_(kept), pool_(material, m) {}

  std::size_t size() const { return pool_.size(); }
  void grow(std::size_t pairs) { pool_.grow(pairs); }
  /// Whether copies are timed, too.
  bool copies = false;

  static auto variants() { return search::variants(); }
  std::string name() const { return text_of("m = ", std::to_string(pool_.m())); }
  Json columns(const Case&, std::size_t count) const {
    return {{"m", pool_.m()}, {"n", pool_.n()}, {"pairs", count}};
  }
  double cells(std::size_t count) const {
    return static_cast<double>(count) * pool_.m() * pool_.n();
  }
  search::Answer run(const search::Variant& variant, const tune::Config& config,
                     std::size_t count) {
    search::Problem problem = pool_.problem(count);
    if (!variant.uses_cuda()) problem.resident = &kept_;
    problem.repeats = 1;
    batch_.start(variant, problem, config);
    return batch_.finish();
  }
  static const Items& items(const search::Answer& answer) { return answer.best; }
  static std::string words(const search::Best& best) {
    return text_of("distance ", std::to_string(best.distance), ", end ", std::to_string(best.end));
  }
  static double seconds(const search::Answer& answer) { return answer.kernel; }
  std::optional<double> whole(const search::Answer& answer) const {
    return copies ? std::optional(answer.compute) : std::nullopt;
  }
  Items reference(const std::vector<std::size_t>& numbers) {
    std::vector<search::Task> tasks;
    for (const std::size_t i : numbers) tasks.push_back(pool_.task(i));
    search::Problem problem = pool_.problem(pool_.size());
    problem.tasks = tasks;
    return search::solve(nullptr, variants().back(), problem).best;
  }
  std::vector<CasePeer<search::Best>> peers() const {
    std::vector<CasePeer<search::Best>> all;
    for (const Peer& peer : built_in_search_peers())
      all.push_back({peer.name, [this, peer](std::size_t i, const search::Best& expected) {
                       const auto found = peer.distance(pool_.query_of(i), pool_.piece_of(i));
                       return found == expected.distance
                                  ? ""
                                  : text_of("distance ", std::to_string(found));
                     }});
    return all;
  }

 private:
  search::AsyncBatch& batch_;
  const search::ResidentTexts& kept_;
  SearchPool pool_;
};

/// What is measured for queries of one length.
class SearchBench {
 public:
  SearchBench(Session& session, Progress& progress, const CommandLine& line)
      : gpu_(session.info()->limits.gpu),
        material_(read_material(line)),
        limit_(parse_duration(line.text("limit", "0.1"), "--limit")),
        batch_(session.open()),
        kept_(*session.open(), std::array{material_.text()}, material_.code(),
              static_cast<std::uint32_t>(material_.text().size())),
        bench_(progress, line) {
    if (line.has("pairs"))
      pairs_ =
          static_cast<std::size_t>(parse_length(line.text("pairs"), "--pairs", 1, 1'000'000'000));
    if (limit_ <= 0) throw UsageError("--limit: nothing runs in no time" + line.pointer());
  }

  void measure(std::uint32_t m, const std::vector<Case>& cases, double seconds) {
    const TimeShare share(seconds);
    SearchWork work(batch_, kept_, material_, m);
    const Case planned{std::string(kFirst), {}};
    const std::size_t few = std::min<std::size_t>(pairs_.value_or(kPairs), 4096);
    work.grow(few);
    std::size_t pairs = pairs_.value_or(kPairs);
    if (!pairs_ && !gpu_) {  // as many as take about a second
      const double pilot = work.run(find_variant(search::variants(), kFirst), {}, few).kernel;
      const double most = 0.7 * static_cast<double>(few) / std::max(pilot, 1e-7);
      pairs = std::clamp(static_cast<std::size_t>(most), few, kPairs / 10);
    }
    work.grow(pairs);
    bench_.begin();
    auto& results = bench_.results;
    const std::size_t first = results.size();
    // It runs whatever the time: others are compared with it.
    bench_.measure_all(work, work.size(), {planned}, TimeShare(std::max(share.left(), 1.0)));
    if (!results[first].measured()) throw tune::Unfit(results[first].why);
    for (const Case& one : cases) {
      if (one.variant == kFirst && one.config.values().empty()) continue;  // it was the first
      const TimeShare rest(share.left() - 0.2 * seconds);
      results.push_back(
          bench_.measure(work, rest.left() > 0 ? pairs_for(work, one, limit_) : 0, one, rest));
    }
    measure_fastest(work, first);
  }

  const std::vector<CaseResult>& results() const { return bench_.results; }

 private:
  /// As many pairs as the launches of a case compute in `seconds`.
  std::size_t pairs_for(SearchWork& work, const Case& one, double seconds) const {
    const auto& variant = find_variant(search::variants(), one.variant);
    std::size_t pairs = std::min(work.size(), gpu_ ? std::size_t{1} << 18 : std::size_t{1} << 12);
    try {
      for (int i = 0; i < 3 && pairs < work.size(); ++i) {
        const double pilot = work.run(variant, one.config, pairs).kernel;
        // Few tasks do not fill a device: they tell too low a rate.
        if (pilot > seconds / 3) break;
        const double more = std::min(seconds / std::max(pilot, 1e-7), 64.0);
        pairs = std::min(work.size(), static_cast<std::size_t>(static_cast<double>(pairs) * more));
      }
    } catch (const Error&) {
      // The measurement will say why.
    }
    return pairs;
  }

  /// The fastest case of each variant, with copies; it takes the place of the first measurement.
  void measure_fastest(SearchWork& work, std::size_t first) {
    auto& results = bench_.results;
    for (const auto& variant : search::variants()) {
      CaseResult* best = nullptr;
      for (std::size_t i = first; i < results.size(); ++i) {
        CaseResult& one = results[i];
        if (one.asked.variant != variant.name || !one.measured()) continue;
        if (best == nullptr || one.gcups() > 1.02 * best->gcups()) best = &one;
      }
      if (best == nullptr) continue;
      const bool all = variant.name == kFirst && best->asked.config.values().empty();
      const std::size_t pairs = all ? work.size() : pairs_for(work, best->asked, 5 * limit_);
      work.copies = true;
      const CaseResult again = bench_.measure(work, pairs, best->asked, TimeShare(1e9));
      work.copies = false;
      if (again.measured()) *best = again;
    }
  }

  bool gpu_;
  SearchMaterial material_;
  double limit_;
  std::optional<std::size_t> pairs_;
  search::AsyncBatch batch_;
  search::ResidentTexts kept_;
  CaseBench<SearchWork> bench_;
};

}  // namespace

int bench_search(int argc, const char* const* argv) {
  CommandLine line(search_bench_help(), {search_bench_group(), case_group(), device_group(),
                                         output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto lengths = parse_lengths(line, "length", "100,200,400,600,800,1000", 16, 10'000);
  return run_cases(line, search::variants(),
                   [&](Session& session, Progress& progress, const std::vector<Case>& cases,
                       const TimeShare& share) {
                     SearchBench bench(session, progress, line);
                     for (std::size_t i = 0; i < lengths.size(); ++i)
                       bench.measure(static_cast<std::uint32_t>(lengths[i]), cases,
                                     share.of(lengths.size() - i));
                     return bench.results();
                   });
}

}  // namespace rhomb::cli
