// SPDX-License-Identifier: Apache-2.0
// Run: a run of the library on a thread of its own, which needs no GIL, while the Python thread
// that asked for it looks out for signals, tells of progress and takes what was found. One that is
// stopped and does not end soon (a launch on a device cannot be called back) is left to itself.
#pragma once

#include <nanobind/nanobind.h>
#include <rhomb/rhomb.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "tools/python/module/text.h"

namespace rhomb::python {

/// A field of a row, and None.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Value>;

inline nb::object object_of(const Value& value) {
  return std::visit(
      []<class T>(const T& one) -> nb::object {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nb::none();
        else if constexpr (std::is_same_v<T, std::string>)
          return str_of(one);
        else
          return nb::cast(one);
      },
      value);
}

inline nb::tuple tuple_of(const Row& row) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(row.size())));
  for (std::size_t i = 0; i < row.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), object_of(row[i]).release().ptr());
  return nb::borrow<nb::tuple>(tuple);
}

/// A function of the module that is under way. A process does not end before all of them have come
/// back: a thread that asks for the GIL later is ended where it stands. All of it under the GIL.
class Inside {
 public:
  /// Throws Error where nothing can be computed any more.
  Inside() : Inside(nullptr) {
    sweep();
    if (forked_)
      throw Error(Kind::kDevice,
                  "this process was forked from one that used rhomb, whose devices it does not "
                  "have; with multiprocessing, take the start method \"spawn\"");
    if (ends().stop_requested()) throw Error(Kind::kStopped, "the process is ending");
    used_ = true;
  }
  /// For what needs no device.
  explicit Inside(std::nullptr_t) { ++count_; }
  ~Inside() { --count_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  /// Is asked to stop when the process ends.
  static std::stop_source& ends() {
    static std::stop_source& source = *new std::stop_source;
    return source;
  }
  /// Keeps what a thread still uses that nobody waits for any more, until ended() says that it has
  /// ended; then it goes, under the GIL.
  static void keep(std::shared_ptr<void> what, std::function<bool()> ended) {
    left().push_back({std::move(what), std::move(ended)});
  }
  static void sweep() {
    std::erase_if(left(), [](const Left& one) { return one.ended(); });
  }
  /// Stops all, and waits until they have come back; for threads that nobody waits for any more not
  /// for ever: they may wait for a pipe. A child stops nothing: a thread of the parent's may have
  /// had the locks for that.
  static void end() {
    if (forked_) return;
    ends().request_stop();
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    while (count_ > 0 || (threads_ > 0 && std::chrono::steady_clock::now() < patience)) {
      {
        const nb::gil_scoped_release release;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }
  /// In the child, which has none of the threads.
  static void fork() {
    ++generation_;
    forked_ = forked_ || used_;
    count_ = 0;
    threads_ = 0;
  }
  /// How often processes have been forked on the way to this one.
  static int generation() { return generation_; }
  /// A thread, of a Run, begins or ends.
  static void thread(int change) { threads_ += change; }

 private:
  static constexpr std::chrono::seconds kPatience{3};
  struct Left {
    std::shared_ptr<void> what;
    std::function<bool()> ended;
  };
  static std::vector<Left>& left() {
    static std::vector<Left>& all = *new std::vector<Left>;
    return all;
  }

  static inline int count_ = 0;
  static inline std::atomic<int> threads_ = 0;
  static inline bool used_ = false, forked_ = false;
  static inline int generation_ = 0;
};

/// Public functions are called by Python's threads with the GIL, but for found().
class Run {
 public:
  /// How long a signal may go unseen, and the least time between two calls of `progress`.
  static constexpr std::chrono::milliseconds kLook{100};
  /// How long a run that is stopped is waited for.
  static constexpr std::chrono::milliseconds kStops{500};
  /// Rows that take() makes Python's at a time, so that signals are seen in between.
  static constexpr std::size_t kRows = 10'000;

  /// `progress`: called with the fields of Progress, unless it is None.
  Run(nb::object progress) : progress_(std::move(progress)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (!thread_.joinable()) return;
    std::optional<nb::gil_scoped_release> release;
    if (!ended()) release.emplace();  // else the thread needs no GIL any more
    thread_.join();
  }

  /// A Call{args...}, which has all that a run needs and, last, the Run itself, `run`. When nobody
  /// has it any more the run is stopped, and what a thread still uses then is kept until that has
  /// ended; in a child, whose parent has the threads, for good.
  template <class Call, class... Args>
  static std::shared_ptr<Call> made(Args&&... args) {
    return std::shared_ptr<Call>(new Call{std::forward<Args>(args)...}, [](Call* call) {
      if (call->run.parents()) return;
      call->run.close();
      if (call->run.ended()) return delete call;
      Inside::keep(std::shared_ptr<void>(call, [](void* one) { delete static_cast<Call*>(one); }),
                   [call] { return call->run.ended(); });
    });
  }

  /// What the options of a call need to be stopped and to tell of progress.
  void connect(RunOptions& options) {
    options.stop = stop_.get_token();
    if (progress_.is_none()) return;
    options.progress = [this](const Progress& now) {
      const std::lock_guard lock(mutex_);
      told_ = now;
    };
  }

  /// Calls work() on the thread.
  void start(std::function<void()> work) {
    Inside::thread(+1);  // before, so that none is overlooked
    thread_ = std::thread([this, work = std::move(work)] {
      std::exception_ptr thrown;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      error_ = thrown;
      done_ = true;
      Inside::thread(-1);
      changed_.notify_all();
    });
  }
  /// For the thread: one more row. Throws an Error of Kind::kStopped when nobody wants it.
  void found(Row row) {
    check_stop();
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(row));
    if (rows_.size() == 1) changed_.notify_all();
  }
  /// For the thread, in what the library does not stop by itself.
  void check_stop() const {
    if (stop_.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  }

  /// Waits until it has ended. Throws what it has thrown, and what a handler of signals or
  /// `progress` raises; then it is stopped first.
  void wait() {
    watch(/*for_rows=*/false);
    end();
  }
  /// Rows as tuples: some of those there are, at least one; none at the end. Throws as wait() does,
  /// after the rows before.
  nb::list take() {
    const Inside inside;
    if (next_ == taken_.size()) {
      watch(/*for_rows=*/true);
      const std::lock_guard lock(mutex_);
      taken_ = std::exchange(rows_, {});
      next_ = 0;
    }
    if (taken_.empty()) end();
    nb::list list;
    for (const std::size_t last = std::min(next_ + kRows, taken_.size()); next_ < last; ++next_)
      list.append(tuple_of(std::exchange(taken_[next_], {})));
    return list;
  }
  /// Stops it, and waits a moment for its end.
  void close() {
    if (parents()) return;
    stop_.request_stop();
    // Inside::end() waits, and does not for who comes back from take() and then asks for the GIL.
    if (Inside::ends().stop_requested()) return;
    if (!thread_.joinable() || std::exchange(closed_, true)) return;
    const Inside inside(nullptr);
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kStops, [&] { return done_; });
  }
  /// Whether the thread is that of a process that this one was forked from.
  bool parents() const { return made_in_ != Inside::generation(); }
  /// Whether there is no thread that still needs what the run was given.
  bool ended() {
    const std::lock_guard lock(mutex_);
    return done_ || !thread_.joinable();
  }

 private:
  void watch(bool for_rows) {
    try {
      for (bool ready = false; !ready;) {
        std::optional<Progress> now;
        {
          const nb::gil_scoped_release release;
          std::unique_lock lock(mutex_);
          ready =
              changed_.wait_for(lock, kLook, [&] { return done_ || (for_rows && !rows_.empty()); });
          if (told_ && std::chrono::steady_clock::now() - called_ >= kLook) now.swap(told_);
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (now) {
          called_ = std::chrono::steady_clock::now();
          progress_(now->part, now->seconds, now->cells, now->cost, now->expected);
        }
      }
    } catch (...) {
      close();
      throw;
    }
  }
  /// It is done.
  void end() {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

  const int made_in_ = Inside::generation();
  nb::object progress_;
  std::chrono::steady_clock::time_point called_ = std::chrono::steady_clock::now() - kLook;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> ends_{Inside::ends().get_token(),
                                                  [this] { stop_.request_stop(); }};
  std::vector<Row> taken_;  // of which those from next_ on are still to be told
  std::size_t next_ = 0;
  bool closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Row> rows_;
  std::optional<Progress> told_;
  bool done_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace rhomb::python
