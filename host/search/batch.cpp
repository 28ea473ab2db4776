// SPDX-License-Identifier: Apache-2.0
// The row strips-batch: strips in slots (cl/search/slots.h), several tasks a word.
#include <algorithm>
#include <limits>

#include "host/search/internal.h"

namespace rhomb::search {
namespace {

const tune::Param kBatchGroup{"WG", {64, 128, 32, 256, 1}, "work-items a group; 1 where LANES > 1"};
const tune::Param kLanes{
    "LANES", {1, 4, 8, 16}, "words a work-item: 1 on GPUs, a register on CPUs"};
const tune::Param kSlot{"SLOT", {8, 16, 32}, "bits of a word that a query has"};
const tune::Param kRows{
    "K", {16, 8, 12, 20, 24, 28, 32, 4, 2, 1}, "rows a strip, as many strips as the query takes"};

/// Registers for symbols and differences; compilers keep about so many.
int most_rows(int planes) { return std::clamp(150 / (2 + planes), 1, 32); }

struct BatchFit {
  int slot = 32;
  int rows = 32;
};

/// Operations a task: those of a step by the steps, shared by the tasks of a word. `head` rows may
/// be above the query.
double cost_of(const BatchFit& fit, std::int64_t m, std::int64_t n, int planes, int head) {
  const std::int64_t strips = (m + fit.rows - 1) / fit.rows;
  const std::int64_t passes = (strips + fit.slot - 1) / fit.slot;
  // Cells; shifts and scores; loading of symbols, which takes a word's each step.
  const double step = fit.rows * (5.0 + planes) + head + 14 + 3.0 * planes;
  // The registers' symbols are gathered and transposed; then strips wake one after another.
  const double wake = strips % fit.slot == 0 ? 0 : 2.0 * fit.rows;
  const double begin = planes * (420 + 10.0 * 32) + (fit.slot - 1) * (step + wake);
  return static_cast<double>(passes) * (static_cast<double>(n) * step + begin) * fit.slot / 32;
}

int strips_of(std::int64_t m, int rows) { return static_cast<int>((m + rows - 1) / rows); }

BatchFit best_fit(std::int64_t m, std::int64_t n, int planes, const tune::Config& config) {
  BatchFit best;
  double least = std::numeric_limits<double>::infinity();
  for (const int slot : {8, 16, 32}) {
    if (config.get("SLOT", slot) != slot) continue;
    for (int rows = 1; rows <= most_rows(planes); ++rows) {
      if (config.get("K", rows) != rows) continue;
      const int strips = strips_of(m, rows);
      if (strips > slot && slot < 32) continue;
      const BatchFit fit{slot, rows};
      const double cost =
          cost_of(fit, m, n, planes, static_cast<int>(std::int64_t{strips} * rows - m));
      if (cost >= least) continue;
      least = cost;
      best = fit;
    }
  }
  if (least == std::numeric_limits<double>::infinity())
    throw tune::Unfit("no strips of K=" + std::to_string(config.get("K", 0)) +
                      " rows fit queries " + "of " + std::to_string(m) +
                      " symbols with SLOT=" + std::to_string(config.get("SLOT", 0)));
  return best;
}

/// Where there are more lengths than programs should be: queries up to slot * rows symbols, and in
/// the last one longer ones.
constexpr BatchFit kClasses[] = {{8, 8},   {8, 16},  {8, 24},  {8, 32},
                                 {16, 24}, {16, 32}, {32, 24}, {32, 32}};

/// A program, for queries of some lengths.
struct BatchKind {
  BatchFit fit;
  int head = 0;        // rows that may be above a query
  bool mixed = false;  // whether queries may have fewer strips than slots have bits
  bool chain = false;  // whether they may have more
};

/// Which length has which program: `at` is in step with TaskStats::lengths.
struct Kinds {
  std::vector<BatchKind> all;
  std::vector<int> at;
};

/// All classes, ascending by what they take; the last one takes any length, unless SLOT forbids it.
std::vector<BatchFit> all_classes(int planes, const tune::Config& config) {
  std::vector<BatchFit> classes;
  const int most = most_rows(planes);
  for (const BatchFit& fit : kClasses)
    if (config.get("SLOT", fit.slot) == fit.slot && config.get("K", fit.rows) == fit.rows &&
        fit.rows <= most)
      classes.push_back(fit);
  const BatchFit last{32, config.get("K", std::min(32, most))};
  if (config.get("SLOT", 32) == 32 && (classes.empty() || classes.back().slot < 32))
    classes.push_back(last);
  if (classes.empty()) classes.push_back({config.get("SLOT", 32), last.rows});
  return classes;
}

/// Lengths for the known-answer test of a program: with few and many strips, as far as there may be
/// fewer than slots have bits, in one pass and in two, with as many rows above the query as there
/// may be and with none.
std::vector<std::uint32_t> tested_lengths(const BatchKind& kind, bool chain) {
  const auto [slot, rows] = kind.fit;
  std::vector<int> strips{chain ? 2 * slot : slot};
  if (kind.mixed) strips.insert(strips.end(), {1, slot / 2 + 1});
  if (kind.mixed && chain) strips.insert(strips.end(), {slot, slot + 1});
  std::vector<std::uint32_t> lengths;
  for (const int count : strips)
    for (const int above : {0, (kind.head + 1) / 2, kind.head})
      lengths.push_back(static_cast<std::uint32_t>(count * rows - above));
  return lengths;
}

std::uint32_t most_of(const BatchFit& fit) {
  return static_cast<std::uint32_t>(fit.slot * fit.rows);
}

/// The classes for these lengths, ascending: none of few queries, whose cells then do not matter.
std::vector<BatchFit> classes_for(const std::vector<std::uint32_t>& lengths, int planes,
                                  const tune::Config& config) {
  const std::vector<BatchFit> classes = all_classes(planes, config);
  // Where a class has hardly a length that the one before does not take, the next one can do it.
  std::vector<BatchFit> used;
  std::size_t next = 0;  // of lengths
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool ends = i + 1 == classes.size();
    std::size_t stop = next;
    while (stop < lengths.size() && (ends || lengths[stop] <= most_of(classes[i]))) ++stop;
    if (ends ? stop > next : 10 * (stop - next) > lengths.size()) {
      used.push_back(classes[i]);
      next = stop;
    }
  }
  return used;
}

/// One class for all lengths up to `longest`; where there is one it also takes `common`, so that
/// blocks of a file with other rare lengths have the same.
BatchFit class_for(std::uint32_t longest, std::uint32_t common, int planes,
                   const tune::Config& config) {
  const std::vector<BatchFit> classes = all_classes(planes, config);
  for (const std::uint32_t least : {std::max(longest, common), longest}) {
    const auto found =
        std::ranges::find_if(classes, [&](const BatchFit& fit) { return most_of(fit) >= least; });
    if (found != classes.end()) return *found;
  }
  return classes.back();
}

/// A length with so much of the cells gets a program that fits it best; lengths that together have
/// less than kLittle share one, however badly it fits.
constexpr double kMuch = 1.0 / 8, kLittle = 1.0 / 32;

/// Each program takes a driver a part of a second to compile, the first time.
Kinds kinds_for(const TaskStats& all, std::int64_t n, int planes, const tune::Config& config) {
  Kinds kinds;
  kinds.at.resize(all.lengths.size(), -1);
  double rest = 0;
  for (const double share : all.shares)
    if (share < kMuch) rest += share;
  const bool little = rest < kLittle;
  std::vector<std::uint32_t> others;
  std::uint32_t common = 0;
  for (std::size_t i = 0; i < all.lengths.size(); ++i) {
    const std::uint32_t m = all.lengths[i];
    if (all.shares[i] < kMuch && (little || all.lengths.size() > kMostExact)) {
      others.push_back(m);
      continue;
    }
    common = m;
    BatchKind kind{best_fit(m, n, planes, config)};
    const int strips = strips_of(m, kind.fit.rows);
    kind.head = strips * kind.fit.rows - static_cast<int>(m);
    kind.mixed = strips % kind.fit.slot != 0;
    kind.chain = strips > kind.fit.slot;
    // Lengths that are near each other share one.
    const auto like = std::ranges::find_if(kinds.all, [&](const BatchKind& other) {
      return other.fit.slot == kind.fit.slot && other.fit.rows == kind.fit.rows &&
             other.mixed == kind.mixed && !other.chain && !kind.chain;
    });
    kinds.at[i] = static_cast<int>(like - kinds.all.begin());
    if (like == kinds.all.end())
      kinds.all.push_back(kind);
    else
      like->head = std::max(like->head, kind.head);
  }
  std::vector<BatchFit> classes;
  if (little && !others.empty())
    classes = {class_for(others.back(), common, planes, config)};
  else
    classes = classes_for(others, planes, config);
  const auto first = static_cast<int>(kinds.all.size());
  for (const BatchFit& fit : classes) kinds.all.push_back({fit, fit.rows - 1, true});
  for (std::size_t i = 0; i < all.lengths.size(); ++i) {
    if (kinds.at[i] >= 0) continue;
    int at = 0;
    while (at + 1 < static_cast<int>(classes.size()) &&
           all.lengths[i] > most_of(classes[static_cast<std::size_t>(at)]))
      ++at;
    kinds.at[i] = first + at;
  }
  return kinds;
}

Plan plan_batch(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan;
  plan.file = "search/batch.cl";
  plan.kernel = "search_batch";
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.whole = problem.whole;
  plan.lanes = engine::usual_lanes(limits, config);
  const int group = config.get(
      "WG",
      plan.lanes > 1 ? 1 : static_cast<int>(std::min<std::size_t>(limits.max_work_group, 64)));
  engine::check_lanes(plan.lanes, group);
  engine::check_group(group, limits);
  engine::check_between("K", config.get("K", 1), 1, 32);
  if (const int slot = config.get("SLOT", 8); slot != 8 && slot != 16 && slot != 32)
    throw tune::Unfit("SLOT=" + std::to_string(slot) + " is not 8, 16 or 32");
  plan.config.set("LANES", plan.lanes);
  plan.config.set("WG", group);

  const TaskStats all = stats_of(problem);
  const auto n = static_cast<std::int64_t>(
      all.symbols / static_cast<double>(std::max<std::size_t>(1, problem.tasks.size())));
  const Kinds kinds = kinds_for(all, n, plan.planes, config);

  const auto make = [&](int number, std::uint32_t shortest, std::uint32_t longest) {
    Shape shape;
    const BatchKind& kind = kinds.all[static_cast<std::size_t>(number)];
    const BatchFit& fit = kind.fit;
    const int strips = strips_of(longest, fit.rows);
    const bool chain = strips > fit.slot;
    if (chain && fit.slot < 32)
      throw tune::Unfit("queries of " + std::to_string(longest) + " symbols are more than " +
                        std::to_string(fit.slot) + " strips of K=" + std::to_string(fit.rows));
    shape.group = group;
    shape.tasks = group * plan.lanes * 32 / fit.slot;
    shape.shortest = shortest;
    shape.tested = tested_lengths(kind, chain);
    const auto set = [&](const char* name, int value) {
      shape.defines.emplace_back(name, std::to_string(value));
    };
    set("WG", group);
    set("LANES", plan.lanes);
    set("SLOT", fit.slot);
    set("K", fit.rows);
    set("HEAD", kind.head);
    set("MIXED", kind.mixed);
    set("CHAIN", chain);
    if (problem.whole) set("WHOLE", 1);
    set("PLANES", plan.planes);
    set("SETS", plan.sets);
    if (chain) shape.scratch = 2;
    return shape;
  };
  plan_shapes(
      plan, problem, all,
      [&](std::uint32_t rows) {
        const auto at = std::ranges::lower_bound(all.lengths, rows) - all.lengths.begin();
        return kinds.at[static_cast<std::size_t>(at)];
      },
      make);
  if (!plan.shapes.empty()) {
    const auto& defines = plan.shapes.front().defines;
    const auto value_of = [&](std::string_view name) {
      return std::stoi(
          std::ranges::find(defines, name, &std::pair<std::string, std::string>::first)->second);
    };
    plan.config.set("SLOT", value_of("SLOT"));
    plan.config.set("K", value_of("K"));
  }
  return plan;
}

}  // namespace

const Variant& strips_batch_variant() {
  static const Variant row{"strips-batch",
                           "bit-sliced strips, several queries a word, no carries",
                           {kBatchGroup, kLanes, kSlot, kRows},
                           plan_batch,
                           run_on_device};
  return row;
}

}  // namespace rhomb::search
