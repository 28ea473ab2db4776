// SPDX-License-Identifier: Apache-2.0
// AlignRun: the alignments of any number of pairs, read while others are aligned. Threads of the
// host align short pairs, each one at a time; a device is for long ones, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/align/align.h"
#include "host/batch/pairs.h"
#include "host/batch/threads.h"
#include "host/distance/run.h"

namespace rhomb {

struct AlignRunOptions : AlignOptions {
  /// Before and after a pair that is aligned alone, which may take long; may be empty.
  std::function<void(const PairPlace&, const seq::Pair&)> begin = {};
  std::function<void()> end = {};
};

class AlignRun {
 public:
  AlignRun(AlignRunOptions options, DeviceAccess access)
      : options_(std::move(options)),
        access_(std::move(access)),
        threads_(batch::threads_of(options_.threads)) {
    if (options_.store == nullptr) options_.store = &nothing_;
    on_host_ = options_;
    on_host_.engine = "reference";
    on_host_.config = {};
    on_host_.threads = 1;  // each of them
    on_host_.progress = {};
    on_host_.trace = nullptr;
  }
  AlignRun(const AlignRun&) = delete;
  AlignRun& operator=(const AlignRun&) = delete;

  /// Aligns pairs of a source. make(place, pair, answer) makes what is wanted of an alignment, in
  /// any thread; take(made) gets it in this one, in the order of the pairs, and rest() is called
  /// there after some of them. Throws what align_pair() throws; what is wrong with the source after
  /// the pairs before it.
  template <class Make, class Take, class Rest>
  void pairs(batch::PairSource source, const Make& make, const Take& take, const Rest& rest) {
    batch::PairFlow flow(std::move(source));
    batch::PairFlow::Taken taken;
    while (taken.more) {
      taken = flow.take(std::move(taken.records));
      if (number_ == 0) read_seconds_ = flow.seconds();
      if (!taken.more) all_ = number_ + taken.records.size();
      align(
          taken.records.size(), [&](std::size_t i) { return taken.records[i].view(); }, make, take,
          rest);
    }
    flow.check();
  }

  /// Each query with each target, row by row.
  template <class Make, class Take, class Rest>
  void all(const seq::Batch& queries, const seq::Batch& targets, const Make& make, const Take& take,
           const Rest& rest) {
    all_ = queries.size() * targets.size();
    const auto pair_of = [&](std::size_t i) {
      return seq::Pair{&queries[i / targets.size()], &targets[i % targets.size()]};
    };
    align(*all_, pair_of, make, take, rest);
  }

  /// The distance of two texts if it is at most `most`: for make().
  std::optional<std::int64_t> distance_within(std::string_view a, std::string_view b,
                                              std::int64_t most) {
    const std::lock_guard lock(mutex_);
    DistanceOptions asked = options_;
    asked.check = false;
    asked.progress = {};
    asked.max_distance = most;
    return distance(device_for(a.size(), b.size()), a, b, asked).distance;
  }
  /// Seconds that reading took until the first pairs were there.
  double read_seconds() const { return read_seconds_; }

 private:
  /// Pairs that a thread aligns one after another, or one that is aligned alone.
  struct Part {
    std::size_t first = 0, end = 0;
    bool alone = false;
  };

  /// Whether threads of the host align such a pair while others do so with other pairs.
  bool shared(const seq::Pair& pair, std::size_t count) const {
    constexpr double kMostCells = 1e8;  // a sixth of a second where nothing is alike
    const std::size_t m = pair.query->symbols.size(), n = pair.target->symbols.size();
    const double cells = static_cast<double>(m) * static_cast<double>(n);
    const double bytes = cells / 4 + 64 * static_cast<double>(m + n);
    if (options_.memory > 0 &&
        bytes * static_cast<double>(threads_) > static_cast<double>(options_.memory))
      return false;
    if (aligned_at_once(m, n, options_)) return cells <= kMostCells;
    return options_.engine == "auto" && options_.variant.empty() && !options_.check &&
           !options_.both_strands && count > 1 && cells <= kMostCells;
  }

  template <class PairOf, class Make, class Take, class Rest>
  void align(std::size_t count, const PairOf& pair_of, const Make& make, const Take& take,
             const Rest& rest) {
    constexpr double kPartCells = 1e6;
    std::vector<Part> parts;
    double cells = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const seq::Pair pair = pair_of(i);
      const bool alone = !shared(pair, count);
      if (alone || parts.empty() || parts.back().alone || cells > kPartCells) {
        parts.push_back({i, i, alone});
        cells = 0;
      }
      parts.back().end = i + 1;
      cells += static_cast<double>(pair.query->symbols.size()) *
               static_cast<double>(pair.target->symbols.size());
    }
    using Made = decltype(make(PairPlace{}, seq::Pair{}, std::declval<AlignAnswer&>()));
    const auto align_part = [&](std::size_t number) {
      const Part& part = parts[number];
      std::vector<Made> made;
      for (std::size_t i = part.first; i < part.end && !part.alone; ++i) {
        check_stop();
        const seq::Pair pair = pair_of(i);
        AlignAnswer answer =
            align_pair(nullptr, pair.query->symbols, pair.target->symbols, on_host_);
        made.push_back(make(place(i), pair, answer));
      }
      return made;
    };
    std::size_t taken = 0;
    batch::in_order(parts.size(), threads_, align_part, [&](std::vector<Made> made) {
      const Part& part = parts[taken++];
      if (part.alone) made.push_back(align_alone(part.first, pair_of(part.first), make));
      for (Made& one : made) take(std::move(one));
      rest();
    });
    number_ += count;
  }

  template <class Make>
  auto align_alone(std::size_t i, const seq::Pair& pair, const Make& make) {
    check_stop();
    const std::string &query = pair.query->symbols, &target = pair.target->symbols;
    if (options_.begin) options_.begin(place(i), pair);
    trace::Scope scope(options_.trace, trace::Work::kPair,
                       pair.query->name + " and " + pair.target->name);
    std::unique_lock lock(mutex_);
    AlignAnswer answer =
        align_pair(device_for(query.size(), target.size()), query, target, options_);
    lock.unlock();
    scope.end();
    if (options_.end) options_.end();
    return make(place(i), pair, answer);
  }

  /// The one that is open, or is opened for such a pair; null if that needs none.
  ocl::Device* device_for(std::size_t m, std::size_t n) {
    if (device_ == nullptr && needs_opencl(options_) && !aligned_at_once(m, n, options_)) {
      device_ = &access_.devices().front().open();
      options_.store = &access_.store();
    }
    return device_;
  }

  PairPlace place(std::size_t i) const { return {number_ + i, all_}; }
  void check_stop() const {
    if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  }

  AlignRunOptions options_;
  AlignOptions on_host_;
  DeviceAccess access_;
  std::size_t threads_;
  const tune::Store nothing_;
  std::mutex mutex_;  // of the device, and of what is changed with it
  ocl::Device* device_ = nullptr;
  std::uint64_t number_ = 0;          // of pairs before those at hand
  std::optional<std::uint64_t> all_;  // of pairs, if that is known
  double read_seconds_ = 0;
};

}  // namespace rhomb
