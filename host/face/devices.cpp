// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/align/align.h"
#include "host/align/inversions.h"
#include "host/align/run.h"
#include "host/distance/close.h"
#include "host/distance/run.h"
#include "host/face/state.h"

namespace rhomb {
namespace {

ocl::DeviceOptions open_options(const DevicesOptions& options) {
  ocl::DeviceOptions open{options.kernels_dir, options.cache, options.cache_dir, false,
                          options.trace};
  if (options.warn)  // devices are used by threads of their own
    open.warn = [warn = options.warn, one = std::make_shared<std::mutex>()](const std::string& w) {
      const std::lock_guard lock(*one);
      warn(w);
    };
  return open;
}

template <class Answer>
void add(Totals& totals, const Answer& answer) {
  totals.cells += answer.cells;
  totals.build += answer.timing.build;
  totals.transfer += answer.timing.transfer;
  totals.compute += answer.timing.compute;
  if constexpr (requires { answer.checked; }) totals.checked += answer.checked.empty() ? 0u : 1u;
  totals.variant = answer.variant;
  totals.device = answer.device;
}

/// What all_pairs compares: everything of both, read once where they are the same.
struct Both {
  Both(const Records& of_queries, const Records& of_targets, Callbacks& callbacks, Shard shard)
      : queries(all(of_queries, callbacks)), same(&of_queries == &of_targets && shard.whole()) {
    if (!same) others = &of_queries == &of_targets ? queries : all(of_targets, callbacks);
    if (!shard.whole()) keep(queries, range_of(shard, queries));
  }
  const seq::Batch& targets() const { return same ? queries : others; }
  void count(Totals& totals) const {
    totals.queries = static_cast<double>(queries.size());
    totals.targets = static_cast<double>(targets().size());
  }

  seq::Batch queries, others;
  bool same;
};

}  // namespace

Devices::State::State(DevicesOptions given)
    : options(std::move(given)), set(options.selector, open_options(options), options.memory) {}

const tune::Store& Devices::State::measured(const RunOptions& run) {
  if (run.store != nullptr) return *run.store;
  if (!store) {
    store = tune::Store::load();
    if (options.warn) std::ranges::for_each(store->warnings(), options.warn);
  }
  return *store;
}

DeviceAccess Devices::State::access(const RunOptions& run) {
  return {[this] { return set.choices(); },
          [this, &run]() -> const tune::Store& { return measured(run); }, nullptr, set.any_open()};
}

Devices::Devices(DevicesOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Devices::~Devices() = default;
Devices::Devices(Devices&&) noexcept = default;
Devices& Devices::operator=(Devices&&) noexcept = default;

std::vector<ocl::DeviceInfo> Devices::list() { return ocl::list_devices(); }

std::vector<ocl::DeviceInfo> Devices::chosen() {
  return state_->run({}, [&](Callbacks&) { return state_->set.infos(); });
}

DistanceAnswer Devices::distance(std::string_view a, std::string_view b,
                                 const DistanceOptions& options) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    DistanceOptions asked = state_->guarded(options, callbacks);
    const bool device = needs_opencl(asked) && !answered_at_once(a.size(), b.size(), asked);
    if (device && !state_->set.any_open())
      if (auto answer = distance_if_close(a, b, asked)) return *std::move(answer);
    if (device) asked.store = &state_->measured(options);
    return rhomb::distance(device ? &state_->set.open() : nullptr, a, b, asked,
                           state_->others(device));
  });
}

Facts Devices::explain_distance(std::string_view a, std::string_view b,
                                const DistanceOptions& options) {
  return state_->run(options.stop, [&](Callbacks&) {
    DistanceOptions asked = options;
    asked.by_host &= state_->options.selector.empty();
    if (!state_->set.any_open())
      if (const auto way = host_way(a, b, asked)) ask_host(asked, *way);
    const bool device = needs_opencl(asked) && !answered_at_once(a.size(), b.size(), asked);
    asked.store = &state_->measured(asked);
    if (!device) return rhomb::explain_distance(nullptr, a, b, asked);
    const std::span<const ocl::DeviceInfo> infos = state_->set.infos();
    return rhomb::explain_distance(&infos.front(), a, b, asked, infos.subspan(1));
  });
}

AlignAnswer Devices::align(std::string_view query, std::string_view target,
                           const AlignOptions& options) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    AlignOptions asked = state_->guarded(options, callbacks);
    const bool device = needs_opencl(asked) && !aligned_at_once(query.size(), target.size(), asked);
    if (device && !state_->set.any_open())
      if (auto answer = align_if_close(query, target, asked)) return *std::move(answer);
    if (device) asked.store = &state_->measured(options);
    return align_pair(device ? &state_->set.open() : nullptr, query, target, asked, {},
                      state_->others(device));
  });
}

std::vector<Inversion> Devices::inversions(std::string_view query, std::string_view target,
                                           const Cigar& cigar, const DistanceOptions& options) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    return align::find_inversions(query, target, cigar, state_->guarded(options, callbacks),
                                  state_->access(options));
  });
}

Totals Devices::distances(const Records& queries, const Records& targets,
                          const DistanceOptions& options,
                          const std::function<void(const PairDistance&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    const DistanceRunOptions asked{state_->guarded(options, callbacks)};
    const DeviceAccess access = state_->access(options);
    Totals totals;
    const auto go = [&](DistanceRun& run) {
      double pairs = 0;
      while (const auto part = run.next())
        for (std::size_t i = 0; i < part->size(); ++i, ++pairs) {
          const seq::Pair pair = part->pair(i);
          const DistanceAnswer answer = part->answer(i);
          add(totals, answer);
          taken({pair.query, pair.target, answer});
        }
      totals.queries = totals.targets = pairs;
    };
    if (options.all_pairs) {
      const Both both(queries, targets, callbacks, options.shard);
      DistanceRun run(both.queries, both.targets(), asked, access);
      go(run);
      both.count(totals);
    } else {
      Pairs pairs(queries, &targets, callbacks, options.shard);
      DistanceRun run(pairs.sequences(), asked, access);
      go(run);
    }
    return totals;
  });
}

Totals Devices::alignments(const Records& queries, const Records& targets,
                           const AlignOptions& options,
                           const std::function<void(const PairAlignment&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    AlignRun run({state_->guarded(options, callbacks)}, state_->access(options));
    Totals totals;
    double count = 0;
    const auto made = [](const PairPlace&, const seq::Pair& pair, AlignAnswer& answer) {
      return std::pair(pair, std::move(answer));
    };
    const auto got = [&](const std::pair<seq::Pair, AlignAnswer>& one) {
      const auto& [pair, answer] = one;
      ++count;
      add(totals, answer);
      taken({pair.query, pair.target, answer});
    };
    if (options.all_pairs) {
      const Both both(queries, targets, callbacks, options.shard);
      run.all(both.queries, both.targets(), made, got, [] {});
      both.count(totals);
    } else {
      Pairs pairs(queries, &targets, callbacks, options.shard);
      run.pairs(pairs.sequences(), made, got, [] {});
      totals.queries = totals.targets = count;
    }
    return totals;
  });
}

}  // namespace rhomb
