// SPDX-License-Identifier: Apache-2.0
// rhomb bench lcs: variants and configurations of the longest common subsequences of one query with
// many targets, the data in place and whole runs, and a plain loop beside; all lengths compared.
#include "host/lcs/lcs.h"

#include <algorithm>
#include <optional>
#include <random>

#include "host/batch/threads.h"
#include "tools/bench/cases.h"
#include "tools/bench/plain_lcs.h"

namespace rhomb::cli {
namespace {

Help lcs_bench_help() {
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

Group lcs_bench_group() {
  return {"Work",
          {{"length", "N", "length of the query and of each target (default: 4096)"},
           {"targets", "N,...",
            "how many (default: 188,000; on a CPU as many as crochemore computes in 0.3 s)",
            FileUse::kNone, "subjects"},
           {"alphabet", "A,...", "how many letters, 2 to 26 (default: 4)"}}};
}

/// Letters from 'A' on: of each random word as many as its 64 bits make even.
void fill(char* letters, std::size_t count, unsigned alphabet, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::size_t kOfWord = 4;  // 16 bits each
  for (std::size_t i = 0; i < count; i += kOfWord) {
    std::uint64_t bits = random();
    for (std::size_t k = i; k < std::min(count, i + kOfWord); ++k, bits >>= 16)
      letters[k] = static_cast<char>('A' + ((bits & 0xffff) * alphabet >> 16));
  }
}

/// A random query with the first ones of random targets over the same letters.
class LcsWork {
 public:
  using Items = std::vector<std::uint32_t>;
  static constexpr std::string_view kItems = "targets";

  LcsWork(ocl::Device& device, int alphabet, std::size_t length, std::size_t targets)
      : device_(device), alphabet_(alphabet), length_(length) {
    const auto letters = static_cast<unsigned>(alphabet);
    query_.resize(length);
    fill(query_.data(), length, letters, 1);
    symbols_.resize(targets * length);
    // A seed for each block of targets, so that more of them do not change the first ones.
    constexpr std::size_t kBlock = 256;
    const std::size_t blocks = (targets + kBlock - 1) / kBlock;
    batch::in_parts(
        blocks, batch::threads_of(0), [&](std::size_t, std::size_t from, std::size_t to) {
          for (std::size_t block = from; block < to; ++block) {
            const std::size_t first = block * kBlock, end = std::min(targets, first + kBlock);
            fill(symbols_.data() + first * length, (end - first) * length, letters, 2 + block);
          }
        });
    for (std::size_t i = 0; i < targets; ++i)
      targets_.push_back(std::string_view(symbols_).substr(i * length, length));
    std::string used;
    for (int i = 0; i < alphabet; ++i) used += static_cast<char>('A' + i);
    code_ = seq::make_code(used, used);
  }

  static auto variants() { return lcs::variants(); }
  std::string name() const { return text_of("alphabet ", std::to_string(alphabet_)); }
  Json columns(const Case&, std::size_t count) const {
    return {{"alphabet", alphabet_}, {"m", length_}, {"n", length_}, {"targets", count}};
  }
  double cells(std::size_t count) const {
    return static_cast<double>(length_) * static_cast<double>(length_) * static_cast<double>(count);
  }
  lcs::Answer run(const lcs::Variant& variant, const tune::Config& config, std::size_t count) {
    lcs::Problem problem = problem_of(std::span(targets_).first(count));
    problem.time_kernel = true;
    return lcs::solve(&device_, variant, problem, config);
  }
  static const Items& items(const lcs::Answer& answer) { return answer.lengths; }
  static std::string words(std::uint32_t length) { return std::to_string(length); }
  static double seconds(const lcs::Answer& answer) { return answer.kernel; }
  static std::optional<double> whole(const lcs::Answer& answer) {
    return answer.compute + answer.transfer;
  }
  Items reference(const std::vector<std::size_t>& numbers) {
    std::vector<std::string_view> targets;
    for (const std::size_t i : numbers) targets.push_back(targets_[i]);
    return lcs::solve(nullptr, variants().back(), problem_of(targets)).lengths;
  }
  std::vector<CasePeer<std::uint32_t>> peers() {
    return {
        {"plain", [this, plain = PlainLcs(query_)](std::size_t i, std::uint32_t expected) mutable {
           const std::uint32_t length = plain.length(targets_[i]);
           return length == expected ? "" : words(length);
         }}};
  }

 private:
  lcs::Problem problem_of(std::span<const std::string_view> targets) const {
    lcs::Problem problem;
    problem.query = query_;
    problem.targets = targets;
    problem.code = &code_;
    return problem;
  }

  ocl::Device& device_;
  int alphabet_;
  std::size_t length_;
  std::string query_, symbols_;
  std::vector<std::string_view> targets_;
  seq::Code code_;
};

/// On a CPU as many targets as take a part of a second.
std::size_t usual_targets(Session& session, std::size_t length) {
  constexpr std::size_t kTargets = 188'000;     // the middle set of Ozsoy et al. 2013
  constexpr const char* kTimed = "crochemore";  // it says how many a CPU takes
  constexpr std::size_t kFew = 256;
  constexpr double kSeconds = 0.3;
  if (session.info()->limits.gpu) return kTargets;
  LcsWork few(*session.open(), 4, length, kFew);
  const auto& timed = find_variant(lcs::variants(), kTimed);
  double seconds = 1;  // of a target, without what else the machine does now and then
  for (int run = 0; run < 3; ++run)
    seconds = std::min(seconds, few.run(timed, {}, kFew).kernel / kFew);
  return std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / seconds), 1000, kTargets);
}

}  // namespace

int bench_lcs(int argc, const char* const* argv) {
  CommandLine line(lcs_bench_help(),
                   {lcs_bench_group(), case_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const auto alphabets = parse_lengths(line, "alphabet", "4", 2, 26);
  const auto length =
      static_cast<std::size_t>(parse_length(line.text("length", "4096"), "--length", 1, 65'536));
  std::vector<std::int64_t> counts;
  if (line.has("targets")) counts = parse_lengths(line, "targets", "", 1, 10'000'000);
  return run_cases(
      line, lcs::variants(),
      [&](Session& session, Progress& progress, const std::vector<Case>& cases,
          const TimeShare& share) {
        if (counts.empty())
          counts.push_back(static_cast<std::int64_t>(usual_targets(session, length)));
        CaseBench<LcsWork> bench(progress, line);
        for (const std::int64_t alphabet : alphabets) {
          progress.start(text_of("random targets, alphabet ", std::to_string(alphabet)));
          LcsWork work(*session.open(), static_cast<int>(alphabet), length,
                       static_cast<std::size_t>(counts.back()));
          bench.begin();
          for (const std::int64_t count : counts)
            bench.measure_all(work, static_cast<std::size_t>(count), cases, share);
        }
        return bench.results;
      });
}

}  // namespace rhomb::cli
