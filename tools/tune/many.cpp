// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/many.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "host/batch/texts.h"
#include "host/engine/reference.h"
#include "host/engine/selftest.h"
#include "host/gaps/gaps.h"
#include "host/gaps/reference.h"
#include "host/lcs/lcs.h"
#include "host/lcs/subsequence.h"
#include "host/search/search.h"
#include "tools/cli/text.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {
namespace {

constexpr unsigned kSymbols = 4;

/// Cells that the reference goes through for a problem: a part of a second.
constexpr double kSmall = 5e7, kSample = 1e8;
/// Cells of one matrix from which on it is too slow, and a bit-parallel one takes its place.
constexpr double kPlain = 5e7;

/// A problem has about so many cells: a part of a second of a GPU or a CPU, where lcs goes faster.
/// So many symbols are the most: to make them takes time too.
constexpr double kCellsOfGpu = 1e12, kSearchOfCpu = 1e9, kLcsOfCpu = 1e10;
constexpr double kMostSymbols = 1 << 28;

/// A run repeats what is shorter than this.
constexpr double kRun = 0.07;

const seq::Code& code() {
  static const seq::Code code = selftest::spread_code(2, false);
  return code;
}

/// A copy with edits; or another text, if they are to have nothing in common.
std::string related(selftest::Numbers& numbers, const std::string& text, double divergence) {
  if (divergence >= 0.5) return selftest::random_text(numbers, text.size(), kSymbols);
  const auto one_in = static_cast<unsigned>(std::lround(std::clamp(1 / divergence, 1.0, 1e6)));
  return selftest::edited(numbers, text, one_in, kSymbols);
}

/// So many problems of `cells` and `symbols` each, a multiple of 64; the same on each device of a
/// kind, so that trials of different days compare.
std::size_t count_of(double wanted, double cells, double symbols, double least, double most) {
  const double count =
      std::min(std::clamp(wanted / cells, least, std::max(least, most)), kMostSymbols / symbols);
  return std::max<std::size_t>(1, static_cast<std::size_t>(count) / 64) * 64;
}

std::int64_t number_of(const search::Best& best) { return best.distance; }
std::int64_t number_of(std::uint32_t length) { return length; }
std::int64_t number_of(const gaps::Best& best) { return best.score; }
std::string words(const search::Best& best) {
  return text_of(std::to_string(best.distance), " at ", std::to_string(best.end));
}
std::string words(std::uint32_t length) { return std::to_string(length); }
std::string words(const gaps::Best& best) {
  return text_of("score ", std::to_string(best.score), " at ", std::to_string(best.end));
}

/// Queries, each with a candidate that has one with differences in it, random ones around.
struct SearchEngine {
  using Variant = search::Variant;
  using One = search::Best;
  static constexpr std::string_view kWhat = "task";

  struct Case {
    batch::Texts query_memory, text_memory;
    std::vector<std::string_view> queries, texts;
    std::vector<search::Task> tasks;

    void add(const std::string& query, const std::string& text, std::uint32_t begin,
             std::uint32_t skip) {
      const auto number = static_cast<std::uint32_t>(tasks.size());
      const auto length = static_cast<std::uint32_t>(text.size()) - begin;
      tasks.push_back({number, number, begin, length, skip});
      query_memory.add(query);
      text_memory.add(text);
    }
    void close() {
      queries = query_memory.views();
      texts = text_memory.views();
    }
    search::Problem problem() const {
      search::Problem problem;
      problem.queries = queries;
      problem.texts = texts;
      problem.tasks = tasks;
      problem.code = &code();
      return problem;
    }
    std::size_t size() const { return tasks.size(); }
    double cells_of(std::size_t i) const {
      return static_cast<double>(queries[i].size()) * static_cast<double>(texts[i].size());
    }
    One reference(std::size_t i) const {
      const auto [distance, end] = reference::best_occurrence(queries[i], texts[i], code());
      return {static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(end)};
    }
  };

  static std::span<const Variant> variants() { return search::variants(); }

  /// Queries of this length only, since programs are for a length. Candidates end on both sides of
  /// words' and of the query's ends; some ends do not count, some pieces begin within a word.
  static void make_small(std::deque<Case>& cases, const tune::Task& task) {
    Case& one = cases.emplace_back();
    const auto m = static_cast<std::size_t>(task.length);
    selftest::Numbers numbers;
    std::vector<std::size_t> lengths = {0, 1, 2, 31, 32, 33, 63, 64, 65};
    for (const std::size_t length : {m - 1, m, m + 1, m + m / 5, m + 33, 2 * m, m + m / 3, m + 64})
      lengths.push_back(length);
    double cells = 0;
    for (std::size_t i = 0; i < 3 * lengths.size() && cells < kSmall; ++i) {
      const std::size_t length = lengths[i % lengths.size()];
      const std::string query = selftest::random_text(numbers, m, kSymbols);
      const std::uint32_t begin = i < lengths.size() ? 0 : numbers.below(40);
      std::string text = selftest::random_text(numbers, begin + length / 8, kSymbols);
      text += i % 4 == 3 ? selftest::random_text(numbers, m, kSymbols)
                         : selftest::edited(numbers, query, 12, kSymbols);
      text += selftest::random_text(numbers, length, kSymbols);
      text.resize(begin + length);
      one.add(query, text, begin, i % 3 == 2 ? 64u : 0u);
      cells += static_cast<double>(m) * static_cast<double>(length);
    }
    one.close();
  }

  static void make_large(Case& one, const tune::Task& task, const ocl::Limits& limits) {
    const auto m = static_cast<std::size_t>(task.length);
    const auto n = static_cast<std::size_t>(candidate_length(task.length));
    const std::size_t count = count_of(
        limits.gpu ? kCellsOfGpu : kSearchOfCpu, static_cast<double>(m) * static_cast<double>(n),
        static_cast<double>(n), limits.gpu ? 100'000 : 4'000, limits.gpu ? 1 << 20 : 1 << 16);
    selftest::Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string query = selftest::random_text(numbers, m, kSymbols);
      std::string text = selftest::random_text(numbers, (n - m) / 2, kSymbols);
      text += related(numbers, query, task.divergence);
      if (text.size() < n) text += selftest::random_text(numbers, n - text.size(), kSymbols);
      text.resize(n);
      one.add(query, text, 0, 0);
    }
    one.close();
  }

  static tune::Config plan(const Variant& variant, const search::Problem& problem,
                           const ocl::Limits& limits, const tune::Config& config) {
    return search::plan(variant, problem, limits, config).config;
  }
  static search::Answer solve(ocl::Device* device, const Variant& variant,
                              const search::Problem& problem, const tune::Config& config) {
    return search::solve(device, variant, problem, config);
  }
  static const std::vector<One>& all(const search::Answer& answer) { return answer.best; }

  /// A first run, to warm up, and how to measure one like it.
  static search::Answer first(ocl::Device& device, const Variant& variant, search::Problem& problem,
                              const tune::Config& used, double limit) {
    problem.repeats = 1;
    auto answer = search::solve(&device, variant, problem, used);
    if (answer.kernel > limit) throw TooSlow{};
    problem.repeats = static_cast<int>(std::clamp(kRun / std::max(answer.kernel, 1e-6), 1.0, 99.0));
    return answer;
  }
  static double warm_seconds(const search::Answer& first) { return first.kernel; }
  static double run(ocl::Device& device, const Variant& variant, const search::Problem& problem,
                    const tune::Config& used, const search::Answer&) {
    return search::solve(&device, variant, problem, used).kernel;
  }
};

/// A query and many targets.
struct LcsEngine {
  using Variant = lcs::Variant;
  using One = std::uint32_t;
  static constexpr std::string_view kWhat = "target";

  struct Case {
    std::string query;
    batch::Texts memory;
    std::vector<std::string_view> targets;

    lcs::Problem problem() const {
      lcs::Problem problem;
      problem.query = query;
      problem.targets = targets;
      problem.code = &code();
      return problem;
    }
    std::size_t size() const { return targets.size(); }
    double cells_of(std::size_t i) const {
      return static_cast<double>(query.size()) * static_cast<double>(targets[i].size());
    }
    One reference(std::size_t i) const {
      if (cells_of(i) <= kPlain) return reference::lcs_length(query, targets[i], code());
      return static_cast<std::uint32_t>(lcs::Tracer(query, code()).matches(targets[i]).size());
    }
  };

  static std::span<const Variant> variants() { return lcs::variants(); }

  /// Queries of some rows and of several blocks, targets that end on both sides of words' ends.
  static void make_small(std::deque<Case>& cases, const tune::Task&) {
    selftest::Numbers numbers;
    for (const unsigned m : {1u, 33u, 700u, 2100u}) {
      Case& one = cases.emplace_back();
      one.query = selftest::random_text(numbers, m, kSymbols);
      for (std::size_t i = 0; i < 40; ++i) {
        constexpr std::size_t kLengths[] = {0, 1, 31, 32, 33, 64, 65, 100, 127, 300};
        const std::size_t length = kLengths[i % std::size(kLengths)];
        one.memory.add(i % 3 == 0
                           ? selftest::edited(numbers, one.query.substr(0, length), 8, kSymbols)
                           : selftest::random_text(numbers, length, kSymbols));
      }
      one.targets = one.memory.views();
    }
  }

  static void make_large(Case& one, const tune::Task& task, const ocl::Limits& limits) {
    const auto m = static_cast<std::size_t>(task.length);
    const double symbols = static_cast<double>(m);
    const double lanes = limits.compute_units * (limits.gpu ? 256.0 : 128.0);
    const std::size_t count =
        count_of(limits.gpu ? kCellsOfGpu : kLcsOfCpu, symbols * symbols, symbols, lanes, 1 << 20);
    selftest::Numbers numbers;
    one.query = selftest::random_text(numbers, m, kSymbols);
    for (std::size_t i = 0; i < count; ++i)
      one.memory.add(related(numbers, one.query, task.divergence));
    one.targets = one.memory.views();
  }

  static tune::Config plan(const Variant& variant, const lcs::Problem& problem,
                           const ocl::Limits& limits, const tune::Config& config) {
    return lcs::plan(variant, problem, limits, config).config;
  }
  static lcs::Answer solve(ocl::Device* device, const Variant& variant, const lcs::Problem& problem,
                           const tune::Config& config) {
    return lcs::solve(device, variant, problem, config);
  }
  static const std::vector<One>& all(const lcs::Answer& answer) { return answer.lengths; }

  static lcs::Answer first(ocl::Device& device, const Variant& variant, lcs::Problem& problem,
                           const tune::Config& used, double limit) {
    const double start = now();
    problem.progress = [&](const rhomb::Progress&) {
      if (now() - start > limit) throw TooSlow{};
    };
    auto answer = lcs::solve(&device, variant, problem, used);
    problem.progress = {};
    problem.time_kernel = true;
    return answer;
  }
  static double warm_seconds(const lcs::Answer& first) { return first.compute; }
  /// One chunk after the other, as they are where copies take longer than launches: several at once
  /// would hide that one does not fill the device.
  static double run(ocl::Device& device, const Variant& variant, const lcs::Problem& problem,
                    tune::Config alone, const lcs::Answer& first) {
    alone.set("QUEUES", 1);
    const int times = static_cast<int>(std::clamp(kRun / std::max(first.compute, 1e-6), 1.0, 9.0));
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i)
      seconds.push_back(lcs::solve(&device, variant, problem, alone).kernel);
    return median(seconds);
  }
};

/// Queries, each with a target that is a quarter longer; two gaps.
struct GapsEngine {
  using Variant = gaps::Variant;
  using One = gaps::Best;
  static constexpr std::string_view kWhat = "pair";

  /// As EDNAFULL has it, with gaps of 10 and 0.5.
  static const gaps::Scoring& scoring() {
    static const gaps::Scoring scoring = [] {
      gaps::Scoring made;
      made.scale = 2;
      made.open = -20;
      made.extend = -1;
      made.known.fill(true);
      std::ranges::fill(made.pairs, -8);
      for (std::size_t i = 0; i < 256; ++i) made.pairs[i << 8 | i] = 10;
      return made;
    }();
    return scoring;
  }

  struct Case {
    batch::Texts query_memory, target_memory;
    std::vector<std::string_view> queries, targets;
    std::vector<gaps::Task> tasks;

    void add(const std::string& query, const std::string& target) {
      const auto number = static_cast<std::uint32_t>(tasks.size());
      tasks.push_back({number, number});
      query_memory.add(query);
      target_memory.add(target);
    }
    void close() {
      queries = query_memory.views();
      targets = target_memory.views();
    }
    gaps::Problem problem() const {
      gaps::Problem problem;
      problem.queries = queries;
      problem.targets = targets;
      problem.tasks = tasks;
      problem.scoring = &scoring();
      problem.rules.gaps = 2;
      return problem;
    }
    std::size_t size() const { return tasks.size(); }
    double cells_of(std::size_t i) const {
      return static_cast<double>(queries[i].size()) * static_cast<double>(targets[i].size());
    }
    One reference(std::size_t i) const {
      return gaps::reference::best(queries[i], targets[i], scoring(), problem().rules);
    }
  };

  static std::span<const Variant> variants() { return gaps::variants(); }

  /// Queries about the length that is tuned, since programs are for a length.
  static void make_small(std::deque<Case>& cases, const tune::Task& task) {
    Case& one = cases.emplace_back();
    selftest::Numbers numbers;
    const auto m = static_cast<std::size_t>(task.length);
    double cells = 0;
    for (std::size_t i = 0; i < 40 && cells < kSmall / 4; ++i) {
      const std::string query = selftest::random_text(numbers, m - (i % 4 == 1 ? 1 : 0), kSymbols);
      std::string target = i % 3 == 0 ? selftest::random_text(numbers, m / 2 + i, kSymbols)
                                      : selftest::edited(numbers, query, 12, kSymbols);
      target.erase(target.size() / 3, i % 7);
      target += selftest::random_text(numbers, i, kSymbols);
      cells += static_cast<double>(query.size()) * static_cast<double>(target.size());
      one.add(query, target);
    }
    one.close();
  }

  static void make_large(Case& one, const tune::Task& task, const ocl::Limits& limits) {
    const auto m = static_cast<std::size_t>(task.length), n = m + m / 4;
    const double cells = static_cast<double>(m) * static_cast<double>(n);
    const std::size_t count = count_of(limits.gpu ? 5e9 : 2e8, cells, static_cast<double>(n),
                                       limits.gpu ? 20'000 : 640, limits.gpu ? 1 << 18 : 1 << 14);
    selftest::Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string query = selftest::random_text(numbers, m, kSymbols);
      std::string target = related(numbers, query, task.divergence);
      if (target.size() < n) target += selftest::random_text(numbers, n - target.size(), kSymbols);
      target.resize(n);
      one.add(query, target);
    }
    one.close();
  }

  static tune::Config plan(const Variant& variant, const gaps::Problem& problem,
                           const ocl::Limits& limits, const tune::Config& config) {
    return gaps::plan(variant, problem, limits, config).config;
  }
  static gaps::Answer solve(ocl::Device* device, const Variant& variant,
                            const gaps::Problem& problem, const tune::Config& config) {
    return gaps::solve(device, variant, problem, config);
  }
  static const std::vector<One>& all(const gaps::Answer& answer) { return answer.best; }

  static gaps::Answer first(ocl::Device& device, const Variant& variant, gaps::Problem& problem,
                            const tune::Config& used, double limit) {
    problem.repeats = 1;
    auto answer = gaps::solve(&device, variant, problem, used);
    if (answer.kernel > limit) throw TooSlow{};
    problem.repeats = static_cast<int>(std::clamp(kRun / std::max(answer.kernel, 1e-6), 1.0, 99.0));
    return answer;
  }
  static double warm_seconds(const gaps::Answer& first) { return first.kernel; }
  static double run(ocl::Device& device, const Variant& variant, const gaps::Problem& problem,
                    const tune::Config& used, const gaps::Answer&) {
    return gaps::solve(&device, variant, problem, used).kernel;
  }
};

/// What they have in common.
template <class Engine>
class Trier {
  using Case = typename Engine::Case;
  using Variant = typename Engine::Variant;
  using One = typename Engine::One;

 public:
  explicit Trier(ocl::Device& device) : device_(device) {}

  void try_out(tune::Trial& trial, const Effort& effort) {
    const Variant& variant = find_variant(Engine::variants(), trial.task.variant);
    prepare(trial.task);
    auto problem = large_->problem();
    // With every tunable's value small problems take the same program.
    const tune::Config used = Engine::plan(variant, problem, device_.limits(), trial.config);
    check_small(variant, used);
    const auto first = Engine::first(device_, variant, problem, used, effort.limit);
    trial.distance = checked_sum(variant, Engine::all(first));
    trial.used = walked(trial.task, used);
    trial.cells = first.cells;
    measure_trial(trial, effort, Engine::warm_seconds(first),
                  [&] { return Engine::run(device_, variant, problem, used, first); });
  }

 private:
  /// Makes what all configurations of a task are tried on.
  void prepare(const tune::Task& task) {
    if (large_ && task.length == task_.length && task.divergence == task_.divergence) return;
    small_.clear();
    expected_.clear();
    large_.reset();
    sample_.clear();
    others_.clear();
    checked_.clear();
    Engine::make_small(small_, task);
    const Variant& reference = Engine::variants().back();
    for (const Case& one : small_)
      expected_.push_back(Engine::all(Engine::solve(nullptr, reference, one.problem(), {})));
    auto made = std::make_unique<Case>();
    Engine::make_large(*made, task, device_.limits());
    selftest::Numbers numbers;
    double cells = 0;
    for (std::size_t i = 0; i < 1000 && (i == 0 || cells < kSample); ++i) {
      const std::size_t number = numbers.below(static_cast<unsigned>(made->size()));
      sample_.emplace_back(number, made->reference(number));
      cells += made->cells_of(number);
    }
    large_ = std::move(made);
    task_ = task;
  }

  static void compare(std::string_view of, std::size_t number, const One& found, const One& right) {
    if (found != right)
      throw CheckError(text_of(of, Engine::kWhat, " ", std::to_string(number), " has ",
                               words(right), ", not ", words(found)));
  }

  void check_small(const Variant& variant, const tune::Config& used) {
    const std::string name = text_of(variant.name, " ", used.text());
    if (checked_.contains(name)) return;
    for (std::size_t c = 0; c < small_.size(); ++c) {
      const auto answer = Engine::solve(&device_, variant, small_[c].problem(), used);
      const auto& found = Engine::all(answer);
      for (std::size_t i = 0; i < found.size(); ++i)
        compare("small ", i, found[i], expected_[c][i]);
    }
    checked_.insert(name);
  }

  /// The answers of the first other variant that can compute this, which are right on the sample;
  /// none if no variant can.
  const std::vector<One>& others(const Variant& variant) {
    const auto [known, fresh] = others_.try_emplace(std::string(variant.name));
    if (!fresh) return known->second;
    for (const Variant& other : Engine::variants()) {
      if (other.name == variant.name || !other.uses_opencl()) continue;
      try {
        auto found = Engine::all(Engine::solve(&device_, other, large_->problem(), {}));
        for (const auto& [number, right] : sample_) compare("", number, found[number], right);
        known->second = std::move(found);
        break;
      } catch (const Error&) {
        // The sample, and perhaps another variant, must do.
      }
    }
    return known->second;
  }

  /// The sum of the answers. Throws CheckError unless they are those of the sample and of another
  /// variant, which is only asked then.
  std::int64_t checked_sum(const Variant& variant, const std::vector<One>& found) {
    for (const auto& [number, right] : sample_) compare("", number, found[number], right);
    const std::vector<One>& expected = others(variant);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!expected.empty()) compare("", i, found[i], expected[i]);
      sum += number_of(found[i]);
    }
    return sum;
  }

  ocl::Device& device_;
  tune::Task task_;
  std::deque<Case> small_;
  std::vector<std::vector<One>> expected_;  // of small_, by the reference
  std::set<std::string> checked_;           // what was right on small_
  std::unique_ptr<Case> large_;
  std::vector<std::pair<std::size_t, One>> sample_;  // of large_, by the reference
  std::map<std::string, std::vector<One>> others_;   // of large_, by what tested variant
};

}  // namespace

void take_seconds(tune::Trial& trial, const std::vector<double>& seconds) {
  trial.seconds = median(seconds);
  trial.spread = spread_of(seconds);
}

struct ManyTrier::Engines {
  explicit Engines(ocl::Device& device) : search(device), lcs(device), gaps(device) {}
  Trier<SearchEngine> search;
  Trier<LcsEngine> lcs;
  Trier<GapsEngine> gaps;
};

ManyTrier::ManyTrier(ocl::Device& device) : engines_(std::make_unique<Engines>(device)) {}
ManyTrier::~ManyTrier() = default;
ManyTrier::ManyTrier(ManyTrier&&) noexcept = default;

void ManyTrier::try_out(tune::Trial& trial, const Effort& effort) {
  if (trial.task.engine == "search")
    engines_->search.try_out(trial, effort);
  else if (trial.task.engine == "gaps")
    engines_->gaps.try_out(trial, effort);
  else
    engines_->lcs.try_out(trial, effort);
}

}  // namespace rhomb::cli
