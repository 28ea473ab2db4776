// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/align/align.h"
#include "host/distance/distance.h"
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

/// Calls pair(query, target, totals) for the pairs of two sets of records.
template <class OfPair>
Totals each_pair(const Records& queries, const Records& targets, const DistanceOptions& options,
                 Callbacks& callbacks, const OfPair& pair) {
  Totals totals;
  if (options.all_pairs) {
    const seq::Batch first = all(queries, callbacks), second = all(targets, callbacks);
    totals.queries = static_cast<double>(first.size());
    totals.targets = static_cast<double>(second.size());
    for (const seq::Sequence& query : first)
      for (const seq::Sequence& target : second) pair(query, target, totals);
    return totals;
  }
  Pairs pairs(queries, &targets, callbacks);
  for (seq::Sequence query, target; pairs.next(query, target);) {
    ++totals.queries;
    ++totals.targets;
    pair(query, target, totals);
  }
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
    return each_pair(queries, targets, options, callbacks,
                     [&](const seq::Sequence& query, const seq::Sequence& target, Totals& totals) {
                       const DistanceAnswer answer =
                           state_->distance(query.symbols, target.symbols, options, callbacks);
                       add(totals, answer);
                       taken({query, target, answer});
                     });
  });
}

Totals Devices::alignments(const Records& queries, const Records& targets,
                           const AlignOptions& options,
                           const std::function<void(const PairAlignment&)>& take) {
  return state_->run([&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    return each_pair(queries, targets, options, callbacks,
                     [&](const seq::Sequence& query, const seq::Sequence& target, Totals& totals) {
                       const AlignAnswer answer =
                           state_->align(query.symbols, target.symbols, options, callbacks);
                       add(totals, answer);
                       taken({query, target, answer});
                     });
  });
}

}  // namespace rhomb
