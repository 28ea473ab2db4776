// SPDX-License-Identifier: Apache-2.0
// Looks at all tasks, of which there may be many millions, and puts them in order: those that one
// program computes together, and within these pieces of like lengths side by side.
#include <algorithm>
#include <utility>

#include "host/batch/threads.h"
#include "host/search/internal.h"

namespace rhomb::search {
namespace {

/// Tasks are put in order by so many buckets at the most.
constexpr std::size_t kMostBuckets = std::size_t{1} << 14;

std::vector<std::uint32_t> lengths_of(std::span<const std::string_view> texts) {
  std::vector<std::uint32_t> lengths(texts.size());
  std::ranges::transform(texts, lengths.begin(), [](std::string_view text) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), 0xffffffffu));
  });
  return lengths;
}

void check_queries(const Problem& problem) {
  for (std::size_t i = 0; i < problem.queries.size(); ++i) {
    if (problem.queries[i].empty())
      throw UsageError("query " + std::to_string(i + 1) + " is empty");
    if (problem.queries[i].size() >= Best::kNone)
      throw UsageError("query " + std::to_string(i + 1) + " has 2^31 symbols or more");
  }
}

/// The lengths that queries have, each once, ascending; and for each query which one it has.
struct Lengths {
  explicit Lengths(std::span<const std::string_view> queries) : all(lengths_of(queries)) {
    const auto rows = all;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    numbers.resize(rows.size());
    std::ranges::transform(rows, numbers.begin(), [this](std::uint32_t m) { return number(m); });
  }
  std::uint32_t number(std::uint32_t m) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(all, m) - all.begin());
  }

  std::vector<std::uint32_t> all, numbers;
};

/// What one part of the tasks has.
struct Seen {
  std::vector<bool> any;           // of each length: whether there are tasks,
  std::vector<double> symbols_by;  // and the symbols of their pieces
  std::uint32_t columns = 0;
  std::uint64_t symbols = 0;
  bool alike = true;
  bool outside = false, uneven = false, skips = false;
};

}  // namespace

void check_parts(std::string_view variant, const Problem& problem) {
  if (problem.whole)
    throw tune::Unfit(std::string(variant) + " looks for queries in parts of texts alone");
}

TaskStats stats_of(const Problem& problem) {
  check_queries(problem);
  if (problem.resident != nullptr && !problem.resident->fits(*problem.code))
    throw UsageError("the texts on the device have other codes");
  const Lengths lengths(problem.queries);
  const auto packed =
      problem.resident == nullptr ? lengths_of(problem.texts) : std::vector<std::uint32_t>();
  check_places(packed);
  const std::span<const std::uint32_t> texts =
      problem.resident != nullptr ? problem.resident->lengths() : std::span(packed);
  const auto tasks = problem.tasks;

  std::vector<Seen> seen(batch::parts_of(tasks.size(), problem.threads));
  batch::in_parts(tasks.size(), seen.size(),
                  [&](std::size_t part, std::size_t first, std::size_t last) {
                    Seen mine;
                    mine.any.resize(lengths.all.size());
                    mine.symbols_by.resize(lengths.all.size());
                    for (std::size_t i = first; i < last; ++i) {
                      const Task& task = tasks[i];
                      if (task.query >= lengths.numbers.size() || task.text >= texts.size() ||
                          std::uint64_t{task.begin} + task.length > texts[task.text]) {
                        mine.outside = true;
                        break;
                      }
                      const std::uint32_t number = lengths.numbers[task.query];
                      mine.any[number] = true;
                      mine.symbols_by[number] += task.length;
                      mine.columns = std::max(mine.columns, task.length);
                      mine.symbols += task.length;
                      mine.alike = mine.alike && number == lengths.numbers[tasks[0].query] &&
                                   task.length == tasks[0].length;
                      mine.uneven = mine.uneven || task.skip % 32 != 0;
                      mine.skips = mine.skips || task.skip > 0;
                    }
                    seen[part] = std::move(mine);
                  });

  TaskStats all;
  std::vector<bool> any(lengths.all.size());
  std::vector<double> symbols_by(lengths.all.size());
  for (const Seen& part : seen) {
    if (part.outside) throw UsageError("a task is outside its query or text");
    if (part.uneven) throw UsageError("Task::skip is not a multiple of 32");
    if (part.skips && problem.whole) throw UsageError("Task::skip does not go with Problem::whole");
    all.columns = std::max(all.columns, part.columns);
    all.symbols += static_cast<double>(part.symbols);
    all.alike = all.alike && part.alike;
    for (std::size_t i = 0; i < any.size(); ++i) {
      any[i] = any[i] || part.any[i];
      symbols_by[i] += part.symbols_by[i];
    }
  }
  for (std::size_t i = 0; i < any.size(); ++i) {
    if (!any[i]) continue;
    all.lengths.push_back(lengths.all[i]);
    all.shares.push_back(static_cast<double>(lengths.all[i]) * symbols_by[i]);
    all.cells += all.shares.back();
  }
  for (double& share : all.shares) share /= std::max(all.cells, 1.0);
  if (problem.resident != nullptr && all.columns > problem.resident->longest_piece())
    throw UsageError("a piece of " + std::to_string(all.columns) +
                     " symbols is longer than the longest that the texts were packed for, " +
                     std::to_string(problem.resident->longest_piece()));
  return all;
}

void plan_shapes(Plan& plan, const Problem& problem, const TaskStats& all,
                 const std::function<int(std::uint32_t)>& shape_of,
                 const std::function<Shape(int, std::uint32_t, std::uint32_t)>& make) {
  const auto tasks = problem.tasks;
  plan.cells = all.cells;
  if (tasks.empty()) return;

  // The shapes, by their numbers, and which of them each length has.
  std::vector<int> numbers;
  for (const std::uint32_t rows : all.lengths) numbers.push_back(shape_of(rows));
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  struct Range {
    std::uint32_t shortest = ~0u, longest = 0, columns = 0;
    std::size_t count = 0;
  };
  std::vector<Range> ranges(numbers.size());
  std::vector<std::uint32_t> shape_at;  // of each length
  for (const std::uint32_t rows : all.lengths) {
    const auto found = std::ranges::lower_bound(numbers, shape_of(rows)) - numbers.begin();
    shape_at.push_back(static_cast<std::uint32_t>(found));
    Range& range = ranges[static_cast<std::size_t>(found)];
    range.shortest = std::min(range.shortest, rows);
    range.longest = std::max(range.longest, rows);
  }

  // Most problems have queries and pieces of one length, and need no order.
  if (all.alike) {
    ranges[0].columns = all.columns;
    ranges[0].count = tasks.size();
  } else {
    // A bucket is for a shape and for pieces of a few lengths. Each part counts what it has for
    // each, then knows where its own go.
    unsigned coarse = 0;
    while (coarse < 32 &&
           ranges.size() * ((std::uint64_t{all.columns} >> coarse) + 1) > kMostBuckets)
      ++coarse;
    const std::size_t each = (std::uint64_t{all.columns} >> coarse) + 1;
    std::vector<std::uint32_t> shapes = lengths_of(problem.queries);  // of each query with tasks
    for (std::uint32_t& rows : shapes) {
      const auto at = std::ranges::lower_bound(all.lengths, rows) - all.lengths.begin();
      rows = shape_at[std::min(static_cast<std::size_t>(at), shape_at.size() - 1)];
    }
    const auto bucket_of = [&](const Task& task) {
      return shapes[task.query] * each + (std::uint64_t{task.length} >> coarse);
    };
    const std::size_t parts = batch::parts_of(tasks.size(), problem.threads);
    std::vector<std::vector<std::uint32_t>> places(parts);
    std::vector<std::vector<std::uint32_t>> columns(parts);
    batch::in_parts(
        tasks.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
          std::vector<std::uint32_t> count(ranges.size() * each), longest(ranges.size());
          for (std::size_t i = first; i < last; ++i) {
            ++count[bucket_of(tasks[i])];
            std::uint32_t& most = longest[shapes[tasks[i].query]];
            most = std::max(most, tasks[i].length);
          }
          places[part] = std::move(count);
          columns[part] = std::move(longest);
        });
    std::uint32_t place = 0;
    for (std::size_t bucket = 0; bucket < ranges.size() * each; ++bucket)
      for (auto& part : places) {
        const std::uint32_t count = std::exchange(part[bucket], place);
        place += count;
        ranges[bucket / each].count += count;
      }
    for (const auto& part : columns)
      for (std::size_t s = 0; s < ranges.size(); ++s)
        ranges[s].columns = std::max(ranges[s].columns, part[s]);
    plan.order.resize(tasks.size());
    batch::in_parts(
        tasks.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i)
            plan.order[places[part][bucket_of(tasks[i])]++] = static_cast<std::uint32_t>(i);
        });
  }

  std::size_t first = 0;
  for (std::size_t s = 0; s < ranges.size(); ++s) {
    Shape shape = make(numbers[s], ranges[s].shortest, ranges[s].longest);
    shape.longest = std::max(shape.longest, ranges[s].longest);
    shape.columns = ranges[s].columns;
    shape.first = first;
    shape.count = ranges[s].count;
    first += shape.count;
    plan.shapes.push_back(std::move(shape));
  }
}

}  // namespace rhomb::search
