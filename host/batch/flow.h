// SPDX-License-Identifier: Apache-2.0
// Flow: records that a thread reads while another works with those before: it takes what is there,
// up to a limit. So blocks are large where records come fast, and wait for nobody where they come
// slowly.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "host/engine/pair.h"

namespace rhomb::batch {

struct FlowLimits {
  std::size_t bytes = std::size_t{1} << 26;  ///< that wait to be taken, or one record
  double patience = 0.02;                    ///< seconds that the first of them waits for others
  /// Those that are taken at a time, but for the last of them.
  std::size_t bytes_taken = std::numeric_limits<std::size_t>::max();
};

template <class Record>
class Flow {
 public:
  /// For records, or one, which are moved, and the bytes of memory that they stand for; false:
  /// nobody wants more.
  class Give {
   public:
    explicit Give(Flow& flow) : flow_(flow) {}
    bool operator()(std::span<Record> records, std::size_t bytes) const {
      return flow_.give(records, bytes);
    }
    bool operator()(Record& record, std::size_t bytes) const {
      return flow_.give({&record, 1}, bytes);
    }

   private:
    Flow& flow_;
  };

  /// `read` runs in a thread of its own and gives one record after another. What it throws is kept
  /// for check(); records before it are taken first.
  Flow(const FlowLimits& limits, std::function<void(const Give&)> read)
      : limits_(limits), thread_([this, read = std::move(read)] { run(read); }) {}
  ~Flow() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// The next records that are there, at least one unless it is the end; `more` may come behind.
  struct Taken {
    std::vector<Record> records;
    bool more = true;
  };
  /// `used` is of no interest any more, but its memory is used again.
  Taken take(std::vector<Record> used = {}) {
    used.clear();
    std::unique_lock lock(mutex_);
    if (used.capacity() > 0) spare_.push_back(std::move(used));
    const auto full = [this] {
      return ended_ || bytes_ >= limits_.bytes || parts_.front().bytes >= limits_.bytes_taken;
    };
    wanted_ = true;
    changed_.wait(lock, [this] { return ended_ || !parts_.empty(); });
    if (!parts_.empty())
      changed_.wait_until(
          lock, parts_.front().since + std::chrono::duration<double>(limits_.patience), full);
    wanted_ = false;
    Taken taken;
    if (!parts_.empty()) {
      taken.records = std::move(parts_.front().records);
      bytes_ -= parts_.front().bytes;
      parts_.pop_front();
    }
    taken.more = !ended_ || !parts_.empty();
    changed_.notify_all();
    return taken;
  }
  /// Whether all has been read; waits up to `patience` for that.
  bool ended() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(limits_.patience),
                      [this] { return ended_ || bytes_ >= limits_.bytes; });
    return ended_;
  }
  /// Whether all has been read, and is no more than so many bytes, or one record of `alone` bytes;
  /// waits up to `patience` for that. Nothing was taken before.
  bool ends_within(std::size_t bytes, std::size_t alone) {
    std::unique_lock lock(mutex_);
    const auto within = [&] {
      const bool one = parts_.size() == 1 && parts_.front().records.size() == 1;
      return bytes_ <= (one ? alone : bytes);
    };
    watched_ = 0;
    changed_.wait_for(lock, std::chrono::duration<double>(limits_.patience),
                      [&] { return ended_ || !within(); });
    watched_ = limits_.bytes;
    return ended_ && within();
  }

  /// Throws what went wrong, if anything has; at the end.
  void check() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }
  /// Seconds that reading has taken so far, without waiting for room.
  double seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_ + (ended_ ? 0 : now() - began_);
  }

 private:
  void run(const std::function<void(const Give&)>& read) {
    std::exception_ptr failure;
    try {
      read(Give(*this));
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    seconds_ += now() - began_;
    ended_ = true;
    changed_.notify_all();
  }

  bool give(std::span<Record> records, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    if (bytes_ >= limits_.bytes) {
      seconds_ += now() - began_;
      changed_.wait(lock, [this] { return stopped_ || bytes_ < limits_.bytes; });
      began_ = now();
    }
    if (stopped_) return false;
    const bool first = parts_.empty();
    if (first || parts_.back().bytes >= limits_.bytes_taken) {
      std::vector<Record>& next = parts_.emplace_back().records;
      if (!spare_.empty()) {
        next = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    Part& part = parts_.back();
    make_room(part, records.size());
    part.records.insert(part.records.end(), std::move_iterator(records.begin()),
                        std::move_iterator(records.end()));
    part.bytes += bytes;
    bytes_ += bytes;
    if ((wanted_ && (first || part.bytes >= limits_.bytes_taken)) || bytes_ >= watched_)
      changed_.notify_all();
    return true;
  }

  /// Records that are taken at a time.
  struct Part {
    std::vector<Record> records;
    std::size_t bytes = 0;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();  // they wait
  };

  /// The first records tell how many there will be in a part; memory that is not used is not
  /// touched. A vector that doubles would take three times as much, new each time.
  void make_room(Part& part, std::size_t more) const {
    constexpr std::size_t kFew = 4096;
    const std::size_t there = part.records.size();
    if (there < kFew || there + more <= part.records.capacity()) return;
    const std::size_t most = std::min(limits_.bytes, limits_.bytes_taken);
    if (part.bytes >= most) return;
    const double all =
        static_cast<double>(there) / static_cast<double>(part.bytes) * static_cast<double>(most);
    part.records.reserve(std::max(there + more, static_cast<std::size_t>(1.1 * all)));
  }

  const FlowLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> parts_;
  std::vector<std::vector<Record>> spare_;  // memory for more of them
  std::size_t bytes_ = 0;                   // of all that wait
  std::size_t watched_ = limits_.bytes;     // at so many somebody may wait
  bool wanted_ = false;                     // somebody waits for them
  bool ended_ = false, stopped_ = false;
  double began_ = now(), seconds_ = 0;  // since when it has been reading; before that
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace rhomb::batch
