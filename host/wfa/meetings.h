// SPDX-License-Identifier: Apache-2.0
// Meetings: many pairs of long texts at a time by meeting wavefronts, which share launches: the
// variant fused-batch. While wavefronts are narrow a launch takes as long for one pair as for many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// The variant's name.
inline constexpr std::string_view kFusedBatch = "fused-batch";

/// Two texts that are not empty, without a common beginning and end. Distances up to `most` are of
/// interest, which is between the difference of the lengths and the longer one's.
struct MeetingTask {
  std::string_view a, b;
  std::int64_t most = 0;
};

struct MeetingsProblem {
  std::span<const MeetingTask> tasks;
  const seq::Code* code = nullptr;
  std::size_t threads = 0;
  trace::Trace* trace = nullptr;
  /// Told now and then how far all are, and asked whether to end. May be empty.
  std::function<bool(const Progress&)> give_up = {};
};

struct MeetingsAnswer {
  std::vector<std::optional<std::int64_t>> distances;  ///< one a task; none: larger than `most`
  bool given_up = false;
  double cells = 0;
  double compute = 0;  ///< seconds, as in rhomb::Answer
  double build = 0;
  double transfer = 0;
};

/// A plan for pairs of a code, whatever they are. Pure. Throws tune::Unfit.
Plan plan_meetings(const seq::Code& code, const ocl::Limits& limits, const tune::Config& config);

/// Whether the rows of a pair can be numbered.
bool fits(const MeetingTask& task);

/// Bytes on the device that a pair needs, about.
std::uint64_t meeting_bytes(const Plan& plan, const MeetingTask& task);

/// All of them at once, which the device's memory suffices for. Throws as solve() does.
MeetingsAnswer meet(ocl::Device& device, const Plan& plan, const MeetingsProblem& problem);

}  // namespace rhomb::wfa
