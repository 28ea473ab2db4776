// SPDX-License-Identifier: Apache-2.0
// Units: what a Reader reads in blocks, computed on several devices in parts that are small enough
// for them.
//
// Blocks are cut into units, because all of a block with everything that it is compared with may be
// more than memory holds. A thread for each device takes units, several on their way at a time, so
// that the packing and the copies of one hide behind the launches of another. They come out in
// order, and a block stays in memory until its last unit is released.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "host/batch/reader.h"
#include "host/batch/workers.h"

namespace rhomb::batch {

/// How many units there may be at a time: on their way on each device, one that is cut and one that
/// is printed.
inline std::size_t most_units(std::size_t devices, std::size_t slots) {
  return devices * slots + 2;
}

/// Records derives from Block. A Unit has `number`, counted from 0; `block`, a pointer to Records
/// that is good until release(); and `last`, of its block.
template <class Records, class Unit>
class Units {
 public:
  struct Steps {
    std::function<void(Reader<Records>&)> read;  ///< as Reader has it,
    std::function<void(Records&)> close;         ///< likewise
    /// Called for a block before it is cut; by one thread at a time, as `cut` is.
    std::function<void(Records&)> open;
    /// Makes a unit of what comes next in its block, and sets `last` if that was all.
    std::function<void(Unit&)> cut;
    /// Does what can be done for several units at a time, before they are taken.
    std::function<void(Unit&)> fill;
  };

  /// No more than `most` units at a time.
  Units(const BlockSizes& sizes, std::size_t most, Steps steps)
      : most_(most),
        steps_(std::move(steps)),
        reader_(sizes, steps_.read, steps_.close),
        workers_([this] { stop(); }) {}

  /// The first call begins to compute, in so many threads. For each that gets a unit make(i) gives
  /// a Worker, with slots() that each take a unit at a time: start(slot, unit, alone), in which
  /// false says that the unit has to wait until no other is on its way; later finish(slot, unit).
  /// After the last one done() is called, unless nobody wanted any more.
  template <class MakeWorker>
  void start(std::size_t threads, const MakeWorker& make) {
    if (std::exchange(started_, true)) return;
    workers_.start(threads, [this, make](std::size_t i) {
      std::optional<Unit> unit = take(true);
      if (!unit) return;
      auto worker = make(i);
      if (compute(std::move(*unit), worker)) worker.done();
    });
  }

  /// The first unit of the largest block (Reader::largest()), not computed, for a caller that does
  /// not start().
  std::optional<Unit> largest() {
    current_ = open(reader_.largest());
    return current_ != nullptr ? take(true) : std::nullopt;
  }
  /// After that: how many units as large there are, where its block is one; otherwise many.
  double all() const {
    return current_ != nullptr ? std::numeric_limits<double>::infinity() : reader_.all();
  }
  /// And what is in memory at a time, at most, if that block takes so many bytes, and the unit.
  std::uint64_t held(std::size_t block, std::size_t unit) const {
    const double units = std::min(all(), static_cast<double>(most_));
    return static_cast<std::uint64_t>(static_cast<double>(block) * reader_.at_a_time() +
                                      static_cast<double>(unit) * units);
  }
  /// The next unit, computed; nothing at the end, or in front of an error in what is read. Throws
  /// what a worker has thrown.
  std::optional<Unit> next() { return workers_.next(); }
  /// Its memory may be used again. Units are to be released in order.
  void release(const Unit& unit) {
    const std::size_t bytes = unit.last ? unit.block->bytes : 0;
    {
      const std::lock_guard lock(mutex_);
      if (unit.last) blocks_.pop_front();
      --outstanding_;
      changed_.notify_all();
    }
    reader_.release(bytes);
  }

  /// Throws what went wrong with what is read, if anything has.
  void check() const { reader_.check(); }
  bool failed() const { return reader_.failed(); }

 private:
  /// `first` and all further units that this thread can get. False if nobody wants any more.
  template <class Worker>
  bool compute(Unit first, Worker& worker) {
    const std::size_t slots = worker.slots();
    std::optional<Unit> unit(std::move(first));
    std::deque<Unit> busy;
    std::size_t oldest = 0;  // slot of the first in `busy`; the others are in those behind
    for (;;) {
      while (busy.size() < slots) {
        if (!unit) unit = take(busy.empty());
        if (!unit || !worker.start((oldest + busy.size()) % slots, *unit, busy.empty())) break;
        busy.push_back(std::move(*unit));
        unit.reset();
      }
      if (busy.empty()) return !workers_.stopped();
      Unit done = std::move(busy.front());
      busy.pop_front();
      worker.finish(oldest, done);
      oldest = (oldest + 1) % slots;
      if (!workers_.put(std::move(done))) return false;
    }
  }

  /// Nothing at the end, and if there is none yet, unless it is to wait.
  std::optional<Unit> take(bool wait) {
    Unit unit;
    {
      std::unique_lock cutting(cutting_, std::defer_lock);
      if (wait)
        cutting.lock();
      else if (!cutting.try_lock())
        return std::nullopt;
      if (!count_one(wait)) return std::nullopt;
      if (current_ == nullptr && !take_block(wait)) {
        const std::lock_guard lock(mutex_);
        --outstanding_;
        changed_.notify_all();
        return std::nullopt;
      }
      unit.number = count_++;
      unit.block = current_;
      steps_.cut(unit);
      if (unit.last) current_ = nullptr;
    }
    steps_.fill(unit);
    return unit;
  }

  bool count_one(bool wait) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return stopped_ || outstanding_ < most_; };
    if (wait) changed_.wait(lock, ready);
    if (stopped_ || !ready()) return false;
    ++outstanding_;
    return true;
  }

  bool take_block(bool wait) {
    current_ = open(reader_.next(wait));
    return current_ != nullptr;
  }
  Records* open(std::optional<Records> read) {
    if (!read) return nullptr;
    Records* opened = nullptr;
    {
      const std::lock_guard lock(mutex_);
      opened = &blocks_.emplace_back(std::move(*read));
    }
    steps_.open(*opened);
    return opened;
  }

  void stop() {
    reader_.stop();
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  const std::size_t most_;
  const Steps steps_;

  std::mutex cutting_;  // who cuts holds it, also while waiting for a block
  std::size_t count_ = 0;
  Records* current_ = nullptr;  // that units are cut from

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Records> blocks_;    // those with units that are not released
  std::size_t outstanding_ = 0;  // such units
  bool stopped_ = false;

  Reader<Records> reader_;
  bool started_ = false;
  Workers<Unit> workers_;  // last: its threads use the others
};

}  // namespace rhomb::batch
