// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/trier.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "host/engine/reference.h"
#include "tools/bench/measure.h"
#include "tools/cli/text.h"
#include "tools/tune/many.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {
namespace {

/// `effort.runs` measured ones, or one if that takes long enough to be the loser, become the
/// trial's seconds and their spread. `first`: seconds of one before; `run` returns those of one.
template <class Run>
void measure_trial(tune::Trial& trial, const Effort& effort, double first, const Run& run) {
  std::vector<double> seconds;
  double fastest = first;
  for (int i = 0; i < effort.runs && (i == 0 || fastest < effort.enough); ++i) {
    seconds.push_back(run());
    fastest = std::min(fastest, seconds.back());
    if (fastest > effort.limit) throw TooSlow{};
  }
  trial.seconds = median(seconds);
  trial.spread = spread_of(seconds);
}

/// Pairs of texts.
class PairTrier {
 public:
  explicit PairTrier(Session& session) : session_(session) { method_.store = &none_; }

  void try_out(tune::Trial& trial, const Effort& effort) {
    method_.engine = trial.task.engine;
    method_.variant = trial.task.variant;
    method_.config = trial.config;
    limit_ = effort.limit;
    check_small();
    const Sample& pair = sample(trial.task.length, trial.task.divergence);
    building_ = kBuilding;  // a longer pair may take another program
    // To warm up. The distance of the plan's own choice is what others are compared with.
    method_.check = trial.config.values().empty();
    const double first = run(pair).timing.compute;
    method_.check = false;
    measure_trial(trial, effort, first, [&] {
      const DistanceAnswer answer = run(pair);
      trial.used = answer.config;
      trial.cells = answer.cells;
      trial.distance = answer.distance.value_or(-1);
      return answer.timing.compute;
    });
  }

 private:
  /// Seconds that a run may take longer that compiles its program.
  static constexpr double kBuilding = 60;

  DistanceAnswer run(const Sample& pair) {
    const double start = now();
    method_.progress = [&](const rhomb::Progress&) {
      if (now() - start > limit_ + building_) throw TooSlow{};
    };
    const DistanceAnswer answer =
        distance(session_.open(), pair.query.symbols, pair.target.symbols, method_);
    building_ = 0;
    return answer;
  }

  const Sample& sample(std::int64_t length, double divergence) {
    auto found = samples_.find({length, divergence});
    if (found == samples_.end()) {
      const Divergence edits = divergence < 0.5 ? Divergence(divergence) : std::nullopt;
      found =
          samples_.emplace(std::pair{length, divergence}, random_sample(length, edits, 1)).first;
    }
    return found->second;
  }

  /// Texts that cross a few borders of tiles and words; the reference takes milliseconds.
  void check_small() {
    constexpr std::int64_t kSmall = 1500;
    method_.check = false;
    building_ = kBuilding;
    for (const double divergence : {0.5, 0.05}) {
      const Sample& pair = sample(kSmall, divergence);
      const seq::Code code = seq::make_code(pair.query.symbols, pair.target.symbols);
      const std::int64_t expected =
          reference::edit_distance(pair.query.symbols, pair.target.symbols, code);
      const auto got = run(pair).distance;
      if (got != expected)
        throw CheckError("a small pair has distance " + std::to_string(expected) + ", not " +
                         (got ? std::to_string(*got) : std::string("none")));
    }
  }

  Session& session_;
  tune::Store none_;  // what is known must not change what is measured
  DistanceOptions method_;
  double limit_ = 0, building_ = 0;
  std::map<std::pair<std::int64_t, double>, Sample> samples_;
};

/// Many problems at once.
template <class Engine>
class ManyTrier {
  using Problem = typename Engine::Problem;
  using Variant = std::decay_t<decltype(Engine::variants().front())>;
  using Items = typename Engine::Items;
  using Item = typename Items::value_type;

 public:
  explicit ManyTrier(Session& session) : session_(session) {}

  static bool knows(const tune::Task& task) { return task.engine == Engine::kName; }

  void try_out(tune::Trial& trial, const Effort& effort) {
    ocl::Device& device = *session_.get().open();
    const Variant& variant = find_variant(Engine::variants(), trial.task.variant);
    prepare(trial.task, device.limits());
    Problem problem = all(*large_);
    // With every tunable's value small problems take the same program.
    tune::Config used = plan(variant, problem, device.limits(), trial.config).config;
    check_small(device, variant, used);
    trial.used = walked(trial.task, used);
    measure(trial, effort, problem, used,
            [&](const tune::Config& config) { return solve(&device, variant, problem, config); });
  }

 private:
  static constexpr double kRun = 0.07;    ///< seconds: a run repeats what is shorter
  static constexpr double kSample = 1e8;  ///< cells of the reference: about a second
  static constexpr double kWhole = 4e8;   ///< likewise, in all threads

  template <class Run>
  void measure(tune::Trial& trial, const Effort& effort, Problem& problem, tune::Config& used,
               const Run& run) {
    constexpr bool kRepeats = requires { problem.repeats; };
    const auto often = [](double seconds, double most) {
      return static_cast<int>(std::clamp(kRun / std::max(seconds, 1e-6), 1.0, most));
    };
    const double start = now();
    if constexpr (kRepeats)
      problem.repeats = 1;
    else
      problem.progress = [&](const rhomb::Progress&) {
        if (now() - start > effort.limit) throw TooSlow{};
      };
    const auto first = run(used);
    problem.progress = {};
    trial.distance = checked_sum(trial.task.variant, Engine::items(first));
    trial.cells = first.cells;
    if constexpr (kRepeats) {
      if (first.kernel > effort.limit) throw TooSlow{};
      problem.repeats = often(first.kernel, 99);
      return measure_trial(trial, effort, first.kernel, [&] { return run(used).kernel; });
    }
    // One chunk after the other, as they are where copies take longer than launches: several at
    // once would hide that one does not fill the device.
    if (left_alone(trial.task, "QUEUES")) used.set("QUEUES", 1);
    if constexpr (requires { problem.time_kernel; }) problem.time_kernel = true;
    measure_trial(trial, effort, first.compute, [&] {
      std::vector<double> seconds;
      for (int i = 0; i < often(first.compute, 9); ++i) {
        const auto answer = run(used);
        if constexpr (requires { answer.kernel; })
          seconds.push_back(answer.kernel);
        else
          seconds.push_back(answer.compute);
      }
      return median(seconds);
    });
  }

  static Problem all(const Work& work) { return Engine::problem(work, 0, work.size); }

  /// Answers of the reference, and the cells that it went through.
  static Items by_reference(const Work& work, std::size_t first, std::size_t count,
                            double* cells = nullptr) {
    if constexpr (requires { Engine::long_item(work, first); })
      if (const auto known = Engine::long_item(work, first); known && count == 1) {
        if (cells != nullptr) *cells += kSample;
        return {*known};
      }
    const auto answer =
        solve(nullptr, Engine::variants().back(), Engine::problem(work, first, count), {});
    if (cells != nullptr) *cells += answer.cells;
    return Engine::items(answer);
  }

  static bool same_work(const tune::Task& a, const tune::Task& b) {
    return a.length == b.length && a.divergence == b.divergence &&
           (!Engine::kByVariant || a.variant == b.variant);
  }

  /// Makes what all configurations of a task are tried on.
  void prepare(const tune::Task& task, const ocl::Limits& limits) {
    if (large_ && same_work(task, task_)) return;
    *this = ManyTrier(session_);
    small_ = Engine::small(task);
    for (const Work& work : small_) expected_.push_back(by_reference(work, 0, work.size));
    Work made = Engine::large(task, limits);
    double cells = 0;
    sample_.emplace_back(0, by_reference(made, 0, 1, &cells).front());
    if (cells * static_cast<double>(made.size) <= kWhole) {
      const Items known = by_reference(made, 0, made.size);
      for (std::size_t i = 1; i < known.size(); ++i) sample_.emplace_back(i, known[i]);
    }
    selftest::Numbers numbers;
    while (sample_.size() < std::min<std::size_t>(made.size, 1000) && cells < kSample) {
      const std::size_t number = numbers.below(static_cast<unsigned>(made.size));
      sample_.emplace_back(number, by_reference(made, number, 1, &cells).front());
    }
    large_ = std::move(made);
    task_ = task;
  }

  static void compare(std::string_view of, std::size_t number, const Item& found,
                      const Item& right) {
    if (found != right)
      throw CheckError(text_of(of, Engine::kItem, " ", std::to_string(number), " has ",
                               Engine::words(right), ", not ", Engine::words(found)));
  }

  void check_small(ocl::Device& device, const Variant& variant, const tune::Config& used) {
    const std::string name = text_of(variant.name, " ", used.text());
    if (checked_.contains(name)) return;
    for (std::size_t c = 0; c < small_.size(); ++c) {
      const auto answer = solve(&device, variant, all(small_[c]), used);
      for (std::size_t i = 0; i < expected_[c].size(); ++i)
        compare("small ", i, Engine::items(answer)[i], expected_[c][i]);
    }
    checked_.insert(name);
  }

  void check_sample(const Items& found) const {
    for (const auto& [number, right] : sample_) compare("", number, found[number], right);
  }

  /// The answers of the first other variant that can compute this, which are right on the sample;
  /// none if no variant can, or the sample is all there is.
  const Items& others(const std::string& variant) {
    const auto [known, fresh] = others_.try_emplace(variant);
    if (!fresh || sample_.size() == large_->size) return known->second;
    for (const Variant& other : Engine::variants()) {
      if (other.name == variant || !other.uses_opencl()) continue;
      try {
        auto found = Engine::items(solve(session_.get().open(), other, all(*large_), {}));
        check_sample(found);
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
  std::int64_t checked_sum(const std::string& variant, const Items& found) {
    check_sample(found);
    const Items& expected = others(variant);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!expected.empty()) compare("", i, found[i], expected[i]);
      sum += Engine::number(found[i]);
    }
    return sum;
  }

  std::reference_wrapper<Session> session_;
  tune::Task task_;
  std::deque<Work> small_;
  std::vector<Items> expected_;    // of small_, by the reference
  std::set<std::string> checked_;  // what was right on small_
  std::optional<Work> large_;
  std::vector<std::pair<std::size_t, Item>> sample_;  // of large_ or all of it, by the reference
  std::map<std::string, Items> others_;               // of large_, by what tested variant
};

}  // namespace

struct Trier::Engines {
  PairTrier pairs;
  std::tuple<ManyTrier<SearchEngine>, ManyTrier<LcsEngine>, ManyTrier<GapsEngine>,
             ManyTrier<PrimerEngine>>
      many;

  explicit Engines(Session& session) : pairs(session), many(session, session, session, session) {}
};

Trier::Trier(Session& session) : engines_(std::make_unique<Engines>(session)) {}
Trier::~Trier() = default;

void Trier::try_out(tune::Trial& trial, const Effort& effort) {
  if (is_pair(trial.task)) return engines_->pairs.try_out(trial, effort);
  const auto try_with = [&](auto& engine) {
    if (engine.knows(trial.task)) engine.try_out(trial, effort);
  };
  std::apply([&](auto&... engine) { (try_with(engine), ...); }, engines_->many);
}

}  // namespace rhomb::cli
