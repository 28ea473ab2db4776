// SPDX-License-Identifier: Apache-2.0
#include "host/batch/threads.h"

#include <deque>
#include <exception>
#include <thread>
#include <vector>

namespace rhomb::batch {
namespace {

/// Threads of the process that wait for parts to do: starting them each time takes longer than many
/// parts do. There are as many as were ever at work at a time, the callers' own not counted.
class Crew {
 public:
  void begin(std::size_t parts) {
    const std::lock_guard lock(mutex_);
    while (started_ + 1 < parts) start();
  }

  void run(std::size_t parts, const std::function<void(std::size_t)>& part) {
    Job job{part, std::vector<bool>(parts, true), parts};
    std::unique_lock lock(mutex_);
    while (idle_ < free_ + parts - 1) start();
    jobs_.push_back(&job);
    free_ += parts;
    const std::size_t own = claim(job, 0);
    lock.unlock();
    for (std::size_t i = 1; i < parts; ++i) begun_.notify_one();
    perform(job, own, lock);
    while (job.next < parts) {  // whoever should do it is late
      const std::size_t other = claim(job, job.next);
      lock.unlock();
      perform(job, other, lock);
    }
    job.done.wait(lock, [&] { return job.left == 0; });
    if (job.failure) std::rethrow_exception(job.failure);
  }

 private:
  struct Job {
    const std::function<void(std::size_t)>& part;
    std::vector<bool> free;  // parts that nobody has taken
    std::size_t left;        // parts that are not done
    std::size_t next = 0;    // the first that is free
    std::exception_ptr failure = nullptr;
    std::condition_variable done = {};
  };

  void start() {
    std::thread([this, own = ++started_] { help(own); }).detach();
    ++idle_;
  }

  void help(std::size_t number) {
    std::unique_lock lock(mutex_);
    for (;;) {
      begun_.wait(lock, [&] { return !jobs_.empty(); });
      Job& job = *jobs_.front();
      const std::size_t part = claim(job, number);
      --idle_;
      lock.unlock();
      perform(job, part, lock);
      ++idle_;
    }
  }

  /// Part `wanted` or else the first one that is free. So the same thread does the same part each
  /// time, whose cache has what it left there, unless it is late.
  std::size_t claim(Job& job, std::size_t wanted) {
    const std::size_t part = wanted < job.free.size() && job.free[wanted] ? wanted : job.next;
    job.free[part] = false;
    --free_;
    while (job.next < job.free.size() && !job.free[job.next]) ++job.next;
    if (job.next == job.free.size()) std::erase(jobs_, &job);
    return part;
  }

  /// Does a claimed part. The lock is held after, not before.
  static void perform(Job& job, std::size_t part, std::unique_lock<std::mutex>& lock) {
    std::exception_ptr failure;
    try {
      job.part(part);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !job.failure) job.failure = failure;
    if (--job.left == 0) job.done.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable begun_;
  std::deque<Job*> jobs_;               // with free parts
  std::size_t free_ = 0;                // of all jobs
  std::size_t started_ = 0, idle_ = 0;  // threads; those of them that are not at work
};

Crew& the_crew() {
  // Never destroyed: its threads wait until the process has ended.
  static Crew& crew = *new Crew;
  return crew;
}

}  // namespace

void run_parts(std::size_t parts, const std::function<void(std::size_t)>& part) {
  the_crew().run(parts, part);
}

void start_threads(std::size_t parts) { the_crew().begin(parts); }

}  // namespace rhomb::batch
