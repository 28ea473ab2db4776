// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>

#include "host/engine/reference.h"
#include "host/engine/selftest.h"
#include "host/engine/solve.h"
#include "host/search/internal.h"
#include "host/search/occurrence.h"

namespace rhomb::search {
namespace {

Plan plan_reference(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  Problem own = problem;
  own.resident = nullptr;  // it reads the texts themselves
  Plan plan;
  plan.cells = stats_of(own).cells;
  return plan;
}

Answer run_reference(ocl::Device*, const Plan&, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  Answer answer;
  answer.best.reserve(problem.tasks.size());
  for (const Task& task : problem.tasks) {
    const std::string_view query = problem.queries[task.query];
    const std::string_view piece = problem.texts[task.text].substr(task.begin, task.length);
    if (problem.whole) {
      const std::int64_t distance = reference::edit_distance(query, piece, *problem.code);
      answer.best.push_back({static_cast<std::uint32_t>(distance), task.length});
      continue;
    }
    const auto [distance, end] = reference::best_occurrence(query, piece, *problem.code, task.skip);
    answer.best.push_back(
        distance < 0 ? Best{}
                     : Best{static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(end)});
  }
  answer.compute = answer.kernel = now() - start;
  return answer;
}

// Few small problems that touch what can go wrong: queries of the lengths at the program's borders,
// pieces of several lengths, near and unrelated, ends that do not count. Bit vectors on the host
// say what is right, because plain dynamic programming would take long where queries are.
void test(ocl::Device& device, const Plan& plan, const Shape& shape) {
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  std::vector<std::string> queries, texts;
  std::vector<Task> tasks;
  // Every length once, and again as long as that takes no time.
  constexpr double kCells = 2e8;
  double cells = 0;
  for (std::size_t i = 0; i < shape.tested.size() || (i < 40 && cells < kCells); ++i) {
    const std::uint32_t rows = shape.tested[i % shape.tested.size()];
    queries.push_back(selftest::random_text(numbers, rows, symbols));
    std::string text = i % 5 == 3 ? selftest::random_text(numbers, rows, symbols)
                                  : selftest::edited(numbers, queries.back(), 12, symbols);
    text = selftest::random_text(numbers, numbers.below(70), symbols) + text +
           selftest::random_text(numbers, numbers.below(70), symbols);
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::uint32_t begin = length > 3 ? numbers.below(4) : 0;
    const auto number = static_cast<std::uint32_t>(i);
    tasks.push_back({number, number, begin, length - begin, !plan.whole && i % 4 == 0 ? 64u : 0u});
    texts.push_back(std::move(text));
    cells += static_cast<double>(rows) * length;
  }
  const std::vector<std::string_view> q(queries.begin(), queries.end());
  const std::vector<std::string_view> t(texts.begin(), texts.end());
  Problem problem;
  problem.queries = q;
  problem.texts = t;
  problem.tasks = tasks;
  problem.code = &code;
  problem.whole = plan.whole;
  Plan trial = plan;
  trial.self_test = true;
  trial.order.clear();
  trial.shapes = {shape};
  trial.shapes[0].first = 0;
  trial.shapes[0].count = tasks.size();
  trial.shapes[0].columns = 0;
  for (const Task& task : tasks)
    trial.shapes[0].columns = std::max(trial.shapes[0].columns, task.length);
  const auto got = run_on_device(&device, trial, problem).best;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Task& task = tasks[i];
    Best expected;
    Finder finder(q[i], code);
    if (plan.whole)
      expected = {finder.distance(t[i].substr(task.begin)), task.length};
    else
      for (const End& end : finder.ends(t[i].substr(task.begin), ~0u))
        if (end.at >= task.skip && end.distance < expected.distance)
          expected = {end.distance, static_cast<std::uint32_t>(end.at)};
    selftest::compare(got[i].distance, expected.distance);
    selftest::compare(got[i].end, expected.end);
  }
}

}  // namespace

void ensure_tested(ocl::Device& device, const Plan& plan, const Shape& shape) {
  if (plan.self_test) return;
  selftest::ensure_passed(device, plan.file, shape.defines, [&] { test(device, plan, shape); });
}

const Variant& reference_variant() {
  static const Variant row = Variant::reference(plan_reference, run_reference);
  return row;
}

std::span<const Variant> variants() {
  static const std::array rows{strips_batch_variant(),      coop_variant(),
                               task_private_variant(),      task_local_variant(),
#ifdef RHOMB_HAVE_CUDA
                               cuda_strips_batch_variant(), cuda_coop_variant(),
#endif
                               reference_variant()};
  return rows;
}

Plan plan(const Variant& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  return engine::plan(row, problem, limits, config);
}

Answer solve(ocl::Device* device, const Variant& row, const Problem& problem,
             const tune::Config& config) {
  AsyncBatch batch(device);
  batch.start(row, problem, config);
  return batch.finish();
}

}  // namespace rhomb::search
