// SPDX-License-Identifier: Apache-2.0
// rhomb bench lcs: variants and configurations of the longest common subsequences of one query with
// many targets, the data in place and whole runs, and a plain loop beside; all lengths compared.
#include "host/lcs/lcs.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "tools/bench/bench.h"
#include "tools/bench/cases.h"
#include "tools/bench/lcs_work.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kTargets = 188'000;     ///< the middle set of Ozsoy et al. 2013
constexpr const char* kTimed = "crochemore";  ///< it says how many targets a CPU takes
constexpr std::string_view kPeer = "plain";

Help help() {
  return {
      "rhomb bench lcs [options]",
      text_of(
          R"(Measures variants of rhomb lcs: a random query and random targets of one length, for each alphabet
and number of targets. All lengths are compared with each other, and with the reference's and those
of plain on a sample; exit code 6 if they differ. plain is a loop over row vectors of 64-bit words, on
one core. Each case, a variant with a configuration, is a record:
  program, variant, config, device, alphabet, m, n, targets, runs
  seconds, gcups               of the launches, the data in place; the median
  seconds_whole, gcups_whole   with packing, copies and reads; the median
  cores                        how many of a CPU are used; NA for a GPU
  times_peer, times_peer_core  gcups / that of plain for the same alphabet; the same / cores
  note                         why it was not measured; -
JSON also has the key asked: the configuration as it was asked for.
)"),
      R"(  rhomb bench lcs --format table
  rhomb bench lcs --alphabet 4,8,12,16,20,26 --budget 2m --format json
  rhomb bench lcs --case strips-lcs --case 'crochemore STORE=0/1,WG=64/128' --targets 2000
)"};
}

Group work_group() {
  return {"Work",
          {{"length", "N", "length of the query and of each target (default: 4096)"},
           {"targets", "N,...",
            "how many (default: 188,000; on a CPU as many as crochemore computes in 0.3 s)",
            FileUse::kNone, "subjects"},
           {"alphabet", "A,...", "how many letters, 2 to 26 (default: 4)"}}};
}

class LcsBench {
 public:
  LcsBench(Session& session, Progress& progress, const CommandLine& line)
      : session_(session),
        progress_(progress),
        runs_(line.count("runs", 3, 1)),
        length_(static_cast<std::size_t>(
            parse_length(line.text("length", "4096"), "--length", 1, 65'536))) {
    if (line.has("targets")) targets_ = parse_lengths(line, "targets", "", 1, 10'000'000);
  }

  /// All cases over one alphabet.
  void measure(int alphabet, const std::vector<Case>& cases, const TimeShare& share) {
    if (targets_.empty()) targets_ = {usual_targets()};
    const auto most = static_cast<std::size_t>(std::ranges::max(targets_));
    bool first = true;
    for (const std::int64_t targets : targets_)
      for (const Case& one : cases) {
        CaseResult result = result_of(alphabet, one, static_cast<std::size_t>(targets));
        if (share.left() > 0) {
          prepare(alphabet, most);
          measure(result, share);
        } else {
          result.why = kNoTime;
        }
        results_.push_back(result);
        if (first && !expected_.empty()) {
          run_peer(alphabet);
          first = false;
        }
      }
  }

  const std::vector<CaseResult>& results() const { return results_; }

 private:
  CaseResult result_of(int alphabet, const Case& one, std::size_t targets) const {
    CaseResult result{.asked = one};
    result.work = {{"alphabet", alphabet}, {"m", length_}, {"n", length_}, {"targets", targets}};
    result.peer_group = std::to_string(alphabet);
    result.cells =
        static_cast<double>(length_) * static_cast<double>(length_) * static_cast<double>(targets);
    return result;
  }

  std::size_t targets_of(const CaseResult& result) const {
    return result.work.at("targets").get<std::size_t>();
  }

  void prepare(int alphabet, std::size_t targets) {
    if (work_ && work_->alphabet() == alphabet && work_->size() >= targets) return;
    progress_.start(text_of("random targets, alphabet ", std::to_string(alphabet)));
    work_.reset();  // before there are others
    work_ = std::make_unique<LcsWork>(alphabet, length_, targets);
    expected_.clear();
    progress_.finish();
  }

  std::int64_t usual_targets() {
    if (session_.info()->limits.gpu) return kTargets;
    constexpr std::size_t kFew = 256;
    constexpr double kSeconds = 0.3;
    prepare(4, kFew);
    lcs::Problem problem = work_->problem(kFew);
    problem.time_kernel = true;
    const auto& timed = find_variant(lcs::variants(), kTimed);
    double seconds = 1;  // of a target, without what else the machine does now and then
    for (int run = 0; run < 3; ++run)
      seconds = std::min(seconds, lcs::solve(session_.open(), timed, problem).kernel / kFew);
    return static_cast<std::int64_t>(
        std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / seconds), 1000, kTargets));
  }

  void compare(const CaseResult& result, std::size_t i, std::uint32_t found, std::uint32_t right,
               std::string_view who) const {
    if (found == right) return;
    throw CheckError(text_of(result.name(), ", alphabet ", result.peer_group, ": target ",
                             std::to_string(i), " has ", std::to_string(found), "; ", who, " ",
                             std::to_string(right), "; please report this"));
  }

  void check(const CaseResult& result, const std::vector<std::uint32_t>& lengths) {
    for (std::size_t i = 0; i < std::min(lengths.size(), expected_.size()); ++i)
      compare(result, i, lengths[i], expected_[i], "others say");
    if (lengths.size() <= expected_.size()) return;
    if (expected_.empty()) {
      // The first lengths over an alphabet are compared with the reference on a few.
      const std::size_t few = std::min<std::size_t>(lengths.size(), length_ > 1000 ? 4 : 50);
      const auto reference =
          lcs::solve(nullptr, lcs::variants().back(), work_->problem(few)).lengths;
      for (std::size_t i = 0; i < few; ++i)
        compare(result, i, lengths[i], reference[i], "the reference says");
    }
    expected_ = lengths;
  }

  /// As often as asked for and as there is time, but once.
  void measure(CaseResult& result, const TimeShare& share) {
    const auto& variant = find_variant(lcs::variants(), result.asked.variant);
    progress_.start(text_of(result.name(), ", alphabet ", result.peer_group, ", ",
                            std::to_string(targets_of(result)), " targets"));
    attempt(result, variant.uses_cuda(), [&] {
      std::vector<double> kernel, whole;
      lcs::Problem problem = work_->problem(targets_of(result));
      problem.time_kernel = true;
      while (static_cast<int>(kernel.size()) < runs_ && (kernel.empty() || share.left() > 0)) {
        const lcs::Answer answer =
            lcs::solve(session_.open(), variant, problem, result.asked.config);
        kernel.push_back(answer.kernel);
        whole.push_back(answer.compute + answer.transfer);
        check(result, answer.lengths);
        result.config = answer.config;
      }
      result.runs = static_cast<int>(kernel.size());
      result.kernel = median(kernel);
      result.whole = median(whole);
    });
    progress_.finish();
  }

  /// On a sample, from the first target on, for which all answers are known.
  void run_peer(int alphabet) {
    constexpr double kSeconds = 0.3;
    progress_.start(text_of(kPeer, ", alphabet ", std::to_string(alphabet)));
    PlainLcs plain(work_->query());
    CaseResult result;
    result.program = kPeer;
    result.peer_group = std::to_string(alphabet);
    const std::size_t count =
        time_peer(result, expected_.size(), runs_, kSeconds, [&](std::size_t i) {
          compare(result, i, plain.length(work_->target(i)), expected_[i], "others say");
        });
    CaseResult whole = result_of(alphabet, {}, count);
    whole.program = kPeer;
    whole.runs = result.runs;
    whole.kernel = result.kernel;
    results_.push_back(whole);
    progress_.finish();
  }

  Session& session_;
  Progress& progress_;
  int runs_;
  std::size_t length_;
  std::vector<std::int64_t> targets_;
  std::unique_ptr<LcsWork> work_;
  std::vector<std::uint32_t> expected_;  // of the targets of work_, as far as they are known
  std::vector<CaseResult> results_;
};

}  // namespace

int bench_lcs(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {work_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto cases = parse_cases(line, lcs::variants());
  const auto alphabets = parse_lengths(line, "alphabet", "4", 2, 26);
  const TimeShare share = parse_budget(line);
  Bench bench(line);
  Session& session = bench.open(true);
  LcsBench measuring(session, bench.progress, line);
  for (const std::int64_t alphabet : alphabets)
    measuring.measure(static_cast<int>(alphabet), cases, share);
  bench.write(records_of(measuring.results(), *session.info()));
  return 0;
}

}  // namespace rhomb::cli
