// SPDX-License-Identifier: Apache-2.0
// rhomb bench primer: variants and configurations of the primers of one sequence against another,
// all ends compared, and by edlib on one core whether they are right.
#include "host/primer/primer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "host/seq/reader.h"
#include "tools/bench/axes.h"
#include "tools/bench/bench.h"
#include "tools/bench/cases.h"
#include "tools/bench/peer.h"

namespace rhomb::cli {
namespace {

/// Primers that a peer confirms.
constexpr std::size_t kConfirmed = 200;

Help help() {
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

Group work_group() {
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

class PrimerBench {
 public:
  PrimerBench(Session& session, Progress& progress, const CommandLine& line)
      : session_(session), progress_(progress), runs_(line.count("runs", 3, 1)) {
    if (line.files().empty()) {
      alpha_ = random_dna(static_cast<std::size_t>(line.size("alpha-length").value_or(5'000)), 1);
      beta_ = random_dna(static_cast<std::size_t>(line.size("beta-length").value_or(100'000)), 2);
    } else {
      const auto& files = line.files(2);
      alpha_ = seq::read_file(files[0]).front().symbols;
      beta_ = seq::read_file(files[1]).front().symbols;
      if (const auto m = line.size("alpha-length"))
        alpha_.resize(std::min<std::size_t>(alpha_.size(), static_cast<std::size_t>(*m)));
      if (const auto n = line.size("beta-length"))
        beta_.resize(std::min<std::size_t>(beta_.size(), static_cast<std::size_t>(*n)));
    }
    if (alpha_.empty() || beta_.empty())
      throw UsageError("--alpha-length and --beta-length: at least 1");
    code_ = seq::make_code(alpha_, beta_);
    texts_ = {beta_};
    starts_ = static_cast<std::uint32_t>(std::min<std::int64_t>(
        line.size("starts").value_or(seq::kMaxLength), static_cast<std::int64_t>(alpha_.size())));
  }

  void measure(std::uint32_t k, const std::vector<Case>& cases, const TimeShare& share) {
    std::optional<std::vector<std::uint32_t>> expected;
    for (const Case& one : cases) {
      CaseResult result{.asked = one};
      result.peer_group = std::to_string(k);
      describe(result, k);
      if (share.left() > 0)
        measure(result, k, share, expected);
      else
        result.why = kNoTime;
      results_.push_back(result);
    }
    if (expected) confirm(k, *expected);
  }

  const std::vector<CaseResult>& results() const { return results_; }

 private:
  primer::Problem problem(std::uint32_t k) const {
    primer::Problem made;
    made.alpha = alpha_;
    made.last = starts_;
    made.texts = texts_;
    made.k = k;
    made.code = &code_;
    return made;
  }

  void describe(CaseResult& result, std::uint32_t k) const {
    result.work = {{"k", k},
                   {"m", alpha_.size()},
                   {"n", beta_.size()},
                   {"starts", starts_},
                   {"primers", 0},
                   {"length", 0},
                   {"comparisons", 0},
                   {"comparisons_a_second", 0},
                   {"alpha_misses", 0},
                   {"beta_misses", 0}};
  }

  void measure(CaseResult& result, std::uint32_t k, const TimeShare& share,
               std::optional<std::vector<std::uint32_t>>& expected) {
    const auto& variant = find_variant(primer::variants(), result.asked.variant);
    progress_.start(text_of(result.name(), ", k ", result.peer_group));
    attempt(result, false, [&] {
      std::vector<double> seconds;
      primer::Answer answer;
      // The first run builds the programs.
      for (int run = -1; run < runs_ && (run < 1 || share.left() > 0); ++run) {
        answer = primer::solve(session_.open(), variant, problem(k), result.asked.config);
        if (run >= 0) seconds.push_back(answer.compute + answer.transfer);
        if (!expected) expected = answer.ends;
        if (answer.ends != *expected)
          throw CheckError(text_of(result.name(), ", k ", result.peer_group,
                                   ": other ends than before; please report this"));
        if (run < 0 && answer.compute > share.left() / 2) {
          seconds.push_back(answer.compute + answer.transfer);
          break;
        }
      }
      result.runs = static_cast<int>(seconds.size());
      result.kernel = median(seconds);
      result.config = answer.config;
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
    });
    progress_.finish();
  }

  /// Some of the primers, by a peer on one core.
  void confirm(std::uint32_t k, const std::vector<std::uint32_t>& ends) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t j = 0; j < ends.size(); ++j)
      if (ends[j] != primer::kNone) found.push_back(j);
    for (const SearchPeer& peer : built_in_search_peers()) {
      if (found.empty()) return;
      progress_.start(text_of(peer.name, ", k ", std::to_string(k)));
      const std::size_t count = std::min(kConfirmed, found.size());
      double cells = 0;
      const double begin = now();
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t j = found[i * found.size() / count], end = ends[j];
        for (const std::uint32_t stop : {end, end - 1}) {
          const std::int64_t distance =
              stop > j ? peer.distance(std::string_view(alpha_).substr(j, stop - j), beta_) : 0;
          const auto expected = std::int64_t{k} - (stop == end ? 0 : 1);
          cells += (stop - j) * static_cast<double>(beta_.size());
          if (distance != expected)
            throw CheckError(text_of(peer.name, " says that [", std::to_string(j), ", ",
                                     std::to_string(stop), ") has distance ",
                                     std::to_string(distance), ", not ", std::to_string(expected),
                                     "; please report this"));
        }
      }
      CaseResult result;
      result.program = peer.name;
      result.peer_group = std::to_string(k);
      describe(result, k);
      result.work["starts"] = count;
      result.work["primers"] = count;
      result.cells = cells;
      result.runs = 1;
      result.kernel = now() - begin;
      results_.push_back(result);
      progress_.finish();
    }
  }

  Session& session_;
  Progress& progress_;
  int runs_;
  std::string alpha_, beta_;
  std::vector<std::string_view> texts_;
  seq::Code code_;
  std::uint32_t starts_ = 0;
  std::vector<CaseResult> results_;
};

}  // namespace

int bench_primer(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {work_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (!line.files().empty()) static_cast<void>(line.files(2));
  const auto cases = parse_cases(line, primer::variants());
  const auto ks = parse_lengths(line, "k", "20", 1, 1'000'000);
  const TimeShare share = parse_budget(line);
  Bench bench(line);
  Session& session = bench.open(true);
  PrimerBench measuring(session, bench.progress, line);
  for (const std::int64_t k : ks) measuring.measure(static_cast<std::uint32_t>(k), cases, share);
  bench.write(records_of(measuring.results(), *session.info()));
  return 0;
}

}  // namespace rhomb::cli
