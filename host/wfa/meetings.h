// SPDX-License-Identifier: Apache-2.0
// Meetings: many pairs of long texts at a time by meeting wavefronts, which share launches: the
// variant fused-batch. While wavefronts are narrow a launch takes as long for one pair as for many.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/wfa/cutter.h"
#include "host/wfa/fronts.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// The variant's name.
inline constexpr std::string_view kFusedBatch = "fused-batch";

/// Two texts that end with different symbols and begin with `prefix` common ones and then different
/// ones. Distances up to `most` are of interest, which is between the difference of the lengths and
/// the longer one's.
struct MeetingTask {
  std::string_view a, b;
  std::int64_t most = 0;
  std::int64_t prefix = 0;
  std::int64_t about = 0;  ///< probably the distance, or 0
};

struct MeetingsProblem {
  std::span<const MeetingTask> tasks;
  const seq::Code* code = nullptr;
  const TextsThere* there = nullptr;  ///< texts of tasks that lie in these are cut out of them
  std::uint64_t most_kept = 0;  ///< bytes of the device for the rows that are kept; 0: none are
  std::size_t threads = 0;
  trace::Trace* trace = nullptr;
  /// Told now and then how far all are, and asked whether to end. May be empty.
  std::function<bool(const Progress&)> give_up = {};
};

struct MeetingsAnswer {
  std::vector<std::optional<std::int64_t>> distances;  ///< one a task; none: larger than `most`
  std::vector<Kept> kept;                              ///< likewise, if rows are kept
  bool given_up = false;
  double cells = 0;
  double compute = 0;  ///< seconds, as in rhomb::Answer
  double build = 0;
  double transfer = 0;
};

/// A plan for pairs of a code, whatever they are. Pure. Throws tune::Unfit.
Plan plan_meetings(const seq::Code& code, const ocl::Limits& limits, const tune::Config& config);

/// Has another thread make the programs ready that pairs of a code probably take. All of it
/// outlives what is returned.
std::future<void> make_ready(ocl::Device& device, const seq::Code& code, std::size_t threads);

/// Whether the rows of a pair can be numbered.
bool fits(const MeetingTask& task);

/// Bytes on the device that a pair's texts need, about, and all of it; `keeps`: with the rows that
/// are kept.
std::uint64_t meeting_text_bytes(const Plan& plan, const MeetingTask& task);
std::uint64_t meeting_bytes(const Plan& plan, const MeetingTask& task, bool keeps);

/// All of them at once, which the device's memory suffices for. Throws as solve() does, and
/// MemoryError where rows that are kept need more than their share.
MeetingsAnswer meet(ocl::Device& device, const Plan& plan, const MeetingsProblem& problem);

}  // namespace rhomb::wfa
