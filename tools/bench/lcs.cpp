// SPDX-License-Identifier: Apache-2.0
// rhomb bench lcs: variants and configurations of the longest common subsequences of one query with
// many subjects, the data in place and whole runs, and a plain loop beside; all lengths compared.
#include "host/lcs/lcs.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "tools/bench/bench.h"
#include "tools/bench/cases.h"
#include "tools/bench/lcs_work.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kSubjects = 188'000;    ///< the middle set of Ozsoy et al. 2013
constexpr const char* kTimed = "crochemore";  ///< it says how many subjects a CPU takes
constexpr std::string_view kPeer = "plain";

Help help() {
  return {
      "rhomb bench lcs [options]",
      text_of(
          R"(Measures variants of rhomb lcs: a random query and random subjects of one length, for each alphabet
and number of subjects. All lengths are compared with each other, and with the reference's and those
of plain on a sample; exit code 6 if they differ. plain is a loop over row vectors of 64-bit words, on
one core. A record for each case, that is a variant with a configuration:
  program, variant, config, device, alphabet, m, n, subjects, runs
  seconds, gcups               of the launches, the data in place; the median
  seconds_whole, gcups_whole   with packing, copies and reads; the median
  cores                        of a CPU that are used; NA for a GPU
  times_peer, times_peer_core  gcups / that of plain for the same alphabet; and by cores
  note                         why it was not measured; -
JSON has the key asked as well: the configuration as it was asked for.
)"),
      R"(  rhomb bench lcs --format table
  rhomb bench lcs --alphabet 4,8,12,16,20,26 --budget 2m --format json
  rhomb bench lcs --case strips-lcs --case 'crochemore STORE=0/1,WG=64/128' --subjects 2000
)"};
}

Group work_group() {
  return {"Work",
          {{"length", "N", "symbols of the query and of each subject (default: 4096)"},
           {"subjects", "N,...",
            "how many (default: 188,000; on a CPU those that crochemore takes 0.3 s for)"},
           {"alphabet", "A,...", "letters, 2 to 26 (default: 4)"}}};
}

std::vector<std::int64_t> parse_counts(const CommandLine& line, const std::string& option,
                                       const std::string& usual, std::int64_t least,
                                       std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (const auto& text : split(line.text(option, usual), ',')) {
    counts.push_back(parse_size(text, "--" + option));
    if (counts.back() < least || counts.back() > most)
      throw UsageError(text_of("--", option, ": '", text, "' is not between ", with_commas(least),
                               " and ", with_commas(most), line.pointer()));
  }
  if (counts.empty() && !usual.empty())
    throw UsageError(text_of("--", option, ": none is given", line.pointer()));
  return counts;
}

class LcsBench {
 public:
  LcsBench(Session& session, Progress& progress, const CommandLine& line)
      : session_(session),
        progress_(progress),
        runs_(line.count("runs", 3, 1)),
        length_(static_cast<std::size_t>(parse_counts(line, "length", "4096", 1, 65'536).front())),
        subjects_(parse_counts(line, "subjects", "", 1, 10'000'000)) {
    if (line.has("subjects") && subjects_.empty())
      throw UsageError("--subjects: none is given" + line.pointer());
  }

  /// All cases over one alphabet.
  void measure(int alphabet, const std::vector<Case>& cases, const TimeShare& share) {
    if (subjects_.empty()) subjects_ = {usual_subjects()};
    const auto most = static_cast<std::size_t>(std::ranges::max(subjects_));
    bool first = true;
    for (const std::int64_t subjects : subjects_)
      for (const Case& one : cases) {
        CaseResult result = result_of(alphabet, one, static_cast<std::size_t>(subjects));
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
  CaseResult result_of(int alphabet, const Case& one, std::size_t subjects) const {
    CaseResult result{.asked = one};
    result.work = {{"alphabet", alphabet}, {"m", length_}, {"n", length_}, {"subjects", subjects}};
    result.peer_group = std::to_string(alphabet);
    result.cells =
        static_cast<double>(length_) * static_cast<double>(length_) * static_cast<double>(subjects);
    return result;
  }

  std::size_t subjects_of(const CaseResult& result) const {
    return result.work.at("subjects").get<std::size_t>();
  }

  void prepare(int alphabet, std::size_t subjects) {
    if (work_ && work_->alphabet() == alphabet && work_->size() >= subjects) return;
    progress_.start(text_of("random subjects, alphabet ", std::to_string(alphabet)));
    work_.reset();  // before there are others
    work_ = std::make_unique<LcsWork>(alphabet, length_, subjects);
    expected_.clear();
    progress_.finish();
  }

  std::int64_t usual_subjects() {
    if (session_.info()->limits.gpu) return kSubjects;
    constexpr std::size_t kFew = 256;
    constexpr double kSeconds = 0.3;
    prepare(4, kFew);
    lcs::Problem problem = work_->problem(kFew);
    problem.time_kernel = true;
    const auto& timed = find_variant(lcs::variants(), kTimed);
    double seconds = 1;  // of a subject, without what else the machine does now and then
    for (int run = 0; run < 3; ++run)
      seconds = std::min(seconds, lcs::solve(session_.open(), timed, problem).kernel / kFew);
    return static_cast<std::int64_t>(
        std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / seconds), 1000, kSubjects));
  }

  void compare(const CaseResult& result, std::size_t i, std::uint32_t found, std::uint32_t right,
               std::string_view who) const {
    if (found == right) return;
    throw CheckError(text_of(result.name(), ", alphabet ", result.peer_group, ": subject ",
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
                            std::to_string(subjects_of(result)), " subjects"));
    attempt(result, variant.uses_cuda(), [&] {
      std::vector<double> kernel, whole;
      lcs::Problem problem = work_->problem(subjects_of(result));
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

  /// On a sample, from the first subject on, for which all answers are known.
  void run_peer(int alphabet) {
    constexpr double kSeconds = 0.3;
    progress_.start(text_of(kPeer, ", alphabet ", std::to_string(alphabet)));
    PlainLcs plain(work_->query());
    const double begin = now();
    static_cast<void>(plain.length(work_->subject(0)));
    const double each = std::max(now() - begin, 1e-9);
    const std::size_t count =
        std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / each), 1, expected_.size());
    CaseResult result = result_of(alphabet, {}, count);
    result.program = kPeer;
    std::vector<double> seconds;
    std::vector<std::uint32_t> lengths(count);
    for (int run = 0; run < runs_; ++run) {
      const double start = now();
      for (std::size_t i = 0; i < count; ++i) lengths[i] = plain.length(work_->subject(i));
      seconds.push_back(now() - start);
      check(result, lengths);
    }
    result.runs = runs_;
    result.kernel = median(seconds);
    results_.push_back(result);
    progress_.finish();
  }

  Session& session_;
  Progress& progress_;
  int runs_;
  std::size_t length_;
  std::vector<std::int64_t> subjects_;
  std::unique_ptr<LcsWork> work_;
  std::vector<std::uint32_t> expected_;  // of the subjects of work_, as far as they are known
  std::vector<CaseResult> results_;
};

}  // namespace

int bench_lcs(int argc, const char* const* argv) {
  CommandLine line(help(), {work_group(), case_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  std::vector<std::string> variants;
  for (const auto& variant : lcs::variants())
    if (variant.name != "reference") variants.emplace_back(variant.name);
  const auto cases = parse_cases(line, variants);
  const auto alphabets = parse_counts(line, "alphabet", "4", 2, 26);
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
