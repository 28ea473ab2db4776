// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <utility>

#include "host/align/align.h"
#include "host/distance/together.h"
#include "host/face/state.h"

namespace rhomb {
namespace {

ocl::DeviceOptions open_options(const DevicesOptions& options) {
  return {options.kernels_dir, options.cache, options.cache_dir, false, options.trace};
}

void add(Totals& totals, const AlignAnswer& answer) {
  totals.cells += answer.cells;
  totals.build += answer.timing.build;
  totals.transfer += answer.timing.transfer;
  totals.compute += answer.timing.compute;
  totals.variant = answer.variant;
  totals.device = answer.device;
}

void add(Totals& totals, const DistanceAnswer& answer) {
  totals.cells += answer.cells;
  totals.build += answer.timing.build;
  totals.transfer += answer.timing.transfer;
  totals.compute += answer.timing.compute;
  totals.checked += answer.checked.empty() ? 0u : 1u;
  totals.variant = answer.variant;
  totals.device = answer.device;
}

/// Calls compare(queries, targets, list, totals) for the pairs of two sets of records: all, or by
/// order so many at a time, as they are read.
template <class Compare>
Totals each_pair(const Records& queries, const Records& targets, const DistanceOptions& options,
                 Callbacks& callbacks, const Compare& compare) {
  Totals totals;
  const auto pairs_of = [&](const seq::Batch& first, const seq::Batch& second) {
    totals.queries += static_cast<double>(first.size());
    totals.targets += static_cast<double>(second.size());
    compare(first, second,
            options.all_pairs ? PairList::all(first, second) : PairList::by_order(first, second),
            totals);
  };
  if (options.all_pairs) {
    const seq::Batch first = all(queries, callbacks);
    if (&queries == &targets)
      pairs_of(first, first);
    else
      pairs_of(first, all(targets, callbacks));
    return totals;
  }
  constexpr std::size_t kMostRecords = 1 << 18, kMostSymbols = 1 << 28;
  Pairs pairs(queries, &targets, callbacks);
  std::exception_ptr failed;  // after the pairs before are answered
  for (bool more = true; more;) {
    seq::Batch first, second;
    std::size_t symbols = 0;
    try {
      seq::Sequence query, target;
      while (first.size() < kMostRecords && symbols < kMostSymbols &&
             (more = pairs.next(query, target))) {
        symbols += query.symbols.size() + target.symbols.size();
        first.push_back(std::move(query));
        second.push_back(std::move(target));
      }
    } catch (...) {
      failed = std::current_exception();
      more = false;
    }
    pairs_of(first, second);
  }
  if (failed) std::rethrow_exception(failed);
  return totals;
}

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

DistanceAnswer Devices::State::distance(std::string_view a, std::string_view b,
                                        DistanceOptions asked, Callbacks& callbacks) {
  const auto progress = std::exchange(asked.progress, {});
  asked.progress = callbacks.of(progress);
  asked.trace = trace(asked);
  const bool device = needs_opencl(asked) && !answered_at_once(a.size(), b.size(), asked);
  if (device) asked.store = &measured(asked);
  return rhomb::distance(device ? &set.open() : nullptr, a, b, asked);
}

AlignAnswer Devices::State::align(std::string_view query, std::string_view target,
                                  AlignOptions asked, Callbacks& callbacks) {
  const auto progress = std::exchange(asked.progress, {});
  asked.progress = callbacks.of(progress);
  asked.trace = trace(asked);
  const bool device = needs_opencl(asked) && !aligned_at_once(query.size(), target.size(), asked);
  if (device) asked.store = &measured(asked);
  return align_pair(device ? &set.open() : nullptr, query, target, asked);
}

Devices::Devices(DevicesOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Devices::~Devices() = default;
Devices::Devices(Devices&&) noexcept = default;
Devices& Devices::operator=(Devices&&) noexcept = default;

std::vector<ocl::DeviceInfo> Devices::list() { return ocl::list_devices(); }

std::vector<ocl::DeviceInfo> Devices::chosen() {
  return state_->run([&](Callbacks&) { return state_->set.infos(); });
}

DistanceAnswer Devices::distance(std::string_view a, std::string_view b,
                                 const DistanceOptions& options) {
  return state_->run(
      [&](Callbacks& callbacks) { return state_->distance(a, b, options, callbacks); });
}

Facts Devices::explain_distance(std::string_view a, std::string_view b,
                                const DistanceOptions& options) {
  return state_->run([&](Callbacks&) {
    DistanceOptions asked = options;
    const bool device = needs_opencl(asked) && !answered_at_once(a.size(), b.size(), asked);
    asked.store = &state_->measured(asked);
    return rhomb::explain_distance(device ? &state_->set.infos().front() : nullptr, a, b, asked);
  });
}

AlignAnswer Devices::align(std::string_view query, std::string_view target,
                           const AlignOptions& options) {
  return state_->run(
      [&](Callbacks& callbacks) { return state_->align(query, target, options, callbacks); });
}

Totals Devices::distances(const Records& queries, const Records& targets,
                          const DistanceOptions& options,
                          const std::function<void(const PairDistance&)>& take) {
  return state_->run([&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    DistanceOptions asked = options;
    asked.progress = callbacks.of(options.progress);
    asked.trace = state_->trace(options);
    return each_pair(
        queries, targets, options, callbacks,
        [&](const seq::Batch& first, const seq::Batch& second, PairList list, Totals& totals) {
          const bool device = needs_opencl(options) && !answered_at_once(list, options);
          if (device) asked.store = &state_->measured(options);
          Together together(device ? &state_->set.infos().front() : nullptr, std::move(list),
                            asked);
          for (std::size_t i = 0; i < together.pairs().size(); ++i) {
            const auto [a, b] = together.pairs()[i];
            const DistanceAnswer answer =
                together.takes(i)
                    ? together.answer(state_->set.open(), i)
                    : state_->distance(first[a].symbols, second[b].symbols, options, callbacks);
            add(totals, answer);
            taken({first[a], second[b], answer});
          }
        });
  });
}

Totals Devices::alignments(const Records& queries, const Records& targets,
                           const AlignOptions& options,
                           const std::function<void(const PairAlignment&)>& take) {
  return state_->run([&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    return each_pair(queries, targets, options, callbacks,
                     [&](const seq::Batch& first, const seq::Batch& second, const PairList& list,
                         Totals& totals) {
                       for (const auto [a, b] : list.pairs) {
                         if (options.stop.stop_requested())
                           throw Error(Kind::kStopped, "the run was stopped");
                         const AlignAnswer answer =
                             state_->align(first[a].symbols, second[b].symbols, options, callbacks);
                         add(totals, answer);
                         taken({first[a], second[b], answer});
                       }
                     });
  });
}

}  // namespace rhomb
