// SPDX-License-Identifier: Apache-2.0
// Cases: what the benchmarks of the verbs for many problems share: variants with configurations run
// on items of some work, in limited time, beside peers on one core; all answers are compared.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "host/ocl/device.h"
#include "tools/bench/bench.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

/// A variant with a configuration, which may be empty: the plan's own choice.
struct Case {
  std::string variant;
  tune::Config config;
};

/// --case, --runs and --budget.
Group case_group();
/// The cases that --case names: "VARIANT" or "VARIANT K=V,...", several values as K=4/8. All of
/// `variants` as they are planned if there is none. Throws UsageError.
std::vector<Case> parse_cases(const CommandLine& line, const std::vector<std::string>& variants);
/// The same for the variants of an engine's table but the reference.
template <class Variant>
std::vector<Case> parse_cases(const CommandLine& line, std::span<const Variant> table) {
  std::vector<std::string> names;
  for (const Variant& variant : table)
    if (!variant.on_host) names.emplace_back(variant.name);
  return parse_cases(line, names);
}

/// The time of all that is to be measured, as it is used up.
class TimeShare {
 public:
  explicit TimeShare(double seconds) : end_(now() + seconds) {}
  double left() const { return end_ - now(); }
  /// What one of the `parts` that are still to come may take.
  double of(std::size_t parts) const { return std::max(left(), 0.0) / static_cast<double>(parts); }

 private:
  double end_;
};
TimeShare parse_budget(const CommandLine& line);

/// What became of a case, or of a peer.
struct CaseResult {
  std::string program = "rhomb";
  Case asked;
  tune::Config config = {};          ///< every tunable with its value, where it was measured
  Json work = Json::object();        ///< columns that say what was computed
  std::string peer_group = {};       ///< the peer with the same word is what it compares with
  double cells = 0;                  ///< of all matrices together
  int runs = 0;                      ///< of which the medians count
  double kernel = 0;                 ///< seconds of the launches, the data in place
  std::optional<double> whole = {};  ///< with copies, and packing where it is not hidden
  std::string why = {};              ///< it was not measured; else empty

  bool measured() const { return why.empty() && kernel > 0; }
  double gcups() const { return measured() ? cells / kernel / 1e9 : 0; }
  /// "coop W=4": for messages.
  std::string name() const;
};

/// The result of a case for which there was no time.
inline constexpr const char* kNoTime = "no time was left in --budget";

/// The records as they are printed: columns program, variant, config, device, those of the work,
/// runs, seconds, gcups, seconds_whole, gcups_whole, cores, times_peer, times_peer_core, note; in
/// JSON also asked, the configuration as asked for.
std::vector<Json> records_of(const std::vector<CaseResult>& results, const ocl::DeviceInfo& device);

/// A program on one core beside: solves an item and says what is wrong with the answer that all
/// variants give; empty if nothing is.
template <class Item>
struct CasePeer {
  std::string name;
  std::function<std::string(std::size_t i, const Item& expected)> solve;
};

/// Runs cases on a Work, which knows
///   Items, kItems: the vector of an answer's items, and what they are: "pairs"
///   variants(), name(), columns(case, count), cells(count): what it is, and what is printed
///   run(variant, config, count): the answer for the first `count` items
///   items(answer), words(item), seconds(answer): of answers; whole(answer): see CaseResult
///   peers(): see CasePeer
/// and may have reference(numbers), the answers for some items, and check(result, answer), which
/// throws CheckError where something else is wrong, or fills in what else is printed.
template <class Work>
class CaseBench {
  using Items = typename Work::Items;

 public:
  CaseBench(Progress& progress, const CommandLine& line)
      : progress_(progress), runs_(line.count("runs", 3, 1)) {}

  std::vector<CaseResult> results;

  /// The answers for the items of the last work, as far as they are known.
  const Items& expected() const { return expected_; }
  /// What comes is about other items.
  void begin() { expected_.clear(); }

  /// All cases on the first `count` items; behind the first that could be measured, the peers.
  void measure_all(Work& work, std::size_t count, const std::vector<Case>& cases,
                   const TimeShare& share) {
    for (const Case& one : cases) {
      const bool first = expected_.empty();
      results.push_back(measure(work, count, one, share));
      if (first && !expected_.empty()) run_peers(work, share);
    }
  }

  /// Not where there is no time left, unless it is the first of all.
  CaseResult measure(Work& work, std::size_t count, const Case& one, const TimeShare& share) {
    CaseResult result = described(work, count, one);
    const bool first = results.empty();
    if (share.left() <= 0 && !first) {
      result.why = kNoTime;
      return result;
    }
    progress_.start(
        text_of(result.name(), ", ", work.name(), ", ", std::to_string(count), " ", Work::kItems));
    const auto& variant = find_variant(work.variants(), one.variant);
    try {
      if (first || fits(result, work, variant, count, share))
        time(result, work, variant, count, share);
    } catch (const tune::Unfit& why) {
      result.why = why.what();
    } catch (const MemoryError& why) {
      result.why = why.what();
    } catch (const ocl::DeviceError& why) {
      if (!variant.uses_cuda()) throw;
      result.why = why.what();  // there is no such device
    }
    progress_.finish();
    return result;
  }

  /// On items from everywhere, as many as take a part of a second, less where time is short.
  void run_peers(Work& work, const TimeShare& share) {
    const double seconds_each = std::clamp(share.left() / 100, 0.02, 0.3);
    const std::size_t most = expected_.size();
    for (const auto& peer : work.peers()) {
      progress_.start(text_of(peer.name, ", ", work.name()));
      const auto seconds_of = [&](std::size_t count) {
        const double begin = now();
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t at = i * (most / count);
          const std::string wrong = peer.solve(at, expected_[at]);
          if (!wrong.empty()) refuse(peer.name, work, at, wrong, "others say", expected_[at]);
        }
        return std::max(now() - begin, 1e-9);
      };
      const std::size_t few = std::min<std::size_t>(most, 4);
      const double fitting = seconds_each * static_cast<double>(few) / seconds_of(few);
      const auto count =
          static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(most)));
      CaseResult result = described(work, count, {});
      result.program = peer.name;
      result.runs = runs_;
      std::vector<double> seconds;
      for (int run = 0; run < runs_; ++run) seconds.push_back(seconds_of(count));
      result.kernel = median(seconds);
      results.push_back(std::move(result));
      progress_.finish();
    }
  }

 private:
  static CaseResult described(const Work& work, std::size_t count, const Case& one) {
    CaseResult result{.asked = one};
    result.work = work.columns(one, count);
    result.peer_group = work.name();
    result.cells = work.cells(count);
    return result;
  }

  /// Whether a part of the items says that there is time for all of them; it builds the programs.
  template <class Variant>
  bool fits(CaseResult& result, Work& work, const Variant& variant, std::size_t count,
            const TimeShare& share) {
    constexpr std::size_t kPart = 32;
    if (count < kPart) return true;
    double seconds = 0;
    for (int run = 0; run < 2; ++run) {  // the first may last longer than any other
      const double begin = now();
      work.run(variant, result.asked.config, count / kPart);
      seconds = (now() - begin) * kPart;
      if (seconds < share.left()) return true;
    }
    result.why = text_of(kNoTime, ": it would take about ", fixed(seconds, 0), " s");
    return false;
  }

  /// As often as asked for and as there is time, but once. What has no time of its launches alone
  /// runs once before, to build its programs, unless that takes too long.
  template <class Variant>
  void time(CaseResult& result, Work& work, const Variant& variant, std::size_t count,
            const TimeShare& share) {
    std::vector<double> kernel, whole;
    decltype(work.run(variant, {}, 0)) answer;
    bool built = requires { answer.kernel; };
    double last = 0;
    while (static_cast<int>(kernel.size()) < runs_ && (kernel.empty() || share.left() > last)) {
      const double begin = now();
      answer = work.run(variant, result.asked.config, count);
      last = now() - begin;
      compare(result, work, work.items(answer), share);
      if (!std::exchange(built, true) && work.seconds(answer) < share.left() / 2) continue;
      kernel.push_back(work.seconds(answer));
      if (const auto seconds = work.whole(answer)) whole.push_back(*seconds);
    }
    result.config = answer.config;
    result.runs = static_cast<int>(kernel.size());
    result.kernel = median(kernel);
    if (!whole.empty()) result.whole = median(whole);
    if constexpr (requires { work.check(result, answer); }) work.check(result, answer);
  }

  using Item = typename Items::value_type;

  [[noreturn]] static void refuse(const std::string& who, const Work& work, std::size_t i,
                                  const std::string& found, std::string_view others,
                                  const Item& right) {
    throw CheckError(text_of(who, ", ", work.name(), ", number ", std::to_string(i), " of the ",
                             Work::kItems, ": ", found, "; ", others, " ", work.words(right),
                             "; please report this"));
  }

  /// With what is known, and where more is known now a sample of all with the reference.
  void compare(const CaseResult& result, Work& work, const Items& found, const TimeShare& share) {
    for (std::size_t i = 0; i < std::min(found.size(), expected_.size()); ++i)
      if (!(found[i] == expected_[i]))
        refuse(result.name(), work, i, work.words(found[i]), "others say", expected_[i]);
    if (found.size() <= expected_.size()) return;
    if constexpr (requires { work.reference({}); }) {
      const double cells = std::clamp(share.left() / 100, 0.05, 1.0) * 5e7;
      const std::size_t few = std::min(
          found.size(), static_cast<std::size_t>(std::clamp(cells / work.cells(1), 4.0, 500.0)));
      std::vector<std::size_t> numbers;
      for (std::size_t i = 0; i < few; ++i)
        numbers.push_back(i * (found.size() - 1) / std::max<std::size_t>(few - 1, 1));
      const Items right = work.reference(numbers);
      for (std::size_t i = 0; i < few; ++i)
        if (!(found[numbers[i]] == right[i]))
          refuse(result.name(), work, numbers[i], work.words(found[numbers[i]]),
                 "the reference says", right[i]);
    }
    expected_ = found;
  }

  Progress& progress_;
  int runs_;
  Items expected_;
};

/// What the verbs' benchmarks do around theirs: `measure` runs all and returns the results.
template <class Variant, class Measure>
int run_cases(CommandLine& line, std::span<const Variant> table, const Measure& measure) {
  const auto cases = parse_cases(line, table);
  const TimeShare share = parse_budget(line);
  Bench bench(line);
  Session& session = bench.open(true);
  bench.write(records_of(measure(session, bench.progress, cases, share), *session.info()));
  return 0;
}

}  // namespace rhomb::cli
