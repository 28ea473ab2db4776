// SPDX-License-Identifier: Apache-2.0
// DeviceBatch: packs queries and texts, copies them to a queue of a device, launches each shape's
// kernel over its tasks, and fetches the answers.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/batch/under_way.h"
#include "host/search/internal.h"
#include "host/seq/packed.h"

namespace rhomb::search {

template <batch::Backend Device>
class DeviceBatch {
 public:
  using Words = batch::BufferOf<Device, std::uint32_t>;
  /// Queries or profiles, texts, tasks, answers, scratch memory.
  using Kernel = batch::KernelOf<Device, const std::uint32_t*, const std::uint32_t*,
                                 const SearchTask*, SearchAnswer*, std::uint32_t*, SearchLaunch>;
  /// Queries, which of them, their profiles.
  using ProfileKernel =
      batch::KernelOf<Device, const std::uint32_t*, const SearchQuery*, std::uint32_t*>;
  struct Kernels {
    std::vector<Kernel> tasks;              ///< of each shape
    std::optional<ProfileKernel> profiles;  ///< with Plan::profiles
    double build = 0;                       ///< seconds that they took
  };

  DeviceBatch(Device& device, std::size_t queue) : device_(device), under_way_(device, queue) {}

  /// Packs and enqueues all; with `resident`, the words of Problem::resident, these texts.
  void start(Plan plan, const Problem& problem, Kernels kernels, const Words* resident = nullptr);
  /// Waits for the answer to what was started.
  Answer finish();

 private:
  template <class T>
  using Staged = batch::Staged<Device, T>;

  void pack(const Problem& given);
  void pack_profiles(const Problem& given, std::span<const std::uint32_t> starts,
                     std::span<std::uint32_t> places);
  void send();
  void launch(bool tell);

  Device& device_;

  Staged<std::uint32_t> queries_, texts_;
  Staged<SearchTask> tasks_;
  Staged<SearchQuery> profiled_;
  Words profiles_, scratch_;
  batch::BufferOf<Device, SearchAnswer> answers_;
  batch::PinnedOf<Device, SearchAnswer> found_;

  // Of the problem that is under way.
  Plan plan_;
  Problem problem_;  // without what the caller may take back
  Kernels kernels_;
  const Words* resident_ = nullptr;
  Answer answer_;
  batch::UnderWay<Device> under_way_;  // last: it goes before the memory that it uses
};

template <batch::Backend Device>
void DeviceBatch<Device>::start(Plan plan, const Problem& given, Kernels kernels,
                                const Words* resident) {
  under_way_.settle();
  plan_ = std::move(plan);
  kernels_ = std::move(kernels);
  resident_ = resident;
  answer_ = {};
  answer_.build = kernels_.build;
  answer_.cells = plan_.cells;
  answer_.config = plan_.config;
  problem_ = given;
  problem_.queries = problem_.texts = {};
  problem_.tasks = {};
  problem_.code = nullptr;
  if (given.tasks.empty()) return;
  const double begin = now();
  const auto use = under_way_.use();
  pack(given);
  answer_.transfer = now() - begin;
  under_way_.begin();
  const trace::Scope enqueuing(problem_.trace, trace::Work::kCompute);
  send();
  launch(true);
  device_.template read_later<SearchAnswer>(answers_, 0, found_.all().first(tasks_.count));
  under_way_.end();
}

template <batch::Backend Device>
void DeviceBatch<Device>::pack(const Problem& given) {
  const trace::Scope packing(given.trace, trace::Work::kPack);
  const auto pack_texts = [&](Staged<std::uint32_t>& words, std::span<const std::string_view> all,
                              const std::array<std::uint8_t, 256>& code, std::size_t back) {
    std::vector<std::uint32_t> starts(all.size());
    seq::pack_batch(all, code, plan_.planes,
                    words.load(device_, seq::batch_words(all, plan_.planes, back)), starts,
                    given.threads);
    return starts;
  };
  const auto query_starts =
      pack_texts(queries_, given.queries, given.code->a, seq::Planes::kBackWords);
  std::vector<std::uint32_t> own_starts;
  if (resident_ == nullptr)
    own_starts = pack_texts(texts_, given.texts, given.code->b, text_back_words(plan_));
  std::vector<std::uint32_t> profile_at(plan_.profiles ? given.queries.size() : 0);
  if (plan_.profiles) pack_profiles(given, query_starts, profile_at);

  fill_tasks(plan_, given, query_starts,
             resident_ != nullptr ? given.resident->starts() : std::span(std::as_const(own_starts)),
             profile_at, tasks_.load(device_, given.tasks.size()));
}

/// Where the profile of each query begins; those of which no shape takes the length have none.
template <batch::Backend Device>
void DeviceBatch<Device>::pack_profiles(const Problem& given, std::span<const std::uint32_t> starts,
                                        std::span<std::uint32_t> places) {
  const auto out = profiled_.load(device_, given.queries.size());
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto rows = static_cast<std::uint32_t>(given.queries[i].size());
    const auto shape = std::ranges::find_if(plan_.shapes, [rows](const Shape& one) {
      return one.shortest <= rows && rows <= one.longest;
    });
    const std::uint32_t words =
        shape == plan_.shapes.end() ? 0 : static_cast<std::uint32_t>(shape->strips);
    places[i] = static_cast<std::uint32_t>(place);
    out[i] = {starts[i], rows, words, places[i]};
    place += std::uint64_t{words} << plan_.planes;
  }
  if (place > 0xffffffffu) throw MemoryError("profiles of all queries take more than 2^32 words");
  batch::fit<std::uint32_t>(device_, profiles_, place);
}

template <batch::Backend Device>
void DeviceBatch<Device>::send() {
  // Memory first: to get some may wait for all that was enqueued.
  batch::fit<SearchAnswer>(device_, answers_, tasks_.count);
  batch::fit<std::uint32_t>(device_, scratch_, scratch_words(plan_, device_.limits()));
  batch::fit<SearchAnswer>(device_, found_, tasks_.count);
  queries_.send(device_);
  if (resident_ == nullptr) texts_.send(device_);
  if (plan_.profiles) profiled_.send(device_);
  tasks_.send(device_);
}

/// Enqueues all launches.
template <batch::Backend Device>
void DeviceBatch<Device>::launch(bool tell) {
  constexpr std::size_t kAbreast = 32;  // work-items for the words of a query's profile
  if (kernels_.profiles)
    (*kernels_.profiles)(ocl::Range{kAbreast, profiled_.count, kAbreast, 1}, queries_.there,
                         profiled_.there, profiles_);
  const Words& words = resident_ != nullptr ? *resident_ : texts_.there;
  double told = 0;
  for (std::size_t s = 0; s < plan_.shapes.size(); ++s) {
    const Shape& shape = plan_.shapes[s];
    for_launches(shape, device_.limits(), [&](std::size_t first, std::size_t count) {
      const std::size_t groups = whole_groups(shape, count);
      const auto group = static_cast<std::size_t>(shape.group);
      const SearchLaunch launch{
          static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count),
          static_cast<std::uint32_t>(shape.strips),
          static_cast<std::uint32_t>(groups * static_cast<std::size_t>(shape.tasks))};
      kernels_.tasks[s](ocl::Range{groups * group, 1, group, 1},
                        plan_.profiles ? profiles_ : queries_.there, words, tasks_.there, answers_,
                        scratch_, launch);
      told += static_cast<double>(count);
      if (tell && problem_.progress)
        problem_.progress({0, 0, 0, told / static_cast<double>(tasks_.count)});
    });
  }
}

template <batch::Backend Device>
Answer DeviceBatch<Device>::finish() {
  if (!under_way_) return std::move(answer_);
  const auto use = under_way_.use();
  under_way_.wait(problem_.trace);
  const trace::Scope taking(problem_.trace, trace::Work::kFetch, "answers");
  answer_.best.resize(tasks_.count);
  batch::in_parts(tasks_.count, batch::parts_of(tasks_.count, problem_.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i)
                      answer_.best[i] = {found_[i].distance, found_[i].end};
                  });
  answer_.compute = under_way_.seconds();
  answer_.kernel = under_way_.median_seconds(problem_.repeats, [&] { launch(false); });
  return std::move(answer_);
}

}  // namespace rhomb::search
