// SPDX-License-Identifier: Apache-2.0
// Runs a plan on an OpenCL device: packs queries and texts, copies them there, launches each
// shape's program over its tasks, and fetches the answers.
#include <algorithm>
#include <cmath>

#include "cl/search/task.h"
#include "host/search/internal.h"
#include "host/seq/packed.h"

namespace rhomb::search {
namespace {

constexpr double kLongestLaunch = 0.1;  ///< seconds, by the guess below

/// Cells a second that a device hardly exceeds: 32 a clock and multiprocessor, or a core's vector.
double guessed_rate(const ocl::Limits& limits) {
  const double clock = 1e6 * (limits.clock_mhz > 0 ? limits.clock_mhz : 1000);
  return clock * limits.compute_units * (limits.gpu ? 40.0 : 4.0 * limits.vector_ints);
}

std::size_t whole_groups(const Shape& shape, std::size_t tasks) {
  const auto each = static_cast<std::size_t>(shape.tasks);
  return (tasks + each - 1) / each;
}

struct Packed {
  ocl::Pinned<std::uint32_t> words;
  std::vector<std::uint32_t> starts;
};

Packed pack(ocl::Device& device, std::span<const std::string_view> texts,
            const std::array<std::uint8_t, 256>& code, int planes, std::size_t back) {
  Packed packed{device.pinned<std::uint32_t>(seq::batch_words(texts, planes, back)),
                std::vector<std::uint32_t>(texts.size())};
  seq::pack_batch(texts, code, planes, packed.words.all(), packed.starts);
  return packed;
}

/// Calls each(first, count) for the tasks of a shape, none of which takes much longer than a launch
/// may.
void for_launches(const Shape& shape, const ocl::Limits& limits, const auto& each) {
  const double cells = static_cast<double>(shape.longest) * std::max(shape.columns, 1u);
  const auto tasks = static_cast<std::size_t>(shape.tasks);
  const double most = kLongestLaunch * guessed_rate(limits) / cells;
  const std::size_t piece =
      tasks * std::max<std::size_t>(
                  1, static_cast<std::size_t>(std::min(most / static_cast<double>(tasks), 1e6)));
  for (std::size_t first = 0; first < shape.count; first += piece)
    each(shape.first + first, std::min(piece, shape.count - first));
}

}  // namespace

Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem) {
  Answer answer;
  if (problem.tasks.empty()) return answer;
  const double begin = now();
  std::vector<ocl::Kernel> kernels;
  for (const Shape& shape : plan.shapes) {
    ensure_tested(*device, find_variant(variants(), plan.variant), plan, shape);
    kernels.push_back(device->kernel(plan.file, plan.kernel, shape.defines));
  }
  answer.build = now() - begin;

  trace::Scope packing(problem.trace, trace::Work::kPack);
  std::uint32_t columns = 0;
  for (const Shape& shape : plan.shapes) columns = std::max(columns, shape.columns);
  const auto queries =
      pack(*device, problem.queries, problem.code->a, plan.planes, seq::Planes::kBackWords);
  // Shorter pieces are read as far as the longest one of their work-item.
  const auto texts = pack(*device, problem.texts, problem.code->b, plan.planes, columns / 32 + 4);
  const auto tasks = device->pinned<SearchTask>(problem.tasks.size());
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const std::uint32_t number = plan.order.empty() ? static_cast<std::uint32_t>(i) : plan.order[i];
    const Task& task = problem.tasks[number];
    tasks[i] = {queries.starts[task.query],
                static_cast<std::uint32_t>(problem.queries[task.query].size()),
                texts.starts[task.text] + task.begin,
                task.length,
                task.skip,
                task.query,
                number};
  }
  packing.end();
  answer.transfer = now() - begin - answer.build;

  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  auto query_words = device->buffer<std::uint32_t>(queries.words.size());
  auto text_words = device->buffer<std::uint32_t>(texts.words.size());
  auto all_tasks = device->buffer<SearchTask>(tasks.size());
  const auto answers = device->buffer<SearchAnswer>(tasks.size());
  device->write_later<std::uint32_t>(query_words, 0, queries.words.all());
  device->write_later<std::uint32_t>(text_words, 0, texts.words.all());
  device->write_later<SearchTask>(all_tasks, 0, tasks.all());

  // Scratch memory for the widest launch.
  std::size_t scratch_words = 1;
  for (const Shape& shape : plan.shapes)
    for_launches(shape, device->limits(), [&](std::size_t, std::size_t count) {
      scratch_words = std::max(scratch_words, whole_groups(shape, count) *
                                                  static_cast<std::size_t>(shape.tasks) *
                                                  shape.scratch * (shape.columns / 32 + 4));
    });
  const auto scratch = device->buffer<std::uint32_t>(scratch_words);

  const auto compute = [&](bool tell) {
    double done = 0;
    for (std::size_t s = 0; s < plan.shapes.size(); ++s) {
      const Shape& shape = plan.shapes[s];
      for_launches(shape, device->limits(), [&](std::size_t first, std::size_t count) {
        const std::size_t groups = whole_groups(shape, count);
        const auto group = static_cast<std::size_t>(shape.group);
        kernels[s](ocl::Range{groups * group, 1, group, 1}, query_words, text_words, all_tasks,
                   static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), answers,
                   scratch, static_cast<std::uint32_t>(shape.strips),
                   static_cast<std::uint32_t>(groups * static_cast<std::size_t>(shape.tasks)));
        done += static_cast<double>(count);
        if (tell && problem.progress)
          problem.progress({0, 0, 0, done / static_cast<double>(problem.tasks.size())});
      });
    }
  };
  compute(true);
  auto found = device->pinned<SearchAnswer>(tasks.size());
  device->read_later<SearchAnswer>(answers, 0, found.all());
  device->fence().wait();
  answer.best.resize(tasks.size());
  for (std::size_t i = 0; i < found.size(); ++i) answer.best[i] = {found[i].distance, found[i].end};
  answer.compute = now() - start;

  std::vector<double> times;
  for (int i = 0; i < problem.repeats; ++i) {
    const double before = now();
    compute(false);
    device->fence().wait();
    times.push_back(now() - before);
  }
  if (!times.empty()) {
    std::ranges::sort(times);
    answer.kernel = times[times.size() / 2];
  }
  return answer;
}

}  // namespace rhomb::search
