// SPDX-License-Identifier: Apache-2.0
// Run: a run of the library on a thread of its own, which needs no GIL, while the Python thread
// that asked for it looks out for signals, tells of progress and takes what was found.
#pragma once

#include <nanobind/nanobind.h>
#include <rhomb/rhomb.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
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
  /// Stops all, and waits until they have come back.
  static void end() {
    ends().request_stop();
    while (count_ > 0) {
      {
        const nb::gil_scoped_release release;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }
  /// In the child, which has none of the threads.
  static void fork() {
    forked_ = forked_ || used_;
    count_ = 0;
  }
  static bool forked() { return forked_; }

 private:
  static inline int count_ = 0;
  static inline bool used_ = false, forked_ = false;
};

/// Public functions are called by Python's threads with the GIL, but for found().
class Run {
 public:
  /// How long a signal may go unseen, and the least time between two calls of `progress`.
  static constexpr std::chrono::milliseconds kLook{100};

  /// `progress`: called with the fields of Progress, unless it is None.
  explicit Run(nb::object progress) : progress_(std::move(progress)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { close(); }

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
      changed_.notify_all();
    });
  }
  /// For the thread: one more row.
  void found(Row row) {
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(row));
    if (rows_.size() == 1) changed_.notify_all();
  }

  /// Waits until it has ended. Throws what it has thrown, and what a handler of signals or
  /// `progress` raises; then it is stopped first.
  void wait() {
    watch(/*for_rows=*/false);
    end();
  }
  /// Rows as tuples: those there are, at least one; none at the end. Throws as wait() does, after
  /// the rows before.
  nb::list take() {
    const Inside inside;
    watch(/*for_rows=*/true);
    std::vector<Row> rows;
    {
      const std::lock_guard lock(mutex_);
      rows.swap(rows_);
    }
    if (rows.empty()) end();
    nb::list list;
    for (const Row& row : rows) list.append(tuple_of(row));
    return list;
  }
  /// Stops it, and waits until it has ended.
  void close() {
    stop_.request_stop();
    std::thread thread = std::move(thread_);
    if (!thread.joinable()) return;
    if (Inside::forked()) return thread.detach();  // it is the parent's
    const Inside inside(nullptr);
    const nb::gil_scoped_release release;
    thread.join();
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
  void end() {
    close();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  nb::object progress_;
  std::chrono::steady_clock::time_point called_ = std::chrono::steady_clock::now() - kLook;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> ends_{Inside::ends().get_token(),
                                                  [this] { stop_.request_stop(); }};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Row> rows_;
  std::optional<Progress> told_;
  bool done_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace rhomb::python
