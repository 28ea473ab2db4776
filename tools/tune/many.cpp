// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/many.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "host/engine/reference.h"
#include "host/engine/selftest.h"
#include "host/lcs/subsequence.h"
#include "tools/cli/text.h"
#include "tools/tune/rows.h"

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

/// The answers of the first other row that can compute this; none if no row can.
template <class Row, class Solve>
auto answers_of_others(std::span<const Row> rows, const Row& row, const Solve& solve) {
  for (const Row& other : rows) {
    if (other.name == row.name || !other.uses_opencl()) continue;
    try {
      return solve(other);
    } catch (const Error&) {
      // The sample, and perhaps another row, must do.
    }
  }
  return decltype(solve(row)){};
}

/// `runs` measured ones, or one if that takes long enough to be the loser.
template <class Run>
void measure(tune::Trial& trial, const Effort& effort, double first, const Run& run) {
  std::vector<double> seconds;
  double fastest = first;
  for (int i = 0; i < effort.runs && (i == 0 || fastest < effort.enough); ++i) {
    seconds.push_back(run());
    fastest = std::min(fastest, seconds.back());
    if (fastest > effort.limit) throw TooLong{};
  }
  take_seconds(trial, seconds);
}

std::string words(const search::Best& best) {
  return text_of(std::to_string(best.distance), " at ", std::to_string(best.end));
}

std::string words(std::uint32_t length) { return std::to_string(length); }

std::int64_t number_of(const search::Best& best) { return best.distance; }
std::int64_t number_of(std::uint32_t length) { return length; }

[[noreturn]] void throw_wrong(std::string_view what, std::size_t number, const std::string& right,
                              const std::string& found) {
  throw CheckError(text_of(what, " ", std::to_string(number), " has ", right, ", not ", found));
}

/// The sum of the answers. Throws CheckError unless they are those of the sample and, where there
/// are any, of another row, which is only asked then. `what`: that has an answer.
template <class Best, class Others>
std::int64_t checked_sum(std::string_view what, const std::vector<Best>& found,
                         const std::vector<std::pair<std::size_t, Best>>& sample,
                         const Others& others) {
  for (const auto& [number, right] : sample)
    if (found[number] != right) throw_wrong(what, number, words(right), words(found[number]));
  const std::vector<Best>& expected = others();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!expected.empty() && found[i] != expected[i])
      throw_wrong(what, i, words(expected[i]), words(found[i]));
    sum += number_of(found[i]);
  }
  return sum;
}

}  // namespace

void take_seconds(tune::Trial& trial, const std::vector<double>& seconds) {
  trial.seconds = median(seconds);
  const auto [least, most] = std::ranges::minmax(seconds);
  trial.spread = most / std::max(least, 1e-9);
}

void Texts::add(std::string_view text) {
  all_ += text;
  ends_.push_back(all_.size());
}

std::vector<std::string_view> Texts::views() const {
  std::vector<std::string_view> views;
  views.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    views.push_back(std::string_view(all_).substr(begin, end - begin));
    begin = end;
  }
  return views;
}

// ---- search

search::Problem SearchTrier::Case::problem() const {
  search::Problem problem;
  problem.queries = queries;
  problem.texts = texts;
  problem.tasks = tasks;
  problem.code = &code();
  return problem;
}

/// Queries of this length only, since programs are for a length. Candidates end on both sides of
/// words' and of the query's ends; some ends do not count, some pieces begin within a word.
void SearchTrier::make_small(std::size_t m) {
  small_ = {};
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
    const auto number = static_cast<std::uint32_t>(i);
    small_.tasks.push_back(
        {number, number, begin, static_cast<std::uint32_t>(length), i % 3 == 2 ? 64u : 0u});
    small_.query_memory.add(query);
    small_.text_memory.add(text);
    cells += static_cast<double>(m) * static_cast<double>(length);
  }
  small_.queries = small_.query_memory.views();
  small_.texts = small_.text_memory.views();
  small_.expected = solve(nullptr, search::variants().back(), small_.problem()).best;
}

void SearchTrier::make_large(const tune::Task& task) {
  large_ = {};
  const auto m = static_cast<std::size_t>(task.length);
  const auto n = static_cast<std::size_t>(candidate_length(task.length));
  const ocl::Limits& limits = device_.limits();
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
    const auto number = static_cast<std::uint32_t>(i);
    large_.tasks.push_back({number, number, 0, static_cast<std::uint32_t>(n), 0});
    large_.query_memory.add(query);
    large_.text_memory.add(text);
  }
  large_.queries = large_.query_memory.views();
  large_.texts = large_.text_memory.views();
  double cells = 0;
  for (std::size_t i = 0; i < 1000 && (i == 0 || cells < kSample); ++i) {
    const std::size_t number = numbers.below(static_cast<unsigned>(count));
    const auto [distance, end] =
        reference::best_occurrence(large_.queries[number], large_.texts[number], code());
    sample_.push_back(
        {number, {static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(end)}});
    cells += static_cast<double>(m) * static_cast<double>(n);
  }
}

void SearchTrier::prepare(const tune::Task& task) {
  if (task.length == length_ && task.divergence == divergence_) return;
  length_ = 0;
  sample_.clear();
  others_.clear();
  checked_.clear();
  make_small(static_cast<std::size_t>(task.length));
  make_large(task);
  length_ = task.length;
  divergence_ = task.divergence;
}

const SearchTrier::Answers& SearchTrier::others(const search::Variant& row) {
  const auto [found, fresh] = others_.try_emplace(std::string(row.name));
  if (fresh)
    found->second = answers_of_others(search::variants(), row, [&](const search::Variant& other) {
      Answers answers = search::solve(&device_, other, large_.problem()).best;
      for (const auto& [number, best] : sample_)
        if (answers[number] != best) throw CheckError("the other row is wrong");
      return answers;
    });
  return found->second;
}

void SearchTrier::check_small(const search::Variant& row, const tune::Config& used) {
  const std::string name = text_of(row.name, " ", used.text());
  if (checked_.count(name) != 0) return;
  const auto best = search::solve(&device_, row, small_.problem(), used).best;
  for (std::size_t i = 0; i < best.size(); ++i)
    if (best[i] != small_.expected[i])
      throw_wrong("small task", i, words(small_.expected[i]), words(best[i]));
  checked_.insert(name);
}

void SearchTrier::try_out(tune::Trial& trial, const Effort& effort) {
  const search::Variant& row = find_variant(search::variants(), trial.task.variant);
  prepare(trial.task);
  search::Problem problem = large_.problem();
  // With every tunable's value small problems take the same program.
  const tune::Config used = search::plan(row, problem, device_.limits(), trial.config).config;
  check_small(row, used);
  problem.repeats = 1;  // to warm up
  const search::Answer first = search::solve(&device_, row, problem, used);
  if (first.kernel > effort.limit) throw TooLong{};
  trial.distance =
      checked_sum("task", first.best, sample_, [&]() -> const Answers& { return others(row); });
  trial.used = used;
  trial.cells = first.cells;
  problem.repeats = static_cast<int>(std::clamp(kRun / std::max(first.kernel, 1e-6), 1.0, 99.0));
  measure(trial, effort, first.kernel,
          [&] { return search::solve(&device_, row, problem, used).kernel; });
}

// ---- lcs

lcs::Problem LcsTrier::Case::problem() const {
  lcs::Problem problem;
  problem.query = query;
  problem.subjects = subjects;
  problem.code = &code();
  return problem;
}

/// Queries of some rows and of several blocks, subjects that end on both sides of words' ends.
void LcsTrier::make_small() {
  if (!small_.empty()) return;
  selftest::Numbers numbers;
  small_.reserve(4);  // views stay where they are
  for (const unsigned m : {1u, 33u, 700u, 2100u}) {
    Case& one = small_.emplace_back();
    one.query = selftest::random_text(numbers, m, kSymbols);
    for (std::size_t i = 0; i < 40; ++i) {
      constexpr std::size_t kLengths[] = {0, 1, 31, 32, 33, 64, 65, 100, 127, 300};
      const std::size_t length = kLengths[i % std::size(kLengths)];
      one.memory.add(i % 3 == 0
                         ? selftest::edited(numbers, one.query.substr(0, length), 8, kSymbols)
                         : selftest::random_text(numbers, length, kSymbols));
    }
    one.subjects = one.memory.views();
    one.expected = lcs::solve(nullptr, lcs::variants().back(), one.problem()).lengths;
  }
}

void LcsTrier::make_large(const tune::Task& task) {
  large_ = {};
  const auto m = static_cast<std::size_t>(task.length);
  const double symbols = static_cast<double>(m), cells = symbols * symbols;
  const ocl::Limits& limits = device_.limits();
  const double lanes = limits.compute_units * (limits.gpu ? 256.0 : 128.0);
  const std::size_t count =
      count_of(limits.gpu ? kCellsOfGpu : kLcsOfCpu, cells, symbols, lanes, 1 << 20);
  selftest::Numbers numbers;
  large_.query = selftest::random_text(numbers, m, kSymbols);
  for (std::size_t i = 0; i < count; ++i)
    large_.memory.add(related(numbers, large_.query, task.divergence));
  large_.subjects = large_.memory.views();
  double done = 0;
  for (std::size_t i = 0; i < 1000 && (i == 0 || done < kSample); ++i) {
    const std::size_t number = numbers.below(static_cast<unsigned>(count));
    const std::string_view subject = large_.subjects[number];
    sample_.emplace_back(
        number, cells <= kPlain ? reference::lcs_length(large_.query, subject, code())
                                : static_cast<std::uint32_t>(
                                      lcs::Tracer(large_.query, code()).matches(subject).size()));
    done += cells;
  }
}

void LcsTrier::prepare(const tune::Task& task) {
  make_small();
  if (task.length == length_ && task.divergence == divergence_) return;
  length_ = 0;
  sample_.clear();
  others_.clear();
  make_large(task);
  length_ = task.length;
  divergence_ = task.divergence;
}

const LcsTrier::Answers& LcsTrier::others(const lcs::Variant& row) {
  const auto [found, fresh] = others_.try_emplace(std::string(row.name));
  if (fresh)
    found->second = answers_of_others(lcs::variants(), row, [&](const lcs::Variant& other) {
      Answers answers = lcs::solve(&device_, other, large_.problem()).lengths;
      for (const auto& [number, length] : sample_)
        if (answers[number] != length) throw CheckError("the other row is wrong");
      return answers;
    });
  return found->second;
}

void LcsTrier::check_small(const lcs::Variant& row, const tune::Config& used) {
  const std::string name = text_of(row.name, " ", used.text());
  if (checked_.count(name) != 0) return;
  for (const Case& one : small_) {
    const auto lengths = lcs::solve(&device_, row, one.problem(), used).lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (lengths[i] != one.expected[i])
        throw_wrong(text_of("of a query of ", std::to_string(one.query.size()), " small subject"),
                    i, std::to_string(one.expected[i]), std::to_string(lengths[i]));
  }
  checked_.insert(name);
}

void LcsTrier::try_out(tune::Trial& trial, const Effort& effort) {
  const lcs::Variant& row = find_variant(lcs::variants(), trial.task.variant);
  prepare(trial.task);
  lcs::Problem problem = large_.problem();
  const tune::Config used = lcs::plan(row, problem, device_.limits(), trial.config).config;
  check_small(row, used);
  const double start = now();
  problem.progress = [&](const Progress&) {
    if (now() - start > effort.limit) throw TooLong{};
  };
  const lcs::Answer first = lcs::solve(&device_, row, problem, used);
  problem.progress = {};
  trial.distance = checked_sum("subject", first.lengths, sample_,
                               [&]() -> const Answers& { return others(row); });
  trial.used = walked(trial.task, used);
  trial.cells = first.cells;
  problem.time_kernel = true;
  // One chunk after the other, as they are where copies take longer than launches: several at once
  // would hide that one does not fill the device.
  tune::Config alone = used;
  alone.set("QUEUES", 1);
  measure(trial, effort, first.compute, [&] {
    const int times = static_cast<int>(std::clamp(kRun / std::max(first.compute, 1e-6), 1.0, 9.0));
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i)
      seconds.push_back(lcs::solve(&device_, row, problem, alone).kernel);
    return median(seconds);
  });
}

}  // namespace rhomb::cli
