// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <utility>

#include "host/distance/together.h"
#include "host/face/state.h"

namespace rhomb {
namespace {

ocl::DeviceOptions open_options(const DevicesOptions& options) {
  return {options.kernels_dir, options.cache, options.cache_dir, false, options.trace};
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

Totals Devices::distances(const Records& queries, const Records& targets,
                          const DistanceOptions& options,
                          const std::function<void(const PairDistance&)>& take) {
  return state_->run([&](Callbacks& callbacks) {
    const auto taken = callbacks.of(take);
    Totals totals;
    const auto compare = [&](const seq::Batch& first, const seq::Batch& second, PairList list) {
      totals.queries += static_cast<double>(first.size());
      totals.targets += static_cast<double>(second.size());
      DistanceOptions asked = options;
      asked.progress = callbacks.of(options.progress);
      asked.trace = state_->trace(options);
      const bool device = needs_opencl(options) && !answered_at_once(list, options);
      if (device) asked.store = &state_->measured(options);
      Together together(device ? &state_->set.infos().front() : nullptr, std::move(list), asked);
      for (std::size_t i = 0; i < together.pairs().size(); ++i) {
        const auto [a, b] = together.pairs()[i];
        const DistanceAnswer answer =
            together.takes(i)
                ? together.answer(state_->set.open(), i)
                : state_->distance(first[a].symbols, second[b].symbols, options, callbacks);
        add(totals, answer);
        taken({first[a], second[b], answer});
      }
    };
    if (options.all_pairs) {
      const seq::Batch first = all(queries, callbacks);
      if (&queries == &targets) {
        compare(first, first, PairList::all(first, first));
      } else {
        const seq::Batch second = all(targets, callbacks);
        compare(first, second, PairList::all(first, second));
      }
      return totals;
    }
    // So many at a time, as they are read; those before an error are answered.
    constexpr std::size_t kMostRecords = 1 << 18, kMostSymbols = 1 << 28;
    Pairs pairs(queries, &targets, callbacks);
    std::exception_ptr failed;
    for (bool more = true; more;) {
      seq::Batch first, second;
      std::size_t symbols = 0;
      try {
        for (seq::Sequence query, target;
             first.size() < kMostRecords && symbols < kMostSymbols && more;) {
          more = pairs.next(query, target);
          if (!more) break;
          symbols += query.symbols.size() + target.symbols.size();
          first.push_back(std::move(query));
          second.push_back(std::move(target));
        }
      } catch (...) {
        failed = std::current_exception();
        more = false;
      }
      compare(first, second, PairList::by_order(first, second));
    }
    if (failed) std::rethrow_exception(failed);
    return totals;
  });
}

}  // namespace rhomb
