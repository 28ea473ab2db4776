// SPDX-License-Identifier: Apache-2.0
// Several pairs at a time by strips whose words flow (cl/strip/several.cl): the variant flow-batch.
// A pair alone leaves most of a device idle unless it is long, and takes as long as its columns,
// one after the other; several take no longer until the device is full.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "host/strip/strip.h"

namespace rhomb::strip {

/// The variant's name.
inline constexpr std::string_view kFlowBatch = "flow-batch";

const Variant& flow_batch_variant();

/// Whether devices like this one gain by several pairs at a time, if each of them does.
bool shares_launches(const ocl::Limits& limits);

/// What all of these pairs should be planned with. Their problems are trimmed and have a guess.
tune::Config config_together(std::span<const Problem> problems, const ocl::Limits& limits);

struct SeveralAnswer {
  std::vector<Answer> answers;  ///< one a pair: distance, passes and cells
  bool given_up = false;
  double build = 0, transfer = 0, compute = 0;  ///< seconds of all, as in rhomb::Answer
};

/// All of them at once: plans by flow_batch_variant() with the same tunables and of the same code,
/// whose bytes the device's memory suffices for. `give_up`: told now and then how far all are, and
/// asked whether to end; may be empty. Throws as solve() does.
SeveralAnswer solve_several(ocl::Device& device, std::span<const Plan> plans,
                            std::span<const Problem> problems, std::size_t threads,
                            trace::Trace* trace,
                            const std::function<bool(const Progress&)>& give_up);

}  // namespace rhomb::strip
