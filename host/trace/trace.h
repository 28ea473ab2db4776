// SPDX-License-Identifier: Apache-2.0
// trace: what happened when, on the host and in the queues of devices.
//
// Who records is given a pointer to a Trace. It may be null; then nothing is recorded and nothing
// is paid for that. What is recorded stands in lanes, one for each thread of the host and one for
// each queue. The phases of a thread lie within each other. Commands have the times of their
// device's clock; what these are on the host's, a lane's syncs say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "usage.h"

namespace rhomb::trace {

/// What the host is at.
enum class Work : std::uint8_t {
  kPair,     ///< all of one pair
  kRead,     ///< a file
  kOpen,     ///< finding a device and getting it ready
  kSymbols,  ///< looking at the symbols that occur
  kChoose,   ///< estimating the distance, choosing an engine
  kMeasure,  ///< the rates of an unknown device
  kPack,     ///< bit-planes and packed words
  kBuild,    ///< a program, from disk or from source
  kTest,     ///< a program's known-answer test
  kUpload,   ///< a write to the device that waits
  kCompute,  ///< what Timing::compute counts
  kPass,     ///< one way through the matrix, or a band of it
  kJoin,     ///< the halves of a matrix
  kWindows,  ///< what windows of a corridor tell
  kWords,    ///< looking for words that both texts have
  kBounds,   ///< what paths cost at least
  kWalk,     ///< the way back through the matrix: an alignment
  kWait,     ///< for the device, or for another thread
  kFetch,    ///< a read from the device that waits
  kCheck,    ///< computing again
  kTimes,    ///< asking for the times of commands: what tracing itself costs
};

/// "compute", "self-test"
std::string name_of(Work work);

/// A phase of the host. Times are nanoseconds since the trace began.
struct Phase {
  Work work = Work::kPair;
  std::uint32_t of = 0;  ///< what is read, built, compared; see Trace::text(). 0: not said
  std::uint32_t lane = 0;
  Nanos begin = 0;
  Nanos end = -1;  ///< -1: goes on
};

/// The same moment on a device's clock and on the host's, the latter since the trace began.
struct Sync {
  Nanos device = 0;
  Nanos host = 0;
};

/// `time` of a device on the host's clock: linear between syncs, beyond them at the nearest one's
/// distance. `syncs` are in order; without any, `time` itself.
Nanos on_host(std::span<const Sync> syncs, Nanos time);

/// A thread of the host, or a queue.
struct Lane {
  std::string label;
  bool queue = false;
  const void* device = nullptr;  ///< of a queue: the same for all queues of a device
  std::vector<Sync> syncs = {};  ///< of a queue
  Usage usage = {};              ///< of a queue
};

/// All functions but those under "What was recorded" may be called by several threads at once, but
/// one alone computes.
class Trace {
 public:
  /// Of millions of launches so many are kept one by one, and of phases half as many.
  static constexpr std::size_t kMost = 2'000'000;
  explicit Trace(std::size_t most = kMost);

  Nanos now() const;  ///< since the trace began

  /// A phase of the calling thread begins and ends; use Scope.
  std::size_t begin(Work work, std::string_view of);
  void end(std::size_t phase, Work work);

  std::uint32_t add_queue(const std::string& label, const void* device = nullptr);
  void add_sync(std::uint32_t queue, const Sync& sync);
  /// Commands of one queue come in the order in which they were enqueued.
  void add(const Command& command);
  /// The number that `text` goes by.
  std::uint32_t name(std::string_view text);
  /// The stretch of computing that now goes on; 0 outside, and during builds and self-tests.
  std::uint32_t stretch() const;

  // What was recorded.
  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::deque<Phase>& phases() const { return phases_; }  ///< in the order they began
  const std::deque<Command>& commands() const { return commands_; }
  const std::string& text(std::uint32_t name) const { return texts_[name]; }
  std::uint64_t left_out() const { return left_out_; }  ///< phases and commands not kept
  /// How busy a device was, all its queues together. Where several computed, a stretch goes on from
  /// the first command of any to the last, and of commands only those that were kept count.
  Usage usage_of(const void* device) const;

 private:
  std::uint32_t lane_of_thread();
  std::uint32_t number_of(std::string_view text);
  void count(Work work, int change);

  const std::size_t most_;
  const Nanos start_;
  mutable std::mutex mutex_;
  std::vector<Lane> lanes_;
  std::map<std::thread::id, std::uint32_t> threads_;
  std::deque<Phase> phases_;
  std::deque<Command> commands_;
  std::vector<std::string> texts_{""};
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::uint64_t left_out_ = 0;
  int computing_ = 0;  ///< phases of computing that go on
  int between_ = 0;    ///< phases that interrupt it
  std::uint32_t stretch_ = 0;
  std::uint32_t stretches_ = 0;
};

/// A phase as long as it lives, or until end(). `of` says of what it is, "reads.fa".
class Scope {
 public:
  Scope(Trace* trace, Work work, std::string_view of = {}) : trace_(trace), work_(work) {
    if (trace_ != nullptr) phase_ = trace_->begin(work_, of);
  }
  ~Scope() { end(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void end() {
    if (trace_ != nullptr) trace_->end(phase_, work_);
    trace_ = nullptr;
  }

 private:
  Trace* trace_;
  Work work_;
  std::size_t phase_ = 0;
};

}  // namespace rhomb::trace
