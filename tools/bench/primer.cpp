// SPDX-License-Identifier: Apache-2.0
// rhomb bench primer: variants and configurations of the primers of one sequence against another,
// all ends compared, and by edlib on one core whether they are right.
#include "host/primer/primer.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "host/seq/reader.h"
#include "tools/bench/cases.h"
#include "tools/bench/peer.h"

namespace rhomb::cli {
namespace {

/// Primers that a peer confirms.
constexpr std::size_t kConfirmed = 200;

Help primer_bench_help() {
  return {
      "rhomb bench primer [options] [ALPHA BETA]",
      R"(Measures variants of rhomb primer: the first sequence of each file, or random ones over A, C, G and T.
All ends are compared with each other; exit code 6 if they differ. Where rhomb was built with edlib,
that confirms (mode HW, one core) up to 200 of the primers: that [start, end) has distance K and
[start, end - 1) has K - 1. Each case, a variant with a configuration, is a record:
  program, variant, config, device, k, m, n
  starts                   positions that are looked at, the first ones
  primers, length          how many have a primer, and their mean length
  runs, seconds            whole runs, copies too; the median
  gcups                    starts x mean length x n / seconds: as if each primer were compared with all
  comparisons              of symbols, by the paper's variants (alternative with COUNT=1), else 0
  comparisons_a_second, alpha_misses, beta_misses
  cores, times_peer, times_peer_core, note   as in rhomb bench lcs
)",
      R"(  rhomb bench primer --format table
  rhomb bench primer gene.fa genome.fa -k 50,100 --case cores --case 'alternative TILE=1,COUNT=1'
  rhomb bench primer --alpha-length 43606 --beta-length 241494 -k 100 --starts 2000 --case 'conventional STOP=0/1'
)"};
}

Group primer_bench_group() {
  return {"Work",
          {{"k", "K,...", "least distance of a primer (default: 20)"},
           {"alpha-length", "N", "symbols of ALPHA: its beginning (default: 5k, of files all)"},
           {"beta-length", "N", "and of BETA (default: 100k)"},
           {"starts", "N", "only the first N positions of ALPHA (default: all)"}}};
}

std::string random_dna(std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(length, ' ');
  for (char& symbol : text) symbol = "ACGT"[random() % 4];
  return text;
}

/// The first starts of a sequence.
class PrimerWork {
 public:
  using Items = std::vector<std::uint32_t>;
  static constexpr std::string_view kItems = "starts";

  PrimerWork(ocl::Device& device, const CommandLine& line) : device_(device) {
    const auto text_of_length = [&](std::size_t which, const char* option, std::int64_t usual) {
      const auto length = static_cast<std::size_t>(
          line.size(option).value_or(line.files().empty() ? usual : seq::kMaxLength));
      return line.files().empty()
                 ? random_dna(length, which + 1)
                 : seq::read_file(line.files()[which]).front().symbols.substr(0, length);
    };
    alpha_ = text_of_length(0, "alpha-length", 5'000);
    beta_ = text_of_length(1, "beta-length", 100'000);
    if (alpha_.empty() || beta_.empty())
      throw UsageError("--alpha-length and --beta-length: at least 1");
    code_ = seq::make_code(alpha_, beta_);
    texts_ = {beta_};
    starts_ = static_cast<std::size_t>(std::min<std::int64_t>(
        line.size("starts").value_or(seq::kMaxLength), static_cast<std::int64_t>(alpha_.size())));
  }

  std::size_t starts() const { return starts_; }
  void set_k(std::int64_t k) { k_ = static_cast<std::uint32_t>(k); }

  static auto variants() { return primer::variants(); }
  std::string name() const { return text_of("k ", std::to_string(k_)); }
  Json columns(const Case&, std::size_t count) const {
    return {
        {"k", k_},           {"m", alpha_.size()}, {"n", beta_.size()}, {"starts", count},
        {"primers", 0},      {"length", 0},        {"comparisons", 0},  {"comparisons_a_second", 0},
        {"alpha_misses", 0}, {"beta_misses", 0}};
  }
  double cells(std::size_t) const { return 0; }  // the answers say how many
  primer::Answer run(const primer::Variant& variant, const tune::Config& config,
                     std::size_t count) {
    primer::Problem problem;
    problem.alpha = alpha_;
    problem.last = static_cast<std::uint32_t>(count);
    problem.texts = texts_;
    problem.k = k_;
    problem.code = &code_;
    return primer::solve(&device_, variant, problem, config);
  }
  static const Items& items(const primer::Answer& answer) { return answer.ends; }
  static std::string words(std::uint32_t end) {
    return end == primer::kNone ? "no primer" : text_of("a primer to ", std::to_string(end));
  }
  static double seconds(const primer::Answer& answer) { return answer.compute + answer.transfer; }
  static std::optional<double> whole(const primer::Answer&) { return std::nullopt; }
  void check(CaseResult& result, const primer::Answer& answer) const {
    std::size_t primers = 0;
    double length = 0;
    for (std::uint32_t j = 0; j < answer.ends.size(); ++j) {
      if (answer.ends[j] == primer::kNone) continue;
      ++primers;
      length += answer.ends[j] - j;
    }
    result.cells = length * static_cast<double>(beta_.size());
    result.work["primers"] = primers;
    result.work["length"] = primers > 0 ? length / static_cast<double>(primers) : 0;
    result.work["comparisons"] = json_count(answer.counted.comparisons);
    result.work["comparisons_a_second"] = answer.counted.comparisons / result.kernel;
    result.work["alpha_misses"] = json_count(answer.counted.alpha_misses);
    result.work["beta_misses"] = json_count(answer.counted.beta_misses);
  }
  static std::vector<CasePeer<std::uint32_t>> peers() { return {}; }  // they confirm: see below

  /// That [j, end) has distance k from beta, and [j, end - 1) has k - 1, for some of the ends.
  std::optional<CaseResult> confirm(const Peer& peer, const Items& ends) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t j = 0; j < ends.size(); ++j)
      if (ends[j] != primer::kNone) found.push_back(j);
    if (found.empty()) return std::nullopt;
    const std::size_t count = std::min(kConfirmed, found.size());
    CaseResult result;
    result.program = peer.name;
    result.peer_group = name();
    result.work = columns({}, count);
    result.work["primers"] = count;
    const double begin = now();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t j = found[i * found.size() / count];
      for (const std::uint32_t stop : {ends[j], ends[j] - 1}) {
        const std::int64_t distance =
            stop > j ? peer.distance(std::string_view(alpha_).substr(j, stop - j), beta_) : 0;
        const auto expected = std::int64_t{k_} - (stop == ends[j] ? 0 : 1);
        result.cells += (stop - j) * static_cast<double>(beta_.size());
        if (distance != expected)
          throw CheckError(text_of(peer.name, " says that [", std::to_string(j), ", ",
                                   std::to_string(stop), ") has distance ",
                                   std::to_string(distance), ", not ", std::to_string(expected),
                                   "; please report this"));
      }
    }
    result.runs = 1;
    result.kernel = now() - begin;
    return result;
  }

 private:
  ocl::Device& device_;
  std::string alpha_, beta_;
  std::vector<std::string_view> texts_;
  seq::Code code_;
  std::size_t starts_ = 0;
  std::uint32_t k_ = 1;
};

}  // namespace

int bench_primer(int argc, const char* const* argv) {
  CommandLine line(primer_bench_help(), {primer_bench_group(), case_group(), device_group(),
                                         output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (!line.files().empty()) line.files(2);
  const auto ks = parse_lengths(line, "k", "20", 1, 1'000'000);
  return run_cases(line, primer::variants(),
                   [&](Session& session, Progress& progress, const std::vector<Case>& cases,
                       const TimeShare& share) {
                     PrimerWork work(*session.open(), line);
                     CaseBench<PrimerWork> bench(progress, line);
                     for (const std::int64_t k : ks) {
                       work.set_k(k);
                       bench.begin();
                       bench.measure_all(work, work.starts(), cases, share);
                       for (const Peer& peer : built_in_search_peers()) {
                         progress.start(text_of(peer.name, ", ", work.name()));
                         if (auto result = work.confirm(peer, bench.expected()))
                           bench.results.push_back(std::move(*result));
                         progress.finish();
                       }
                     }
                     return bench.results;
                   });
}

}  // namespace rhomb::cli
