// SPDX-License-Identifier: Apache-2.0
// How tasks are handed to kernels, whichever device these compute on: in which launches, with what
// memory, and what a kernel is told of each.
#include <algorithm>

#include "host/batch/staging.h"
#include "host/batch/threads.h"
#include "host/engine/speed.h"
#include "host/search/internal.h"
#include "host/seq/packed.h"

namespace rhomb::search {
namespace {

constexpr double kLongestLaunch = 0.1;  ///< seconds, as guessed

}  // namespace

std::size_t whole_groups(const Shape& shape, std::size_t tasks) {
  const auto each = static_cast<std::size_t>(shape.tasks);
  return (tasks + each - 1) / each;
}

void for_launches(const Shape& shape, const ocl::Limits& limits,
                  const std::function<void(std::size_t, std::size_t)>& each) {
  const double cells = static_cast<double>(shape.longest) * std::max(shape.columns, 1u);
  const auto tasks = static_cast<std::size_t>(shape.tasks);
  const double most = kLongestLaunch * engine::guessed_cells_a_second(limits) / cells;
  const std::size_t piece =
      tasks * std::max<std::size_t>(
                  1, static_cast<std::size_t>(std::min(most / static_cast<double>(tasks), 1e6)));
  for (std::size_t first = 0; first < shape.count; first += piece)
    each(shape.first + first, std::min(piece, shape.count - first));
}

std::size_t scratch_words(const Plan& plan, const ocl::Limits& limits) {
  std::size_t words = 1;
  for (const Shape& shape : plan.shapes)
    for_launches(shape, limits, [&](std::size_t, std::size_t count) {
      words = std::max(words, whole_groups(shape, count) * static_cast<std::size_t>(shape.tasks) *
                                  shape.scratch * (shape.columns / 32 + 4));
    });
  return words;
}

std::size_t text_back_words(const Plan& plan) {
  std::uint32_t columns = 0;
  for (const Shape& shape : plan.shapes) columns = std::max(columns, shape.columns);
  return std::size_t{columns} / 32 + 4;
}

batch::Memory batch_memory(const Plan& plan, const Problem& problem, const ocl::Limits& limits,
                           bool grown) {
  const auto words = [&](std::span<const std::string_view> texts, std::size_t back) {
    return sizeof(std::uint32_t) * seq::batch_words(texts, plan.planes, back);
  };
  std::uint64_t both = words(problem.queries, seq::Planes::kBackWords) +
                       (problem.texts.empty() ? 0 : words(problem.texts, text_back_words(plan))) +
                       problem.tasks.size() * (sizeof(SearchTask) + sizeof(SearchAnswer)) +
                       (plan.profiles ? problem.queries.size() * sizeof(SearchQuery) : 0);
  if (grown) both = batch::grown(both);
  return {both + plan.bytes + sizeof(std::uint32_t) * scratch_words(plan, limits), both};
}

void fill_tasks(const Plan& plan, const Problem& problem, std::span<const std::uint32_t> queries,
                std::span<const std::uint32_t> texts, std::span<const std::uint32_t> profiles,
                std::span<SearchTask> out) {
  batch::in_parts(out.size(), batch::parts_of(out.size(), problem.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const std::uint32_t number =
                          plan.order.empty() ? static_cast<std::uint32_t>(i) : plan.order[i];
                      const Task& task = problem.tasks[number];
                      out[i] = {queries[task.query],
                                static_cast<std::uint32_t>(problem.queries[task.query].size()),
                                texts[task.text] + task.begin,
                                task.length,
                                task.skip,
                                profiles.empty() ? 0 : profiles[task.query],
                                number};
                    }
                  });
}

}  // namespace rhomb::search
