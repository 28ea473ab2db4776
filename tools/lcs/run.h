// SPDX-License-Identifier: Apache-2.0
// LcsRun: blocks of subjects go through one or more devices; what comes out is in the order of the
// file. Each device has a thread, which takes the next block as soon as it is done with one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/lcs/lcs.h"
#include "tools/cli/session.h"
#include "tools/lcs/subjects.h"

namespace rhomb::cli {

/// What a run took, all devices together; times in seconds.
struct LcsTotals {
  std::uint64_t subjects = 0;
  double symbols = 0;  ///< of the subjects
  double cells = 0;
  std::size_t blocks = 0;
  double build = 0, transfer = 0, compute = 0;
  std::string device;   ///< the name of each, "host" for the reference
  std::string variant;  ///< each row that was used
  tune::Config config;  ///< of the first block
};

/// The queries that go over a block of subjects together: all, if they are not very long.
std::vector<std::vector<std::string_view>> query_sets(const seq::Batch& queries);

class LcsRun {
 public:
  struct Method {
    const lcs::Variant* row =
        nullptr;  ///< null: each device takes lcs::choose()'s for its first block
    tune::Config config;
    trace::Trace* trace = nullptr;
    /// Called by any of the threads, but by one at a time.
    std::function<void(const rhomb::Progress&)> progress;
    const tune::Store* store = nullptr;  ///< of settings; null: none is used
  };

  /// Starts. The arguments stay as they are while the run lives. `sessions` may be empty for the
  /// reference.
  LcsRun(const seq::Batch& queries, Subjects& subjects, std::deque<Session>& sessions,
         Method method);
  ~LcsRun();
  LcsRun(const LcsRun&) = delete;
  LcsRun& operator=(const LcsRun&) = delete;

  /// The next block of the file, with lengths; nothing at the end. Throws what a device throws.
  std::optional<Block> next();

  /// After the last block.
  const LcsTotals& totals() const { return totals_; }

 private:
  void work(Session* session);
  void solve(ocl::Device* device, const lcs::Variant*& row, Block& block);
  void solve(ocl::Device* device, const lcs::Variant& row, lcs::Problem& problem, double before,
             Block& block);
  void report(const Block& block, double part, double cells);

  Subjects& subjects_;
  Method method_;
  const std::vector<std::vector<std::string_view>> sets_;  // of queries
  double query_symbols_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Block> solved_;
  std::size_t wanted_ = 0;   // number of the block that comes next
  std::size_t working_ = 0;  // threads
  bool stopped_ = false;
  std::exception_ptr failure_;
  LcsTotals totals_;
  double reported_ = 0;  // part done
  std::vector<std::thread> threads_;
};

}  // namespace rhomb::cli
