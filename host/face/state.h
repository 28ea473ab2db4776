// SPDX-License-Identifier: Apache-2.0
// What stands behind rhomb.h: the devices and what was measured on them, and the promise of which
// errors leave a call.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>

#include "host/batch/devices.h"
#include "host/batch/entries.h"
#include "host/batch/pairs.h"
#include "host/distance/run.h"
#include "host/engine/variant.h"
#include "host/rhomb.h"
#include "host/tune/store.h"

namespace rhomb {

/// The functions that a call was given. What they throw goes to the caller as it is, whatever lies
/// between.
class Callbacks {
 public:
  template <class Result, class... Args>
  std::function<Result(Args...)> of(const std::function<Result(Args...)>& function) {
    if (!function) return {};
    return [this, function](Args... args) -> Result {
      try {
        return function(std::forward<Args>(args)...);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = std::current_exception();
        throw;
      }
    };
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

struct Devices::State {
  explicit State(DevicesOptions given);

  /// Calls work(callbacks), alone; only an Error, std::bad_alloc and what callbacks throw leave it.
  /// A call that waits for another one looks at `stop`, too.
  template <class Work>
  auto run(const std::stop_token& stop, const Work& work) {
    std::unique_lock lock(mutex, std::try_to_lock);
    while (!lock.owns_lock() && !lock.try_lock_for(std::chrono::milliseconds(50)))
      if (stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
    Callbacks callbacks;
    try {
      auto result = work(callbacks);
      callbacks.rethrow();
      return result;
    } catch (const Error&) {
      callbacks.rethrow();
      throw;
    } catch (const std::bad_alloc&) {
      callbacks.rethrow();
      throw;
    } catch (const std::exception& error) {
      callbacks.rethrow();
      throw Error(Kind::kInternal, error.what());
    }
  }

  /// The options that all runs over many sequences have, with devices if any may be needed. `Into`
  /// is search's, lcs', gaps' or primer's, whose variants these are. `given` stays while they are
  /// used. Throws UsageError for a variant, a tunable or a part that there is not.
  template <class Into, class Variant>
  Into many(const RunOptions& given, std::size_t memory, std::span<const Variant> variants,
            Callbacks& callbacks) {
    given.shard.check();
    Into into;
    if (!given.variant.empty()) into.variant = &find_variant(variants, given.variant);
    given.config.check_names((into.variant != nullptr ? *into.variant : variants.front()).space);
    into.config = given.config;
    if constexpr (requires { into.ambiguous; })
      into.ambiguous = given.ambiguous;
    else if (given.ambiguous != seq::Ambiguous::kSymbol)
      throw UsageError("scores say what symbols are worth, so --ambiguous has no use");
    into.memory = memory;
    into.check = given.check;
    into.threads = given.threads;
    into.stop = given.stop;
    into.progress = callbacks.of(given.progress);
    if constexpr (requires { into.store; }) into.store = &measured(given);
    into.trace = trace(given);
    if (into.variant == nullptr || into.variant->uses_opencl()) into.devices = set.choices();
    return into;
  }

  const tune::Store& measured(const RunOptions& run);
  trace::Trace* trace(const RunOptions& run) const {
    return run.trace != nullptr ? run.trace : options.trace;
  }

  /// A copy of the options that a call was given, with its functions guarded and where to trace.
  /// Throws UsageError for a part that there is not.
  template <class Options>
  Options guarded(const Options& given, Callbacks& callbacks) const {
    given.shard.check();
    Options asked = given;
    asked.progress = callbacks.of(given.progress);
    asked.trace = trace(given);
    if constexpr (requires { asked.by_host; }) asked.by_host &= options.selector.empty();
    return asked;
  }
  /// The devices, and what was measured; for as long as `run` and this object stay.
  DeviceAccess access(const RunOptions& run);
  /// Those that may help the first device with a pair, if one is `needed`.
  OtherDevices others(bool needed) { return needed ? others_of(set.choices()) : OtherDevices(); }

  DevicesOptions options;
  batch::DeviceSet set;
  std::optional<tune::Store> store;
  std::timed_mutex mutex;
};

inline Totals totals_of(const batch::Totals& from, double queries, double targets) {
  Totals totals;
  totals.queries = queries;
  totals.targets = targets;
  totals.cells = from.cells;
  totals.build = from.build;
  totals.transfer = from.transfer;
  totals.compute = from.compute;
  totals.checked = from.checked;
  totals.variant = from.variant;
  totals.device = from.device;
  return totals;
}

/// Throws InputError if a sequence has no other strand.
void check_nucleotides(const Records& records, const seq::Sequence& sequence);

/// The part of the records that a shard has; they are read for it. Throws UsageError where they
/// cannot be read again.
ShardCut cut_of(Shard shard, const Records& records, Callbacks& callbacks);

/// Queries, each with the target at its place where there are `targets`, as runs read them.
class Pairs {
 public:
  /// `targets`: null if each query goes with all. `check` is called for each sequence.
  Pairs(const Records& queries, const Records* targets, Callbacks& callbacks, Shard shard,
        std::function<void(const Records&, const seq::Sequence&)> check = {})
      : queries_(queries), targets_(targets), check_(std::move(check)) {
    if (!shard.whole()) cut_.emplace(cut_of(shard, queries, callbacks));
    first_ = queries.open();
    next_query_ = callbacks.of(first_.next);
    if (targets_ == nullptr) return;
    second_ = targets_->open();
    next_target_ = callbacks.of(second_.next);
  }
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  batch::PairSource sequences() {
    batch::Source<batch::SequencePair> source{queries_.name(), [this](batch::SequencePair& into) {
                                                return next(into.query, into.target);
                                              }};
    if (first_.before_waiting && second_.before_waiting)
      source.before_waiting = [this](const std::function<void()>& call) {
        first_.before_waiting(call);
        second_.before_waiting(call);
      };
    return batch::one_by_one(std::move(source));
  }
  batch::Source<batch::Entry> source() {
    return {queries_.name(), [this](batch::Entry& into) { return next(into); }, first_.part};
  }
  /// False at the end. Throws InputError where one side has more than the other.
  bool next(seq::Sequence& query, seq::Sequence& target) {
    do {
      if ((cut_ && cut_->past()) || !next_pair(query, target)) return false;
    } while (cut_ && !cut_->takes(query.symbols.size()));
    return true;
  }
  bool next(batch::Entry& into) {
    if (!next(query_, target_)) return false;
    into.query_name.swap(query_.name);
    into.query.swap(query_.symbols);
    into.target_name.swap(target_.name);
    into.target.swap(target_.symbols);
    return true;
  }

 private:
  bool next_pair(seq::Sequence& query, seq::Sequence& target) {
    const bool left = take(queries_, next_query_, query);
    if (targets_ == nullptr) return left;
    if (take(*targets_, next_target_, target) != left) refuse(left);
    count_ += left ? 1 : 0;
    return left;
  }
  bool take(const Records& records, const std::function<bool(seq::Sequence&)>& next,
            seq::Sequence& into) {
    if (!next(into)) return false;
    if (check_) check_(records, into);
    return true;
  }
  [[noreturn]] void refuse(bool queries_left);

  const Records& queries_;
  const Records* targets_;
  Records::Stream first_, second_;
  std::function<bool(seq::Sequence&)> next_query_, next_target_;
  std::function<void(const Records&, const seq::Sequence&)> check_;
  std::optional<ShardCut> cut_;
  seq::Sequence query_, target_;
  std::size_t count_ = 0;
};

/// All records; the functions of the caller that give them may throw what they like.
inline seq::Batch all(const Records& records, Callbacks& callbacks) {
  const Records::Stream stream = records.open();
  const auto next = callbacks.of(stream.next);
  seq::Batch batch;
  for (seq::Sequence one; next(one);) batch.push_back(std::move(one));
  return batch;
}

/// The same; throws InputError if there are none.
inline seq::Batch targets_of(const Records& records, Callbacks& callbacks) {
  seq::Batch batch = all(records, callbacks);
  if (batch.empty()) throw InputError(records.name(), "", 0, "there are no targets");
  return batch;
}

}  // namespace rhomb
