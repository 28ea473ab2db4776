// SPDX-License-Identifier: Apache-2.0
// The rows with one work-item a task, task-private and task-local (Chacon et al. 2014, 3.1), and
// what all rows with columns of words have in common.
#include <algorithm>
#include <bit>

#include "host/search/internal.h"

namespace rhomb::search {
namespace {

const tune::Param kTaskGroup{"WG", {64, 128, 32, 256}, "work-items a group"};

/// Private memory of a work-item is limited, and of PoCL's it is a stack.
constexpr int kMostPrivate = 1024;

Plan plan_task(bool shared, const Problem& problem, const ocl::Limits& limits,
               const tune::Config& config) {
  check_parts(shared ? "task-local" : "task-private", problem);
  Plan plan;
  plan.file = "search/task.cl";
  plan.kernel = "search_task";
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.profiles = true;
  const int group =
      config.get("WG", static_cast<int>(std::min<std::size_t>(limits.max_work_group, 64)));
  engine::check_group(group, limits);
  plan.config.set("WG", group);

  const TaskStats all = stats_of(problem);
  const bool exact = all.lengths.size() <= kMostExact;
  plan_shapes(
      plan, problem, all, [&](std::uint32_t rows) { return column_words(rows, exact); },
      [&](int words, std::uint32_t shortest, std::uint32_t longest) {
        if (const std::uint64_t bytes = std::uint64_t{8} * static_cast<unsigned>(words * group);
            shared && bytes > limits.local_bytes)
          throw tune::Unfit("columns of " + std::to_string(words) + " words, two for each of WG=" +
                            std::to_string(group) + " work-items, need " + std::to_string(bytes) +
                            " bytes of local memory, the device has " +
                            std::to_string(limits.local_bytes));
        if (!shared && words > kMostPrivate)
          throw tune::Unfit("queries of more than " + std::to_string(32 * kMostPrivate) +
                            " symbols are more than a work-item's private memory may take");
        Shape shape;
        shape.group = shape.tasks = group;
        shape.strips = words;
        shape.shortest = exact ? shortest : shortest_of(words);
        shape.longest = exact ? longest : static_cast<std::uint32_t>(32 * words);
        shape.tested = lengths_between(shape.shortest, shape.longest);
        shape.defines = {
            {"WG", std::to_string(group)},
            // Room that is not used costs nothing but in local memory, and with
            // fewer values there are fewer programs.
            {"WORDS",
             std::to_string(
                 shared ? words : static_cast<int>(std::bit_ceil(static_cast<unsigned>(words))))},
            {"SHARED", shared ? "1" : "0"},
            {"PLANES", std::to_string(plan.planes)},
            {"SETS", plan.sets ? "1" : "0"}};
        return shape;
      });
  check_profiles(plan, problem, limits);
  return plan;
}

Plan plan_private(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_task(false, problem, limits, config);
}

Plan plan_local(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_task(true, problem, limits, config);
}

}  // namespace

int column_words(std::uint32_t rows, bool exact) {
  const std::uint32_t words = (rows + 31) / 32;
  // An eighth more at the most.
  const std::uint32_t step = exact ? 1 : std::max(1u, std::bit_floor(words - 1) / 8);
  return static_cast<int>((words + step - 1) / step * step);
}

std::uint32_t shortest_of(int words) {
  std::uint32_t rows = static_cast<std::uint32_t>(32 * words);
  while (rows > 32 && column_words(rows - 32, false) == words) rows -= 32;
  return rows - 31;
}

std::vector<std::uint32_t> lengths_between(std::uint32_t shortest, std::uint32_t longest) {
  return {longest, shortest, shortest + (longest - shortest) / 2};
}

void check_profiles(Plan& plan, const Problem& problem, const ocl::Limits& limits) {
  std::uint64_t words = 0;
  for (const Shape& shape : plan.shapes)
    for (const std::string_view query : problem.queries)
      if (shape.shortest <= query.size() && query.size() <= shape.longest)
        words += static_cast<std::uint64_t>(shape.strips) << plan.planes;
  if (4 * words > limits.alloc_bytes || words > 0xffffffffu)
    throw tune::Unfit("the profiles of " + std::to_string(problem.queries.size()) +
                      " queries need " + std::to_string(4 * words) +
                      " bytes, more than a buffer of the device may have");
  plan.bytes += 4 * words;
}

const Variant& task_private_variant() {
  static const Variant row{"task-private",
                           "one work-item a task, columns of bits in private memory",
                           {kTaskGroup},
                           plan_private,
                           run_on_device};
  return row;
}

const Variant& task_local_variant() {
  static const Variant row{"task-local",
                           "task-private, but columns in local memory",
                           {kTaskGroup},
                           plan_local,
                           run_on_device};
  return row;
}

}  // namespace rhomb::search
