// SPDX-License-Identifier: Apache-2.0
// The engines that take many problems at once, as the tuner sees them: what they are tried on, how
// it is given to them, and what of their answers is compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/batch/texts.h"
#include "host/engine/selftest.h"
#include "host/gaps/gaps.h"
#include "host/lcs/lcs.h"
#include "host/lcs/subsequence.h"
#include "host/primer/primer.h"
#include "host/search/search.h"
#include "host/tune/trial.h"

namespace rhomb::cli {

/// Texts over four symbols, and what is computed of them: `size` items, each with an answer.
struct Work {
  batch::Texts query_memory, target_memory;
  std::vector<std::string_view> queries, targets;
  std::vector<search::Task> pieces;  ///< query i in target i, from a symbol on
  std::vector<gaps::Task> pairs;     ///< query i with target i, or each with each
  std::size_t size = 0;
  std::uint32_t k = 1;  ///< of primers

  void add(std::string_view query, std::string_view target, std::uint32_t begin = 0,
           std::uint32_t skip = 0);
  /// Once all are added.
  void close();
};

/// What texts an engine takes, and how many where it is measured.
struct Layout {
  double longer = 1;   ///< symbols of a target for one of its query; 0: those of the query's copy
  bool ahead = false;  ///< some of them stand before what is like the query
  bool one_query = false;      ///< all targets have the same
  bool all_pairs = false;      ///< each query with each target, else with its own
  double cells = 0;            ///< of all matrices, about
  double least = 0, most = 0;  ///< pairs
};

/// Small problems for the reference, of queries of each length. Targets end on both sides of words'
/// and of the query's ends, and have up to `longest` times its symbols; some pieces of them begin
/// within a word, and some of the ends in them do not count.
std::deque<Work> small_work(std::span<const std::size_t> lengths, double longest, double cells,
                            bool one_query);
/// What is measured: the same on each device of a kind, so that trials of different days compare.
Work large_work(const tune::Task& task, const Layout& layout);

/// Codes of two bits: settings are for those.
const seq::Code& tuned_code();
/// As EDNAFULL has it, with gaps of 10 and 0.5.
const gaps::Scoring& tuned_scoring();

struct SearchEngine {
  using Problem = search::Problem;
  using Items = std::vector<search::Best>;
  static constexpr std::string_view kName = "search", kItem = "task";
  static constexpr bool kByVariant = false;

  static auto variants() { return search::variants(); }
  static const Items& items(const search::Answer& answer) { return answer.best; }
  static std::int64_t number(const search::Best& best) { return best.distance; }
  static std::string words(const search::Best& best) {
    return std::to_string(best.distance) + " at " + std::to_string(best.end);
  }
  static Problem problem(const Work& work, std::size_t first, std::size_t count) {
    Problem problem;
    problem.queries = work.queries;
    problem.texts = work.targets;
    problem.tasks = std::span(work.pieces).subspan(first, count);
    problem.code = &tuned_code();
    return problem;
  }
  /// Queries of this length only, since programs are for a length.
  static std::deque<Work> small(const tune::Task& task) {
    const std::size_t lengths[] = {static_cast<std::size_t>(task.length)};
    return small_work(lengths, 2, 5e7, false);
  }
  static Work large(const tune::Task& task, const ocl::Limits& limits) {
    if (limits.gpu) return large_work(task, {1.2, true, false, false, 1e12, 1e5, 1 << 20});
    return large_work(task, {1.2, true, false, false, 1e9, 4e3, 1 << 16});
  }
};

struct LcsEngine {
  using Problem = lcs::Problem;
  using Items = std::vector<std::uint32_t>;
  static constexpr std::string_view kName = "lcs", kItem = "target";
  static constexpr bool kByVariant = false;

  static auto variants() { return lcs::variants(); }
  static const Items& items(const lcs::Answer& answer) { return answer.lengths; }
  static std::int64_t number(std::uint32_t length) { return length; }
  static std::string words(std::uint32_t length) { return std::to_string(length); }
  static Problem problem(const Work& work, std::size_t first, std::size_t count) {
    Problem problem;
    problem.query = work.queries.front();
    problem.targets = std::span(work.targets).subspan(first, count);
    problem.code = &tuned_code();
    return problem;
  }
  /// By bit vectors where the reference would take too long.
  static std::optional<std::uint32_t> long_item(const Work& work, std::size_t i) {
    const double m = static_cast<double>(work.queries.front().size());
    if (m * static_cast<double>(work.targets[i].size()) <= 5e7) return std::nullopt;
    lcs::Tracer tracer(work.queries.front(), tuned_code());
    return static_cast<std::uint32_t>(tracer.matches(work.targets[i]).size());
  }
  /// Queries of some rows and of several blocks.
  static std::deque<Work> small(const tune::Task&) {
    constexpr std::size_t kLengths[] = {1, 33, 700, 2100};
    return small_work(kLengths, 2, 5e7, true);
  }
  static Work large(const tune::Task& task, const ocl::Limits& limits) {
    const double lanes = limits.compute_units * (limits.gpu ? 256.0 : 128.0);
    return large_work(task, {0, false, true, false, limits.gpu ? 1e12 : 1e10, lanes, 1 << 20});
  }
};

struct GapsEngine {
  using Problem = gaps::Problem;
  using Items = std::vector<gaps::Best>;
  static constexpr std::string_view kName = "gaps", kItem = "pair";
  static constexpr bool kByVariant = true;

  static auto variants() { return gaps::variants(); }
  static const Items& items(const gaps::Answer& answer) { return answer.best; }
  static std::int64_t number(const gaps::Best& best) { return best.score; }
  static std::string words(const gaps::Best& best) {
    return "score " + std::to_string(best.score) + " at " + std::to_string(best.end);
  }
  static Problem problem(const Work& work, std::size_t first, std::size_t count) {
    Problem problem;
    problem.queries = work.queries;
    problem.targets = work.targets;
    problem.tasks = std::span(work.pairs).subspan(first, count);
    problem.scoring = &tuned_scoring();
    problem.rules.gaps = 2;
    return problem;
  }
  /// Queries about the length that is tuned, since programs are for a length.
  static std::deque<Work> small(const tune::Task& task) {
    const std::size_t lengths[] = {static_cast<std::size_t>(task.length),
                                   static_cast<std::size_t>(task.length) - 1};
    return small_work(lengths, 1.25, 1e7, false);
  }
  /// Each query with each target, since single-a and its like take the queries of one target at a
  /// time. On a CPU the paper's variants take a thousand times as long as ours.
  static Work large(const tune::Task& task, const ocl::Limits& limits) {
    if (limits.gpu) return large_work(task, {1.25, false, false, true, 5e9, 2e4, 1 << 18});
    if (task.variant != variants().front().name)
      return large_work(task, {1.25, false, false, true, 4e6, 64, 1 << 14});
    return large_work(task, {1.25, false, false, true, 2e8, 640, 1 << 14});
  }
};

/// The starts of a sequence; of their texts one has a piece of it with edits.
struct PrimerEngine {
  using Problem = primer::Problem;
  using Items = std::vector<std::uint32_t>;
  static constexpr std::string_view kName = "primer", kItem = "start";
  static constexpr bool kByVariant = true;  ///< the work depends on the variant

  static auto variants() { return primer::variants(); }
  static const Items& items(const primer::Answer& answer) { return answer.ends; }
  static std::int64_t number(std::uint32_t end) { return end; }
  static std::string words(std::uint32_t end) {
    return end == primer::kNone ? "no end" : "the end " + std::to_string(end);
  }
  static Problem problem(const Work& work, std::size_t first, std::size_t count) {
    Problem problem;
    problem.alpha = work.queries.front();
    problem.first = static_cast<std::uint32_t>(first);
    problem.last = static_cast<std::uint32_t>(first + count);
    problem.texts = work.targets;
    problem.k = work.k;
    problem.code = &tuned_code();
    return problem;
  }
  static std::deque<Work> small(const tune::Task& task);
  static Work large(const tune::Task& task, const ocl::Limits& limits);
};

}  // namespace rhomb::cli
