// SPDX-License-Identifier: Apache-2.0
// AsyncBatch: packs texts, copies them to the device, launches each shape's program over its
// groups, and fetches scores and alignments.
#include <algorithm>
#include <optional>
#include <utility>

#include "host/batch/threads.h"
#include "host/gaps/internal.h"

namespace rhomb::gaps {
namespace {

/// The queue in use, until the scope ends.
class OnQueue {
 public:
  OnQueue(ocl::Device& device, std::size_t queue) : device_(device) { device_.use(queue); }
  ~OnQueue() { device_.use(0); }
  OnQueue(const OnQueue&) = delete;
  OnQueue& operator=(const OnQueue&) = delete;

 private:
  ocl::Device& device_;
};

/// Memory on the device that is used again and again, with a part of the host's to copy from or to.
template <class T>
struct Staged {
  ocl::Pinned<T> host;
  ocl::Buffer<T> there;
  std::size_t count = 0;

  /// Room for `values`. No command may be under way that uses it.
  void fit(ocl::Device& device, std::size_t values, bool on_host = true) {
    count = values;
    const std::size_t wanted = std::max<std::size_t>(values, 1);
    if (there.size() < wanted) {
      const std::size_t room = there.size() == 0 ? wanted : wanted + wanted / 8;
      there = {};
      there = device.buffer<T>(room);
    }
    if (on_host && host.size() < wanted) {
      const std::size_t room = host.size() == 0 ? wanted : wanted + wanted / 8;
      host = {};
      host = device.pinned<T>(room);
    }
  }
  std::span<T> all() const { return host.all().first(count); }
  void send(ocl::Device& device) { device.write_later<T>(there, 0, all()); }
  void fetch(ocl::Device& device) { device.read_later<T>(there, 0, all()); }
};

/// What kernels have for the scores of the problem's symbols.
std::vector<std::int32_t> table_of(const Problem& problem, const Symbols& symbols, int scores) {
  const Scoring& scoring = *problem.scoring;
  const std::size_t size = symbols.all.size();
  const bool infix = problem.rules.ends == Ends::kInfix;
  const std::size_t columns = size + (infix ? 1 : 0);
  const auto score = [&](std::size_t t, std::size_t x) {
    return x == size ? -scoring.extend  // in front of the query
                     : kept_pair(scoring, scoring.pair(static_cast<char>(symbols.all[x]),
                                                       static_cast<char>(symbols.all[t])));
  };
  std::vector<std::int32_t> table;
  for (std::size_t t = 0; t < size; ++t) {
    if (scores < 2) {
      for (std::size_t x = 0; x < columns; ++x) table.push_back(score(t, x));
      continue;
    }
    for (std::size_t word = 0; word < (scores == 2 ? 1u : 2u); ++word) {
      std::uint32_t bytes = 0;
      for (std::size_t x = 4 * word; x < std::min(columns, 4 * word + 4); ++x)
        bytes |= (static_cast<std::uint32_t>(score(t, x)) & 0xff) << (x % 4 * 8);
      table.push_back(static_cast<std::int32_t>(bytes));
    }
  }
  return table;
}

}  // namespace

struct AsyncBatch::State {
  State(ocl::Device* on, std::size_t its_queue) : device(on), queue(its_queue) {}

  ocl::Device* const device;
  const std::size_t queue;
  bool busy = false;
  bool enqueued = false;  // something was, that nobody has waited for

  Staged<std::uint8_t> queries, targets;
  Staged<GapsTask> tasks;
  Staged<GapsGroup> groups;
  Staged<std::int32_t> table;
  Staged<GapsAnswer> answers;
  Staged<std::uint32_t> runs;
  ocl::Buffer<std::uint8_t> records, values;

  // Of the problem that is under way.
  Plan plan;
  Problem problem;  // without what the caller may take back
  Scoring scoring;
  std::size_t count = 0;  // tasks
  std::vector<ocl::Kernel> lanes, walks;
  std::vector<std::uint32_t> table_at;  // of each shape
  ocl::Fence done;
  Answer answer;
  double started = 0;

  ~State() {
    if (device == nullptr) return;
    try {
      settle();
    } catch (const std::exception&) {  // nobody is there to be told
    }
  }

  void start(const Variant& variant, Plan made, const Problem& given);
  void build(const Variant& variant, const Problem& given);
  void pack(const Problem& given);
  void launch(bool tell);
  void take();
  Answer finish();
  void settle();
};

/// Waits for what was enqueued, whatever became of it.
void AsyncBatch::State::settle() {
  if (!std::exchange(enqueued, false)) return;
  const OnQueue use(*device, queue);
  done = {};
  device->finish();
}

void AsyncBatch::State::start(const Variant& variant, Plan made, const Problem& given) {
  if (busy) throw UsageError("a batch was started that is under way");
  settle();
  plan = std::move(made);
  answer = {};
  problem = given;
  count = given.tasks.size();
  if (variant.name != lanes_variant().name) {
    answer = variant.run(variant.uses_opencl() ? device : nullptr, plan, given);
  } else if (device == nullptr) {
    throw UsageError("variant '" + plan.variant + "' needs an OpenCL device");
  } else if (count > 0) {
    const double begin = now();
    build(variant, given);
    answer.build = now() - begin;
    const OnQueue use(*device, queue);
    pack(given);
    started = now();
    answer.transfer = started - begin - answer.build;
    enqueued = true;
    const trace::Scope enqueuing(problem.trace, trace::Work::kCompute);
    queries.send(*device);
    targets.send(*device);
    tasks.send(*device);
    groups.send(*device);
    table.send(*device);
    launch(true);
    answers.fetch(*device);
    if (problem.align) runs.fetch(*device);
    done = device->fence();
  }
  problem.queries = problem.targets = {};
  problem.tasks = {};
  problem.scoring = nullptr;
  answer.cells = plan.cells;
  answer.config = plan.config;
  busy = true;
}

void AsyncBatch::State::build(const Variant& variant, const Problem& given) {
  lanes.clear();
  walks.clear();
  for (const Shape& shape : plan.shapes) {
    ensure_tested(*device, variant, plan, shape, given);
    lanes.push_back(device->kernel(plan.file, "gaps_lanes", shape.defines));
    if (given.align) walks.push_back(device->kernel(plan.file, "gaps_walk", shape.defines));
  }
}

void AsyncBatch::State::pack(const Problem& given) {
  const trace::Scope packing(given.trace, trace::Work::kPack);
  scoring = *given.scoring;
  const auto pack_texts = [&](Staged<std::uint8_t>& staged, std::span<const std::string_view> all,
                              std::size_t behind) {
    auto starts = starts_of(all);
    staged.fit(*device, starts.back() + behind);
    encode(all, starts, plan.symbols, staged.all(), given.threads);
    std::ranges::fill(staged.all().last(behind), std::uint8_t{0});
    return starts;
  };
  // Rows are read as far as those of the longest target in the group.
  std::size_t rows = 0;
  for (const Shape& shape : plan.shapes)
    for (const GapsGroup& group : shape.groups) rows = std::max<std::size_t>(rows, group.rows);
  const auto query_starts = pack_texts(queries, given.queries, 0);
  const auto target_starts = pack_texts(targets, given.targets, rows + 1);
  std::size_t slots = 0, all_groups = 0;
  std::vector<std::int32_t> all_tables;
  table_at.clear();
  for (const Shape& shape : plan.shapes) {
    slots += shape.slots.size();
    all_groups += shape.groups.size();
    table_at.push_back(static_cast<std::uint32_t>(all_tables.size()));
    const auto one = table_of(given, plan.symbols, shape.scores);
    all_tables.insert(all_tables.end(), one.begin(), one.end());
  }
  table.fit(*device, all_tables.size());
  std::ranges::copy(all_tables, table.all().begin());
  tasks.fit(*device, slots);
  groups.fit(*device, all_groups);
  auto task = tasks.all().begin();
  auto group = groups.all().begin();
  for (const Shape& shape : plan.shapes) {
    batch::in_parts(shape.slots.size(), batch::parts_of(shape.slots.size(), given.threads),
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i) {
                        const std::uint32_t number = shape.slots[i];
                        GapsTask& to = task[static_cast<std::ptrdiff_t>(i)];
                        if (number == GAPS_NOBODY) {
                          to = {0, 0, 0, 0, GAPS_NOBODY};
                          continue;
                        }
                        const Task& one = given.tasks[number];
                        to = {query_starts[one.query],
                              query_starts[one.query + 1] - query_starts[one.query],
                              target_starts[one.target],
                              target_starts[one.target + 1] - target_starts[one.target], number};
                      }
                    });
    task += static_cast<std::ptrdiff_t>(shape.slots.size());
    group = std::ranges::copy(shape.groups, group).out;
  }
  const std::size_t layers = static_cast<std::size_t>(given.rules.gaps) + 1;
  answers.fit(*device, count * layers);
  if (given.align)
    runs.fit(*device, count * GAPS_RUNS(static_cast<std::size_t>(given.rules.gaps)));
  else
    runs.fit(*device, 1);
  for (const auto& [memory, bytes] :
       {std::pair(&records, plan.records), std::pair(&values, plan.values)}) {
    const std::size_t wanted = std::max<std::size_t>(bytes, 4);
    if (memory->size() >= wanted) continue;
    const std::size_t before = memory->size();
    *memory = {};
    *memory = device->buffer<std::uint8_t>(
        before == 0
            ? wanted
            : std::max<std::size_t>(wanted, std::min<std::uint64_t>(wanted + wanted / 8,
                                                                    device->limits().alloc_bytes)));
  }
}

/// Enqueues all launches.
void AsyncBatch::State::launch(bool tell) {
  const int gap = kept_gap(scoring);
  const auto symbols = static_cast<std::uint32_t>(plan.symbols.all.size());
  const bool infix = problem.rules.ends == Ends::kInfix;
  std::uint32_t slots = 0, all_groups = 0;
  double told = 0;
  for (std::size_t s = 0; s < plan.shapes.size(); ++s) {
    const Shape& shape = plan.shapes[s];
    const auto group = static_cast<std::size_t>(shape.group);
    const std::size_t each =
        group / static_cast<std::size_t>(shape.span) * static_cast<std::size_t>(shape.pairs);
    const auto call = [&](const ocl::Kernel& kernel, const ocl::Range& range, std::size_t first,
                          const auto&... more) {
      kernel(range, queries.there, targets.there, tasks.there, groups.there, table.there, records,
             values, answers.there, slots, all_groups, table_at[s],
             static_cast<std::uint32_t>(first), gap, scoring.extend,
             static_cast<std::int32_t>(shape.range.zero),
             static_cast<std::int32_t>(shape.range.never),
             static_cast<std::int32_t>(shape.range.least), kept_pair(scoring, plan.symbols.match),
             kept_pair(scoring, plan.symbols.mismatch), symbols + (infix ? 1 : 0),
             infix ? symbols : 0, problem.rules.band.value_or(0), more...);
    };
    for (std::size_t i = 0; i + 1 < shape.launches.size(); ++i) {
      const std::size_t first = shape.launches[i], number = shape.launches[i + 1] - first;
      call(lanes[s], ocl::Range{number * group, 1, group, 1}, first);
      if (problem.align) {
        constexpr std::size_t kWalkers = 64;
        const std::size_t walkers = (number * each + kWalkers - 1) / kWalkers * kWalkers;
        call(walks[s], ocl::Range{walkers, 1, kWalkers, 1}, first,
             static_cast<std::uint32_t>(number * each), runs.there);
      }
      told += static_cast<double>(number * each);
      if (tell && problem.progress)
        problem.progress({0, 0, 0, std::min(1.0, told / static_cast<double>(tasks.count))});
    }
    slots += static_cast<std::uint32_t>(shape.slots.size());
    all_groups += static_cast<std::uint32_t>(shape.groups.size());
  }
}

/// What was fetched becomes the answer.
void AsyncBatch::State::take() {
  const trace::Scope taking(problem.trace, trace::Work::kFetch, "answers");
  const std::size_t layers = static_cast<std::size_t>(problem.rules.gaps) + 1;
  const std::size_t words = GAPS_RUNS(static_cast<std::size_t>(problem.rules.gaps));
  answer.best.resize(count);
  if (problem.align) answer.alignments.resize(count);
  batch::in_parts(count, batch::parts_of(count * layers, problem.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      answer.best[i] = best_of(answers.all().subspan(i * layers, layers));
                      if (problem.align && answer.best[i].found())
                        answer.alignments[i] = alignment_of(runs.all().subspan(i * words, words));
                    }
                  });
}

Answer AsyncBatch::State::finish() {
  if (!std::exchange(busy, false)) throw UsageError("no batch was started");
  if (!enqueued) return std::move(answer);
  const OnQueue use(*device, queue);
  {
    const trace::Scope scope(problem.trace, trace::Work::kCompute);
    done.wait();
  }
  enqueued = false;
  take();
  answer.compute = now() - started;

  std::vector<double> times;
  for (int i = 0; i < problem.repeats; ++i) {
    const double before = now();
    launch(false);
    device->fence().wait();
    times.push_back(now() - before);
  }
  if (!times.empty()) {
    std::ranges::sort(times);
    answer.kernel = times[times.size() / 2];
  }
  return std::move(answer);
}

AsyncBatch::AsyncBatch(ocl::Device* device, std::size_t queue)
    : state_(std::make_unique<State>(device, queue)) {}
AsyncBatch::~AsyncBatch() = default;
AsyncBatch::AsyncBatch(AsyncBatch&&) noexcept = default;
AsyncBatch& AsyncBatch::operator=(AsyncBatch&&) noexcept = default;

void AsyncBatch::start(const Variant& variant, Plan plan, const Problem& problem) {
  state_->start(variant, std::move(plan), problem);
}

bool AsyncBatch::busy() const { return state_->busy; }

Answer AsyncBatch::finish() { return state_->finish(); }

Answer run_lanes(ocl::Device* device, const Plan& plan, const Problem& problem) {
  AsyncBatch batch(device);
  batch.start(lanes_variant(), plan, problem);
  return batch.finish();
}

}  // namespace rhomb::gaps
