// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "host/reference.h"
#include "host/search/internal.h"
#include "host/selftest.h"

namespace rhomb::search {
namespace {

Plan plan_reference(const Problem&, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  plan.variant = "reference";
  return plan;
}

Answer run_reference(ocl::Device*, const Plan&, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  Answer answer;
  answer.best.reserve(problem.tasks.size());
  for (const Task& task : problem.tasks) {
    const auto [distance, end] = reference::best_occurrence(
        problem.queries[task.query], problem.texts[task.text].substr(task.begin, task.length),
        *problem.code, task.skip);
    answer.best.push_back(
        distance < 0 ? Best{}
                     : Best{static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(end)});
  }
  answer.compute = answer.kernel = now() - start;
  return answer;
}

void check(const Problem& problem) {
  for (std::size_t i = 0; i < problem.queries.size(); ++i)
    if (problem.queries[i].empty())
      throw UsageError("query " + std::to_string(i + 1) + " is empty");
  for (const Task& task : problem.tasks) {
    if (task.query >= problem.queries.size() || task.text >= problem.texts.size() ||
        std::uint64_t{task.begin} + task.length > problem.texts[task.text].size())
      throw UsageError("a task is outside its query or text");
    if (task.skip % 32 != 0) throw UsageError("Task::skip is not a multiple of 32");
  }
}

}  // namespace

void check_group(int group, const ocl::Limits& limits) {
  if (group < 1 || static_cast<std::size_t>(group) > limits.max_work_group)
    throw tune::Unfit("WG=" + std::to_string(group) + " is not between 1 and " +
                      std::to_string(limits.max_work_group) + ", the largest group of the device");
}

std::vector<std::uint32_t> query_lengths(const Problem& problem) {
  std::vector<bool> wanted(problem.queries.size());
  for (const Task& task : problem.tasks) wanted[task.query] = true;
  std::vector<std::uint32_t> lengths;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(problem.queries[i].size());
    if (wanted[i] && (lengths.empty() || lengths.back() != length)) lengths.push_back(length);
  }
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

void plan_shapes(Plan& plan, const Problem& problem,
                 const std::function<int(std::uint32_t)>& shape_of,
                 const std::function<Shape(int, std::uint32_t, std::uint32_t)>& make) {
  const auto tasks = problem.tasks;
  if (tasks.empty()) return;
  const auto rows_of = [&](const Task& task) {
    return static_cast<std::uint32_t>(problem.queries[task.query].size());
  };
  // Most problems have queries and pieces of one length, and need no order.
  const bool alike = std::ranges::all_of(tasks, [&](const Task& task) {
    return rows_of(task) == rows_of(tasks[0]) && task.length == tasks[0].length;
  });
  std::map<std::uint32_t, int> shapes;
  for (const std::uint32_t rows : query_lengths(problem)) shapes[rows] = shape_of(rows);
  if (!alike) {
    plan.order.resize(tasks.size());
    std::iota(plan.order.begin(), plan.order.end(), 0u);
    std::vector<std::uint64_t> key(tasks.size());
    for (std::size_t i = 0; i < key.size(); ++i)
      key[i] = std::uint64_t(shapes[rows_of(tasks[i])]) << 32 | tasks[i].length;
    std::ranges::stable_sort(plan.order,
                             [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
  }
  const auto task_at = [&](std::size_t i) -> const Task& {
    return tasks[plan.order.empty() ? i : plan.order[i]];
  };
  for (std::size_t first = 0; first < tasks.size();) {
    const int number = shapes[rows_of(task_at(first))];
    std::uint32_t shortest = ~0u, longest = 0, columns = 0;
    std::size_t i = first;
    for (; i < tasks.size() && shapes[rows_of(task_at(i))] == number; ++i) {
      shortest = std::min(shortest, rows_of(task_at(i)));
      longest = std::max(longest, rows_of(task_at(i)));
      columns = std::max(columns, task_at(i).length);
    }
    Shape shape = make(number, shortest, longest);
    shape.longest = std::max(shape.longest, longest);
    shape.columns = columns;
    shape.first = first;
    shape.count = i - first;
    plan.shapes.push_back(std::move(shape));
    first = i;
  }
}

// Few small problems that touch what can go wrong: the longest and the shortest queries that the
// program takes, pieces of several lengths, near and unrelated, ends that do not count.
void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan, const Shape& shape) {
  if (plan.self_test || device.tested(plan.file, shape.defines)) return;
  const trace::Scope scope(device.trace(), trace::Work::kTest, plan.file);

  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  std::vector<std::string> queries, texts;
  std::vector<Task> tasks;
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t rows = i % 3 == 0   ? shape.longest
                               : i % 3 == 1 ? std::max(1u, shape.shortest)
                                            : (shape.longest + std::max(1u, shape.shortest)) / 2;
    queries.push_back(selftest::random_text(numbers, rows, symbols));
    std::string text = i % 5 == 0 ? selftest::random_text(numbers, rows, symbols)
                                  : selftest::edited(numbers, queries.back(), 12, symbols);
    text = selftest::random_text(numbers, numbers.below(70), symbols) + text +
           selftest::random_text(numbers, numbers.below(70), symbols);
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::uint32_t begin = length > 3 ? numbers.below(4) : 0;
    const auto number = static_cast<std::uint32_t>(i);
    tasks.push_back({number, number, begin, length - begin, i % 4 == 0 ? 64u : 0u});
    texts.push_back(std::move(text));
  }
  const std::vector<std::string_view> q(queries.begin(), queries.end());
  const std::vector<std::string_view> t(texts.begin(), texts.end());
  Problem problem;
  problem.queries = q;
  problem.texts = t;
  problem.tasks = tasks;
  problem.code = &code;
  Plan trial = plan;
  trial.self_test = true;
  trial.order.clear();
  trial.shapes = {shape};
  trial.shapes[0].first = 0;
  trial.shapes[0].count = tasks.size();
  trial.shapes[0].columns = 0;
  for (const Task& task : tasks)
    trial.shapes[0].columns = std::max(trial.shapes[0].columns, task.length);
  const auto got = row.run(&device, trial, problem).best;
  const auto expected = run_reference(nullptr, trial, problem).best;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    selftest::compare(device, plan.file, shape.defines, got[i].distance, expected[i].distance);
    selftest::compare(device, plan.file, shape.defines, got[i].end, expected[i].end);
  }
  device.mark_tested(plan.file, shape.defines);
}

const Row& reference_row() {
  static const Row row{"reference",
                       "plain dynamic programming on the host, to check others against",
                       {},
                       plan_reference,
                       run_reference};
  return row;
}

std::span<const Row> variants() {
  static const std::array rows{strips_batch_row(), reference_row()};
  return rows;
}

Plan plan(const Row& row, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  config.check_names(row.space);
  check(problem);
  return row.plan(problem, limits, config);
}

Answer solve(ocl::Device* device, const Row& row, const Problem& problem,
             const tune::Config& config) {
  const Plan made =
      plan(row, problem, device != nullptr ? device->limits() : ocl::Limits{}, config);
  if (!made.file.empty() && device == nullptr)
    throw UsageError("variant '" + made.variant + "' needs an OpenCL device");
  Answer answer = row.run(device, made, problem);
  answer.config = made.config;
  for (const Task& task : problem.tasks)
    answer.cells += static_cast<double>(problem.queries[task.query].size()) * task.length;
  return answer;
}

}  // namespace rhomb::search
