// SPDX-License-Identifier: Apache-2.0
// DeviceBatch: packs texts, copies them to a queue of a device, launches each shape's program over
// its groups, and fetches scores and alignments.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/batch/under_way.h"
#include "host/gaps/internal.h"

namespace rhomb::gaps {

template <batch::Backend Device>
class DeviceBatch {
 public:
  /// Queries, targets, tasks, groups, scores, records, values, answers, runs (cl/gaps/lanes.h).
  using Kernel = batch::KernelOf<Device, const std::uint8_t*, const std::uint8_t*, const GapsTask*,
                                 const GapsGroup*, const std::int32_t*, std::uint32_t*,
                                 std::uint32_t*, GapsAnswer*, std::uint32_t*, GapsLaunch>;
  struct Kernels {
    std::vector<Kernel> lanes;  ///< of each shape
    std::vector<Kernel> walks;  ///< likewise, where alignments are wanted
    double build = 0;           ///< seconds that they took
  };

  DeviceBatch(Device& device, std::size_t queue) : device_(device), under_way_(device, queue) {}

  /// Packs and enqueues all.
  void start(Plan plan, const Problem& problem, Kernels kernels);
  /// Waits for the answer to what was started.
  Answer finish();

 private:
  template <class T>
  using Staged = batch::Staged<Device, T>;
  template <class T>
  using Buffer = batch::BufferOf<Device, T>;
  template <class T>
  using Pinned = batch::PinnedOf<Device, T>;

  void pack(const Problem& given);
  void send();
  void launch(bool tell);
  void take();

  std::size_t layers() const { return static_cast<std::size_t>(problem_.rules.gaps) + 1; }
  /// Words of an alignment.
  std::size_t words() const { return GAPS_RUNS(static_cast<std::size_t>(problem_.rules.gaps)); }

  Device& device_;

  Staged<std::uint8_t> queries_, targets_;
  Staged<GapsTask> tasks_;
  Staged<GapsGroup> groups_;
  Staged<std::int32_t> table_;
  Buffer<std::uint32_t> records_, values_;
  Buffer<GapsAnswer> answers_;
  Buffer<std::uint32_t> runs_;
  Pinned<GapsAnswer> found_;      // what was fetched of the answers
  Pinned<std::uint32_t> walked_;  // likewise of the runs

  // Of the problem that is under way.
  Plan plan_;
  Problem problem_;  // without what the caller may take back
  Kernels kernels_;
  std::size_t count_ = 0;             // tasks
  std::vector<GapsLaunch> launches_;  // of each shape, from its first group on
  Answer answer_;
  batch::UnderWay<Device> under_way_;  // last: it goes before the memory that it uses
};

template <batch::Backend Device>
void DeviceBatch<Device>::start(Plan plan, const Problem& given, Kernels kernels) {
  under_way_.settle();
  plan_ = std::move(plan);
  kernels_ = std::move(kernels);
  answer_ = {};
  answer_.build = kernels_.build;
  answer_.cells = plan_.cells;
  answer_.config = plan_.config;
  problem_ = given;
  problem_.queries = problem_.targets = {};
  problem_.tasks = {};
  problem_.scoring = nullptr;
  count_ = given.tasks.size();
  if (count_ == 0) return;
  const double begin = now();
  const auto use = under_way_.use();
  pack(given);
  answer_.transfer = now() - begin;
  under_way_.begin();
  const trace::Scope enqueuing(problem_.trace, trace::Work::kCompute);
  send();
  launch(true);
  device_.template read_later<GapsAnswer>(answers_, 0, found_.all().first(count_ * layers()));
  if (problem_.align)
    device_.template read_later<std::uint32_t>(runs_, 0, walked_.all().first(count_ * words()));
  under_way_.end();
}

template <batch::Backend Device>
void DeviceBatch<Device>::pack(const Problem& given) {
  const trace::Scope packing(given.trace, trace::Work::kPack);
  const auto pack_texts = [&](Staged<std::uint8_t>& staged, std::span<const std::string_view> all,
                              std::size_t behind) {
    auto starts = starts_of(all);
    const auto symbols = staged.load(device_, starts.back() + behind);
    encode(all, starts, plan_.symbols, symbols, given.threads);
    std::ranges::fill(symbols.last(behind), std::uint8_t{0});
    return starts;
  };
  // Rows are read as far as those of the longest target in the group, symbols four at a time; what
  // only fills up a word has the first four for a query.
  std::size_t rows = 0, slots = 0, groups = 0;
  for (const Shape& shape : plan_.shapes) {
    for (const GapsGroup& group : shape.groups) rows = std::max<std::size_t>(rows, group.rows);
    slots += shape.slots.size();
    groups += shape.groups.size();
  }
  const auto query_starts = pack_texts(queries_, given.queries, 4);
  const auto target_starts = pack_texts(targets_, given.targets, rows + 4);

  launches_.clear();
  std::vector<std::int32_t> tables;
  auto task = tasks_.load(device_, slots);
  auto group = groups_.load(device_, groups).begin();
  std::size_t first_group = 0;
  for (const Shape& shape : plan_.shapes) {
    GapsLaunch launch = launch_of(given, plan_.symbols, shape.range);
    launch.slots = static_cast<std::uint32_t>(slots - task.size());
    launch.groups = static_cast<std::uint32_t>(first_group);
    launch.table = static_cast<std::uint32_t>(tables.size());
    launches_.push_back(launch);
    const auto one = table_of(given, plan_.symbols, shape.scores);
    tables.insert(tables.end(), one.begin(), one.end());
    fill_tasks(shape, given, query_starts, target_starts, task.first(shape.slots.size()));
    task = task.subspan(shape.slots.size());
    group = std::ranges::copy(shape.groups, group).out;
    first_group += shape.groups.size();
  }
  std::ranges::copy(tables, table_.load(device_, tables.size()).begin());
}

template <batch::Backend Device>
void DeviceBatch<Device>::send() {
  // Memory first: to get some may wait for all that was enqueued.
  batch::fit<GapsAnswer>(device_, answers_, count_ * layers());
  batch::fit<GapsAnswer>(device_, found_, count_ * layers());
  batch::fit<std::uint32_t>(device_, runs_, problem_.align ? count_ * words() : 1);
  if (problem_.align) batch::fit<std::uint32_t>(device_, walked_, count_ * words());
  batch::fit<std::uint32_t>(device_, records_, plan_.records / 4);
  batch::fit<std::uint32_t>(device_, values_, plan_.values / 4);
  queries_.send(device_);
  targets_.send(device_);
  tasks_.send(device_);
  groups_.send(device_);
  table_.send(device_);
}

/// Enqueues all launches.
template <batch::Backend Device>
void DeviceBatch<Device>::launch(bool tell) {
  double told = 0;
  batch::Pace<Device> pace;
  for (std::size_t s = 0; s < plan_.shapes.size(); ++s) {
    const Shape& shape = plan_.shapes[s];
    const auto group = static_cast<std::size_t>(shape.group);
    const std::size_t each =
        group / static_cast<std::size_t>(shape.span) * static_cast<std::size_t>(shape.pairs);
    for (std::size_t i = 0; i + 1 < shape.launches.size(); ++i) {
      const std::size_t first = shape.launches[i], number = shape.launches[i + 1] - first;
      GapsLaunch launch = launches_[s];
      launch.first = static_cast<std::uint32_t>(first);
      launch.count = static_cast<std::uint32_t>(number * each);
      const auto call = [&](const Kernel& kernel, std::size_t items, std::size_t of_group) {
        kernel(ocl::Range{items, 1, of_group, 1}, queries_.there, targets_.there, tasks_.there,
               groups_.there, table_.there, records_, values_, answers_, runs_, launch);
      };
      call(kernels_.lanes[s], number * group, group);
      if (problem_.align) {
        constexpr std::size_t kWalkers = 64;
        const std::size_t walkers = number * each * (device_.limits().nvidia ? 32 : 1);  // walk.h
        call(kernels_.walks[s], (walkers + kWalkers - 1) / kWalkers * kWalkers, kWalkers);
      }
      told += static_cast<double>(number * each);
      if (!tell) continue;
      pace.launched(device_, shape.seconds[i]);
      if (problem_.progress)
        problem_.progress({0, 0, 0, std::min(1.0, told / static_cast<double>(tasks_.count))});
    }
  }
}

/// What was fetched becomes the answer.
template <batch::Backend Device>
void DeviceBatch<Device>::take() {
  const trace::Scope taking(problem_.trace, trace::Work::kFetch, "answers");
  answer_.best.resize(count_);
  if (problem_.align) answer_.alignments.resize(count_);
  batch::in_parts(count_, batch::parts_of(count_ * layers(), problem_.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      answer_.best[i] = best_of(found_.all().subspan(i * layers(), layers()));
                      if (problem_.align && answer_.best[i].found())
                        answer_.alignments[i] =
                            alignment_of(walked_.all().subspan(i * words(), words()));
                    }
                  });
}

template <batch::Backend Device>
Answer DeviceBatch<Device>::finish() {
  if (!under_way_) return std::move(answer_);
  const auto use = under_way_.use();
  under_way_.wait(problem_.trace);
  take();
  answer_.compute = under_way_.seconds();
  answer_.kernel = under_way_.median_seconds(problem_.repeats, [&] { launch(false); });
  return std::move(answer_);
}

}  // namespace rhomb::gaps
